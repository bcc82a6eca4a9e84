import {
  createOutboxTransport,
  createSmtpTransport,
  createStripeProcessor,
  createWebhookTransport,
  startActions,
  startSandbox,
  startWorkers,
} from '@commerce-graph/actions'
import { createAuthenticator, createSecretBox, startAuthWebhook } from '@commerce-graph/auth-webhook'
import { createEmbeddedDataLayer, createHttpDataLayer, type DataLayer } from '@commerce-graph/data-layer'
import { startGateway } from '@commerce-graph/gateway'
import { createHasuraApi } from '@commerce-graph/hasura-cli'
import { createRateLimits, type RateLimits, ratesFrom } from '@commerce-graph/rate-limits'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEngine } from 'hasura-embedded'
import { type Logger, pino } from 'pino'
import postgres from 'postgres'
import { type PlatformConfig } from './configuration.ts'
import { type DataFolder, keptSecrets, openDataFolder, OUTBOX_FOLDER, type Secrets } from './data-folder.ts'
import { openDatabase } from './database.ts'
import { type DemoShop, openDemoShop } from './demo-shop.ts'
import { checkEncryptionKeys } from './encryption-keys.ts'
import { errorForLog } from './error-for-log.ts'
import { FIRST_QUERY } from './first-query.ts'
import { PlatformError } from './platform-error.ts'
import { checkPorts, choosePorts, neededListeners, type Ports } from './ports.ts'
import { prepareSchema } from './prepare-schema.ts'
import { readyFile } from './ready-file.ts'

export type Platform = {
  readonly urls: PlatformUrls
  readonly databaseUrl: string
  readonly adminSecret: string
  /** Undefined on a database that has merchants of its own instead. */
  readonly demoShop: DemoShop | undefined
  /** Whether e-mail leaves the house; otherwise it stays in the log of deliveries. */
  readonly sendsMail: boolean
  /** Settles, with the reason, when something that the platform can't do without ends by itself. */
  readonly crashed: Promise<string>
  /** Answers what is under way, then stops everything in the opposite order of starting. */
  readonly stop: () => Promise<void>
}

export type PlatformUrls = {
  /** The contract. */
  readonly graphql: string
  /** Hasura's HTTP API, without a path. */
  readonly hasura: string
  readonly authWebhook: string
  readonly actions: string
  readonly paymentSandbox: string
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
  try {
    const folder = openDataFolder(config.dataDir)
    started.defer(() => folder.release())
    folder.remove('ready.json')
    const ports = await choosePorts(config.ports)
    await checkPorts(
      ports,
      neededListeners({ postgres: config.databaseUrl === undefined, engine: config.hasuraUrl === undefined }),
    )
    const platform = await startServices({ config, folder, ports, started, progress })
    folder.write('ready.json', readyFile(platform))
    started.defer(() => folder.remove('ready.json'))
    return { ...platform, stop: () => started.disposeAsync() }
  } catch (error) {
    await started.disposeAsync()
    throw error
  }
}

type Start = {
  readonly config: PlatformConfig
  readonly folder: DataFolder
  readonly ports: Ports
  readonly started: AsyncDisposableStack
  readonly progress: Progress
}

async function startServices(start: Start): Promise<Omit<Platform, 'stop'>> {
  const { config, folder, ports, started, progress } = start
  const logger = pino(
    { level: config.logLevel, serializers: { err: errorForLog, error: errorForLog } },
    pino.destination({ dest: 2, sync: true }),
  )
  const secrets = keptSecrets(folder, config)

  progress(config.databaseUrl === undefined ? 'Starting Postgres' : 'Connecting to Postgres')
  const database = await openDatabase({
    databaseUrl: config.databaseUrl,
    dataDir: folder.path,
    port: ports.postgres,
  })
  started.defer(database.stop)

  const services = { ports, started, secrets, databaseUrl: database.url, logger }
  const { hasura, demoShop } = await openHasura(services, config, folder, progress)
  progress('Starting the services')
  const rateLimits = await createRateLimits({
    settings: config.rates ?? ratesFrom({}),
    redisUrl: config.redisUrl,
    logger: logger.child({ service: 'rate-limits' }),
  })
  started.defer(() => rateLimits.close())
  const authWebhook = await startAuthWebhook({
    port: ports.authWebhook,
    databaseUrl: database.url,
    mode: config.mode,
    trustedProxies: config.trustedProxies ?? [],
    trustedIssuers: config.trustedIssuers ?? [],
    rateLimits,
    logger: logger.child({ service: 'auth-webhook' }),
  })
  started.defer(() => authWebhook.close())
  const actions = await startCommerce(services, config)
  hasura.startDelivery()
  started.defer(() => hasura.stopDelivery())
  const graphql = await startContract(services, config, hasura.dataLayer, rateLimits)
  return {
    urls: {
      graphql,
      hasura: hasura.url,
      authWebhook: authWebhook.url,
      ...actions,
    },
    databaseUrl: database.url,
    adminSecret: secrets.adminSecret,
    demoShop,
    sendsMail: config.smtpUrl !== undefined,
    crashed: database.crashed,
  }
}

