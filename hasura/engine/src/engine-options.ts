import { type Logger, pino } from 'pino'
import type { LocalHandlers } from './actions/local-handler.ts'
import type { EventSettings } from './events/engine-events.ts'
import type { InternalErrors } from './execute/executor-options.ts'
import { type ApiGroup, defaultApis } from './http/api.ts'
import type { CorsPolicy } from './http/cors.ts'
import type { HttpServerOptions, SocketLimits } from './http/server.ts'
import type { ChangeFeedSettings } from './live/open-changes.ts'
import type { Refetch } from './live/poller.ts'
import type { Metadata } from './metadata/types.ts'
import type { ReplicaSettings } from './replicas.ts'
import type { NamingConvention } from './schema/naming.ts'
import type { SchemaFeature } from './schema/schema-feature.ts'
import type { SessionSettings } from './session/session-settings.ts'
import type { AuthHook } from './session/auth-webhook.ts'
import type { JwtSecret } from './session/jwt-config.ts'
import type { Tracer } from './tracing/tracer.ts'

export interface EngineOptions {
  /**
   * The database with the data and, in schema hdb_catalog, the metadata. Without it the engine starts a Postgres of its
   * own, and stops it at its end.
   */
  readonly databaseUrl?: string | undefined
  /** The pooler that the URL leads to, if it is one in transaction mode. */
  readonly pooler?: Pooler | undefined
  /** Standbys for requests that may lag (replicas.ts). */
  readonly replicas?: ReplicaSettings | undefined
  /** The folder of the engine's own Postgres. Without it, the data is deleted at the stop. */
  readonly dataDir?: string | undefined
  /** A folder of migrations. Missing ones are applied before the engine serves requests. */
  readonly migrations?: string | undefined
  /** A metadata directory, or the metadata itself, that is applied at the start. Default: what the database has. */
  readonly metadata?: string | Metadata | undefined
  readonly adminSecret?: string | readonly string[] | undefined
  readonly authHook?: AuthHook | undefined
  /** The keys that verify tokens; `parseJwtSecrets` reads Hasura's JSON. */
  readonly jwtSecrets?: readonly JwtSecret[] | undefined
  /** The role of requests without the admin secret, when no webhook or token authenticates them. */
  readonly unauthorizedRole?: string | undefined
  /** The port of the HTTP server; 0 takes a free one. Without it there is no server, only `execute`. */
  readonly port?: number | undefined
  readonly host?: string | undefined
  readonly cors?: CorsPolicy | undefined
  readonly enabledApis?: readonly ApiGroup[] | undefined
  /** Writes bigint and numeric as JSON strings. */
  readonly stringifyNumericTypes?: boolean | undefined
  /** Opens tracked functions to every role that may select from their table. */
  readonly inferFunctionPermissions?: boolean | undefined
  /** The convention of sources whose metadata names none. */
  readonly defaultNamingConvention?: NamingConvention | undefined
  /** Roles other than admin may send only documents of the allow-list. */
  readonly enableAllowlist?: boolean | undefined
  /** Roles other than admin may use only the parts of remote schemas for which they have permissions. */
  readonly remoteSchemaPermissions?: boolean | undefined
  /** Adds `_service` and `_entities`, for tables whose metadata enables them. */
  readonly apolloFederation?: boolean | undefined
  /** Features that hide parts of the schemas. */
  readonly experimentalFeatures?: readonly SchemaFeature[] | undefined
  /** When a remote schema answers with data and errors: true passes on the data, false the errors. */
  readonly prioritizeRemoteData?: boolean | undefined
  /** Resolves `{{NAME}}` in URLs and `value_from_env`. Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /**
   * Handlers of actions in this process, which are called without HTTP. Default: none. Asynchronous actions, which are made
   * later, are always called over HTTP.
   */
  readonly localHandlers?: LocalHandlers | undefined
  readonly logger?: Logger | undefined
  /** A statement that takes as long is logged with the id of its request. Default: none. */
  readonly slowStatementMs?: number | undefined
  /** Records spans of operations, statements and deliveries of events. */
  readonly tracer?: Tracer | undefined
  /** Settings of Postgres that each statement of a session has. Default: none. */
  readonly sessionSettings?: SessionSettings | undefined
  /** The most connections to Postgres. */
  readonly poolSize?: number | undefined
  /**
   * Milliseconds between two reads of the version of the metadata, which another engine on the database may change. 0:
   * never.
   */
  readonly pollIntervalMs?: number | undefined
  /** The roles whose errors include Postgres's own message (`internal`). Default: none. */
  readonly internalErrors?: InternalErrors | undefined
  readonly connections?: Partial<ConnectionSettings> | undefined
  /** Whether WebSockets read cookies. Default: only with CORS enabled. */
  readonly readCookies?: boolean | undefined
  /** Whether the GraphQL endpoints answer 401 to requests that are not authenticated, in place of 200 with errors. */
  readonly preserve401?: boolean | undefined
  /** The schema in which the extension pgcrypto is created, unless it exists. */
  readonly extensionsSchema?: string | undefined
  /** True: metadata with unknown keys is refused. False: they are left out, with a warning. */
  readonly strictMetadata?: boolean | undefined
  /** Logs a line for each HTTP request. */
  readonly logRequests?: boolean | undefined
  /** The most bytes of all headers of a request. */
  readonly maxHeaderBytes?: number | undefined
  readonly maxBodyBytes?: number | undefined
  readonly requestTimeoutMs?: number | undefined
  /** Limits of connections, WebSockets included, and of clients that read their answers slowly. */
  readonly sockets?: Partial<SocketLimits> | undefined
  /** Time-outs and limits of GraphQL over WebSocket. */
  readonly webSockets?: Partial<WebSocketLimits> | undefined
  /**
   * The log of the database, by which subscriptions are asked again when something has changed. Default: for the engine's own
   * Postgres, its log; otherwise none, and `off` as well, so that they are asked again each interval.
   */
  readonly changeFeed?: ChangeFeedSettings | 'off' | undefined
  /** Bytes of the answers over HTTP that are kept as long as they are right; 0, the default: none. */
  readonly answerCacheBytes?: number | undefined
  /** How often live queries run that can't be followed, and for how many distinct subscribers in one statement. */
  readonly liveQueries?: Refetch | undefined
  /** The same for streaming subscriptions. */
  readonly streamingQueries?: Refetch | undefined
  /** How events are delivered: when, how many at once, and how often the database is polled. */
  readonly events?: Partial<EventSettings> | undefined
}

