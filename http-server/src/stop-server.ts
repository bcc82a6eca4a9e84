import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'

/** Stops a server so that no client loses an answer. */
export interface ServerStop {
  /** Whether it has begun, so that the server says so to what asks for its health. */
  readonly isStopping: boolean
  /** From now on each answer says `Connection: close`, also those that are under way. */
  begin(): void
  /**
   * Begins, unless it has. To drain, it takes new connections for some seconds from the beginning on, in which what sends requests finds
   * out that others should get them, and then those that wait to be taken. What still runs comes to its end, and what hasn't after
   * `graceMilliseconds` is cut, WebSockets included. Resolves when no connection is left.
   */
  stop(options: StopOptions & { readonly graceMilliseconds: number }): Promise<void>
}

export interface StopOptions {
  /** Takes requests for some seconds more, until all that send them have seen that it stops, or `Connection: close`. */
  readonly drain?: boolean
}

/** @param server before its first connection */
export function stopping(server: Server): ServerStop {
  const sockets = new Set<Socket>()
  const underWay = new Set<ServerResponse>()
  let begunAt: number | undefined
  let endsConnections = false
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    if (endsConnections) response.setHeader('connection', 'close')
    underWay.add(response)
    response.once('close', () => underWay.delete(response))
  })
  const endConnections = (): void => {
    endsConnections = true
    for (const response of underWay) if (!response.headersSent) response.setHeader('connection', 'close')
  }
  function begin(): number {
    if (begunAt !== undefined) return begunAt
    endConnections()
    return (begunAt = performance.now())
  }
  return {
    get isStopping() {
      return begunAt !== undefined
    },
    begin,
    async stop({ drain = false, graceMilliseconds }) {
      const closed = once(server, 'close')
      const begun = begin()
      if (drain) {
        // A client may keep an idle connection for as long as it was told; by then each has been closed or used once more.
        const drainUntil = begun + server.keepAliveTimeout + 1_000
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, drainUntil - performance.now())))
        // A client that keeps its connection makes no other one, so the queue comes to its end.
        endsConnections = false
        await untilNoneWaits(server)
      }
      // Not that of HTTP's server, which would close kept connections on which a request may be on its way: they end with
      // their next answer, or by themselves when it is time.
      NetServer.prototype.close.call(server)
      endConnections()
      if (!drain) server.closeIdleConnections()
      // Those of WebSockets, too, of which HTTP's server knows nothing any more.
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, graceMilliseconds)
      await closed
      clearTimeout(timer)
      server.close()
    },
  }
}

/** Milliseconds. Clients without a pause must not keep a server from closing. */
const maxWait = 5_000

/** Milliseconds, and turns of the loop: a client whose connection has just ended is making its next one. */
const quiet = 100
const quietTurnsNeeded = 3
/** Milliseconds. During a longer turn, connections may have come since Node looked. */
const shortTurn = 5

/**
 * Closing a server resets the connections that the kernel has accepted and Node hasn't, and Node takes only one of them in a
 * turn of its loop. So this resolves after some turns in which there was none to take, at the end of a short one.
 */
async function untilNoneWaits(server: Server): Promise<void> {
  let quietTurns = 0
  let quietSince = performance.now()
  const begin = quietSince
  const noteTaken = (): void => {
    quietTurns = 0
    quietSince = performance.now()
  }
  server.on('connection', noteTaken)
  for (;;) {
    const turnBegin = performance.now()
    await new Promise((resolve) => setImmediate(resolve))
    quietTurns += 1
    const now = performance.now()
    const isQuiet = quietTurns > quietTurnsNeeded && now - quietSince > quiet && now - turnBegin < shortTurn
    if (isQuiet || now - begin > maxWait) break
  }
  server.off('connection', noteTaken)
}
