import { isUtf8 } from 'node:buffer'
import {
  type CatalogueError,
  fieldRequired,
  invalidFormat,
  syntaxError,
  withStatus,
} from '@commerce-graph/contract/errors'

/** The body of a POST to /graphql. */
export interface GraphQLRequest {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName: string | null
}

export type ParsedRequest =
  | { readonly kind: 'request'; readonly request: GraphQLRequest }
  | { readonly kind: 'refused'; readonly error: CatalogueError }

/** Refuses what doesn't say that it is JSON in UTF-8 as it stands, with 415. */
export function checkContentType(headers: NodeJS.Dict<string | string[]>): CatalogueError | null {
  const contentType = String(headers['content-type'] ?? '')
  if (!/^\s*application\/json\s*(;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i.test(contentType)) {
    return withStatus(
      invalidFormat('Content-Type', 'application/json', `Content-Type is "${contentType}"`),
      415,
    )
  }
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    return withStatus(invalidFormat('Content-Encoding', 'identity', 'Compressed bodies are not read'), 415)
  }
  return null
}

/** Reads a body as a GraphQL request; whatever is wrong with it is named. */
export function parseGraphQLRequest(bytes: Buffer): ParsedRequest {
  if (!isUtf8(bytes)) return refused(syntaxError('The body is not valid UTF-8', 'body'))
  let body: unknown
  try {
    body = JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    return refused(
      syntaxError(`The body is not valid JSON: ${error instanceof Error ? error.message : ''}`, 'body'),
    )
  }
  return readGraphQLRequest(body)
}

/** Reads what JSON says as a GraphQL request. */
export function readGraphQLRequest(body: unknown): ParsedRequest {
  if (Array.isArray(body))
    return refused(syntaxError('Batches are not supported: send one operation per request', 'body'))
  if (!isObject(body))
    return refused(syntaxError('The body must be a JSON object with the key "query"', 'body'))
  const { query, variables = null, operationName = null, extensions = null } = body
  if (query === undefined || query === null || query === '') return refused(fieldRequired('query'))
  if (typeof query !== 'string') return refused(invalidFormat('query', 'GraphQL document as a string'))
  if (variables !== null && !isObject(variables)) return refused(invalidFormat('variables', 'JSON object'))
  if (operationName !== null && typeof operationName !== 'string')
    return refused(invalidFormat('operationName', 'string'))
  // Nothing is read of them, but what is no map is a mistake.
  if (extensions !== null && !isObject(extensions)) return refused(invalidFormat('extensions', 'JSON object'))
  return { kind: 'request', request: { query, variables: variables ?? {}, operationName } }
}

const refused = (error: CatalogueError): ParsedRequest => ({ kind: 'refused', error })

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
