import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/** Stops a server so that no client loses an answer. */
export interface ServerStop {
  /**
   * From now on each answer says `Connection: close`, also those that are under way. New connections are taken for
   * `drainMilliseconds` more, in which whoever sends requests finds out that others should get them; then what still runs comes to its end, and
   * what hasn't after `graceMilliseconds` is cut. Resolves when no connection is left.
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
  let isStopping = false
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    if (isStopping) response.setHeader('connection', 'close')
    underWay.add(response)
    response.once('close', () => underWay.delete(response))
  })
  return {
    async stop({ drainMilliseconds, graceMilliseconds }) {
      isStopping = true
      for (const response of underWay) if (!response.headersSent) response.setHeader('connection', 'close')
      const closed = once(server, 'close')
      if (drainMilliseconds > 0) await new Promise((resolve) => setTimeout(resolve, drainMilliseconds))
      // Right after the connections that have arrived were taken: those that the kernel has and Node hasn't are reset.
      setImmediate(() => {
        server.close()
        server.closeIdleConnections()
      })
      const timer = setTimeout(() => server.closeAllConnections(), graceMilliseconds)
      await closed
      clearTimeout(timer)
    },
  }
}
