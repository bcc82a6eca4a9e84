import { setInterval } from 'node:timers'
import pg from 'pg'
import { type Logger, pino } from 'pino'
import { type EventSettings, createEngineEvents, followWithEvents } from './events/engine-events.ts'
import { applyProject } from './apply-project.ts'
import { type Database, openDatabase } from './database.ts'
import { type InternalErrors, createGraphQLExecutor } from './execute/graphql-executor.ts'
import type { ExecuteOptions, ExplainedStatement, GraphQLRequest, GraphQLResult } from './graphql-request.ts'
import type { CorsPolicy } from './http/cors.ts'
import { type Api, type ApiGroup, defaultApis } from './http/api.ts'
import { type HttpServer, type HttpServerOptions, startHttpServer } from './http/server.ts'
import type { Refetch } from './live/poller.ts'
import { type SubscriptionHub, createSubscriptionHub } from './live/subscription-hub.ts'
import { subscriptionResults } from './live/subscription-results.ts'
import { type Workspace, openWorkspace } from './metadata-api/workspace.ts'
import type { Metadata } from './metadata/types.ts'
import { unservedFeatures } from './metadata/unserved-features.ts'
import type { NamingConvention } from './schema/naming.ts'
import { createRemoteDirectory } from './remote/remote-directory.ts'
import type { AuthHook } from './session/auth-webhook.ts'
import { createAuthenticator } from './session/authenticator.ts'
import type { JwtSecret } from './session/jwt-config.ts'
import type { Session } from './session/types.ts'
import type { Inconsistency, Snapshot } from './snapshot.ts'
import { StartError, reasonOf } from './start-error.ts'
import { createMetadataStore } from './storage/metadata-store.ts'

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
  /** A line in the log for each HTTP request. */
  readonly logRequests?: boolean | undefined
  readonly maxBodyBytes?: number | undefined
  readonly requestTimeoutMs?: number | undefined
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

export interface Engine {
  /** Where HTTP is served, when it is. */
  readonly port: number | undefined
  readonly url: string | undefined
  /** Where the data is; with the password, if it is the engine's own Postgres. */
  readonly databaseUrl: string
  readonly snapshot: Snapshot
  /** Answers one GraphQL request in process. Throws only for a mistake of the engine. */
  execute(request: GraphQLRequest, session: Session, options?: ExecuteOptions): Promise<GraphQLResult>
  /** What an operation would send to Postgres, for whoever asks why it is slow. Throws for what `execute` would refuse. */
  explain(request: GraphQLRequest, session: Session): readonly ExplainedStatement[]
  /**
   * The answers of a subscription, in process: a live query's first one and then each that differs, a stream's
   * batches. A query or mutation has one. Leaving the loop, or aborting, ends it.
   */
  subscribe(
    request: GraphQLRequest,
    session: Session,
    options?: { readonly signal?: AbortSignal | undefined },
  ): AsyncIterable<GraphQLResult>
  /** Begins to deliver events. Done at the start, unless `events.delivery` says `when-asked`. */
  startDelivery(): void
  /** Takes no more events, and lets those under way come to their end. */
  stopDelivery(): Promise<void>
  /** Replaces all metadata. What does not fit the database is returned, and left out of the schemas. */
  replaceMetadata(metadata: Metadata): Promise<readonly Inconsistency[]>
  /** Lets running requests finish for a while, then closes everything. */
  stop(): Promise<void>
}

const defaults = {
  host: '127.0.0.1',
  poolSize: 20,
  pollIntervalMs: 1_000,
  maxBodyBytes: 16 * 1024 * 1024,
  requestTimeoutMs: 60_000,
  webSockets: {
    initTimeoutMs: 3_000,
    keepAliveMs: 5_000,
    maxConnections: 10_000,
    maxOperations: 1_000,
    maxMessageBytes: 1024 * 1024,
    maxBufferedBytes: 4 * 1024 * 1024,
  },
  connections: {
    idleTimeoutMs: 180_000,
    lifetimeSeconds: 600,
    waitMs: 10_000,
    isolation: 'read-committed',
  } satisfies ConnectionSettings,
  refetch: { intervalMs: 1_000, batchSize: 100 },
  events: {
    delivery: 'at-start',
    concurrency: 100,
    fetchIntervalMs: 1_000,
    fetchBatchSize: 100,
    graceMs: 60_000,
    actionsFetchIntervalMs: 1_000,
  } satisfies EventSettings,
}

