import { createEmbeddedDataLayer, createHttpDataLayer, type DataLayer } from '@commerce-graph/data-layer'
import type { DemoShop } from '@commerce-graph/demo-shop'
import { createHasuraApi } from '@commerce-graph/hasura-cli'
import type { Limits } from '@commerce-graph/gateway/settings'
import { type SessionCheck, startEngine, type StopOptions } from 'hasura-embedded'
import postgres from '@commerce-graph/postgres-driver'
import type { PlatformConfig } from './configuration.ts'
import type { DataFolder, Secrets } from './data-folder.ts'
import { openDemoShop } from './open-demo-shop.ts'
import { checkEncryptionKeys } from './encryption-keys.ts'
import { prepareSchema } from './prepare-schema.ts'
import { preparingAlone } from './preparing-alone.ts'
import { addressOf, type Progress, type Services } from './services.ts'
import { untilHealthy } from './until-healthy.ts'

/** Milliseconds for a Hasura of another process, which may start together with this one. */
const hasuraTimeoutMs = 120_000

/** The Hasura that the services use: the engine in this process, or the one that the configuration names. */
export interface Hasura {
  readonly url: string
  readonly dataLayer: DataLayer
  /** Closes the WebSockets whose sessions are over; without effect on a Hasura of another process, which knows no such thing. */
  readonly endSessions: (isOver: SessionCheck) => Promise<void>
  /** Ends what the engine in this process serves by HTTP. */
  readonly stopServing: (options: StopOptions) => Promise<void>
  readonly startDelivery: () => void
  readonly stopDelivery: () => Promise<void>
}

/** Hasura, with the schema, the metadata and the demo shop in place. Processes that start together do this one after the other. */
export async function openHasura(
  services: Services,
  config: PlatformConfig,
  folder: DataFolder,
  progress: Progress,
): Promise<{ hasura: Hasura; demoShop: DemoShop | undefined }> {
  const { hasuraUrl } = config
  if (hasuraUrl !== undefined) {
    progress(`Waiting for Hasura at ${hasuraUrl}`)
    // It may start together with this process.
    await untilHealthy(`${hasuraUrl.replace(/\/$/, '')}/healthz`, hasuraTimeoutMs)
  }
  return preparingAlone(
    services.databaseUrl,
    () => progress('Another process prepares the database; waiting for it'),
    () => prepareHasura(services, config, folder, progress),
  )
}

async function prepareHasura(
  services: Services,
  config: PlatformConfig,
  folder: DataFolder,
  progress: Progress,
): Promise<{ hasura: Hasura; demoShop: DemoShop | undefined }> {
  const { secrets, databaseUrl } = services
  const { hasuraUrl } = config
  if (hasuraUrl === undefined) progress('Starting the Hasura engine')
  const hasura =
    hasuraUrl === undefined ? await startHasura(services, config) : connectHasura(services, hasuraUrl)
  const api = createHasuraApi({ endpoint: hasura.url, adminSecret: secrets.adminSecret })
  progress('Applying migrations and metadata')
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  try {
    await prepareSchema(sql, api, (name) => progress(`  ${name}`))
    await checkEncryptionKeys(sql, secrets.encryptionKeys)
    return { hasura, demoShop: await openDemoShop(config, { sql, api, folder }) }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Its events come when it likes: until the actions listen they fail, and come again. */
const connectHasura = ({ started, secrets }: Services, url: string): Hasura => ({
  url,
  dataLayer: openHttpDataLayer(started, url, secrets),
  endSessions: () => Promise.resolve(),
  stopServing: () => Promise.resolve(),
  startDelivery: () => undefined,
  stopDelivery: () => Promise.resolve(),
})

function openHttpDataLayer(started: AsyncDisposableStack, url: string, { adminSecret }: Secrets): DataLayer {
  const dataLayer = createHttpDataLayer({ url, adminSecret })
  started.defer(() => dataLayer.close())
  return dataLayer
}

async function startHasura(
  { ports, started, stopping, secrets, databaseUrl, logger }: Services,
  { dataLayer, webhookHost, actionsHost, limits, trustedProxies }: PlatformConfig,
): Promise<Hasura> {
  const engine = await startEngine({
    databaseUrl,
    adminSecret: secrets.adminSecret,
    authHook: { url: addressOf(ports.authWebhook, webhookHost), mode: 'GET' },
    port: ports.engine,
    env: {
      HASURA_GRAPHQL_DATABASE_URL: databaseUrl,
      ACTIONS_BASE_URL: addressOf(ports.actions, actionsHost),
      ACTIONS_SECRET: secrets.actionsSecret,
    },
    // Before the actions listen, and after they have stopped, an event would only fail.
    events: { delivery: 'when-asked' },
    sockets: { ...(limits && socketLimitsOf(limits)), trustedProxies: trustedProxies ?? [] },
    logger: logger.child({ service: 'hasura' }),
  })
  stopping.beginDrains.push(() => engine.beginDrain())
  started.defer(() => engine.stop())
  const url = addressOf(ports.engine)
  return {
    url,
    dataLayer:
      dataLayer === 'http' ? openHttpDataLayer(started, url, secrets) : createEmbeddedDataLayer(engine),
    endSessions: (isOver) => engine.endSessions(isOver),
    stopServing: (options) => engine.stopServing(options),
    startDelivery: () => engine.startDelivery(),
    stopDelivery: () => engine.stopDelivery(),
  }
}

/** The engine's port is held to what the contract's is. */
const socketLimitsOf = ({
  connections,
  connectionsPerAddress,
  sendMilliseconds,
  sendBytesPerSecond,
}: Limits) => ({ connections, connectionsPerAddress, sendMilliseconds, sendBytesPerSecond })
