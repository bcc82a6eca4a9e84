import { createEmbeddedDataLayer, createHttpDataLayer, type DataLayer } from '@commerce-graph/data-layer'
import type { DemoShop } from '@commerce-graph/demo-shop'
import { createHasuraApi, type HasuraApi } from '@commerce-graph/hasura-cli'
import type { Limits } from '@commerce-graph/gateway/settings'
import { type MetricSource, tracer } from '@commerce-graph/telemetry'
import { type Engine, type SessionCheck, startEngine, type StopOptions } from 'hasura-embedded'
import postgres, { type Pooler, sessionOptions, type Sql } from '@commerce-graph/postgres-driver'
import type { PlatformConfig } from './configuration.ts'
import type { DataFolder, Secrets } from './data-folder.ts'
import { openDemoShop } from './open-demo-shop.ts'
import { checkEncryptionKeys } from './encryption-keys.ts'
import { limitPooledSessions } from './limit-pooled-sessions.ts'
import { withOwnEngine } from './prepare-database.ts'
import { prepareSchema } from './prepare-schema.ts'
import { changes } from './publish-changes.ts'
import { sessionSettings } from './session-settings.ts'
import { settlePlace } from './settle-place.ts'
import { type StartedParts, stopWithin } from './started-parts.ts'
import { preparingAlone } from './preparing-alone.ts'
import { unlimited } from './unlimited.ts'
import { addressOf, type LiveQueries, type Progress, type Services } from './services.ts'
import { untilHealthy } from './until-healthy.ts'

/** Milliseconds. A Hasura in another process may start at the same time as this one. */
const hasuraTimeoutMs = 120_000

/** Milliseconds that the engine keeps an idle connection. */
const idleMs = 30_000

/** The Hasura that the services use: the engine in this process, or the configured one. */
export interface Hasura {
  readonly url: string
  readonly dataLayer: DataLayer
  /**
   * Closes the WebSockets whose sessions are over. Without effect on a Hasura in another process, which has no such
   * function.
   */
  readonly endSessions: (isOver: SessionCheck) => Promise<void>
  /** Stops the HTTP server of the engine in this process. */
  readonly stopServing: (options: StopOptions) => Promise<void>
  /** How they learn of changes, as far as it is known yet. Undefined: a Hasura in another process says nothing of it. */
  readonly liveQueries: () => LiveQueries | undefined
  readonly startDelivery: () => void
  readonly stopDelivery: () => Promise<void>
}

/**
 * Hasura, with the schema, the metadata and the demo shop in place. Processes that start together prepare them one
 * after the other.
 */
export async function openHasura(
  services: Services,
  config: PlatformConfig,
  folder: DataFolder,
  progress: Progress,
): Promise<{ hasura: Hasura; place: string; demoShop: DemoShop | undefined }> {
  const { hasuraUrl } = config
  if (hasuraUrl !== undefined) {
    progress(`Waiting for Hasura at ${hasuraUrl}`)
    // It may start at the same time as this process.
    await untilHealthy(`${hasuraUrl.replace(/\/$/, '')}/healthz`, hasuraTimeoutMs)
  }
  return preparingAlone(
    services.directUrl,
    () => progress('Another process prepares the database; waiting for it'),
    () => prepareHasura(services, config, folder, progress),
  )
}

async function prepareHasura(
  services: Services,
  config: PlatformConfig,
  folder: DataFolder,
  progress: Progress,
): Promise<{ hasura: Hasura; place: string; demoShop: DemoShop | undefined }> {
  const { secrets, databaseUrl, directUrl, parts, pooler } = services
  const { hasuraUrl } = config
  progress('Applying migrations and metadata')
  if (pooler !== undefined)
    for (const url of new Set([databaseUrl, ...Object.values(parts).map((part) => part.databaseUrl)]))
      await limitPooled(url, pooler)
  const prepare = async (sql: Sql, api: HasuraApi) => {
    await prepareSchema({ sql, databaseUrl: directUrl, sandbox: config.mode === 'test' }, api, (name) =>
      progress(`  ${name}`),
    )
    await checkEncryptionKeys(sql, secrets.encryptionKeys)
    const place = await settlePlace(sql, config.place)
    return { place, demoShop: await openDemoShop(config, { sql, api, folder }) }
  }
  if (hasuraUrl !== undefined) {
    const api = createHasuraApi({ endpoint: hasuraUrl, adminSecret: secrets.adminSecret })
    const sql = postgres(directUrl, { max: 1, onnotice: () => undefined, connection: unlimited })
    try {
      const prepared = await prepare(sql, api)
      return { hasura: connectHasura(services, hasuraUrl), ...prepared }
    } finally {
      await sql.end({ timeout: 5 })
    }
  }
  // The engine that serves has no right to change the schema.
  const prepared = await withOwnEngine({ databaseUrl: directUrl, adminSecret: secrets.adminSecret }, prepare)
  progress('Starting the Hasura engine')
  return { hasura: await startHasura(services, config), ...prepared }
}

