import type { Readiness } from '@commerce-graph/gateway'
import { stopping } from '@commerce-graph/http-server'
import { once } from 'node:events'
import { createServer } from 'node:http'

interface Address {
  readonly port: number
  readonly host: string
}

/** Milliseconds: health answers take no longer. */
const closingGrace = 3_000

/**
 * Serves `/healthz`, `/livez` and `/readyz` of a process that has no other server. Resolves with the function that stops it;
 * rejects if the port is taken.
 */
export async function serveHealth(
  readiness: Readiness,
  { port, host }: Address,
): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      response.end(JSON.stringify(body))
    }
    const path = request.url?.split('?', 1)[0]
    if (path === '/healthz' || path === '/livez') send(200, { status: 'ok' })
    else if (path === '/readyz')
      void readiness
        .report()
        .then((report) => send(report.status === 'ok' || report.status === 'degraded' ? 200 : 503, report))
    else send(404, { message: 'The worker answers /healthz, /livez and /readyz' })
  })
  const httpServer = stopping(server)
  server.listen(port, host)
  await once(server, 'listening')
  return () => httpServer.stop({ graceMilliseconds: closingGrace })
}
