import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface UnreliableProxy {
  readonly url: string
  /** How many requests the API ran although their answers were lost. */
  readonly lost: () => number
  close(): Promise<void>
}

/**
 * A proxy that behaves like a bad network and an overloaded server. In turn, it passes a request on; passes it on
 * and loses the answer; answers 503; answers 429.
 */
export async function startUnreliableProxy(target: string): Promise<UnreliableProxy> {
  let turn = 0
  let lost = 0
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request)
      const kind = turn++ % 6
      if (kind === 3) return response.writeHead(503).end('no')
      if (kind === 5)
        return response.writeHead(429, { 'retry-after': '0' }).end('{"errors":[{"message":"slow down"}]}')
      const headers = {
        'content-type': 'application/json',
        authorization: request.headers.authorization ?? '',
      }
      const answer = await fetch(target, { method: 'POST', headers, body })
      const content = await answer.text()
      if (kind === 1) {
        lost += 1
        return response.destroy()
      }
      return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(content)
    })().catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    lost: () => lost,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
