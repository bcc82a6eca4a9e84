import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request and its answer, as they went over the wire. */
export interface Exchange {
  readonly method: string
  /** Without its query. */
  readonly path: string
  /** Of the query or the body. */
  readonly parameters: URLSearchParams
  /** Empty if there is none. */
  readonly body: string
  readonly status: number
  readonly answer: unknown
}

export interface RecordingProxy {
  readonly url: string
  /** Oldest first. */
  readonly exchanges: readonly Exchange[]
  close(): Promise<void>
}

/** Passes the requests of a processor's client on, and keeps them with their answers. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const exchanges: Exchange[] = []
  const passOn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const { method = '', url = '' } = request
    const { pathname: path, searchParams } = new URL(url, target)
    const answer = await fetch(`${target}${url}`, {
      method,
      headers: passedHeaders(request),
      body: body === '' ? null : body,
    })
    const content = await answer.text()
    const parameters = method === 'GET' ? searchParams : new URLSearchParams(body)
    exchanges.push({ method, path, parameters, body, status: answer.status, answer: JSON.parse(content) })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(content)
  }
  const server = createServer((request, response) => {
    passOn(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** The headers that mean something to a processor. */
export function passedHeaders({ headers }: IncomingMessage): Record<string, string> {
  const names = [
    'authorization',
    'content-type',
    'idempotency-key',
    'stripe-version',
    'paypal-request-id',
    'prefer',
  ]
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  )
}
