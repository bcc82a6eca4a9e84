import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { EndpointParts } from '../endpoint-parts.ts'
import { answerGraphQL } from '../graphql-endpoint.ts'
import type { Answer } from '../http/server.ts'

export { neededRules } from './needed-rules.ts'
export { endpointParts } from '../endpoint-parts.ts'
export type { EndpointParts } from '../endpoint-parts.ts'

/** Answers a request as the gateway does, without a network, to measure the cost of its stages. */
export function answerRequest(
  parts: EndpointParts,
  { key, body }: { readonly key: string; readonly body: Buffer },
): Promise<Answer | null> {
  const request = new IncomingMessage(new Socket())
  request.method = 'POST'
  request.headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  request.push(body)
  request.push(null)
  return answerGraphQL(parts, { request, requestId: 'bench', signal: new AbortController().signal })
}
