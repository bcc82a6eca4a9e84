import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { stopping } from './stop-server.ts'
import { KeepAliveClients } from './testing.ts'

async function serve(listener: RequestListener) {
  const server = createServer({ keepAliveTimeout: 200 }, listener)
  const httpServer = stopping(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, httpServer, port, url: `http://127.0.0.1:${port}/` }
}

test('once a stop begins, answers say that the connection ends, also those to requests under way', async () => {
  const arrived = Promise.withResolvers<undefined>()
  const opened = Promise.withResolvers<undefined>()
  const { httpServer, url } = await serve((request, response) => {
    if (request.url !== '/slow') {
      response.end()
      return
    }
    arrived.resolve(undefined)
    void opened.promise.then(() => response.end('done'))
  })
  expect((await fetch(url)).headers.get('connection')).toBe('keep-alive')
  const slow = fetch(`${url}slow`)
  await arrived.promise
  expect(httpServer.isStopping).toBe(false)
  httpServer.begin()
  expect(httpServer.isStopping).toBe(true)
  expect((await fetch(url)).headers.get('connection')).toBe('close')
  const stopped = httpServer.stop({ graceMilliseconds: 60_000 })
  opened.resolve(undefined)
  const answer = await slow
  expect([answer.headers.get('connection'), await answer.text()]).toEqual(['close', 'done'])
  await stopped
})

test('clients with kept connections lose no answer while the server drains', async () => {
  const { httpServer, url } = await serve((_request, response) => {
    setImmediate(() => response.end('here'))
  })
  const clients = new KeepAliveClients(8, { url })
  await expect.poll(() => clients.outcomes.length).toBeGreaterThan(16)
  const stopped = httpServer.stop({ drain: true, graceMilliseconds: 60_000 })
  const before = clients.outcomes.length
  await expect.poll(() => clients.outcomes.length).toBeGreaterThan(before + 16)
  expect(await clients.end()).toEqual([200])
  await stopped
})

test('what has not ended in time is cut, upgraded connections included', async () => {
  const { server, httpServer, port } = await serve(() => undefined)
  server.on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  })
  const upgraded = connect(port, '127.0.0.1')
  const unanswered = connect(port, '127.0.0.1')
  const cut = [upgraded, unanswered].map((socket) => once(socket, 'close'))
  for (const socket of [upgraded, unanswered]) socket.on('error', () => undefined)
  upgraded.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  unanswered.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await Promise.all([once(upgraded, 'data'), once(server, 'request')])
  await httpServer.stop({ graceMilliseconds: 10 })
  await Promise.all(cut)
})
