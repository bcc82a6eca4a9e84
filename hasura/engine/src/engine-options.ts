import { type Logger, pino } from 'pino'
import type { EventSettings } from './events/engine-events.ts'
import type { InternalErrors } from './execute/graphql-executor.ts'
import { type ApiGroup, defaultApis } from './http/api.ts'
import type { CorsPolicy } from './http/cors.ts'
import type { HttpServerOptions, SocketLimits } from './http/server.ts'
import type { Refetch } from './live/poller.ts'
import type { Metadata } from './metadata/types.ts'
import type { NamingConvention } from './schema/naming.ts'
import type { SchemaFeature } from './schema/schema-feature.ts'
import type { AuthHook } from './session/auth-webhook.ts'
import type { JwtSecret } from './session/jwt-config.ts'

export interface EngineOptions {
  /**
   * Holds the data and, in schema hdb_catalog, the metadata. Without it the engine brings a Postgres of its own, which
   * ends with it.
   */
  readonly databaseUrl?: string | undefined
  /** Where a Postgres of the engine's own keeps its data; without it, they are gone when it stops. */
  readonly dataDir?: string | undefined
  /** A folder of migrations; those that are missing are applied before anybody is served. */
  readonly migrations?: string | undefined
  /** A metadata directory, or metadata, to begin with; otherwise what the database has. */
  readonly metadata?: string | Metadata | undefined
  readonly adminSecret?: string | readonly string[] | undefined
  readonly authHook?: AuthHook | undefined
  /** How tokens are verified; `parseJwtSecrets` reads Hasura's JSON. */
  readonly jwtSecrets?: readonly JwtSecret[] | undefined
  /** The role of who has neither the secret nor a webhook to speak for them. */
  readonly unauthorizedRole?: string | undefined
  /** Serve HTTP here; 0 takes a free port. Without it the engine is used through `execute` alone. */
  readonly port?: number | undefined
  readonly host?: string | undefined
  readonly cors?: CorsPolicy | undefined
  readonly enabledApis?: readonly ApiGroup[] | undefined
  /** bigint and numeric as JSON strings. */
  readonly stringifyNumericTypes?: boolean | undefined
  /** Tracked functions are open to every role that may select from what they return. */
  readonly inferFunctionPermissions?: boolean | undefined
  /** Of a source whose metadata says nothing of it. */
  readonly defaultNamingConvention?: NamingConvention | undefined
  /** Roles other than admin may send only queries of the allow-list. */
  readonly enableAllowlist?: boolean | undefined
  /** Roles other than admin may use of remote schemas only what they have permissions for. */
  readonly remoteSchemaPermissions?: boolean | undefined
  /** `_service` and `_entities`, for tables whose metadata enables them. */
  readonly apolloFederation?: boolean | undefined
  /** What is hidden from the schemas. */
  readonly experimentalFeatures?: readonly SchemaFeature[] | undefined
  /** Of a remote schema's answer with data and errors the data count; otherwise the errors. */
  readonly prioritizeRemoteData?: boolean | undefined
  /** Where `{{NAME}}` in URLs and `value_from_env` look; the process's environment unless given. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  readonly logger?: Logger | undefined
  /** Connections to Postgres at most. */
  readonly poolSize?: number | undefined
  /** How soon metadata that another engine on the same database has changed is taken over; 0: never. */
  readonly pollIntervalMs?: number | undefined
  /** Who is told what Postgres said of an error, beside what Hasura makes of it; nobody unless told. */
  readonly internalErrors?: InternalErrors | undefined
  readonly connections?: Partial<ConnectionSettings> | undefined
  /** Whether WebSockets read cookies; not with CORS disabled, unless told. */
  readonly readCookies?: boolean | undefined
  /** Whether who is not let in gets the status 401 from the GraphQL endpoints, too. */
  readonly preserve401?: boolean | undefined
  /** Where the extension pgcrypto is created, unless it is there. */
  readonly extensionsSchema?: string | undefined
  /** Whether keys that metadata may not have refuse it; otherwise they are left out, with a warning. */
  readonly strictMetadata?: boolean | undefined
  /** A line in the log for each HTTP request. */
  readonly logRequests?: boolean | undefined
  /** Of all headers of a request together. */
  readonly maxHeaderBytes?: number | undefined
  readonly maxBodyBytes?: number | undefined
  readonly requestTimeoutMs?: number | undefined
  /** Bounds of connections, WebSockets included, and of clients that take their answers slowly. */
  readonly sockets?: Partial<SocketLimits> | undefined
  /** Time-outs and bounds of GraphQL over WebSocket. */
  readonly webSockets?: Partial<WebSocketLimits> | undefined
  /** How often live queries ask the database, and for how many distinct subscribers at once. */
  readonly liveQueries?: Refetch | undefined
  /** The same for streaming subscriptions. */
  readonly streamingQueries?: Refetch | undefined
  /** How events are delivered: by whom else, how many at a time, how often the database is asked. */
  readonly events?: Partial<EventSettings> | undefined
}

