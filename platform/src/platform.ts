import { Readiness } from '@commerce-graph/gateway'
import { checkRedis, createRateLimits, ratesFrom } from '@commerce-graph/rate-limits'
import { pino } from 'pino'
import type { PlatformConfig } from './configuration.ts'
import { type DataFolder, keptSecrets, openDataFolder } from './data-folder.ts'
import { openDatabase } from './database.ts'
import type { DemoShop } from './demo-shop.ts'
import { errorForLog } from './error-for-log.ts'
import { openAuthWebhook } from './open-auth-webhook.ts'
import { openHasura } from './open-hasura.ts'
import { PlatformError } from './platform-error.ts'
import { checkPorts, choosePorts, neededListeners, type Ports } from './ports.ts'
import { readyFile } from './ready-file.ts'
import { addressOf, type Stopping } from './services.ts'
import { startCommerce } from './start-commerce.ts'
import { startContract } from './start-contract.ts'

export interface Platform {
  readonly urls: PlatformUrls
  readonly databaseUrl: string
  readonly adminSecret: string
  /** Undefined on a database that has merchants of its own instead. */
  readonly demoShop: DemoShop | undefined
  /** What e-mail leaves by: `outbox` is a folder of the data folder, `none` suppresses it. */
  readonly email: 'smtp' | 'outbox' | 'none'
  /** What pushes leave by: `none` suppresses them. */
  readonly pushes: 'webhook' | 'none'
  /** What new card payments are made with. */
  readonly cardPayments: 'stripe' | 'sandbox' | 'none'
  /** Settles, with the reason, when something that the platform can't do without ends by itself. */
  readonly crashed: Promise<string>
  /**
   * Answers what is under way, then stops everything in the opposite order of starting.
   *
   * @param options.drain takes requests for some seconds more, until all who send them know that others are to get them
   */
  readonly stop: (options?: { readonly drain?: boolean }) => Promise<void>
}

export interface PlatformUrls {
  /** The contract. */
  readonly graphql: string
  /** Hasura's HTTP API, without a path. */
  readonly hasura: string
  readonly authWebhook: string
  readonly actions: string
  /** Null in a live deployment, which has none. */
  readonly paymentSandbox: string | null
}

export type Progress = (message: string) => void

/**
 * Starts everything in this process, in order, and resolves when all of it answers; `ready.json` is written then.
 * When something fails, what was started before it is stopped again. Throws PlatformError or LocalPostgresError
 * for what the caller can do something about.
 */
export async function startPlatform(
  config: PlatformConfig,
  progress: Progress = () => undefined,
): Promise<Platform> {
  const started = new AsyncDisposableStack()
  const stopping: Stopping = { drain: false, beginDrains: [] }
  try {
    const folder = openDataFolder(config.dataDir)
    started.defer(() => folder.release())
    folder.remove('ready.json')
    const ports = await choosePorts(config.ports)
    await checkPorts(
      ports,
      neededListeners({
        postgres: config.databaseUrl === undefined,
        engine: config.hasuraUrl === undefined,
        paymentSandbox: config.mode === 'test',
      }),
    )
    const platform = await startServices({ config, folder, ports, started, stopping, progress })
    folder.write('ready.json', readyFile(platform))
    started.defer(() => folder.remove('ready.json'))
    return {
      ...platform,
      stop({ drain = false } = {}) {
        stopping.drain = drain
        for (const beginDrain of stopping.beginDrains) beginDrain()
        return started.disposeAsync()
      },
    }
  } catch (error) {
    await started.disposeAsync()
    throw error
  }
}

interface Start {
  readonly config: PlatformConfig
  readonly folder: DataFolder
  readonly ports: Ports
  readonly started: AsyncDisposableStack
  readonly stopping: Stopping
  readonly progress: Progress
}

async function startServices(start: Start): Promise<Omit<Platform, 'stop'>> {
  const { config, folder, ports, started, stopping, progress } = start
  const logger = pino(
    { level: config.logLevel, serializers: { err: errorForLog, error: errorForLog } },
    pino.destination({ dest: 2, sync: true }),
  )
  const secrets = keptSecrets(folder, config)
  await requireRedis(config.redisUrl)

  progress(config.databaseUrl === undefined ? 'Starting Postgres' : 'Connecting to Postgres')
  const database = await openDatabase({
    databaseUrl: config.databaseUrl,
    dataDir: folder.path,
    port: ports.postgres,
  })
  started.defer(database.stop)

  const services = {
    stopping,
    ports,
    started,
    secrets,
    databaseUrl: database.url,
    logger,
    readiness: new Readiness(),
  }
  const { hasura, demoShop } = await openHasura(services, config, folder, progress)
  progress('Starting the services')
  const rateLimits = await createRateLimits({
    settings: config.rates ?? ratesFrom({}),
    redisUrl: config.redisUrl,
    logger: logger.child({ service: 'rate-limits' }),
  })
  started.defer(() => rateLimits.close())
  await openAuthWebhook(services, config, hasura, rateLimits)
  const { cardPayments, email, pushes, ...commerceUrls } = await startCommerce(services, config)
  hasura.startDelivery()
  started.defer(() => hasura.stopDelivery())
  // What its clients send calls the actions and the webhook, which stop after it.
  started.defer(() => hasura.stopServing({ drain: stopping.drain }))
  const graphql = await startContract(services, config, hasura.dataLayer, rateLimits)
  return {
    urls: {
      graphql,
      hasura: hasura.url,
      authWebhook: addressOf(ports.authWebhook, config.webhookHost),
      ...commerceUrls,
    },
    databaseUrl: database.url,
    adminSecret: secrets.adminSecret,
    demoShop,
    email,
    pushes,
    cardPayments,
    crashed: database.crashed,
  }
}

/** Throws a PlatformError when there is to be a Redis and none answers. Once the platform runs it goes on without. */
async function requireRedis(url: string | undefined): Promise<void> {
  const problem = url === undefined ? null : await checkRedis(url)
  if (problem !== null) throw new PlatformError(`REDIS_URL can't be used: ${problem}`)
}
