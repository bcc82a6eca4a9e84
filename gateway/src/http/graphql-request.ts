import { isUtf8 } from 'node:buffer'
import {
  type CatalogueError,
  fieldRequired,
  invalidFormat,
  syntaxError,
  withStatus,
} from '@commerce-graph/contract/errors'

/** A document, its SHA-256 in hexadecimal (a persisted query), or both: then the document is kept under its hash. */
export type NamedDocument =
  | { readonly query: string; readonly hash: string | null }
  | { readonly query: null; readonly hash: string }

/** What a POST to /graphql has in its body, and a GET in its address. */
export type GraphQLRequest = NamedDocument & {
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

/** The parameters of a GET, by whether they are JSON. */
const parameters: ReadonlyMap<string, boolean> = new Map([
  ['extensions', true],
  ['variables', true],
  ['operationName', false],
  ['query', false],
])

/**
 * Reads the address of a GET as a GraphQL request. It names its document by a hash; urql sends a short document beside it when the
 * hash was unknown.
 */
export function parseGraphQLAddress(search: URLSearchParams): ParsedRequest {
  const body: Record<string, unknown> = {}
  for (const [name, value] of search) {
    const isJson = parameters.get(name)
    if (isJson === undefined || name in body)
      return refused(
        syntaxError(
          'A GET takes the parameters extensions, variables, operationName and query, each once',
          name,
        ),
      )
    try {
      body[name] = isJson ? JSON.parse(value) : value
    } catch (error) {
      const reason = error instanceof Error ? error.message : ''
      return refused(syntaxError(`The parameter ${name} is not valid JSON: ${reason}`, name))
    }
  }
  const parsed = readGraphQLRequest(body)
  return parsed.kind === 'request' && parsed.request.hash === null
    ? refused(syntaxError('A GET has a document only beside its hash, extensions.persistedQuery', 'query'))
    : parsed
}

/** Reads what JSON says as a GraphQL request. */
export function readGraphQLRequest(body: unknown): ParsedRequest {
  if (Array.isArray(body))
    return refused(syntaxError('Batches are not supported: send one operation per request', 'body'))
  if (!isObject(body))
    return refused(syntaxError('The body must be a JSON object with the key "query"', 'body'))
  const { query = null, variables = null, operationName = null, extensions = null } = body
  if (query !== null && typeof query !== 'string')
    return refused(invalidFormat('query', 'GraphQL document as a string'))
  if (variables !== null && !isObject(variables)) return refused(invalidFormat('variables', 'JSON object'))
  if (operationName !== null && typeof operationName !== 'string')
    return refused(invalidFormat('operationName', 'string'))
  if (extensions !== null && !isObject(extensions)) return refused(invalidFormat('extensions', 'JSON object'))
  const persisted = readPersistedQuery(extensions ?? {})
  if (persisted.kind === 'refused') return persisted
  const { hash } = persisted
  const rest = { variables: variables ?? {}, operationName }
  if (query !== null && query !== '') return { kind: 'request', request: { query, hash, ...rest } }
  if (hash !== null) return { kind: 'request', request: { query: null, hash, ...rest } }
  return refused(fieldRequired('query'))
}

/** Reads the one extension there is; others are left alone, as they may be a client's own. */
function readPersistedQuery({
  persistedQuery = null,
}: Readonly<Record<string, unknown>>):
  | { readonly kind: 'hash'; readonly hash: string | null }
  | Extract<ParsedRequest, { kind: 'refused' }> {
  if (persistedQuery === null) return { kind: 'hash', hash: null }
  const field = 'extensions.persistedQuery'
  if (!isObject(persistedQuery)) return refused(invalidFormat(field, 'JSON object'))
  const { version, sha256Hash } = persistedQuery
  if (version !== 1) return refused(invalidFormat(`${field}.version`, '1'))
  if (typeof sha256Hash !== 'string' || !/^[\da-f]{64}$/i.test(sha256Hash))
    return refused(invalidFormat(`${field}.sha256Hash`, 'SHA-256 as 64 hexadecimal digits'))
  return { kind: 'hash', hash: sha256Hash.toLowerCase() }
}

const refused = (error: CatalogueError): Extract<ParsedRequest, { kind: 'refused' }> => ({
  kind: 'refused',
  error,
})

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
