import { cachedCheck, type StopOptions } from '@commerce-graph/http-server'
import type pg from 'pg'
import type { Logger } from 'pino'
import { applyProject } from './apply-project.ts'
import { type Connections, openConnections } from './connection-pool.ts'
import { type Database, openDatabase } from './database.ts'
import { type EngineOptions, type ResolvedOptions, resolveOptions } from './engine-options.ts'
import { createEngineEvents, followWithEvents } from './events/engine-events.ts'
import { createGraphQLExecutor } from './execute/graphql-executor.ts'
import { keepAnswers } from './execute/keep-answers.ts'
import type { ExecuteOptions, ExplainedStatement, GraphQLRequest, GraphQLResult } from './graphql-request.ts'
import type { Api } from './http/api.ts'
import { type HttpServer, startHttpServer } from './http/server.ts'
import type { FeedState } from '@commerce-graph/change-feed'
import { type ChangeFeedSettings, keptPublication, openChanges, ownPublication } from './live/open-changes.ts'
import { ReadObserver } from './live/read-observer.ts'
import { createSubscriptionHub } from './live/subscription-hub.ts'
import { subscriptionResults } from './live/subscription-results.ts'
import { pollMetadata } from './metadata-api/poll-metadata.ts'
import { openWorkspace } from './metadata-api/workspace.ts'
import type { Metadata } from './metadata/types.ts'
import { unservedFeatures } from './metadata/unserved-features.ts'
import { createRemoteDirectory } from './remote/remote-directory.ts'
import { createRowCommands } from './rows/row-commands.ts'
import { createAuthenticator } from './session/authenticator.ts'
import type { Session, SessionCheck } from './session/types.ts'
import type { Inconsistency, Snapshot } from './snapshot.ts'
import { installExtension } from './storage/install-extension.ts'
import { createMetadataStore } from './storage/metadata-store.ts'

export interface Engine {
  /** The port of the HTTP server, if there is one. */
  readonly port: number | undefined
  readonly url: string | undefined
  /** The database's URL. With the password, if it is the engine's own Postgres. */
  readonly databaseUrl: string
  readonly snapshot: Snapshot
  /** Answers one GraphQL request in process. Failures are results; it throws only for a bug of the engine. */
  execute(request: GraphQLRequest, session: Session, options?: ExecuteOptions): Promise<GraphQLResult>
  /** The statements that an operation would send to Postgres. Throws where `execute` would answer with errors. */
  explain(request: GraphQLRequest, session: Session): readonly ExplainedStatement[]
  /**
   * The answers of a subscription, in process: a live query's first answer and each later one that differs, or a
   * stream's batches. A query or mutation has one answer. Leaving the loop, or aborting, ends the subscription.
   */
  subscribe(
    request: GraphQLRequest,
    session: Session,
    options?: { readonly signal?: AbortSignal | undefined },
  ): AsyncIterable<GraphQLResult>
  /**
   * Closes the WebSockets whose sessions are over. To be called when the service behind the webhook learns that
   * sessions have ended. Otherwise a session holds until the expiry that the webhook or the token gave.
   */
  endSessions(isOver: SessionCheck): Promise<void>
  /** How subscriptions learn of changes now. Undefined: they poll, as they were told. */
  changes(): FeedState | undefined
  /** The connections to the database, and how many requests wait for one. */
  connections(): { readonly used: number; readonly idle: number; readonly waiting: number }
  /** Begins to deliver events. The start does that, unless `events.delivery` is `when-asked`. */
  startDelivery(): void
  /** Takes no more events, and waits for those under way. */
  stopDelivery(): Promise<void>
  /** Replaces all metadata. Returns the inconsistencies, which are left out of the schemas. */
  replaceMetadata(metadata: Metadata): Promise<readonly Inconsistency[]>
  /** From now on `/healthz` reports the stop, and each answer closes its connection. `stop` continues from there. */
  beginDrain(): void
  /** The HTTP part of `stop`. Handlers and webhooks must run until it resolves. `execute` still works after it. */
  stopServing(options?: StopOptions): Promise<void>
  /** Lets running requests finish for some time, then closes everything. */
  stop(options?: StopOptions): Promise<void>
}

/** The metadata of an empty database: the source, with nothing tracked. */
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

/**
 * Connects, creates Hasura's catalog tables if they are absent, reads metadata and catalog, and serves. Throws
 * StartError.
 */
export async function startEngine(given: EngineOptions = {}): Promise<Engine> {
  const options = resolveOptions(given)
  const database = await openDatabase(options)
  try {
    const connections = await openConnections(database.url, options)
    try {
      return await startOn(connections, database, options)
    } catch (error) {
      await connections.close()
      throw error
    }
  } catch (error) {
    await database.stop()
    throw error
  }
}

