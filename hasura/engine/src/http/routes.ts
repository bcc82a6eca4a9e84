import { parseUnrounded } from '../exact-json.ts'
import { HasuraError } from '../hasura-error.ts'
import { hasuraVersion } from '../hasura-version.ts'
import type { CommandSet } from '../metadata-api/commands.ts'
import { runQueryV1 } from '../metadata-api/query-v1.ts'
import type { GraphQLApi } from '../schema/role-schema.ts'
import type { Session } from '../session/types.ts'
import { requestTrace } from '../tracing/trace-context.ts'
import type { Api, ApiGroup, Handler, HttpRequest } from './api.ts'
import { handleConfig } from './config-endpoint.ts'
import { handlePlanCache, handleSubscriptions } from './developer-endpoints.ts'
import { handleExplain } from './explain-endpoint.ts'
import { handleGraphQL } from './graphql-endpoint.ts'
import { handleOpenApi } from './openapi-endpoint.ts'
import { handlePgDump } from './pg-dump-endpoint.ts'
import { parseBody } from './read-body.ts'
import { adminRequest } from './require-admin.ts'
import { handleRest, restPrefix } from './rest-endpoint.ts'
import { type HttpResponse, errorResponse, jsonResponse, textResponse } from './response.ts'

const adminCommands =
  (set: CommandSet): Handler =>
  async (api, request) => {
    const path = set === 'metadata' ? '$.args' : '$'
    const parse = set === 'query' ? parseUnrounded : undefined
    const { body, session } = await adminRequest(api, request, refuseOthers(path), parse)
    const trace = requestTrace(request.headers)
    return jsonResponse(200, await api.workspace.handle(set, body, { session, trace }))
  }

const queryV1: Handler = async ({ authenticator, workspace, rows }, { headers, signal, text }) => {
  const session = await authenticator.authenticate({ headers })
  const body = parseBody(await text(), parseUnrounded)
  const caller = { session, signal, trace: requestTrace(headers) }
  return jsonResponse(200, await runQueryV1({ workspace, rows, caller }, body))
}

const refuseOthers =
  (path: string) =>
  ({ isAdmin }: Session): void => {
    if (!isAdmin) throw new HasuraError('access-denied', 'restricted access : admin only', { path })
  }

/** `GET /healthz`. Inconsistent metadata is a warning; with `?strict=true` it is an error. */
const health: Handler = async ({ workspace, checkDatabase, isStopping }, { url }) => {
  if (isStopping) return textResponse(503, 'STOPPING')
  try {
    await checkDatabase()
  } catch {
    return textResponse(500, 'ERROR')
  }
  if (workspace.snapshot.inconsistencies.length === 0) return textResponse(200, 'OK')
  return url.searchParams.get('strict') === 'true'
    ? textResponse(500, 'ERROR: inconsistent objects in schema')
    : textResponse(200, 'WARN: inconsistent objects in schema')
}

/** `GET /livez`: the process runs, whatever the database does. */
const alive: Handler = () => Promise.resolve(textResponse(200, 'OK'))

const version: Handler = () =>
  Promise.resolve(jsonResponse(200, { server_type: 'ce', version: hasuraVersion }))

interface Route {
  /** Absent for routes that are always served. */
  readonly group?: ApiGroup
  readonly handler: Handler
}

/** `of-the-error`: errors have their own statuses, which only the oldest API has. */
const graphql =
  (api: GraphQLApi, statuses: 'always-200' | 'of-the-error' = 'always-200'): Handler =>
  async (endpoint, { headers, signal, text }) =>
    handleGraphQL({ ...endpoint, api, statuses }, await text(), headers, signal)

const routes: Readonly<Record<string, Route>> = {
  'POST /v1/graphql': { group: 'graphql', handler: graphql('graphql') },
  'POST /v1alpha1/graphql': { group: 'graphql', handler: graphql('graphql', 'of-the-error') },
  'POST /v1beta1/relay': { group: 'graphql', handler: graphql('relay') },
  'POST /v1/graphql/explain': { group: 'metadata', handler: handleExplain },
  'POST /v1alpha1/graphql/explain': { group: 'metadata', handler: handleExplain },
  'POST /v1/metadata': { group: 'metadata', handler: adminCommands('metadata') },
  'POST /v2/query': { group: 'metadata', handler: adminCommands('query') },
  'POST /v1/query': { group: 'metadata', handler: queryV1 },
  'POST /v1alpha1/pg_dump': { group: 'pgdump', handler: handlePgDump },
  'GET /v1alpha1/config': { group: 'config', handler: handleConfig },
  'GET /api/swagger/json': { handler: handleOpenApi },
  'GET /v1/version': { handler: version },
  'GET /healthz': { handler: health },
  'GET /livez': { handler: alive },
  'GET /readyz': { handler: health },
  'GET /hasura/healthz': { handler: health },
  'GET /dev/plan_cache': { group: 'developer', handler: handlePlanCache },
  'GET /dev/subscriptions': { group: 'developer', handler: handleSubscriptions('counts') },
  'GET /dev/subscriptions/extended': { group: 'developer', handler: handleSubscriptions('members') },
}

const rest: Route = {
  group: 'graphql',
  handler: (api, request) => handleRest(api, api.workspace.snapshot, request),
}

function findRoute(method: string, request: HttpRequest): Route | undefined {
  // Most request lines are exactly a route, and need no URL parsing.
  const exact = ownRoute(`${method} ${request.target}`)
  if (exact !== undefined) return exact
  const path = request.url.pathname
  return ownRoute(`${method} ${path}`) ?? (path.startsWith(restPrefix) ? rest : undefined)
}

const ownRoute = (key: string): Route | undefined => (Object.hasOwn(routes, key) ? routes[key] : undefined)

export const resourceNotFound = (): HasuraError =>
  new HasuraError('not-found', 'resource does not exist', { status: 404 })

/** Answers a request. Throws only for a bug of the engine. */
export async function route(api: Api, request: HttpRequest): Promise<HttpResponse> {
  const method = request.method === 'HEAD' ? 'GET' : request.method
  try {
    const found = findRoute(method, request)
    if (found === undefined || (found.group !== undefined && !api.config.enabledApis.has(found.group)))
      throw resourceNotFound()
    return await found.handler(api, request)
  } catch (error) {
    if (error instanceof HasuraError) return errorResponse(error)
    throw error
  }
}
