import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'

const pollMs = 300

/**
 * A load balancer as operators have one: it asks each server for `/readyz`, and gives requests in turn to those that answer 200. It
 * repeats no request, so a server that loses one is noticed.
 */
export class ReadyProxy {
  readonly #server: Server
  readonly #ready = new Map<string, boolean>()
  readonly #timer: NodeJS.Timeout
  #turn = 0
  /** How many requests each server has got. */
  readonly served = new Map<string, number>()

  private constructor(server: Server) {
    this.#server = server
    server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
      this.#forward(incoming, response)
    })
    server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#forwardSocket(incoming, socket, head)
    })
    this.#timer = setInterval(() => void this.#look(), pollMs)
  }

  static async open(): Promise<ReadyProxy> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new ReadyProxy(server)
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  add(address: string): void {
    this.#ready.set(address, false)
  }

  remove(address: string): void {
    this.#ready.delete(address)
  }

  isReady(address: string): boolean {
    return this.#ready.get(address) === true
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #look(): Promise<void> {
    await Promise.all(
      [...this.#ready.keys()].map(async (address) => {
        const answer = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(2_500) }).catch(
          () => undefined,
        )
        await answer?.body?.cancel()
        if (this.#ready.has(address)) this.#ready.set(address, answer?.ok === true)
      }),
    )
  }

  #next(): string | undefined {
    const ready = [...this.#ready].filter(([, isReady]) => isReady).map(([address]) => address)
    return ready[(this.#turn += 1) % ready.length]
  }

  /** A WebSocket. */
  #forwardSocket({ method, url, rawHeaders }: IncomingMessage, socket: Duplex, head: Buffer): void {
    const address = this.#next()
    if (address === undefined) {
      socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n')
      return
    }
    const { hostname, port } = new URL(address)
    const server = connect(Number(port), hostname, () => {
      const headers = rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`))
      server.write(`${method} ${url} HTTP/1.1\r\n${headers.join('')}\r\n`)
      server.write(head)
      server.pipe(socket).pipe(server)
    })
    server.on('error', () => socket.destroy())
    socket.on('error', () => server.destroy())
    socket.on('close', () => server.destroy())
  }

  #forward(incoming: IncomingMessage, response: ServerResponse): void {
    const address = this.#next()
    if (address === undefined) {
      response.writeHead(503).end('no server is ready')
      return
    }
    this.served.set(address, (this.served.get(address) ?? 0) + 1)
    const outgoing = request(
      `${address}${incoming.url ?? '/'}`,
      { method: incoming.method, headers: { ...incoming.headers, connection: 'close' }, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      },
    )
    outgoing.on('error', (error) => {
      if (!response.headersSent) response.writeHead(502)
      response.end(`the server was lost: ${error.message}`)
    })
    incoming.pipe(outgoing)
  }
}
