import type { CatalogueError } from '@commerce-graph/contract/errors'
import type { IncomingMessage } from 'node:http'
import type { Limits } from '../limits/limits.ts'
import {
  checkContentType,
  parseGraphQLAddress,
  parseGraphQLRequest,
  type ParsedRequest,
} from './graphql-request.ts'
import { readBody } from './read-body.ts'

export type Received =
  /** All of it is here. It is parsed only for a caller that is known and within its rate. */
  | { readonly kind: 'received'; readonly parse: () => ParsedRequest }
  | { readonly kind: 'refused'; readonly error: CatalogueError }
  /** The client went away; no answer can be sent. */
  | { readonly kind: 'aborted' }

/** Takes a request off the line: the body of a POST, the address of a GET. */
export async function receiveRequest(request: IncomingMessage, limits: Limits): Promise<Received> {
  if (request.method === 'GET') {
    const search = searchOf(request)
    return { kind: 'received', parse: () => parseGraphQLAddress(search) }
  }
  const wrongType = checkContentType(request.headers)
  if (wrongType) return { kind: 'refused', error: wrongType }
  const body = await readBody(request, limits)
  return body.kind === 'body' ? { kind: 'received', parse: () => parseGraphQLRequest(body.bytes) } : body
}

/** Whether a GET asks for an operation, rather than for the page that a browser shows. */
export const asksByAddress = (request: IncomingMessage): boolean =>
  request.method === 'GET' && searchOf(request).has('extensions')

function searchOf({ url = '' }: IncomingMessage): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1))
}
