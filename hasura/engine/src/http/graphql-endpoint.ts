import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { parseUnrounded } from '../exact-json.ts'
import type { ExecuteOptions, GraphQLExecutor, GraphQLRequest, GraphQLResult } from '../graphql-request.ts'
import { HasuraError } from '../hasura-error.ts'
import { parseJson } from '../metadata/read-metadata.ts'
import type { GraphQLApi } from '../schema/role-schema.ts'
import type { Session } from '../session/types.ts'
import type { Api } from './api.ts'
import { parseBody } from './read-body.ts'
import { type HttpResponse, graphqlErrorResponse, jsonText } from './response.ts'

const graphqlRequest = z.object({
  query: z.string(),
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
})

/** The most operations in one HTTP request. Each is a transaction of its own. */
const maxBatch = 100

export interface GraphQLEndpoint extends Pick<Api, 'authenticator' | 'executor' | 'preserve401'> {
  readonly api: GraphQLApi
  /** GraphQL clients expect 200 for errors, too; `/v1alpha1/graphql` is older than that convention. */
  readonly statuses: 'always-200' | 'of-the-error'
}

/** `POST /v1/graphql` or `/v1beta1/relay`: one operation, or a list of them. */
export async function handleGraphQL(
  { api, authenticator, executor, preserve401, statuses }: GraphQLEndpoint,
  text: string,
  headers: IncomingHttpHeaders,
  signal: AbortSignal,
): Promise<HttpResponse> {
  try {
    const body = parseBody(text, parseUnrounded)
    const batch = Array.isArray(body)
    const requests = batch ? parseBatch(body, api) : [parseRequest(body, api)]
    const session = await authenticator.authenticate({ headers, graphql: requests[0] ?? {} })
    const options = { signal, clientHeaders: headers }
    if (batch) return await runBatch(executor, requests, session, options)
    const [request] = requests
    if (!request) throw new HasuraError('parse-failed', 'the request has no query')
    const result = await executor.execute(request, session, options)
    if (result.kind === 'data')
      return { ...jsonText(resultText(result), result.headers), compressible: result.ofQuery === true }
    const response = jsonText(resultText(result))
    return statuses === 'of-the-error' ? { ...response, status: 400 } : response
  } catch (error) {
    if (!(error instanceof HasuraError)) throw error
    const response = graphqlErrorResponse(error)
    const keepsStatus = statuses === 'of-the-error' || (preserve401 && error.status === 401)
    return keepsStatus ? { ...response, status: error.status } : response
  }
}

function parseBatch(body: readonly unknown[], api: GraphQLApi): readonly GraphQLRequest[] {
  if (body.length > maxBatch)
    throw new HasuraError('bad-request', `a batch has at most ${maxBatch} operations`)
  return body.map((each) => parseRequest(each, api))
}

/** Reads one request. Throws HasuraError `parse-failed`. */
export function parseRequest(body: unknown, api: GraphQLApi): GraphQLRequest {
  if (isPlainRequest(body)) return { query: body.query, variables: body.variables, api }
  const parsed = parseJson(graphqlRequest, body)
  if (parsed.kind === 'invalid') throw new HasuraError('parse-failed', parsed.problem.message, parsed.problem)
  const { query, operationName, variables } = parsed.value
  return { query, operationName: operationName ?? undefined, variables: variables ?? undefined, api }
}

interface PlainRequest {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
}

/** A fast check that nearly all requests pass. The schema reads the others, and names what is wrong. */
function isPlainRequest(body: unknown): body is PlainRequest {
  if (typeof body !== 'object' || body === null) return false
  const { query, variables, operationName } = body as Readonly<Record<string, unknown>>
  return (
    typeof query === 'string' &&
    operationName === undefined &&
    (variables === undefined ||
      (typeof variables === 'object' && variables !== null && !Array.isArray(variables)))
  )
}

async function runBatch(
  executor: GraphQLExecutor,
  requests: readonly GraphQLRequest[],
  session: Session,
  options: ExecuteOptions,
): Promise<HttpResponse> {
  const texts: string[] = []
  for (const request of requests) texts.push(resultText(await executor.execute(request, session, options)))
  return jsonText(`[${texts.join(',')}]`)
}

function resultText(result: GraphQLResult): string {
  switch (result.kind) {
    case 'data':
      return `{"data":${result.json}}`
    case 'errors':
      return JSON.stringify({
        ...(result.stage === 'remote' ? { data: null } : {}),
        errors: result.errors.map(({ message, extensions }) => ({ extensions, message })),
      })
  }
}
