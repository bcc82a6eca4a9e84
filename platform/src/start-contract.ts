import { createAuthenticator } from '@commerce-graph/auth-webhook'
import type { DataLayer } from '@commerce-graph/data-layer'
import type { FilesRoute } from '@commerce-graph/file-storage'
import { type RecentWrites, startGateway, writesInMemory, writesInRedis } from '@commerce-graph/gateway'
import type { RateLimits } from '@commerce-graph/rate-limits'
import type { Logger } from 'pino'
import type { PlatformConfig } from './configuration.ts'
import type { DatabaseReplicas } from './database-variables.ts'
import { openAdmin } from './open-admin.ts'
import { openDocs } from './open-docs.ts'
import { firstQuery } from './first-query.ts'
import { addressOf, type Services } from './services.ts'
import { stopWithin } from './started-parts.ts'
import { untilHealthy } from './until-healthy.ts'

interface ContractParts {
  readonly dataLayer: DataLayer
  readonly actionsUrl: string
  readonly files: FilesRoute
  /** The id of the demo shop, if there is one. */
  readonly demoShop?: string | undefined
}

/** The gateway on top of Hasura. Resolves with its URL when it is ready. */
export async function startContract(
  services: Services,
  config: PlatformConfig,
  { dataLayer, actionsUrl, files, demoShop }: ContractParts,
  rateLimits: RateLimits,
): Promise<string> {
  const { ports, started, parts, listener, secrets, logger, metrics, readiness, stopping } = services
  const {
    mode,
    host,
    trustedProxies,
    trustedIssuers,
    limits,
    allowedOrigins,
    signUpUrl,
    slow,
    place,
    connections,
    replicas,
    redisUrl,
  } = config
  const authenticator = createAuthenticator({
    ...parts.auth,
    listener,
    connections: connections?.gateway,
    mode,
    ...(place !== undefined && { place }),
    trustedProxies: trustedProxies ?? [],
    trustedIssuers: trustedIssuers ?? [],
    logger: logger.child({ service: 'authenticator' }),
  })
  started.add('the authenticator', () => authenticator.close())
  const gatewayLogger = logger.child({ service: 'gateway' })
  const recentWrites = replicas && openRecentWrites(replicas, redisUrl, gatewayLogger)
  started.add('the notes of writes', () => recentWrites?.close())
  const admin = openAdmin(services, config, demoShop)
  const docs = openDocs(services, config)
  const gateway = await startGateway({
    port: ports.gateway,
    host,
    dataLayer,
    authenticator,
    rateLimits,
    webhooksUrl: actionsUrl,
    ...(signUpUrl !== undefined && { signUp: { url: actionsUrl, secret: secrets.actionsSecret } }),
    ...(limits && { limits }),
    ...(allowedOrigins !== undefined && { allowedOrigins }),
    files,
    ...(admin && { admin }),
    ...(docs && { docs }),
    firstQuery,
    readiness,
    observe: metrics?.observer.request,
    slowMilliseconds: slow?.request,
    recentWrites,
    logger: gatewayLogger,
  })
  metrics?.addSource({
    name: 'gateway',
    gauges: { commerce_websockets_open: { help: 'WebSockets of clients that are open', labels: [] } },
    read: () => Promise.resolve({ commerce_websockets_open: [{ value: gateway.sockets() }] }),
  })
  started.add('the gateway', () => gateway.stop({ drain: stopping.drain }), stopWithin.server)
  const address = addressOf(gateway.port, host)
  await untilHealthy(`${address}/readyz`)
  return `${address}/graphql`
}

/** Milliseconds that a write is taken to be recent beyond the lag of replicas: the caller's clock isn't the database's. */
const marginMs = 100

function openRecentWrites(
  { maxLagMs }: DatabaseReplicas,
  redisUrl: string | undefined,
  logger: Logger,
): RecentWrites {
  const milliseconds = maxLagMs + marginMs
  return redisUrl === undefined ? writesInMemory(milliseconds) : writesInRedis(redisUrl, milliseconds, logger)
}