/** What each service is started with. */
type Services = {
  readonly ports: Ports
  readonly started: AsyncDisposableStack
  readonly secrets: Secrets
  readonly databaseUrl: string
  readonly logger: Logger
}

/** The Hasura that the services use: the engine in this process, or the one that the configuration names. */
type Hasura = {
  readonly url: string
  readonly dataLayer: DataLayer
  readonly startDelivery: () => void
  readonly stopDelivery: () => Promise<void>
}

/** Hasura, with the schema, the metadata and the demo shop in place. */
async function openHasura(
  services: Services,
  { hasuraUrl, dataLayer }: PlatformConfig,
  folder: DataFolder,
  progress: Progress,
): Promise<{ hasura: Hasura; demoShop: DemoShop | undefined }> {
  const { secrets, databaseUrl } = services
  progress(hasuraUrl === undefined ? 'Starting the Hasura engine' : `Waiting for Hasura at ${hasuraUrl}`)
  const hasura =
    hasuraUrl === undefined
      ? await startHasura(services, dataLayer)
      : await connectHasura(services, hasuraUrl)
  const api = createHasuraApi({ endpoint: hasura.url, adminSecret: secrets.adminSecret })
  progress('Applying migrations and metadata')
  await prepareSchema(api, (name) => progress(`  ${name}`))
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  try {
    await checkEncryptionKeys(sql, secrets.encryptionKeys)
    return { hasura, demoShop: await openDemoShop(sql, api, folder) }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** It may start together with this process. Its events come when it likes: until the actions listen they fail, and come again. */
async function connectHasura({ started, secrets }: Services, url: string): Promise<Hasura> {
  await untilHealthy(`${url.replace(/\/$/, '')}/healthz`, HASURA_TIMEOUT_MS)
  return {
    url,
    dataLayer: openHttpDataLayer(started, url, secrets),
    startDelivery: () => undefined,
    stopDelivery: () => Promise.resolve(),
  }
}

function openHttpDataLayer(started: AsyncDisposableStack, url: string, { adminSecret }: Secrets): DataLayer {
  const dataLayer = createHttpDataLayer({ url, adminSecret })
  started.defer(() => dataLayer.close())
  return dataLayer
}

async function startHasura(
  { ports, started, secrets, databaseUrl, logger }: Services,
  dataLayer: PlatformConfig['dataLayer'],
): Promise<Hasura> {
  const engine = await startEngine({
    databaseUrl,
    adminSecret: secrets.adminSecret,
    authHook: { url: addressOf(ports.authWebhook), mode: 'GET' },
    port: ports.engine,
    env: {
      HASURA_GRAPHQL_DATABASE_URL: databaseUrl,
      ACTIONS_BASE_URL: addressOf(ports.actions),
      ACTIONS_SECRET: secrets.actionsSecret,
    },
    // Before the actions listen, and after they have stopped, an event would only fail.
    events: { delivery: 'when-asked' },
    logger: logger.child({ service: 'hasura' }),
  })
  started.defer(() => engine.stop())
  const url = addressOf(ports.engine)
  return {
    url,
    dataLayer:
      dataLayer === 'http' ? openHttpDataLayer(started, url, secrets) : createEmbeddedDataLayer(engine),
    startDelivery: () => engine.startDelivery(),
    stopDelivery: () => engine.stopDelivery(),
  }
}

/** The actions, the workers, and the payment processors that both use. */
async function startCommerce(
  { ports, started, secrets, databaseUrl, logger }: Services,
  { redisUrl, stripeSecretKey, ...config }: PlatformConfig,
): Promise<{ actions: string; paymentSandbox: string }> {
  const secretBox = createSecretBox(secrets.encryptionKeys)
  const sandbox = await startSandbox({ port: ports.paymentSandbox, databaseUrl })
  started.defer(() => sandbox.stop())
  const sandboxProcessor = createStripeProcessor({
    name: 'sandbox',
    secretKey: 'sk_test_sandbox',
    apiUrl: sandbox.url,
  })
  const stripe =
    stripeSecretKey === undefined
      ? []
      : [createStripeProcessor({ name: 'stripe', secretKey: stripeSecretKey })]
  const processors = [...stripe, sandboxProcessor]
  const actions = await startActions({
    port: ports.actions,
    databaseUrl,
    ...(redisUrl === undefined ? {} : { redisUrl }),
    secret: secrets.actionsSecret,
    secretBox,
    cardProcessor: processors[0] ?? sandboxProcessor,
    formerProcessors: processors.slice(1),
    logger: logger.child({ service: 'actions' }),
  })
  started.defer(() => actions.stop())
  const workers = await startWorkers({
    databaseUrl,
    ...(redisUrl === undefined ? {} : { redisUrl }),
    processors,
    secretBox,
    ...messageTransports(config),
    unsubscribeUrl: config.unsubscribeUrl ?? `${actions.url}/unsubscribe`,
    logger: logger.child({ service: 'workers' }),
  })
  started.defer(() => workers.stop())
  return { actions: actions.url, paymentSandbox: sandbox.url }
}

/** What messages leave by, as far as the operator has said. */
function messageTransports({ dataDir, smtpUrl, mailFrom, pushWebhookUrl }: Omit<PlatformConfig, 'redisUrl'>) {
  return {
    mailer:
      smtpUrl === undefined
        ? createOutboxTransport(join(dataDir, OUTBOX_FOLDER))
        : createSmtpTransport(smtpUrl),
    ...(mailFrom === undefined ? {} : { senderAddress: mailFrom }),
    ...(pushWebhookUrl === undefined ? {} : { pusher: createWebhookTransport(pushWebhookUrl) }),
  }
}

/** The gateway, over Hasura. Resolves with its URL when it can answer. */
async function startContract(
  { ports, started, databaseUrl, logger }: Services,
  { mode, host, trustedProxies, trustedIssuers, limits }: PlatformConfig,
  dataLayer: DataLayer,
  rateLimits: RateLimits,
): Promise<string> {
  const authenticator = createAuthenticator({
    databaseUrl,
    mode,
    trustedProxies: trustedProxies ?? [],
    trustedIssuers: trustedIssuers ?? [],
    guesses: rateLimits.guesses,
    logger: logger.child({ service: 'authenticator' }),
  })
  started.defer(() => authenticator.close())
  const gateway = await startGateway({
    port: ports.gateway,
    host,
    dataLayer,
    authenticator,
    rateLimits,
    ...(limits && { limits }),
    firstQuery: FIRST_QUERY,
    logger: logger.child({ service: 'gateway' }),
  })
  started.defer(() => gateway.stop())
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const address = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${gateway.port}`
  await untilHealthy(`${address}/healthz`)
  return `${address}/graphql`
}

async function untilHealthy(url: string, timeoutMs = HEALTH_TIMEOUT_MS): Promise<void> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const problem = await healthProblem(url)
    if (problem === undefined) return
    if (Date.now() > deadline) throw new PlatformError(`${url} stays unhealthy: ${problem}`)
    await sleep(100)
  }
}

async function healthProblem(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) })
    return response.ok ? undefined : await response.text()
  } catch (error) {
    const { message, cause } = error as Error
    return cause instanceof Error ? cause.message || message : message
  }
}

const HEALTH_TIMEOUT_MS = 30_000
const HASURA_TIMEOUT_MS = 120_000

const addressOf = (port: number): string => `http://127.0.0.1:${port}`
