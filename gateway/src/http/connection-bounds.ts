import { networkOf } from '@commerce-graph/rate-limits'
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { catalogueError, unexpectedError, withStatus } from '@commerce-graph/contract/errors'
import type { Limits } from '../limits/limits.ts'
import { refuseSocket } from './refuse-socket.ts'

/** Whose connections are a proxy's: they are many people's, and the proxy has bounds of its own. */
export type IsTrustedProxy = (address: string | undefined) => boolean

/** Bounds the connections that are open at once, in all and from one client's address, WebSockets included. */
export function boundConnections(
  server: Server,
  { connections, connectionsPerAddress }: Pick<Limits, 'connections' | 'connectionsPerAddress'>,
  isTrustedProxy: IsTrustedProxy,
): void {
  let open = 0
  const openFrom = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    const network = isTrustedProxy(remoteAddress) ? undefined : (networkOf(remoteAddress) ?? 'unknown')
    const fromThere = network === undefined ? 0 : (openFrom.get(network) ?? 0)
    open += 1
    if (network !== undefined) openFrom.set(network, fromThere + 1)
    socket.once('close', () => {
      open -= 1
      if (network === undefined) return
      const left = (openFrom.get(network) ?? 1) - 1
      if (left > 0) openFrom.set(network, left)
      else openFrom.delete(network)
    })
    if (open > connections) drop(socket, withStatus(unexpectedError(), 503))
    else if (fromThere >= connectionsPerAddress) {
      const reason = `At most ${connectionsPerAddress} connections may be open from one address`
      drop(
        socket,
        catalogueError('SVC_RATE_001', { time: 'closing others' }, { reason, limit: 'connections' }),
      )
    }
  })
}

function drop(socket: Socket, error: Parameters<typeof refuseSocket>[1]): void {
  refuseSocket(socket, error)
  socket.destroySoon()
}

/** Timers take no more: 24 days. */
const maxTimeout = 2 ** 31 - 1

/**
 * Cuts a client off that doesn't take its answer: one that takes nothing of it for a while, or too little in all. An answer that nobody
 * reads is kept in memory until then.
 */
export function boundSending(
  response: ServerResponse,
  { sendMilliseconds, sendBytesPerSecond }: Pick<Limits, 'sendMilliseconds' | 'sendBytesPerSecond'>,
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
