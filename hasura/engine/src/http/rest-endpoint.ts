import { type TypeNode, Kind, OperationTypeNode } from 'graphql'
import { HasuraError } from '../hasura-error.ts'
import { findCollectionQuery } from '../metadata/edit-metadata.ts'
import type { RestEndpoint } from '../metadata/types.ts'
import { parseOperation } from '../plan/document.ts'
import type { JsonValue } from '../plan/input-value.ts'
import { matchRestPath, parseRestPath } from '../schema/rest-path.ts'
import type { Snapshot } from '../snapshot.ts'
import type { Api, HttpRequest } from './api.ts'
import { parseBody } from './read-body.ts'
import { type HttpResponse, jsonText } from './response.ts'

export const restPrefix = '/api/rest/'

/** Runs the query of a REST endpoint; its answer is the query's data, without a wrapper. Throws HasuraError. */
export const handleRest = async (
  { authenticator, executor }: Pick<Api, 'authenticator' | 'executor'>,
  snapshot: Snapshot,
  request: HttpRequest,
): Promise<HttpResponse> => {
  const { headers, signal } = request
  const session = await authenticator.authenticate({ headers })
  const { endpoint, pathValues } = findEndpoint(snapshot, request)
  const { collection_name, query_name } = endpoint.definition.query
  const query = findCollectionQuery(snapshot.metadata, collection_name, query_name)
  if (query === undefined) throw new Error(`The endpoint ${endpoint.name} has no query`)
  const { json, form } = await bodyOf(request)
  const texts = { ...Object.fromEntries(request.url.searchParams), ...form, ...pathValues }
  const variables = variablesOf(query, texts, json)
  const result = await executor.execute({ query, variables }, session, { signal, clientHeaders: headers })
  if (result.kind === 'data') return jsonText(result.json)
  const [error] = result.errors
  throw new HasuraError('validation-failed', error?.message ?? '', {
    path: error?.extensions.path ?? '$',
  })
}

const findEndpoint = (
  { metadata }: Snapshot,
  { method, url }: HttpRequest,
): { readonly endpoint: RestEndpoint; readonly pathValues: Readonly<Record<string, string>> } => {
  const segments = decodeSegments(url.pathname.slice(restPrefix.length))
  const matches = (metadata.rest_endpoints ?? []).flatMap((endpoint) => {
    const pathValues = segments && matchRestPath(parseRestPath(endpoint.url), segments)
    return pathValues ? [{ endpoint, pathValues }] : []
  })
  if (matches.length === 0) throw new HasuraError('not-found', 'Endpoint not found', { status: 404 })
  const found = matches.find(({ endpoint }) => endpoint.methods.some((allowed) => allowed === method))
  if (found) return found
  const allowed = [...new Set(matches.flatMap(({ endpoint }) => endpoint.methods))].join(', ')
  throw new HasuraError('method-not-allowed', `Allowed methods: ${allowed}`, { status: 405 })
}

const decodeSegments = (path: string): readonly string[] | undefined => {
  try {
    return path.split('/').map(decodeURIComponent)
  } catch {
    return undefined
  }
}

interface Body {
  readonly json: Readonly<Record<string, JsonValue>>
  /** Of an HTML form; typed no more than what stands in a URL. */
  readonly form: Readonly<Record<string, string>>
}

const bodyOf = async ({ headers, text }: HttpRequest): Promise<Body> => {
  const body = await text()
  if (body.trim() === '') return { json: {}, form: {} }
  if (headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true)
    return { json: {}, form: Object.fromEntries(new URLSearchParams(body)) }
  const parsed = parseBody(body)
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
    return { json: parsed as Record<string, JsonValue>, form: {} }
  throw new HasuraError('bad-request', 'the body of the request is no JSON object')
}

/** The variables that the query declares, from the body or else the URL. What it does not declare is left out. */
const variablesOf = (
  query: string,
  texts: Readonly<Record<string, string>>,
  body: Readonly<Record<string, JsonValue>>,
): Readonly<Record<string, JsonValue>> => {
  const variables: Record<string, JsonValue> = {}
  const { definition } = parseOperation(query, undefined)
  if (definition.operation === OperationTypeNode.SUBSCRIPTION)
    throw new Error('The consistency check refuses subscriptions')
  for (const { variable, type, defaultValue } of definition.variableDefinitions ?? []) {
    const name = variable.name.value
    const text = Object.hasOwn(texts, name) ? texts[name] : undefined
    if (Object.hasOwn(body, name)) variables[name] = body[name] ?? null
    else if (text !== undefined) variables[name] = fromText(text, type)
    else if (type.kind === Kind.NON_NULL_TYPE && defaultValue === undefined)
      throw new HasuraError('validation-failed', `expecting a value for non-nullable variable: "${name}"`)
  }
  return variables
}

const numbers: ReadonlySet<string> = new Set(['Int', 'Float', 'smallint', 'bigint', 'numeric', 'float8'])

/** A text of the URL as a value of the variable's type; what does not fit is refused where it is used. */
const fromText = (text: string, type: TypeNode): JsonValue => {
  if (type.kind === Kind.NON_NULL_TYPE) return fromText(text, type.type)
  if (type.kind === Kind.NAMED_TYPE && type.name.value === 'Boolean' && text === '') return true
  const isStructured =
    type.kind === Kind.LIST_TYPE ||
    numbers.has(type.name.value) ||
    ['Boolean', 'json', 'jsonb'].includes(type.name.value) ||
    /^[[{]/.test(text)
  if (!isStructured) return text
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return text
  }
}
