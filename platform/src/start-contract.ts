import { createAuthenticator } from '@commerce-graph/auth-webhook'
import type { DataLayer } from '@commerce-graph/data-layer'
import type { FilesRoute } from '@commerce-graph/file-storage'
import { startGateway } from '@commerce-graph/gateway'
import type { RateLimits } from '@commerce-graph/rate-limits'
import type { PlatformConfig } from './configuration.ts'
import { firstQuery } from './first-query.ts'
import { addressOf, type Services } from './services.ts'
import { untilHealthy } from './until-healthy.ts'

/** The gateway on top of Hasura. Resolves with its URL when it is ready. */
export async function startContract(
  { ports, started, parts, listener, secrets, logger, metrics, readiness, stopping }: Services,
  {
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
  }: PlatformConfig,
  {
    dataLayer,
    actionsUrl,
    files,
  }: { readonly dataLayer: DataLayer; readonly actionsUrl: string; readonly files: FilesRoute },
  rateLimits: RateLimits,
): Promise<string> {
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
  started.defer(() => authenticator.close())
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
    firstQuery,
    readiness,
    observe: metrics?.observer.request,
    slowMilliseconds: slow?.request,
    logger: logger.child({ service: 'gateway' }),
  })
  metrics?.addSource({
    name: 'gateway',
    gauges: { commerce_websockets_open: { help: 'WebSockets of clients that are open', labels: [] } },
    read: () => Promise.resolve({ commerce_websockets_open: [{ value: gateway.sockets() }] }),
  })
  started.defer(() => gateway.stop({ drain: stopping.drain }))
  const address = addressOf(gateway.port, host)
  await untilHealthy(`${address}/readyz`)
  return `${address}/graphql`
}
