import { Readiness } from '@commerce-graph/gateway'
import { hasDemoShop } from '@commerce-graph/demo-shop'
import { createRateLimits, type RateLimits } from '@commerce-graph/rate-limits'
import { ratesFrom } from '@commerce-graph/rate-limits/rates'
import postgres from '@commerce-graph/postgres-driver'
import { acrossMerchants, acrossMerchantsAsEngine } from '@commerce-graph/postgres-driver/merchant-scope'
import { SharedListener } from '@commerce-graph/postgres-driver/shared-listener'
import { awaitSchema } from './await-schema.ts'
import type { PlatformConfig } from './configuration.ts'
import { type DatabasePart, directUrlOf, partAddresses } from './database-parts.ts'
import { checkEncryptionKeys } from './encryption-keys.ts'
import { openAuthWebhook } from './open-auth-webhook.ts'
import { type Files, openFiles } from './open-files.ts'
import { openMetrics } from './open-metrics.ts'
import { openTracing } from './open-tracing.ts'
import { connectHasura, type Hasura, startHasura } from './open-hasura.ts'
import { PlatformError } from './platform-error.ts'
import { checkPorts, portsOfRoles, type RolePorts } from './ports.ts'
import { platformLogger } from './platform-logger.ts'
import { requireRedis } from './require-redis.ts'
import { joinProcesses } from './running-processes.ts'
import type { Role } from './roles.ts'
import { roleProblems } from './role-problems.ts'
import { serveHealth } from './serve-health.ts'
import { addressOf, ownAddresses, type Progress, type Services, type Stopping } from './services.ts'
import { settledPlace } from './settle-place.ts'
import { type Commerce, checkStorage, openCommerce, runWorkers, serveActions } from './start-commerce.ts'
import { startContract } from './start-contract.ts'
import { StartedParts, stopWithin } from './started-parts.ts'
import { healthProblem } from './until-healthy.ts'
import { setTimeout as sleep } from 'node:timers/promises'

/** Some roles of the platform in this process. The others run elsewhere. */
export interface RunningRoles {
  /** Where each role's server answers `/livez` and `/readyz`. */
  readonly addresses: ReadonlyMap<Role, string>
  /** As `Platform.stop`. */
  readonly stop: (options?: { readonly drain?: boolean }) => Promise<void>
}

interface Start {
  readonly services: Services & { readonly ports: RolePorts }
  readonly config: PlatformConfig
  readonly roles: ReadonlySet<Role>
}

/**
 * Starts these roles, unless the signal ends their wait for the database. They keep nothing on this machine, and wait for the database that `npm run migrate` prepares. After a
 * failure it stops what it has started. Throws PlatformError for causes that the caller can fix.
 */
export async function startRoles(
  roles: ReadonlySet<Role>,
  config: PlatformConfig,
  { tell, signal }: { readonly tell: Progress; readonly signal: AbortSignal },
): Promise<RunningRoles> {
  const problems = roleProblems(roles, config)
  if (problems.length > 0) throw new PlatformError(problems.join('\n'))
  const logger = platformLogger(config.logLevel)
  const started = new StartedParts(logger)
  try {
    await openTracing(config, started)
    const services = {
      ...openServices(roles, config, { started, logger }),
      metrics: await openMetrics(config, started),
    }
    await checkPorts(
      services.ports,
      listenersOf.flatMap(([role, listener]) => (roles.has(role) ? [listener] : [])),
    )
    await requireRedis(config.redisUrl)
    const place = await readyDatabase({ services, config, roles }, tell, signal)
    await joinProcesses(services, [...roles], config, tell)
    const addresses = await startAll({ services, config: { ...config, place }, roles })
    const { stopping } = services
    return {
      addresses,
      stop({ drain = false } = {}) {
        stopping.drain = drain
        for (const beginDrain of stopping.beginDrains) beginDrain()
        return started.stop()
      },
    }
  } catch (error) {
    await started.stop().catch(() => undefined)
    throw error
  }
}

const listenersOf: readonly (readonly [Role, keyof RolePorts])[] = [
  ['gateway', 'gateway'],
  ['engine', 'engine'],
  ['webhook', 'authWebhook'],
  ['actions', 'actions'],
  ['worker', 'worker'],
]

function openServices(
  roles: ReadonlySet<Role>,
  config: PlatformConfig,
  { started, logger }: Pick<Services, 'started' | 'logger'>,
) {
  const ports = portsOfRoles(config.ports.kind === 'from' ? config.ports.first : 0, config)
  const own = ownAddresses(ports, config)
  const stopping: Stopping = { drain: false, beginDrains: [] }
  const directUrl = config.pooler?.directUrl ?? config.databaseUrl ?? ''
  const parts = partAddresses(
    { databaseUrl: config.databaseUrl ?? '', pooler: config.pooler },
    config.partUrls ?? {},
  )
  if (config.redisUrl === undefined && (roles.has('gateway') || roles.has('webhook')))
    logger.warn('REDIS_URL is not set: each process counts rates and guesses for itself')
  return {
    ports,
    addresses: {
      gateway: config.gatewayUrl ?? own.gateway,
      authWebhook: config.webhookUrl ?? own.authWebhook,
      actions: config.actionsUrl ?? own.actions,
    },
    localActions: { find: () => undefined },
    started,
    stopping,
    // roleProblems has refused roles that lack a secret which they use.
    secrets: {
      adminSecret: config.adminSecret ?? '',
      actionsSecret: config.actionsSecret ?? '',
      encryptionKeys: config.encryptionKeys ?? [],
    },
    databaseUrl: config.databaseUrl ?? '',
    parts,
    ownPart: parts[partOf(roles)],
    pooler: config.pooler,
    directUrl,
    feedUrl: config.changeFeed && (config.changeFeed.url ?? directUrl),
    // The queues look at their tables on it, too.
    listener: new SharedListener(directUrlOf(parts[partOf(roles)])),
    logger,
    readiness: new Readiness(),
  }
}

