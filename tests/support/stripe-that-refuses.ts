import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The part of Stripe that checks a key: it accepts the key for reading payments until the key is revoked. */
export interface StripeThatRefuses {
  readonly url: string
  /** From now on, answers as Stripe does to an unknown key. */
  revoke(): void
  close(): Promise<void>
}

export async function startStripeThatRefuses(
  state: 'accepting' | 'refusing' = 'accepting',
): Promise<StripeThatRefuses> {
  let accepting = state === 'accepting'
  const server = createServer((request, response) => {
    request.resume()
    const body = accepting
      ? { object: 'list', data: [], has_more: false }
      : { error: { type: 'invalid_request_error', message: 'Invalid API Key provided: sk_test_****dc' } }
    response.writeHead(accepting ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    revoke: () => {
      accepting = false
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
