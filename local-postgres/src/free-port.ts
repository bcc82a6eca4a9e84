import { createServer } from 'node:net'

/**
 * The range that free ports are taken from. Systems give outgoing connections ports from 32768 or 49152 on, so a free
 * port of that range may become another connection's end before it is bound. It begins after 10080, the last port that
 * `fetch` connects to no server at (https://fetch.spec.whatwg.org/#port-blocking).
 */
const lowestPort = 10_081
const highestPort = 32_000
const maxAttempts = 100

/** Whether nothing listens on the port of the loopback address. */
export const isPortFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })

/**
 * The first of `count` consecutive ports that were free a moment ago. A caller must expect that one is taken when it
 * binds them.
 */
export async function freePorts(count: number): Promise<number> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const first = lowestPort + Math.floor(Math.random() * (highestPort - lowestPort))
    const free = await Promise.all(Array.from({ length: count }, (_, index) => isPortFree(first + index)))
    if (free.every(Boolean)) return first
  }
  throw new Error(`Found no ${count} free ports in a row between ${lowestPort} and ${highestPort}`)
}