/** What an empty database starts with: itself, with nothing tracked. */
const initialMetadata: Metadata = {
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      tables: [],
      configuration: {
        connection_info: {
          database_url: { from_env: 'HASURA_GRAPHQL_DATABASE_URL' },
          isolation_level: 'read-committed',
          use_prepared_statements: true,
        },
      },
    },
  ],
}

/** Connects, creates Hasura's tables if they are absent, reads metadata and catalog, and serves. */
export const startEngine = async (options: EngineOptions = {}): Promise<Engine> => {
  const database = await openDatabase(options)
  try {
    return await startOn(database, options)
  } catch (error) {
    await database.stop()
    throw error
  }
}

const startOn = async (database: Database, options: EngineOptions): Promise<Engine> => {
  const logger = options.logger ?? pino({ level: 'warn' })
  const connections = { ...defaults.connections, ...options.connections }
  const pool = new pg.Pool({
    connectionString: database.url,
    max: options.poolSize ?? defaults.poolSize,
    connectionTimeoutMillis: connections.waitMs,
    idleTimeoutMillis: connections.idleTimeoutMs,
    ...(connections.lifetimeSeconds === 0 ? {} : { maxLifetimeSeconds: connections.lifetimeSeconds }),
    application_name: 'hasura-embedded',
    // A statement's text holds all that its plan depends on (filters, limit), so its plan can be made once for a
    // connection. Left to itself, Postgres often plans a list with relationships anew each time (measured on the
    // list of 20: 6.7 ms a request that way, 4.7 ms this way, on a busy machine).
    options: `-c plan_cache_mode=force_generic_plan -c default_transaction_isolation=${connections.isolation.replace('-', '\\ ')}`,
  })
  // An idle connection that Postgres closes must not end the process; the next request gets a new one. The error
  // carries the whole client, prepared statements included, so only its message is logged.
  pool.on('error', (error) => {
    if (!pool.ending) logger.warn({ reason: error.message }, 'a connection to Postgres was lost')
  })
  // The pool stops listening to a connection when it closes it, and a server that stops meanwhile would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  try {
    await checkConnection(pool, database.url)
    return await startWith(pool, logger, database, options)
  } catch (error) {
    await pool.end()
    throw error
  }
}

const checkConnection = async (pool: pg.Pool, databaseUrl: string): Promise<void> => {
  try {
    await pool.query('select 1')
  } catch (error) {
    const url = URL.parse(databaseUrl)
    const place = url === null ? 'its URL' : `${url.hostname}:${url.port || '5432'}${url.pathname}`
    throw new StartError(`can't connect to the database at ${place}: ${reasonOf(error)}`)
  }
}

const startWith = async (
  pool: pg.Pool,
  logger: Logger,
  database: Database,
  options: EngineOptions,
): Promise<Engine> => {
  const store = createMetadataStore(pool)
  await store.prepare(initialMetadata)
  const stringifyNumbers = options.stringifyNumericTypes ?? false
  const environment = options.env ?? process.env
  const remotes = createRemoteDirectory(environment)
  const workspace = await openWorkspace(pool, store, followWithEvents(stringifyNumbers), remotes)
  await applyProject(workspace, options)
  const executor = createGraphQLExecutor(() => workspace.snapshot, pool, {
    stringifyNumericTypes: stringifyNumbers,
    inferFunctionPermissions: options.inferFunctionPermissions ?? true,
    defaultNamingConvention: options.defaultNamingConvention,
    enableAllowlist: options.enableAllowlist ?? false,
    internalErrors: options.internalErrors,
    remoteSchemaPermissions: options.remoteSchemaPermissions ?? false,
    apolloFederation: options.apolloFederation ?? false,
    env: environment,
  })
  const poolSize = options.poolSize ?? defaults.poolSize
  const hub = createSubscriptionHub(executor, () => workspace.snapshot, pool, {
    live: options.liveQueries ?? defaults.refetch,
    streaming: options.streamingQueries ?? defaults.refetch,
    concurrentPolls: Math.ceil(poolSize / 2),
    statementTimeoutMs: options.requestTimeoutMs ?? defaults.requestTimeoutMs,
    logger,
  })
  const eventSettings = { ...defaults.events, ...options.events }
  const events = createEngineEvents({
    pool,
    getSnapshot: () => workspace.snapshot,
    environment,
    settings: eventSettings,
    logger,
  })
  const server = await serve(workspace, executor, hub, pool, database.url, logger, options)
  warnOfUnserved(workspace.snapshot, logger)
  if (eventSettings.delivery === 'at-start') events.start()
  const stopPolling = poll(workspace, logger, options.pollIntervalMs ?? defaults.pollIntervalMs)
  return {
    port: server?.port,
    url: server?.url,
    databaseUrl: database.url,
    get snapshot() {
      return workspace.snapshot
    },
    execute: (request, session, executeOptions) => executor.execute(request, session, executeOptions),
    explain: (request, session) => executor.explain(request, session),
    subscribe: (request, session, { signal } = {}) =>
      executor.isSubscription(request, session)
        ? subscriptionResults(hub, request, session, signal)
        : onlyResult(() => executor.execute(request, session, { signal })),
    startDelivery: () => events.start(),
    stopDelivery: () => events.stop(),
    replaceMetadata: async (metadata) => {
      const args = { metadata, allow_inconsistent_metadata: true }
      await workspace.handle('metadata', { type: 'replace_metadata', version: 2, args })
      warnOfUnserved(workspace.snapshot, logger)
      return workspace.snapshot.inconsistencies
    },
    stop: async () => {
      stopPolling()
      await hub.close()
      await server?.close()
      await events.stop()
      await pool.end()
      await database.stop()
    },
  }
}

