import { createAuthenticator } from '@commerce-graph/auth-webhook'
import type { DataLayer } from '@commerce-graph/data-layer'
import type { FilesRoute } from '@commerce-graph/file-storage'
import {
  type Gateway,
  type RecentWrites,
  startGateway,
  writesInMemory,
  writesInRedis,
} from '@commerce-graph/gateway'
import type { RateLimits } from '@commerce-graph/rate-limits'
import type { MetricSource } from '@commerce-graph/telemetry'
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
    keepsAnswers,
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
    keepsAnswers,
    logger: gatewayLogger,
  })
  metrics?.addSource(gatewayMetrics(gateway))
  started.add('the gateway', () => gateway.stop({ drain: stopping.drain }), stopWithin.server)
  const address = addressOf(gateway.port, host)
  await untilHealthy(`${address}/readyz`)
  return `${address}/graphql`
}

const gatewayMetrics = ({ sockets, keptAnswers }: Gateway): MetricSource => ({
  name: 'gateway',
  gauges: {
    commerce_websockets_open: { help: 'WebSockets of clients that are open', labels: [] },
    commerce_kept_answers_bytes: { help: 'Bytes of the answers that are kept', labels: [] },
  },
  counters: {
    commerce_answers_total: {
      help: 'Answers to queries: kept ones, those shared with a request at the same time, and those that were read',
      labels: ['from'],
    },
  },
  read() {
    const { hits = 0, shared = 0, reads = 0 } = keptAnswers?.counts ?? {}
    return Promise.resolve({
      commerce_websockets_open: [{ value: sockets() }],
      commerce_kept_answers_bytes: [{ value: keptAnswers?.bytes ?? 0 }],
      commerce_answers_total: [
        { labels: { from: 'kept' }, value: hits },
        { labels: { from: 'shared' }, value: shared },
        { labels: { from: 'read' }, value: reads },
      ],
    })
  },
})

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
