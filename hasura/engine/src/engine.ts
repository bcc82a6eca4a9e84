import { askedAtMostEvery, type StopOptions } from '@commerce-graph/http-server'
import type pg from 'pg'
import type { Logger } from 'pino'
import { applyProject } from './apply-project.ts'
import { openConnectionPool } from './connection-pool.ts'
import { type Database, openDatabase } from './database.ts'
import { type EngineOptions, type ResolvedOptions, resolveOptions } from './engine-options.ts'
import { createEngineEvents, followWithEvents } from './events/engine-events.ts'
import { createGraphQLExecutor } from './execute/graphql-executor.ts'
import type { ExecuteOptions, ExplainedStatement, GraphQLRequest, GraphQLResult } from './graphql-request.ts'
import type { Api } from './http/api.ts'
import { type HttpServer, startHttpServer } from './http/server.ts'
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
  /**
   * Closes the WebSockets whose sessions are over, wherever the service behind the webhook hears that some are. Without it a
   * session holds for as long as the webhook, or the token, has said.
   */
  endSessions(isOver: SessionCheck): Promise<void>
  /** Begins to deliver events. Done at the start, unless `events.delivery` says `when-asked`. */
  startDelivery(): void
  /** Takes no more events, and lets those under way come to their end. */
  stopDelivery(): Promise<void>
  /** Replaces all metadata. What does not fit the database is returned, and left out of the schemas. */
  replaceMetadata(metadata: Metadata): Promise<readonly Inconsistency[]>
  /** From now on `/healthz` says that the engine stops, and each answer that its connection ends; `stop` goes on with that. */
  beginDrain(): void
  /** The part of `stop` that is about HTTP: what it stands on has to be there until this is done. `execute` goes on. */
  stopServing(options?: StopOptions): Promise<void>
  /** Lets running requests finish for a while, then closes everything. */
  stop(options?: StopOptions): Promise<void>
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

/** Connects, creates Hasura's tables if they are absent, reads metadata and catalog, and serves. Throws StartError. */
export async function startEngine(given: EngineOptions = {}): Promise<Engine> {
  const options = resolveOptions(given)
  const database = await openDatabase(options)
  try {
    const pool = await openConnectionPool(database.url, options)
    try {
      return await startOn(pool, database, options)
    } catch (error) {
      await pool.end()
      throw error
    }
  } catch (error) {
    await database.stop()
    throw error
  }
}

async function startOn(pool: pg.Pool, database: Database, options: ResolvedOptions): Promise<Engine> {
  const { env, logger } = options
  const store = createMetadataStore(pool)
  await store.prepare(initialMetadata)
  await installExtension(pool, options.extensionsSchema, logger)
  const follow = followWithEvents(options.stringifyNumericTypes)
  const rows = createRowCommands(pool, options)
  const { strictMetadata } = options
  const remotes = createRemoteDirectory(env)
  const workspace = await openWorkspace(pool, store, follow, remotes, { rows, strictMetadata })
  await applyProject(workspace, options)
  const getSnapshot = (): Snapshot => workspace.snapshot
  const executor = createGraphQLExecutor(getSnapshot, pool, options)
  const hub = createSubscriptionHub(executor, getSnapshot, pool, {
    live: options.liveQueries,
    streaming: options.streamingQueries,
    concurrentPolls: Math.ceil(options.poolSize / 2),
    statementTimeoutMs: options.requestTimeoutMs,
    logger,
  })
  const events = createEngineEvents({ pool, getSnapshot, environment: env, settings: options.events, logger })
  const server = await serve({ workspace, rows, executor, hub, pool, databaseUrl: database.url }, options)
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
      await events.stop()
      await pool.end()
      await database.stop()
    },
  }
}

function warnOfUnserved({ metadata }: Snapshot, logger: Logger): void {
  const unserved = unservedFeatures(metadata)
  if (unserved.length > 0)
    logger.warn({ unserved }, 'metadata has parts that this engine does not act on yet')
}

async function* onlyResult(execute: () => Promise<GraphQLResult>): AsyncGenerator<GraphQLResult> {
  yield await execute()
}

/** How long an answer about the database is kept for `/healthz`, which every client may ask. */
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
    checkDatabase: askedAtMostEvery(healthKeptMs, async () => {
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
