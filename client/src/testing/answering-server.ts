import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** A request that arrived. */
export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

export interface Sent {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** What is done with a request: an answer, a connection that ends without one, or none at all. */
export type Reaction = Sent | 'hang up' | 'say nothing'

export interface AnsweringServer {
  readonly url: string
  readonly received: readonly Received[]
}

/** A server for failures that the API can't be made to have on request. It ends with the test. */
export async function startAnsweringServer(
  react: (received: Received, number: number) => Reaction,
): Promise<AnsweringServer> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const parts = JSON.parse(body) as Pick<Received, 'query' | 'variables'>
      const arrived = { headers: request.headers, ...parts }
      received.push(arrived)
      const reaction = react(arrived, received.length)
      if (reaction === 'hang up') response.destroy()
      if (typeof reaction === 'string') return
      const { status = 200, headers, body: answer } = reaction
      response
        .writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'r-1', ...headers })
        .end(typeof answer === 'string' ? answer : JSON.stringify(answer))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`, received }
}

/** An answer with one error of the catalogue. */
export const refused = (id: string, statusCode: number, details: object = {}): Sent => ({
  status: statusCode,
  body: { errors: [{ message: `${id} of the test`, extensions: { id, code: 'X', statusCode, details } }] },
})