/** Of several, the one whose rights are enough for the queues, and for what is sealed. */
function partOf(roles: ReadonlySet<Role>): DatabasePart {
  if (roles.has('worker')) return 'worker'
  if (roles.has('actions')) return 'actions'
  return roles.has('engine') ? 'engine' : 'auth'
}

/** Waits for the database, and returns its place. */
async function readyDatabase(
  { services, config, roles }: Start,
  tell: Progress,
  signal: AbortSignal,
): Promise<string> {
  const url = directUrlOf(services.ownPart)
  const pool = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => undefined })
  const sql = acrossMerchants(pool, 'the start looks at the whole database')
  try {
    await awaitSchema(sql, tell, signal)
    const ofAll = partOf(roles) === 'engine' ? acrossMerchantsAsEngine(pool) : sql
    if (config.mode === 'live' && (await hasDemoShop(ofAll)))
      throw new PlatformError(
        'The database of DATABASE_URL holds the demo shop of a test deployment, whose keys may do everything. A live deployment needs a database of its own.',
      )
    if (config.encryptionKeys !== undefined && (roles.has('actions') || roles.has('worker')))
      await checkEncryptionKeys(sql, config.encryptionKeys)
    return await settledPlace(sql, config.place)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** In the order in which the whole platform starts, so that each stops after those that call it. */
async function startAll(start: Start): Promise<ReadonlyMap<Role, string>> {
  const { services, config, roles } = start
  const { started, stopping, ports, addresses } = services
  const hasura = await openRolesHasura(start)
  const rateLimits = roles.has('gateway') || roles.has('webhook') ? await openRates(start) : undefined
  const engine = roles.has('engine') ? hasura : undefined
  if (roles.has('webhook') && rateLimits !== undefined)
    await openAuthWebhook(services, { ...config, hasuraUrl: undefined }, engine, rateLimits)
  const files =
    roles.has('gateway') || roles.has('actions') || roles.has('worker')
      ? openFiles(services, config)
      : undefined
  if (files !== undefined) await startCommerceRoles(start, files)
  if (engine !== undefined) {
    deliverOnceHeard(engine, services)
    started.add('the engine’s server', () => engine.stopServing({ drain: stopping.drain }), stopWithin.server)
  }
  if (roles.has('gateway') && hasura !== undefined && rateLimits !== undefined && files !== undefined)
    await startContract(
      services,
      config,
      { dataLayer: hasura.dataLayer, actionsUrl: addresses.actions, files: files.route },
      rateLimits,
    )
  return new Map(
    (
      [
        ['gateway', addressOf(ports.gateway, config.host)],
        ['engine', addressOf(ports.engine, config.engineHost)],
        ['webhook', addressOf(ports.authWebhook, config.webhookHost)],
        ['actions', addressOf(ports.actions, config.actionsHost)],
        ['worker', addressOf(ports.worker, config.workerHost)],
      ] as const
    ).filter(([role]) => roles.has(role)),
  )
}

/** The engine here, if it is one of the roles; otherwise the one that the gateway calls. */
async function openRolesHasura({ services, config, roles }: Start): Promise<Hasura | undefined> {
  if (roles.has('engine')) return startHasura(services, config)
  return roles.has('gateway') && config.hasuraUrl !== undefined
    ? connectHasura(services, config.hasuraUrl)
    : undefined
}

/** Milliseconds between two looks at whether the actions answer. */
const lookEvery = 250

/** Begins to deliver events when the actions answer: one delivered before would fail, and come again half a minute later. */
function deliverOnceHeard(engine: Hasura, { addresses, started }: Services): void {
  const stopped = new AbortController()
  const begin = async (): Promise<void> => {
    while (!stopped.signal.aborted && (await healthProblem(`${addresses.actions}/healthz`)) !== undefined)
      await sleep(lookEvery)
    if (!stopped.signal.aborted) engine.startDelivery()
  }
  const begun = begin()
  started.add(
    'the delivery of events',
    async () => {
      stopped.abort()
      await begun
      await engine.stopDelivery()
    },
    stopWithin.deliveries,
  )
}

async function openRates({ services, config }: Start): Promise<RateLimits> {
  const rateLimits = await createRateLimits({
    settings: config.rates ?? ratesFrom({}),
    redisUrl: config.redisUrl,
    logger: services.logger.child({ service: 'rate-limits' }),
  })
  services.started.add('the rate limits', () => rateLimits.close())
  return rateLimits
}

async function startCommerceRoles({ services, config, roles }: Start, files: Files): Promise<void> {
  const { started, stopping, ports, readiness } = services
  const commerce: Commerce | undefined =
    roles.has('actions') || roles.has('worker') ? await openCommerce(services, config, files) : undefined
  if (commerce !== undefined && roles.has('actions')) await serveActions(services, config, commerce)
  if (roles.has('gateway') || roles.has('worker')) checkStorage(services, files)
  if (commerce === undefined || !roles.has('worker')) return
  await runWorkers(services, config, commerce)
  stopping.beginDrains.push(() => readiness.stop())
  started.add(
    'the server of /readyz',
    await serveHealth(readiness, { port: ports.worker, host: config.workerHost ?? '127.0.0.1' }),
  )
}
