import { Readiness } from '@commerce-graph/gateway'
import { createRateLimits } from '@commerce-graph/rate-limits'
import { ratesFrom } from '@commerce-graph/rate-limits/rates'
import { SharedListener } from '@commerce-graph/postgres-driver/shared-listener'
import type { PlatformConfig } from './configuration.ts'
import { type DataFolder, keptSecrets } from './data-folder.ts'
import { directUrlOf, partAddresses, type PartUrls } from './database-parts.ts'
import { openAuthWebhook } from './open-auth-webhook.ts'
import { openFiles } from './open-files.ts'
import { openHasura } from './open-hasura.ts'
import { openMetrics } from './open-metrics.ts'
import { openTracing } from './open-tracing.ts'
import { platformLogger } from './platform-logger.ts'
import type { Ports } from './ports.ts'
import { joinProcesses } from './running-processes.ts'
import { requireRedis } from './require-redis.ts'
import { ownAddresses, type Progress, type RunningServices, type Stopping } from './services.ts'
import { diskCheck } from './readiness-checks.ts'
import { checkStorage, openCommerce, runWorkers, serveActions } from './start-commerce.ts'
import { startContract } from './start-contract.ts'
import { type StartedParts, stopWithin } from './started-parts.ts'

interface Start {
  readonly config: PlatformConfig
  readonly folder: DataFolder
  readonly ports: Ports
  readonly databaseUrl: string
  readonly partUrls: PartUrls
  readonly feedUrl: string | undefined
  readonly started: StartedParts
  readonly stopping: Stopping
  readonly progress: Progress
}

/**
 * Starts everything on top of the database, in order, and resolves when all of it answers. `started` stops what was
 * started, also after a failure. Throws PlatformError for causes that the caller can fix.
 */
export async function startServices(start: Start): Promise<RunningServices> {
  const { config, folder, ports, databaseUrl, partUrls, feedUrl, started, stopping, progress } = start
  const logger = platformLogger(config.logLevel)
  const secrets = keptSecrets(folder, config)
  await requireRedis(config.redisUrl)

  await openTracing(config, started)
  const directUrl = config.pooler?.directUrl ?? databaseUrl
  const parts = partAddresses({ databaseUrl, pooler: config.pooler }, partUrls)
  const services = {
    stopping,
    ports,
    addresses: ownAddresses(ports, config),
    localActions: { find: () => undefined },
    started,
    secrets,
    databaseUrl,
    parts,
    ownPart: parts.worker,
    pooler: config.pooler,
    directUrl,
    feedUrl: config.changeFeed && (config.changeFeed.url ?? feedUrl ?? directUrl),
    // The queues look at their tables on it, too.
    listener: new SharedListener(directUrlOf(parts.worker)),
    logger,
    metrics: await openMetrics(config, started),
    readiness: new Readiness(),
  }
  const { hasura, place, demoShop } = await openHasura(services, config, folder, progress)
  await joinProcesses(services, ['all'], secrets, progress)
  progress('Starting the services')
  const rateLimits = await createRateLimits({
    settings: config.rates ?? ratesFrom({}),
    redisUrl: config.redisUrl,
    logger: logger.child({ service: 'rate-limits' }),
  })
  started.add('the rate limits', () => rateLimits.close())
  await openAuthWebhook(services, { ...config, place }, hasura, rateLimits)
  const files = openFiles(services, config)
  const commerce = await openCommerce(services, config, files)
  const actions = await serveActions(services, config, commerce)
  const { email, pushes } = await runWorkers(services, config, commerce)
  checkStorage(services, files, { archives: config.backup !== undefined })
  services.readiness.add(diskCheck(config.dataDir))
  hasura.startDelivery()
  started.add('the delivery of events', () => hasura.stopDelivery(), stopWithin.deliveries)
  // Its clients' requests call the actions and the webhook, which therefore stop later.
  started.add('the engine’s server', () => hasura.stopServing({ drain: stopping.drain }), stopWithin.server)
  const graphql = await startContract(
    services,
    { ...config, place },
    {
      dataLayer: hasura.dataLayer,
      actionsUrl: actions.url,
      files: files.route,
      demoShop: demoShop?.merchantId,
    },
    rateLimits,
  )
  return {
    urls: {
      graphql,
      hasura: hasura.url,
      authWebhook: services.addresses.authWebhook,
      actions: actions.url,
      paymentSandbox: commerce.payments.sandboxUrl,
    },
    adminSecret: secrets.adminSecret,
    demoShop,
    email,
    pushes,
    liveQueries: hasura.liveQueries(),
    files: files.files,
    cardPayments: commerce.payments.kind,
  }
}
