import { type AuthWebhook, startAuthWebhook } from '@commerce-graph/auth-webhook'
import type { RateLimits } from '@commerce-graph/rate-limits'
import type { PlatformConfig } from './configuration.ts'
import type { Hasura } from './open-hasura.ts'
import type { Services } from './services.ts'
import { stopWithin } from './started-parts.ts'

/** The engine in this process closes sockets of revoked callers at once, so that the other sockets can live long. */
const embeddedMaxAgeSeconds = 86_400
/** Another Hasura gets no revocations: a revoked credential can read for this time. */
const officialMaxAgeSeconds = 60

/**
 * Hasura's auth webhook. When access changes, it closes Hasura's WebSockets whose sessions have changed or ended.
 *
 * @param hasura undefined when another process has it
 */
export async function openAuthWebhook(
  { ports, started, stopping, parts, listener, logger }: Services,
  config: PlatformConfig,
  hasura: Pick<Hasura, 'endSessions'> | undefined,
  rateLimits: RateLimits,
): Promise<AuthWebhook> {
  const log = logger.child({ service: 'auth-webhook' })
  const maxAgeSeconds =
    config.hasuraUrl === undefined && hasura !== undefined ? embeddedMaxAgeSeconds : officialMaxAgeSeconds
  const authWebhook = await startAuthWebhook({
    port: ports.authWebhook,
    ...(config.webhookHost !== undefined && { host: config.webhookHost }),
    ...parts.auth,
    listener,
    connections: config.connections?.webhook,
    mode: config.mode,
    ...(config.place !== undefined && { place: config.place }),
    trustedProxies: config.trustedProxies ?? [],
    trustedIssuers: config.trustedIssuers ?? [],
    maxAgeSeconds: config.webhookMaxAgeSeconds ?? maxAgeSeconds,
    rateLimits,
    onAccessChange: (changed) => {
      void endSessions(changed).catch((error: unknown) => {
        log.error({ err: error }, 'the sessions of WebSockets could not be looked at')
      })
    },
    logger: log,
  })
  stopping.beginDrains.push(() => authWebhook.beginDrain())
  started.add('the auth webhook', () => authWebhook.close({ drain: stopping.drain }), stopWithin.server)

  /** The sessions of one merchant, of operators, or of all. */
  function endSessions(scope: string | undefined): Promise<void> {
    if (hasura === undefined) return Promise.resolve()
    return hasura.endSessions(async ({ variables, isAdmin }, headers) => {
      const sessionsScope =
        variables['x-hasura-role'] === 'operator' ? 'operator' : variables['x-hasura-merchant-id']
      if (isAdmin || (scope !== undefined && sessionsScope !== scope)) return false
      return !(await authWebhook.isCurrent(headers, variables))
    })
  }
  return authWebhook
}
