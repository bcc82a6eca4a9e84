import { type TypeNode, Kind, OperationTypeNode } from 'graphql'
import { isRawNumber, jsonTypeOf, parseUnrounded } from '../exact-json.ts'
import { HasuraError } from '../hasura-error.ts'
import { findCollectionQuery } from '../metadata/edit-metadata.ts'
import type { RestEndpoint } from '../metadata/types.ts'
import { parseOperation } from '../plan/document.ts'
import type { JsonValue } from '../plan/input-value.ts'
import { matchRestPath, parseRestPath } from '../schema/rest-path.ts'
import type { Snapshot } from '../snapshot.ts'
import type { Api, HttpRequest } from './api.ts'
import { type HttpResponse, jsonResponse, jsonText } from './response.ts'

export const restPrefix = '/api/rest/'

/**
 * Runs the query of a REST endpoint. Answers with the query's data, without a wrapper, or with the error in the form of
 * the other endpoints. A value in the path takes precedence over one in the body, and that over one in the URL's query.
 * Throws HasuraError.
 */
export async function handleRest(
  { authenticator, executor }: Pick<Api, 'authenticator' | 'executor'>,
  snapshot: Snapshot,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { headers, signal } = request
  const session = await authenticator.authenticate({ headers })
  const { endpoint, pathValues } = findEndpoint(snapshot, request)
  const { collection_name, query_name } = endpoint.definition.query
  const query = findCollectionQuery(snapshot.metadata, collection_name, query_name)
  if (query === undefined) throw new Error(`The endpoint ${endpoint.name} has no query`)
  const variables = variablesOf(query, { ...(await givenBeside(request)), ...textValues(pathValues) })
  const result = await executor.execute({ query, variables }, session, { signal, clientHeaders: headers })
  if (result.kind === 'data') return jsonText(result.json, result.headers)
  const [error] = result.errors
  if (error === undefined) throw new Error('A failed operation has no error')
  const { path = '$', code = 'unexpected' } = error.extensions
  const { refusal = { status: code === 'unexpected' ? 500 : 400, code } } = error
  return jsonResponse(refusal.status, { path, error: error.message, code: refusal.code })
}

function findEndpoint(
  { metadata }: Snapshot,
  { method, url }: HttpRequest,
): { readonly endpoint: RestEndpoint; readonly pathValues: Readonly<Record<string, string>> } {
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

function decodeSegments(path: string): readonly string[] | undefined {
  try {
    return path.split('/').map(decodeURIComponent)
  } catch {
    return undefined
  }
}

/** A value for a variable: a text, or JSON, which only a body can hold. */
type Given =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'json'; readonly json: JsonValue }

const textValues = (texts: Readonly<Record<string, string>>): Readonly<Record<string, Given>> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, { kind: 'text', text }]))

/** The values of the URL's query and of the body. The body takes precedence. */
async function givenBeside({ url, headers, text }: HttpRequest): Promise<Readonly<Record<string, Given>>> {
  const body = await text()
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true
  const form = isForm ? new URLSearchParams(body) : []
  return {
    ...textValues(Object.fromEntries([...url.searchParams, ...form])),
    ...(isForm ? {} : membersOf(body)),
  }
}

/** The members of a JSON object. Like Hasura, it ignores any other body. */
function membersOf(body: string): Readonly<Record<string, Given>> {
  const json = jsonOf(body)
  if (typeof json !== 'object' || json === null || Array.isArray(json) || isRawNumber(json)) return {}
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, { kind: 'json', json: value }]),
  )
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    return parseUnrounded(text) as JsonValue
  } catch {
    return undefined
  }
}

/**
 * The variables of the query's operation. An absent one gets the operation's default, or is refused later. Throws
 * HasuraError `bad-request` for a variable that the operation does not declare.
 */
function variablesOf(
  query: string,
  given: Readonly<Record<string, Given>>,
): Readonly<Record<string, JsonValue>> {
  const { definition } = parseOperation(query, undefined)
  if (definition.operation === OperationTypeNode.SUBSCRIPTION)
    throw new Error('The consistency check refuses subscriptions')
  const types = new Map(
    definition.variableDefinitions?.map(({ variable, type }) => [variable.name.value, type]),
  )
  const values = Object.entries(given).flatMap(([name, value]) => {
    const type = types.get(name)
    if (type === undefined) throw new HasuraError('bad-request', `Unexpected variable ${name}`)
    const json = value.kind === 'json' ? value.json : fromText(name, value.text, type)
    return json === undefined ? [] : [[name, json] as const]
  })
  return Object.fromEntries(values)
}

const numbers: ReadonlySet<string> = new Set(['Int', 'Float', 'Number', 'Double', 'float8'])
const booleans: ReadonlySet<string> = new Set(['Boolean', 'Bool'])

/**
 * Converts a text of the URL to the variable's type, as Hasura does it. A boolean or number that can't be read stays a
 * text, which is refused later. A `numeric` stays a text, which keeps its digits. Undefined means that the variable is
 * left out.
 */
function fromText(name: string, text: string, type: TypeNode): JsonValue | undefined {
  const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type
  if (named.kind === Kind.LIST_TYPE) {
    const where = `(Variable ${name}, with value ${JSON.stringify(text)})`
    const message = `List variables are not currently supported in URL or Query parameters. ${where}`
    throw new HasuraError('bad-request', message)
  }
  const typeName = named.name.value
  if (text === '' && typeName === 'Boolean') return true
  if (text === '' && type.kind !== Kind.NON_NULL_TYPE) return undefined
  const json = jsonOf(text)
  if (typeof json === 'boolean' && booleans.has(typeName)) return json
  if (jsonTypeOf(json) === 'number' && numbers.has(typeName)) return json
  return text
}
