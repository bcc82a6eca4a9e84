import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from './network-of.ts'

/** Why a connection is refused: too many are open in total, or from its address. */
export type ConnectionRefusal = 'too_many' | 'too_many_from_address'

export interface ConnectionBounds {
  readonly connections: number
  /** The bound for one IPv4 address or IPv6 network. */
  readonly connectionsPerAddress: number
  /**
   * A proxy's connections carry many clients, so only the total bounds them. The proxy has to bound its clients itself.
   */
  readonly isTrustedProxy: (address: string | undefined) => boolean
  /** Writes the reason to the bare socket, before anything of a request is read. The connection is closed after it. */
  readonly refuse: (socket: Socket, refusal: ConnectionRefusal) => void
}

/** Bounds the connections that are open at once, in total and for one client's address, WebSockets included. */
export function boundConnections(
  server: Server,
  { connections, connectionsPerAddress, isTrustedProxy, refuse }: ConnectionBounds,
): void {
  let open = 0
  const openFrom = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    const network = isTrustedProxy(remoteAddress) ? undefined : (networkOf(remoteAddress) ?? 'unknown')
    const others = network === undefined ? 0 : (openFrom.get(network) ?? 0)
    open += 1
    if (network !== undefined) openFrom.set(network, others + 1)
    socket.once('close', () => {
      open -= 1
      if (network === undefined) return
      const left = (openFrom.get(network) ?? 1) - 1
      if (left > 0) openFrom.set(network, left)
      else openFrom.delete(network)
    })
    if (open > connections) drop(socket, 'too_many')
    else if (others >= connectionsPerAddress) drop(socket, 'too_many_from_address')
  })

  function drop(socket: Socket, refusal: ConnectionRefusal): void {
    refuse(socket, refusal)
    socket.destroySoon()
  }
}

export interface SendingBounds {
  /** For how many milliseconds a client may read nothing of its answer. */
  readonly sendMilliseconds: number
  /** The average rate at which it has to read, at least. */
  readonly sendBytesPerSecond: number
}

/** The longest time that Node's timers take: 24 days. */
const maxTimeout = 2 ** 31 - 1

/**
 * Disconnects a client that doesn't read its answer: one that reads nothing for some time, or too slowly on average.
 * Until then the unread answer stays in memory.
 */
export function boundSending(
  response: ServerResponse,
  { sendMilliseconds, sendBytesPerSecond }: SendingBounds,
): void {
  response.once('prefinish', () => {
    const cut = (): void => {
      response.socket?.destroy()
    }
    // Node reports a time-out only when nothing was sent in that time.
    response.setTimeout(sendMilliseconds, cut)
    const longest = Math.min(
      maxTimeout,
      sendMilliseconds + (response.writableLength / sendBytesPerSecond) * 1_000,
    )
    const timer = setTimeout(cut, longest)
    response.once('close', () => clearTimeout(timer))
  })
}
