import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import { boundConnections, boundSending, type ConnectionBounds } from './connection-bounds.ts'

const opened: (Server | Socket)[] = []
afterEach(() => {
  for (const each of opened.splice(0)) {
    if ('closeAllConnections' in each) {
      each.closeAllConnections()
      each.close()
    } else each.destroy()
  }
})

async function listen(server: Server): Promise<number> {
  opened.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  opened.push(socket)
  await once(socket, 'connect')
  return socket
}

const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

/** Sends a request on the connection: returns the answer's status, or how the connection was closed. */
async function ask(socket: Socket): Promise<string> {
  socket.write(request)
  let text = ''
  for await (const chunk of socket) {
    text += String(chunk)
    if (text.includes('\r\n\r\n')) break
  }
  return text
}

describe('connections', () => {
  const serve = (
    limits: Pick<ConnectionBounds, 'connections' | 'connectionsPerAddress'>,
    isProxy: boolean,
  ) => {
    const server = createServer((_request, response) => response.end('here'))
    const statuses = { too_many: '503 Service Unavailable', too_many_from_address: '429 Too Many Requests' }
    boundConnections(server, {
      ...limits,
      isTrustedProxy: () => isProxy,
      refuse: (socket, refusal) => {
        socket.end(`HTTP/1.1 ${statuses[refusal]}\r\nConnection: close\r\n\r\n`)
      },
    })
    return listen(server)
  }

  test('beyond the bound of one address are refused with a message, and the next is accepted when one has ended', async () => {
    const port = await serve({ connections: 100, connectionsPerAddress: 3 }, false)
    const [first] = await Promise.all([open(port), open(port), open(port)])
    const refused = await ask(await open(port))
    expect(refused).toContain('HTTP/1.1 429')
    first.destroy()
    await expect.poll(async () => ask(await open(port))).toContain('HTTP/1.1 200')
  })

  test('are bounded in total, including those of a proxy, which has no bound per address', async () => {
    const port = await serve({ connections: 5, connectionsPerAddress: 1 }, true)
    await Promise.all(Array.from({ length: 5 }, () => open(port)))
    expect(await ask(await open(port))).toContain('HTTP/1.1 503')
  })
})

describe('a client that reads its answer', () => {
  const serve = (limits: Parameters<typeof boundSending>[1], bytes: number) => {
    const closed = Promise.withResolvers<'sent' | 'cut'>()
    const server = createServer((_request, response) => {
      boundSending(response, limits)
      response.once('close', () => closed.resolve(response.writableFinished ? 'sent' : 'cut'))
      response.end(Buffer.alloc(bytes))
    })
    return listen(server).then((port) => ({ port, closed: closed.promise }))
  }
  /** More bytes than the operating system buffers for a connection. */
  const large = 64_000_000

  test('not at all is disconnected', async () => {
    const { port, closed } = await serve({ sendMilliseconds: 300, sendBytesPerSecond: 1 }, large)
    const socket = await open(port)
    socket.pause()
    socket.write(request)
    expect(await closed).toBe('cut')
  })

  test('too slowly is disconnected', async () => {
    const { port, closed } = await serve({ sendMilliseconds: 300, sendBytesPerSecond: 100_000_000 }, large)
    const socket = await open(port)
    socket.write(request)
    const sipping = setInterval(() => void socket.read(1_000), 10)
    expect(await closed).toBe('cut')
    clearInterval(sipping)
  })

  test('in time gets all of it, and keeps its connection for the next request', async () => {
    const { port, closed } = await serve(
      { sendMilliseconds: 5_000, sendBytesPerSecond: 1_000_000 },
      3_000_000,
    )
    const answers = await Promise.all(
      [1, 2].map(async () => (await fetch(`http://127.0.0.1:${port}/`)).arrayBuffer()),
    )
    expect(answers.map(({ byteLength }) => byteLength)).toEqual([3_000_000, 3_000_000])
    expect(await closed).toBe('sent')
  })
})
