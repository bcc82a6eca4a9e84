import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from './network-of.ts'

/** Why a connection isn't taken: there are too many in all, or from where it comes. */
export type ConnectionRefusal = 'too_many' | 'too_many_from_address'

export interface ConnectionBounds {
  readonly connections: number
  /** Of one IPv4 address or IPv6 network. */
  readonly connectionsPerAddress: number
  /** Connections of a proxy are those of many clients, and bounded in all alone: the proxy has bounds of its own. */
  readonly isTrustedProxy: (address: string | undefined) => boolean
  /** Tells why on the bare socket, before anything of a request was read. The connection is closed after it. */
  readonly refuse: (socket: Socket, refusal: ConnectionRefusal) => void
}

/** Bounds the connections that are open at once, in all and from one client's address, WebSockets included. */
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
  /** For how long a client may take nothing of its answer. */
  readonly sendMilliseconds: number
  /** What it has to take of it at least, on the whole. */
  readonly sendBytesPerSecond: number
}

/** Timers take no more: 24 days. */
const maxTimeout = 2 ** 31 - 1

/**
 * Cuts a client off that doesn't take its answer: one that takes nothing of it for a while, or too little in all. An answer that nobody
 * reads is kept in memory until then.
 */
export function boundSending(
  response: ServerResponse,
  { sendMilliseconds, sendBytesPerSecond }: SendingBounds,
): void {
  response.once('prefinish', () => {
    const cut = (): void => {
      response.socket?.destroy()
    }
    // Node looks at whether anything was sent meanwhile before it calls a timeout one.
    response.setTimeout(sendMilliseconds, cut)
    const longest = Math.min(
      maxTimeout,
      sendMilliseconds + (response.writableLength / sendBytesPerSecond) * 1_000,
    )
    const timer = setTimeout(cut, longest)
    response.once('close', () => clearTimeout(timer))
  })
}
