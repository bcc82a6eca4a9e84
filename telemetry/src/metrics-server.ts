import { boundSending, cachedCheck } from '@commerce-graph/http-server'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Metrics } from './metrics.ts'

export interface MetricsServer {
  readonly port: number
  stop(): Promise<void>
}

/** Several Prometheus servers ask; each needs one connection. */
const maxConnections = 20
/** Milliseconds in which scrapes share one reading of the database. */
const kept = 1_000
const sending = { sendMilliseconds: 10_000, sendBytesPerSecond: 20_000 }

/** Serves `GET /metrics` as Prometheus' text. Rejects if the port is taken. */
export async function serveMetrics(
  metrics: Metrics,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<MetricsServer> {
  const read = cachedCheck(kept, () => metrics.text())
  const server = createServer((request, response) => {
    boundSending(response, sending)
    answer(request, response, read, metrics.contentType).catch(() => {
      if (response.headersSent) response.destroy()
      else response.writeHead(500).end()
    })
  })
  server.maxConnections = maxConnections
  server.listen(port, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  read: () => Promise<string>,
  contentType: string,
): Promise<void> {
  if (request.url?.split('?', 1)[0] !== '/metrics' || request.method !== 'GET') {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('The metrics are at GET /metrics\n')
    return
  }
  const text = await read()
  response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' }).end(text)
}
