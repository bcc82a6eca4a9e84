import type { ReplicaSettings } from './replicas.ts'
import { type EnvironmentValues, environment, notApplied, presentFeatures } from './environment.ts'
import { type CorsPolicy, parseCorsDomain } from './http/cors.ts'
import type { ApiGroup } from './http/api.ts'
import type { SocketLimits } from './http/server.ts'
import type { EventSettings } from './events/engine-events.ts'
import type { ConnectionSettings, Pooler, WebSocketLimits } from './engine-options.ts'
import type { InternalErrors } from './execute/executor-options.ts'
import type { ChangeFeedSettings } from './live/open-changes.ts'
import type { Refetch } from './live/poller.ts'
import { type SchemaFeature, isSchemaFeature } from './schema/schema-feature.ts'
import type { AuthHook } from './session/auth-webhook.ts'
import { authenticationProblem } from './session/authenticator.ts'
import type { SessionSettings } from './session/session-settings.ts'
import { type JwtSecret, parseJwtSecrets } from './session/jwt-config.ts'
import type { NamingConvention } from './schema/naming.ts'
import { UnsetVariable, resolveTemplate } from './webhook/environment.ts'

/** A value of HASURA_GRAPHQL_EXPERIMENTAL_FEATURES that later got a variable of its own. */
const federationFeature = 'apollo_federation'

/** The settings from Hasura's own environment variables. */
export interface Settings {
  readonly databaseUrl: string | undefined
  readonly pooler: Pooler | undefined
  readonly replicas: ReplicaSettings
  readonly adminSecret: string | readonly string[] | undefined
  readonly metadata: string | undefined
  readonly migrations: string | undefined
  readonly authHook: AuthHook | undefined
  readonly jwtSecrets: readonly JwtSecret[]
  readonly unauthorizedRole: string | undefined
  readonly stringifyNumericTypes: boolean
  readonly inferFunctionPermissions: boolean
  readonly defaultNamingConvention: NamingConvention
  readonly enableAllowlist: boolean
  readonly remoteSchemaPermissions: boolean
  readonly apolloFederation: boolean
  readonly experimentalFeatures: readonly SchemaFeature[]
  readonly prioritizeRemoteData: boolean
  readonly enabledApis: readonly ApiGroup[]
  readonly cors: CorsPolicy
  readonly port: number
  readonly host: string
  readonly sessionSettings: SessionSettings | undefined
  readonly poolSize: number
  readonly logLevel: string
  readonly logRequests: boolean
  readonly preserve401: boolean
  readonly extensionsSchema: string
  readonly strictMetadata: boolean
  readonly internalErrors: InternalErrors
  readonly readCookies: boolean
  readonly connections: ConnectionSettings
  readonly pollIntervalMs: number
  readonly changeFeed: ChangeFeedSettings | 'off' | undefined
  readonly answerCacheBytes: number
  readonly liveQueries: Refetch
  readonly streamingQueries: Refetch
  readonly events: Omit<EventSettings, 'delivery' | 'recoveryIntervalMs'>
  readonly webSockets: Pick<WebSocketLimits, 'initTimeoutMs' | 'keepAliveMs' | 'compresses'>
  readonly maxHeaderBytes: number
  readonly sockets: SocketLimits
}

export type SettingsResult =
  | { readonly kind: 'settings'; readonly settings: Settings; readonly warnings: readonly string[] }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] }

