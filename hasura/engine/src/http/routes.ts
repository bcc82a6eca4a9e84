import type { IncomingHttpHeaders } from 'node:http'
import { HasuraError } from '../hasura-error.ts'
import type { CommandSet } from '../metadata-api/commands.ts'
import type { Json } from '../metadata/parse.ts'
import { runQueryV1 } from '../metadata-api/query-v1.ts'
import type { Workspace } from '../metadata-api/workspace.ts'
import type { GraphQLApi } from '../schema/role-schema.ts'
import type { JwtSecret } from '../session/jwt-config.ts'
import { type GraphQLEndpoint, handleGraphQL } from './graphql-endpoint.ts'
import { parseBody } from './read-body.ts'
import { handleRest, restPrefix } from './rest-endpoint.ts'
import { type HttpResponse, errorResponse, jsonResponse, textResponse } from './response.ts'

/** The Hasura whose API this is. hasura-cli and the console read it to know what they may ask for. */
export const hasuraVersion = 'v2.48.0'

export interface Api extends Omit<GraphQLEndpoint, 'api'> {
  readonly workspace: Workspace
  readonly checkDatabase: () => Promise<void>
  readonly config: ServerConfig
}

/** HASURA_GRAPHQL_ENABLED_APIS. */
export const apiGroups = ['graphql', 'metadata', 'config'] as const
export type ApiGroup = (typeof apiGroups)[number]

/** What of the API is served, and what `/v1/config` tells the console. */
export interface ServerConfig {
  readonly enabledApis: ReadonlySet<ApiGroup>
  readonly isAdminSecretSet: boolean
  readonly isAuthHookSet: boolean
  readonly jwtSecrets: readonly JwtSecret[]
  readonly inferFunctionPermissions: boolean
  readonly isAllowlistEnabled: boolean
  readonly remoteSchemaPermissions: boolean
}

export interface HttpRequest {
  readonly method: string
  /** As it stands in the request line. */
  readonly target: string
  /** The same, taken apart. Throws HasuraError `not-found` for what is no URL. */
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly signal: AbortSignal
  readonly text: () => Promise<string>
}

type Handler = (api: Api, request: HttpRequest) => Promise<HttpResponse>

const adminCommands =
  (set: CommandSet): Handler =>
  async ({ authenticator, workspace }, { headers, text }) => {
    const body = parseBody(await text())
    await requireAdmin(authenticator, headers, set === 'metadata' ? '$.args' : '$')
    return jsonResponse(200, await workspace.handle(set, body))
  }

const queryV1: Handler = async ({ authenticator, workspace }, { headers, text }) => {
  const body = parseBody(await text())
  await requireAdmin(authenticator, headers, '$.args')
  return jsonResponse(200, await runQueryV1(workspace, body))
}

const requireAdmin = async (
  authenticator: Api['authenticator'],
  headers: IncomingHttpHeaders,
  path: string,
): Promise<void> => {
  const session = await authenticator.authenticate({ headers })
  if (!session.isAdmin) throw new HasuraError('access-denied', 'restricted access : admin only', { path })
}

/** Inconsistent metadata is a warning, unless someone asks strictly. */
const health: Handler = async ({ workspace, checkDatabase }, { url }) => {
  try {
    await checkDatabase()
  } catch {
    return textResponse(500, 'ERROR: the database does not answer')
  }
  if (workspace.snapshot.inconsistencies.length === 0) return textResponse(200, 'OK')
  return url.searchParams.get('strict') === 'true'
    ? textResponse(500, 'ERROR: inconsistent objects in schema')
    : textResponse(200, 'WARN: inconsistent objects in schema')
}

const config: Handler = async ({ authenticator, config: settings }, { headers }) => {
  await requireAdmin(authenticator, headers, '$')
  return jsonResponse(200, {
    version: hasuraVersion,
    is_function_permissions_inferred: settings.inferFunctionPermissions,
    is_remote_schema_permissions_enabled: settings.remoteSchemaPermissions,
    is_admin_secret_set: settings.isAdminSecretSet,
    is_auth_hook_set: settings.isAuthHookSet,
    is_jwt_set: settings.jwtSecrets.length > 0,
    jwt: settings.jwtSecrets.map(jwtInfo),
    is_allow_list_enabled: settings.isAllowlistEnabled,
    console_assets_dir: null,
    experimental_features: [],
  })
}

/** What the console shows of a secret, which is not the secret. */
const jwtInfo = ({ claims }: JwtSecret): Json => {
  if (claims.kind === 'map') return { claims_namespace: null, claims_format: 'json' }
  const namespace = claims.at.kind === 'key' ? claims.at.key : claims.at.path.text
  return { claims_namespace: namespace, claims_format: claims.format }
}

interface Route {
  /** Absent: always served. */
  readonly group?: ApiGroup
  readonly handler: Handler
}

const graphql =
  (api: GraphQLApi): Handler =>
  async (endpoint, { headers, signal, text }) =>
    handleGraphQL({ ...endpoint, api }, await text(), headers, signal)

const version: Handler = () =>
  Promise.resolve(jsonResponse(200, { server_type: 'ce', version: hasuraVersion }))

const routes: Readonly<Record<string, Route>> = {
  'POST /v1/graphql': { group: 'graphql', handler: graphql('graphql') },
  'POST /v1beta1/relay': { group: 'graphql', handler: graphql('relay') },
  'POST /v1/metadata': { group: 'metadata', handler: adminCommands('metadata') },
  'POST /v2/query': { group: 'metadata', handler: adminCommands('query') },
  'POST /v1/query': { group: 'metadata', handler: queryV1 },
  'GET /v1/version': { handler: version },
  'GET /v1/config': { group: 'config', handler: config },
  'GET /healthz': { handler: health },
}

const rest: Route = {
  group: 'graphql',
  handler: (api, request) => handleRest(api, api.workspace.snapshot, request),
}

const findRoute = (method: string, request: HttpRequest): Route | undefined => {
  // Most requests name their route letter by letter, and need no parsing.
  const exact = ownRoute(`${method} ${request.target}`)
  if (exact !== undefined) return exact
  const path = request.url.pathname
  return ownRoute(`${method} ${path}`) ?? (path.startsWith(restPrefix) ? rest : undefined)
}

const ownRoute = (key: string): Route | undefined => (Object.hasOwn(routes, key) ? routes[key] : undefined)

export const resourceNotFound = (): HasuraError =>
  new HasuraError('not-found', 'resource does not exist', { status: 404 })

/** Answers a request. Throws only for what is a mistake of the engine. */
export const route = async (api: Api, request: HttpRequest): Promise<HttpResponse> => {
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