async function startOn(
  connections: Connections,
  database: Database,
  options: ResolvedOptions,
): Promise<Engine> {
  const { env, logger } = options
  const { pool, sessions } = connections
  const store = createMetadataStore(pool)
  await store.prepare(initialMetadata)
  await installExtension(pool, options.extensionsSchema, logger)
  const follow = followWithEvents(options.stringifyNumericTypes)
  const rows = createRowCommands(pool, options)
  const { strictMetadata } = options
  const remotes = createRemoteDirectory(env)
  const feedSettings = feedSettingsOf(database, options)
  const workspace = await openWorkspace(pool, store, follow, remotes, {
    rows,
    strictMetadata,
    sessions,
    publication: feedSettings && keptPublication(feedSettings),
  })
  await applyProject(workspace, options)
  const getSnapshot = (): Snapshot => workspace.snapshot
  const changes = feedSettings && (await openChanges(feedSettings, pool, logger))
  const executor = createGraphQLExecutor(getSnapshot, pool, {
    ...options,
    replicas: connections.replicas,
    readObserver:
      changes && new ReadObserver({ changes, getSnapshot, sessionSettings: options.sessionSettings }),
  })
  const hub = createSubscriptionHub(executor, getSnapshot, pool, {
    live: options.liveQueries,
    streaming: options.streamingQueries,
    concurrentPolls: Math.ceil(options.poolSize / 2),
    statementTimeoutMs: options.requestTimeoutMs,
    sessionSettings: options.sessionSettings,
    changes,
    logger,
  })
  const events = createEngineEvents({
    pool,
    sessions,
    getSnapshot,
    environment: env,
    settings: options.events,
    tracer: options.tracer,
    logger,
  })
  const { answerCacheBytes } = options
  const served = answerCacheBytes === 0 ? executor : keepAnswers(executor, answerCacheBytes)
  const server = await serve(
    { workspace, rows, executor: served, hub, pool, databaseUrl: options.pooler?.directUrl ?? database.url },
    options,
  )
  warnOfUnserved(workspace.snapshot, logger)
  if (options.events.delivery === 'at-start') events.start()
  const stopPolling = pollMetadata(workspace, logger, options.pollIntervalMs)
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
    endSessions: async (isOver) => {
      await server?.endSessions(isOver)
    },
    changes: () => changes?.feed.state(),
    connections: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    startDelivery: () => events.start(),
    stopDelivery: () => events.stop(),
    replaceMetadata: async (metadata) => {
      const args = { metadata, allow_inconsistent_metadata: true }
      await workspace.handle('metadata', { type: 'replace_metadata', version: 2, args })
      warnOfUnserved(workspace.snapshot, logger)
      return workspace.snapshot.inconsistencies
    },
    beginDrain: () => server?.beginDrain(),
    stopServing: async (options) => server?.close(options),
    stop: async (options) => {
      server?.beginDrain()
      stopPolling()
      await server?.close(options)
      await hub.close()
      await changes?.close()
      await events.stop()
      await connections.close()
      await database.stop()
    },
  }
}

/** What asks often, and for a moment, shares the pooler's connections; the feed itself can't. */
function feedSettingsOf(
  { url, isOwn }: Database,
  { changeFeed, pooler }: Pick<ResolvedOptions, 'changeFeed' | 'pooler'>,
): ChangeFeedSettings | undefined {
  if (changeFeed === 'off') return undefined
  const settings =
    changeFeed ?? (isOwn ? { databaseUrl: url, publication: ownPublication, publishes: true } : undefined)
  if (settings === undefined || pooler === undefined) return settings
  return { ...settings, positions: { databaseUrl: url, namedStatements: pooler.namedStatements } }
}

function warnOfUnserved({ metadata }: Snapshot, logger: Logger): void {
  const unserved = unservedFeatures(metadata)
  if (unserved.length > 0)
    logger.warn({ unserved }, 'metadata has parts that this engine does not act on yet')
}

async function* onlyResult(execute: () => Promise<GraphQLResult>): AsyncGenerator<GraphQLResult> {
  yield await execute()
}

/** Milliseconds for which `/healthz`, which any client may call, repeats the result of its last check. */
const healthKeptMs = 1_000

interface Served extends Pick<Api, 'workspace' | 'rows' | 'executor' | 'hub' | 'databaseUrl'> {
  readonly pool: pg.Pool
}

async function serve({ pool, ...served }: Served, options: ResolvedOptions): Promise<HttpServer | undefined> {
  const { port } = options
  if (port === undefined) return undefined
  const api: Omit<Api, 'isStopping'> = {
    ...served,
    authenticator: createAuthenticator(options),
    preserve401: options.preserve401,
    checkDatabase: cachedCheck(healthKeptMs, async () => {
      await pool.query('select 1')
    }),
    environment: options.env,
    config: {
      enabledApis: new Set(options.enabledApis),
      isAdminSecretSet: options.adminSecret !== undefined,
      isAuthHookSet: options.authHook !== undefined,
      jwtSecrets: options.jwtSecrets,
      inferFunctionPermissions: options.inferFunctionPermissions,
      isAllowlistEnabled: options.enableAllowlist,
      remoteSchemaPermissions: options.remoteSchemaPermissions,
      apolloFederation: options.apolloFederation,
      experimentalFeatures: options.experimentalFeatures,
      defaultNamingConvention: options.defaultNamingConvention,
      liveQueries: options.liveQueries,
      streamingQueries: options.streamingQueries,
    },
  }
  const webSockets = { ...options.webSockets, readsCookies: options.readCookies }
  return startHttpServer(api, { ...options, port, webSockets })
}