/** Reads the environment. Problems and warnings (variables without effect) name their variable. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): SettingsResult {
  const parsed = environment.safeParse(env)
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`)
    return { kind: 'invalid', problems }
  }
  const values = parsed.data
  const tokens = parseJwtSecrets(values.HASURA_GRAPHQL_JWT_SECRET, values.HASURA_GRAPHQL_JWT_SECRETS)
  if (tokens.kind === 'invalid') return { kind: 'invalid', problems: [tokens.problem] }
  const databaseUrl = databaseUrlOf(values, env)
  if (databaseUrl instanceof UnsetVariable)
    return { kind: 'invalid', problems: [`HASURA_GRAPHQL_DATABASE_URL: ${databaseUrl.message}`] }
  const settings = fromEnvironment(values, tokens.secrets, databaseUrl)
  const problems = [authenticationProblem(settings), otherDatabase(values)].filter(
    (each) => each !== undefined,
  )
  return problems.length > 0
    ? { kind: 'invalid', problems }
    : { kind: 'settings', settings, warnings: [...withoutEffect(env), ...unknownFeatures(values)] }
}

function otherDatabase(values: EnvironmentValues): string | undefined {
  const { HASURA_GRAPHQL_DATABASE_URL: data, HASURA_GRAPHQL_METADATA_DATABASE_URL: metadata } = values
  return data === undefined || metadata === undefined || data === metadata
    ? undefined
    : 'HASURA_GRAPHQL_METADATA_DATABASE_URL: the engine keeps metadata in the database of the data (HASURA_GRAPHQL_DATABASE_URL)'
}

function databaseUrlOf(
  values: EnvironmentValues,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined | UnsetVariable {
  const url = values.HASURA_GRAPHQL_DATABASE_URL ?? values.HASURA_GRAPHQL_METADATA_DATABASE_URL
  try {
    return url === undefined ? undefined : resolveTemplate(url, env)
  } catch (error) {
    if (error instanceof UnsetVariable) return error
    throw error
  }
}

const unknownFeatures = ({ HASURA_GRAPHQL_EXPERIMENTAL_FEATURES: names }: EnvironmentValues) =>
  names
    .filter((name) => !isSchemaFeature(name) && name !== federationFeature && !presentFeatures.includes(name))
    .map((name) => `${name} of HASURA_GRAPHQL_EXPERIMENTAL_FEATURES has no effect`)

/** Warnings for variables without effect. */
const withoutEffect = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.keys(env)
    .filter((name) => name.startsWith('HASURA_GRAPHQL_') && !Object.hasOwn(environment.shape, name))
    .map((name) => {
      const reason = Object.hasOwn(notApplied, name) ? notApplied[name] : 'this engine does not know it'
      return `${name} has no effect: ${reason ?? ''}`
    })

const secretOf = (values: EnvironmentValues): string | readonly string[] | undefined =>
  values.HASURA_GRAPHQL_ADMIN_SECRETS ??
  values.HASURA_GRAPHQL_ADMIN_SECRET ??
  values.HASURA_GRAPHQL_ACCESS_KEY

