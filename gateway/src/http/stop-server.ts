import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'

/** Stops a server so that no client loses an answer. */
export interface ServerStop {
  /**
   * From now on each answer says `Connection: close`, also those that are under way. New connections are taken for
   * `drainMilliseconds` more, in which whoever sends requests finds out that others should get them; then those that wait to be taken are, what
   * still runs comes to its end, and what hasn't after `graceMilliseconds` is cut. Resolves when no connection is left.
   */
  stop(times: StopTimes): Promise<void>
}

export interface StopTimes {
  readonly drainMilliseconds: number
  readonly graceMilliseconds: number
}

/** A client may keep an idle connection for as long as it was told; by then each has been closed or used once more. */
export const drainMillisecondsOf = (server: Server): number => server.keepAliveTimeout + 1_000

/** @param server before its first connection */
export function stopping(server: Server): ServerStop {
  const underWay = new Set<ServerResponse>()
  let endsConnections = false
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    if (endsConnections) response.setHeader('connection', 'close')
    underWay.add(response)
    response.once('close', () => underWay.delete(response))
  })
  const endConnections = (): void => {
    endsConnections = true
    for (const response of underWay) if (!response.headersSent) response.setHeader('connection', 'close')
  }
  return {
    async stop({ drainMilliseconds, graceMilliseconds }) {
      const closed = once(server, 'close')
      endConnections()
      if (drainMilliseconds > 0) {
        await new Promise((resolve) => setTimeout(resolve, drainMilliseconds))
        // A client that keeps its connection makes no other one, so the queue comes to its end.
        endsConnections = false
        await untilNoneWaits(server)
      }
      // Not that of HTTP's server, which would close kept connections on which a request may be on its way: they end with
      // their next answer, or by themselves when it is time.
      NetServer.prototype.close.call(server)
      endConnections()
      if (drainMilliseconds === 0) server.closeIdleConnections()
      const timer = setTimeout(() => server.closeAllConnections(), graceMilliseconds)
      await closed
      clearTimeout(timer)
      server.close()
    },
  }
}

/** Milliseconds. Clients without a pause must not keep a server from closing. */
const MAX_WAIT = 5_000

/** Milliseconds, and turns of the loop: a client whose connection has just ended is making its next one. */
const QUIET = 100
const QUIET_TURNS = 3
/** Milliseconds. During a longer turn, connections may have come since Node looked. */
const SHORT_TURN = 5

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
    const isQuiet = quietTurns > QUIET_TURNS && now - quietSince > QUIET && now - turnBegin < SHORT_TURN
    if (isQuiet || now - begin > MAX_WAIT) break
  }
  server.off('connection', noteTaken)
}