async function limitPooled(databaseUrl: string, pooler: Pooler): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, ...sessionOptions({}, pooler) })
  try {
    await limitPooledSessions(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** It delivers events from its own start on: until the actions listen, deliveries fail and are repeated. */
export const connectHasura = ({ started, secrets }: Services, url: string): Hasura => ({
  url,
  dataLayer: openHttpDataLayer(started, url, secrets),
  endSessions: () => Promise.resolve(),
  stopServing: () => Promise.resolve(),
  liveQueries: () => undefined,
  startDelivery: () => undefined,
  stopDelivery: () => Promise.resolve(),
})

function openHttpDataLayer(started: StartedParts, url: string, { adminSecret }: Secrets): DataLayer {
  const dataLayer = createHttpDataLayer({ url, adminSecret })
  started.add('connections to Hasura', () => dataLayer.close())
  return dataLayer
}

/** The engine in this process. It delivers events from `startDelivery` on. */
export async function startHasura(
  { ports, addresses, localActions, started, stopping, secrets, parts, feedUrl, logger, metrics }: Services,
  { dataLayer, engineHost, limits, trustedProxies, tracing, slow, connections, replicas }: PlatformConfig,
): Promise<Hasura> {
  const engine = await startEngine({
    ...parts.engine,
    replicas,
    sessionSettings,
    changeFeed: feedUrl === undefined ? 'off' : changeFeed(feedUrl),
    poolSize: connections?.engine,
    connections: { idleTimeoutMs: idleMs },
    adminSecret: secrets.adminSecret,
    // With GET, Hasura keeps the header Origin to itself.
    authHook: {
      url: addresses.authWebhook,
      mode: 'POST',
      sendsRequest: false,
    },
    port: ports.engine,
    ...(engineHost !== undefined && { host: engineHost }),
    env: {
      HASURA_GRAPHQL_DATABASE_URL: parts.engine.databaseUrl,
      ACTIONS_BASE_URL: addresses.actions,
      ACTIONS_SECRET: secrets.actionsSecret,
    },
    localHandlers: (url) =>
      url.startsWith(`${addresses.actions}/`)
        ? localActions.find(url.slice(addresses.actions.length + 1))
        : undefined,
    // An event would only fail before the actions listen and after they have stopped.
    events: { delivery: 'when-asked', graceMs: stopWithin.deliveries - 5_000 },
    sockets: { ...(limits && socketLimitsOf(limits)), trustedProxies: trustedProxies ?? [] },
    ...(tracing !== undefined && { tracer }),
    slowStatementMs: slow?.statement,
    logger: logger.child({ service: 'hasura' }),
  })
  metrics?.addSource(engineMetrics(engine))
  stopping.beginDrains.push(() => engine.beginDrain())
  started.add('the engine', () => engine.stop())
  const url = addressOf(ports.engine, engineHost)
  return {
    url,
    dataLayer:
      dataLayer === 'http' ? openHttpDataLayer(started, url, secrets) : createEmbeddedDataLayer(engine),
    endSessions: (isOver) => engine.endSessions(isOver),
    stopServing: (options) => engine.stopServing(options),
    liveQueries: () => engine.changes(),
    startDelivery: () => engine.startDelivery(),
    stopDelivery: () => engine.stopDelivery(),
  }
}

/** The migrations publish the tables. Row security shows a session the rows of its merchant alone. */
const changeFeed = (databaseUrl: string) => ({
  databaseUrl,
  publication: changes.publication,
  publishes: false,
  partition: { column: changes.partitionColumn, setting: 'commerce.merchant_id' },
})

const engineMetrics = (engine: Pick<Engine, 'connections'>): MetricSource => ({
  name: 'engine',
  gauges: {
    commerce_pool_connections: { help: 'Connections of the pool, by state', labels: ['pool', 'state'] },
    commerce_pool_waiting: { help: 'Requests that wait for a connection of the pool', labels: ['pool'] },
  },
  read() {
    const { used, idle, waiting } = engine.connections()
    const labels = { pool: 'engine' }
    return Promise.resolve({
      commerce_pool_connections: [
        { labels: { ...labels, state: 'used' }, value: used },
        { labels: { ...labels, state: 'idle' }, value: idle },
      ],
      commerce_pool_waiting: [{ labels, value: waiting }],
    })
  },
})

/** The engine's port has the same limits as the contract's. */
const socketLimitsOf = ({
  connections,
  connectionsPerAddress,
  sendMilliseconds,
  sendBytesPerSecond,
}: Limits) => ({ connections, connectionsPerAddress, sendMilliseconds, sendBytesPerSecond })
