import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface CuttableProxy {
  readonly port: number
  /** Ends every connection, as a restart of the server behind the proxy does. */
  cut(): void
  /** Stops all traffic of the current connections without closing them, like an unplugged cable. */
  silence(): void
  close(): Promise<void>
}

/** A proxy before a TCP port, for tests that lose connections. */
export async function startCuttableProxy(targetPort: number): Promise<CuttableProxy> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1')
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    silence() {
      for (const socket of sockets) socket.unpipe().pause()
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      cut()
      await closed
    },
  }
}
