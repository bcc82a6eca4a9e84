import { z } from 'zod'
import { type CorsPolicy, parseCorsDomain } from './http/cors.ts'
import { type ApiGroup, apiGroups } from './http/routes.ts'
import type { EventSettings } from './events/engine-events.ts'
import type { WebSocketLimits } from './engine.ts'
import type { Refetch } from './live/poller.ts'
import type { AuthHook } from './session/auth-webhook.ts'
import { authenticationProblem } from './session/authenticator.ts'
import { type JwtSecret, parseJwtSecrets } from './session/jwt-config.ts'

/** Hasura's own environment variables, as far as they apply here. */
export interface Settings {
  readonly databaseUrl: string | undefined
  readonly adminSecret: string | undefined
  readonly authHook: AuthHook | undefined
  readonly jwtSecrets: readonly JwtSecret[]
  readonly unauthorizedRole: string | undefined
  readonly stringifyNumericTypes: boolean
  readonly inferFunctionPermissions: boolean
  readonly enableAllowlist: boolean
  readonly enabledApis: readonly ApiGroup[]
  readonly cors: CorsPolicy
  readonly port: number
  readonly host: string
  readonly poolSize: number
  readonly logLevel: string
  readonly liveQueries: Refetch
  readonly streamingQueries: Refetch
  readonly events: Omit<EventSettings, 'delivery'>
  readonly webSockets: Pick<WebSocketLimits, 'initTimeoutMs' | 'keepAliveMs'>
}

export type SettingsResult =
  | { readonly kind: 'settings'; readonly settings: Settings }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] }

const yes = ['true', 't', 'yes', 'y', '1']
const no = ['false', 'f', 'no', 'n', '0']

const flag = (fallback: boolean) =>
  z
    .string()
    .toLowerCase()
    .pipe(z.enum([...yes, ...no]))
    .transform((value) => yes.includes(value))
    .default(fallback)

const port = z.coerce.number().int().min(0).max(65_535)

const intervalMs = z.coerce.number().int().min(10).max(3_600_000).default(1_000)
const batchSize = z.coerce.number().int().min(1).max(10_000).default(100)
const seconds = z.coerce.number().int().min(1).max(3_600)

const environment = z.object({
  HASURA_GRAPHQL_DATABASE_URL: z.string().min(1).optional(),
  HASURA_GRAPHQL_ADMIN_SECRET: z.string().min(1).optional(),
  HASURA_GRAPHQL_AUTH_HOOK: z.url({ protocol: /^https?$/ }).optional(),
  HASURA_GRAPHQL_AUTH_HOOK_MODE: z
    .string()
    .toUpperCase()
    .pipe(z.enum(['GET', 'POST']))
    .default('GET'),
  HASURA_GRAPHQL_JWT_SECRET: z.string().optional(),
  HASURA_GRAPHQL_JWT_SECRETS: z.string().optional(),
  HASURA_GRAPHQL_UNAUTHORIZED_ROLE: z.string().min(1).optional(),
  HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: flag(false),
  HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS: flag(true),
  HASURA_GRAPHQL_ENABLE_ALLOWLIST: flag(false),
  HASURA_GRAPHQL_ENABLED_APIS: z
    .string()
    .default(apiGroups.join(','))
    .transform((list) => list.split(',').map((name) => name.trim()))
    .transform((names) => apiGroups.filter((group) => names.includes(group))),
  HASURA_GRAPHQL_CORS_DOMAIN: z.string().default('*'),
  HASURA_GRAPHQL_DISABLE_CORS: flag(false),
  HASURA_GRAPHQL_SERVER_PORT: port.default(8080),
  HASURA_GRAPHQL_SERVER_HOST: z.string().min(1).default('127.0.0.1'),
  HASURA_GRAPHQL_PG_CONNECTIONS: z.coerce.number().int().min(1).max(1000).default(20),
  HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: intervalMs,
  HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_BATCH_SIZE: batchSize,
  HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: intervalMs,
  HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_BATCH_SIZE: batchSize,
  HASURA_GRAPHQL_EVENTS_HTTP_POOL_SIZE: z.coerce.number().int().min(1).max(10_000).default(100),
  HASURA_GRAPHQL_EVENTS_FETCH_INTERVAL: intervalMs,
  /** Zero: events are written, and delivered by another engine. */
  HASURA_GRAPHQL_EVENTS_FETCH_BATCH_SIZE: z.coerce.number().int().min(0).max(10_000).default(100),
  /** Zero: asynchronous actions are written down, and run by another engine. */
  HASURA_GRAPHQL_ASYNC_ACTIONS_FETCH_INTERVAL: z.coerce.number().int().min(0).max(3_600_000).default(1_000),
  HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: z.coerce.number().int().min(0).max(3_600).default(60),
  HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE: seconds.default(5),
  HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT: seconds.default(3),
  HASURA_GRAPHQL_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
})

/** Reads the environment. Every problem is told, with the name of its variable. */
export const readSettings = (env: Readonly<Record<string, string | undefined>>): SettingsResult => {
  const parsed = environment.safeParse(env)
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`)
    return { kind: 'invalid', problems }
  }
  const values = parsed.data
  const tokens = parseJwtSecrets(values.HASURA_GRAPHQL_JWT_SECRET, values.HASURA_GRAPHQL_JWT_SECRETS)
  if (tokens.kind === 'invalid') return { kind: 'invalid', problems: [tokens.problem] }
  const settings = fromEnvironment(values, tokens.secrets)
  const problem = authenticationProblem(settings)
  return problem === undefined ? { kind: 'settings', settings } : { kind: 'invalid', problems: [problem] }
}

const fromEnvironment = (
  values: z.output<typeof environment>,
  jwtSecrets: readonly JwtSecret[],
): Settings => ({
  jwtSecrets,
  databaseUrl: values.HASURA_GRAPHQL_DATABASE_URL,
  adminSecret: values.HASURA_GRAPHQL_ADMIN_SECRET,
  authHook:
    values.HASURA_GRAPHQL_AUTH_HOOK === undefined
      ? undefined
      : { url: values.HASURA_GRAPHQL_AUTH_HOOK, mode: values.HASURA_GRAPHQL_AUTH_HOOK_MODE },
  unauthorizedRole: values.HASURA_GRAPHQL_UNAUTHORIZED_ROLE,
  stringifyNumericTypes: values.HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES,
  inferFunctionPermissions: values.HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS,
  enableAllowlist: values.HASURA_GRAPHQL_ENABLE_ALLOWLIST,
  enabledApis: values.HASURA_GRAPHQL_ENABLED_APIS,
  cors: values.HASURA_GRAPHQL_DISABLE_CORS
    ? { kind: 'none' }
    : parseCorsDomain(values.HASURA_GRAPHQL_CORS_DOMAIN),
  port: values.HASURA_GRAPHQL_SERVER_PORT,
  host: values.HASURA_GRAPHQL_SERVER_HOST,
  poolSize: values.HASURA_GRAPHQL_PG_CONNECTIONS,
  logLevel: values.HASURA_GRAPHQL_LOG_LEVEL,
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
    graceMs: values.HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT * 1_000,
  },
  webSockets: {
    keepAliveMs: values.HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE * 1_000,
    initTimeoutMs: values.HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT * 1_000,
  },
})