const warnOfUnserved = ({ metadata }: Snapshot, logger: Logger): void => {
  const unserved = unservedFeatures(metadata)
  if (unserved.length > 0)
    logger.warn({ unserved }, 'metadata has parts that this engine does not act on yet')
}

async function* onlyResult(execute: () => Promise<GraphQLResult>): AsyncGenerator<GraphQLResult> {
  yield await execute()
}

const serve = async (
  workspace: Workspace,
  executor: ReturnType<typeof createGraphQLExecutor>,
  hub: SubscriptionHub,
  pool: pg.Pool,
  databaseUrl: string,
  logger: Logger,
  options: EngineOptions,
): Promise<HttpServer | undefined> => {
  if (options.port === undefined) return undefined
  const api: Api = {
    workspace,
    executor,
    hub,
    authenticator: createAuthenticator({ ...options, logger }),
    preserve401: options.preserve401 ?? false,
    checkDatabase: async () => {
      await pool.query('select 1')
    },
    databaseUrl,
    environment: options.env ?? process.env,
    config: {
      enabledApis: new Set(options.enabledApis ?? defaultApis),
      isAdminSecretSet: options.adminSecret !== undefined,
      isAuthHookSet: options.authHook !== undefined,
      jwtSecrets: options.jwtSecrets ?? [],
      inferFunctionPermissions: options.inferFunctionPermissions ?? true,
      isAllowlistEnabled: options.enableAllowlist ?? false,
      remoteSchemaPermissions: options.remoteSchemaPermissions ?? false,
      apolloFederation: options.apolloFederation ?? false,
      defaultNamingConvention: options.defaultNamingConvention ?? 'hasura-default',
      liveQueries: options.liveQueries ?? defaults.refetch,
      streamingQueries: options.streamingQueries ?? defaults.refetch,
    },
  }
  return startHttpServer(api, {
    host: options.host ?? defaults.host,
    port: options.port,
    cors: options.cors ?? { kind: 'any' },
    logRequests: options.logRequests ?? false,
    maxBodyBytes: options.maxBodyBytes ?? defaults.maxBodyBytes,
    requestTimeoutMs: options.requestTimeoutMs ?? defaults.requestTimeoutMs,
    webSockets: {
      ...defaults.webSockets,
      ...options.webSockets,
      readsCookies: options.readCookies ?? options.cors?.kind !== 'none',
    },
    logger,
  })
}

/** Looks for another engine's changes. A look that takes longer than the interval is not overtaken. */
const poll = (workspace: Workspace, logger: Logger, intervalMs: number): (() => void) => {
  if (intervalMs === 0) return () => undefined
  let looking = false
  const look = async (): Promise<void> => {
    if (looking) return
    looking = true
    try {
      await workspace.synchronize()
    } catch (error) {
      logger.warn({ err: error }, 'could not look for changed metadata')
    } finally {
      looking = false
    }
  }
  const timer = setInterval(() => void look(), intervalMs)
  timer.unref()
  return () => clearInterval(timer)
}