export type WebSocketLimits = Omit<HttpServerOptions['webSockets'], 'readsCookies'>

export interface ConnectionSettings {
  readonly idleTimeoutMs: number
  /** 0: for ever. */
  readonly lifetimeSeconds: number
  /** How long a request waits for a connection. */
  readonly waitMs: number
  readonly isolation: 'read-committed' | 'repeatable-read' | 'serializable'
}

const webSockets: WebSocketLimits = {
  initTimeoutMs: 3_000,
  keepAliveMs: 5_000,
  maxConnections: 10_000,
  maxOperations: 1_000,
  maxMessageBytes: 1024 * 1024,
  maxBufferedBytes: 4 * 1024 * 1024,
  compresses: false,
}

const sockets: SocketLimits = {
  connections: 20_000,
  connectionsPerAddress: 1_000,
  trustedProxies: [],
  sendMilliseconds: 30_000,
  sendBytesPerSecond: 20_000,
}

const connections: ConnectionSettings = {
  idleTimeoutMs: 180_000,
  lifetimeSeconds: 600,
  waitMs: 10_000,
  isolation: 'read-committed',
}

const events: EventSettings = {
  delivery: 'at-start',
  concurrency: 100,
  fetchIntervalMs: 1_000,
  fetchBatchSize: 100,
  recoveryIntervalMs: 5_000,
  graceMs: 60_000,
  actionsFetchIntervalMs: 1_000,
  actionsFetchBatchSize: 10,
}

const refetch: Refetch = { intervalMs: 1_000, batchSize: 100 }

/** What holds of each option: what was given, or what the engine does unless told. */
export const resolveOptions = (given: EngineOptions) => ({
  databaseUrl: given.databaseUrl,
  dataDir: given.dataDir,
  migrations: given.migrations,
  metadata: given.metadata,
  adminSecret: given.adminSecret,
  authHook: given.authHook,
  jwtSecrets: given.jwtSecrets ?? [],
  unauthorizedRole: given.unauthorizedRole,
  port: given.port,
  host: given.host ?? '127.0.0.1',
  cors: given.cors ?? ({ kind: 'any' } satisfies CorsPolicy),
  enabledApis: given.enabledApis ?? defaultApis,
  stringifyNumericTypes: given.stringifyNumericTypes ?? false,
  inferFunctionPermissions: given.inferFunctionPermissions ?? true,
  defaultNamingConvention: given.defaultNamingConvention ?? ('hasura-default' satisfies NamingConvention),
  enableAllowlist: given.enableAllowlist ?? false,
  remoteSchemaPermissions: given.remoteSchemaPermissions ?? false,
  apolloFederation: given.apolloFederation ?? false,
  experimentalFeatures: given.experimentalFeatures ?? [],
  prioritizeRemoteData: given.prioritizeRemoteData ?? false,
  env: given.env ?? process.env,
  logger: given.logger ?? pino({ level: 'warn' }),
  poolSize: given.poolSize ?? 20,
  pollIntervalMs: given.pollIntervalMs ?? 1_000,
  internalErrors: given.internalErrors ?? ('nobody' satisfies InternalErrors),
  connections: { ...connections, ...given.connections },
  readCookies: given.readCookies ?? given.cors?.kind !== 'none',
  preserve401: given.preserve401 ?? false,
  extensionsSchema: given.extensionsSchema ?? 'public',
  strictMetadata: given.strictMetadata ?? false,
  logRequests: given.logRequests ?? false,
  maxHeaderBytes: given.maxHeaderBytes ?? 1024 * 1024,
  maxBodyBytes: given.maxBodyBytes ?? 16 * 1024 * 1024,
  requestTimeoutMs: given.requestTimeoutMs ?? 60_000,
  sockets: { ...sockets, ...given.sockets },
  webSockets: { ...webSockets, ...given.webSockets },
  liveQueries: given.liveQueries ?? refetch,
  streamingQueries: given.streamingQueries ?? refetch,
  events: { ...events, ...given.events },
})

export type ResolvedOptions = ReturnType<typeof resolveOptions>
