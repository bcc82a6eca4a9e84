import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'

/** Stops a server so that no client loses an answer. */
export interface ServerStop {
  /** Whether a stop has begun. The server's health answers say so. */
  readonly isStopping: boolean
  /** Begins the stop: from now on each answer says `Connection: close`, also those to requests under way. */
  begin(): void
  /**
   * Begins the stop, unless it has begun. With `drain`, the server first takes new connections for some more seconds,
   * in which load balancers see that it stops, and then those that wait in the kernel's queue. Requests under way may
   * finish; what still runs after `graceMilliseconds` is cut, WebSockets included. Resolves when no connection is left.
   */
  stop(options: StopOptions & { readonly graceMilliseconds: number }): Promise<void>
}

export interface StopOptions {
  /** Takes requests for some more seconds, until all senders have seen the failing health or `Connection: close`. */
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
        // Clients were promised this keep-alive time. After it each idle connection has been closed or used once more.
        const drainUntil = begun + server.keepAliveTimeout + 1_000
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, drainUntil - performance.now())))
        // A client that keeps its connection opens no new one, so the queue becomes empty.
        endsConnections = false
        await untilNoneWaits(server)
      }
      // HTTP's own close() would also close kept connections on which a request may be on its way. They end with their
      // next answer, or by their time-out.
      NetServer.prototype.close.call(server)
      endConnections()
      if (!drain) server.closeIdleConnections()
      // HTTP's server no longer knows the sockets of WebSockets, so all sockets are tracked here.
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, graceMilliseconds)
      await closed
      clearTimeout(timer)
      server.close()
    },
  }
}

/** Milliseconds. Clients that connect without a pause must not keep a server from closing. */
const maxWait = 5_000

/** Milliseconds, and turns of the event loop: a client whose connection has just ended may be opening its next one. */
const quiet = 100
const quietTurnsNeeded = 3
/** Milliseconds. During a longer turn, new connections may have come since Node looked. */
const shortTurn = 5

/**
 * Closing a server resets the connections that the kernel has accepted and Node hasn't, and Node takes only one of them
 * in a turn of its event loop. So this resolves after some turns without a new connection, at the end of a short turn.
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