const fromEnvironment = (
  values: EnvironmentValues,
  jwtSecrets: readonly JwtSecret[],
  databaseUrl: string | undefined,
): Settings => ({
  jwtSecrets,
  databaseUrl,
  pooler:
    values.HASURA_GRAPHQL_DIRECT_DATABASE_URL === undefined
      ? undefined
      : {
          directUrl: values.HASURA_GRAPHQL_DIRECT_DATABASE_URL,
          namedStatements: values.HASURA_GRAPHQL_POOLER_NAMED_STATEMENTS,
        },
  replicas: {
    urls: values.HASURA_GRAPHQL_READ_REPLICA_URLS.map((url) => url.trim()),
    maxLagMs: values.HASURA_GRAPHQL_READ_REPLICA_MAX_LAG,
  },
  metadata: values.HASURA_GRAPHQL_METADATA_DIR,
  migrations: values.HASURA_GRAPHQL_MIGRATIONS_DIR,
  adminSecret: secretOf(values),
  authHook:
    values.HASURA_GRAPHQL_AUTH_HOOK === undefined
      ? undefined
      : {
          url: values.HASURA_GRAPHQL_AUTH_HOOK,
          mode: values.HASURA_GRAPHQL_AUTH_HOOK_MODE,
          sendsRequest: values.HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY,
        },
  unauthorizedRole: values.HASURA_GRAPHQL_UNAUTHORIZED_ROLE,
  stringifyNumericTypes: values.HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES,
  inferFunctionPermissions: values.HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS,
  defaultNamingConvention: values.HASURA_GRAPHQL_DEFAULT_NAMING_CONVENTION,
  enableAllowlist: values.HASURA_GRAPHQL_ENABLE_ALLOWLIST,
  remoteSchemaPermissions: values.HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS,
  apolloFederation:
    values.HASURA_GRAPHQL_ENABLE_APOLLO_FEDERATION ||
    values.HASURA_GRAPHQL_EXPERIMENTAL_FEATURES.includes(federationFeature),
  experimentalFeatures: values.HASURA_GRAPHQL_EXPERIMENTAL_FEATURES.filter(isSchemaFeature),
  prioritizeRemoteData: values.HASURA_GRAPHQL_REMOTE_SCHEMA_PRIORITIZE_DATA,
  enabledApis: values.HASURA_GRAPHQL_ENABLED_APIS,
  cors: values.HASURA_GRAPHQL_DISABLE_CORS
    ? { kind: 'none' }
    : parseCorsDomain(values.HASURA_GRAPHQL_CORS_DOMAIN),
  port: values.HASURA_GRAPHQL_SERVER_PORT,
  host: values.HASURA_GRAPHQL_SERVER_HOST,
  sessionSettings: values.HASURA_GRAPHQL_SESSION_SETTINGS,
  poolSize: values.HASURA_GRAPHQL_PG_CONNECTIONS,
  logLevel: values.HASURA_GRAPHQL_LOG_LEVEL,
  logRequests: values.HASURA_GRAPHQL_ENABLED_LOG_TYPES.includes('http-log'),
  extensionsSchema: values.HASURA_GRAPHQL_METADATA_DATABASE_EXTENSIONS_SCHEMA,
  strictMetadata: values.HASURA_GRAPHQL_STRICT_METADATA,
  preserve401: values.HASURA_GRAPHQL_PRESERVE_401_ERRORS,
  internalErrors: internalErrors(values),
  readCookies: !values.HASURA_GRAPHQL_DISABLE_CORS || values.HASURA_GRAPHQL_WS_READ_COOKIE,
  connections: {
    idleTimeoutMs: values.HASURA_GRAPHQL_PG_TIMEOUT * 1_000,
    lifetimeSeconds: values.HASURA_GRAPHQL_PG_CONN_LIFETIME,
    waitMs: values.HASURA_GRAPHQL_PG_POOL_TIMEOUT * 1_000,
    isolation: values.HASURA_GRAPHQL_TX_ISOLATION,
  },
  maxHeaderBytes: values.HASURA_GRAPHQL_MAX_TOTAL_HEADER_LENGTH,
  sockets: {
    connections: values.HASURA_GRAPHQL_MAX_CONNECTIONS,
    connectionsPerAddress: values.HASURA_GRAPHQL_MAX_CONNECTIONS_PER_ADDRESS,
    trustedProxies: values.HASURA_GRAPHQL_TRUSTED_PROXIES,
    sendMilliseconds: values.HASURA_GRAPHQL_SEND_TIMEOUT * 1_000,
    sendBytesPerSecond: values.HASURA_GRAPHQL_SEND_BYTES_PER_SECOND,
  },
  pollIntervalMs: values.HASURA_GRAPHQL_SCHEMA_SYNC_POLL_INTERVAL,
  changeFeed: changeFeedOf(values),
  answerCacheBytes: values.HASURA_GRAPHQL_ANSWER_CACHE_BYTES,
  liveQueries: {
    intervalMs: values.HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL,
    batchSize: values.HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_BATCH_SIZE,
  },
  streamingQueries: {
    intervalMs: values.HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL,
    batchSize: values.HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_BATCH_SIZE,
  },
  events: {
    concurrency: values.HASURA_GRAPHQL_EVENTS_HTTP_POOL_SIZE,
    fetchIntervalMs: values.HASURA_GRAPHQL_EVENTS_FETCH_INTERVAL,
    fetchBatchSize: values.HASURA_GRAPHQL_EVENTS_FETCH_BATCH_SIZE,
    actionsFetchIntervalMs: values.HASURA_GRAPHQL_ASYNC_ACTIONS_FETCH_INTERVAL,
    actionsFetchBatchSize: values.HASURA_GRAPHQL_ASYNC_ACTIONS_FETCH_BATCH_SIZE,
    graceMs: values.HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT * 1_000,
  },
  webSockets: {
    keepAliveMs: values.HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE * 1_000,
    initTimeoutMs: values.HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT * 1_000,
    compresses: values.HASURA_GRAPHQL_CONNECTION_COMPRESSION,
  },
})

function changeFeedOf(values: EnvironmentValues): ChangeFeedSettings | 'off' | undefined {
  if (!values.HASURA_GRAPHQL_LIVE_QUERIES_FOLLOW_CHANGES) return 'off'
  const { HASURA_GRAPHQL_CHANGE_FEED_URL: databaseUrl, HASURA_GRAPHQL_CHANGE_FEED_PUBLICATION: publication } =
    values
  return databaseUrl === undefined ? undefined : { databaseUrl, publication, publishes: true }
}

function internalErrors(values: EnvironmentValues): InternalErrors {
  if (values.HASURA_GRAPHQL_DEV_MODE) return 'all'
  return values.HASURA_GRAPHQL_ADMIN_INTERNAL_ERRORS ? 'admin' : 'none'
}