export type WebSocketLimits = Omit<HttpServerOptions['webSockets'], 'readsCookies'>

/** A pooler in transaction mode, such as PgBouncer. */
export interface Pooler {
  /** Leads to Postgres itself: for SQL of the admin's, which may change its session, and for locks of the event queues. */
  readonly directUrl: string
  /** Whether the pooler keeps track of named statements, as PgBouncer does from 1.21 on. */
  readonly namedStatements: boolean
}

export interface ConnectionSettings {
  readonly idleTimeoutMs: number
  /** 0: no limit. */
  readonly lifetimeSeconds: number
  /** Milliseconds that a request waits for a connection. */
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

const defaultMaxLagMs = 1_000
const noSessionSettings: SessionSettings = { variables: {}, roles: {} }

/** All options, with the defaults for absent ones. */
export const resolveOptions = (given: EngineOptions) => ({
  databaseUrl: given.databaseUrl,
  pooler: given.pooler,
  replicas: given.replicas ?? { urls: [], maxLagMs: defaultMaxLagMs },
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
  localHandlers: given.localHandlers,
  tracer: given.tracer,
  slowStatementMs: given.slowStatementMs,
  logger: given.logger ?? pino({ level: 'warn' }),
  sessionSettings: given.sessionSettings ?? noSessionSettings,
  poolSize: given.poolSize ?? 20,
  pollIntervalMs: given.pollIntervalMs ?? 1_000,
  internalErrors: given.internalErrors ?? ('none' satisfies InternalErrors),
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
  changeFeed: given.changeFeed,
  answerCacheBytes: given.answerCacheBytes ?? 0,
  liveQueries: given.liveQueries ?? refetch,
  streamingQueries: given.streamingQueries ?? refetch,
  events: { ...events, ...given.events },
})

export type ResolvedOptions = ReturnType<typeof resolveOptions>
