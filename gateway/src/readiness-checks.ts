import type { Authenticator } from '@commerce-graph/auth-webhook'
import type { DataLayer } from '@commerce-graph/data-layer'
import type { RateLimits } from '@commerce-graph/rate-limits'
import type { ReadinessCheck } from './readiness.ts'

/** No merchant's id and no permissions: it gets through the engine to the database and sees not one row. */
const noCaller = {
  'x-hasura-role': 'merchant',
  'x-hasura-merchant-id': '00000000-0000-0000-0000-000000000000',
  'x-hasura-permissions': '{}',
}

/**
 * The services that the gateway itself depends on: the data layer with its database, and the news of revocations. It
 * works without Redis.
 */
export const gatewayChecks = (
  dataLayer: DataLayer,
  authenticator: Pick<Authenticator, 'healthy' | 'untrustedProxy'>,
  rateLimits: Pick<RateLimits, 'health'>,
): readonly ReadinessCheck[] => [
  {
    name: 'dataLayer',
    needed: true,
    find: async (signal) => {
      const result = await dataLayer.execute({ query: '{ catalog_product(limit: 1) { id } }' }, noCaller, {
        signal,
      })
      return { problem: result.kind === 'data' ? undefined : result.kind }
    },
  },
  {
    name: 'authentication',
    needed: true,
    find: () => ({ problem: authenticator.healthy ? undefined : 'revocations of keys are not heard of' }),
  },
  {
    name: 'proxies',
    needed: false,
    find: () => ({ problem: authenticator.untrustedProxy ?? undefined }),
  },
  {
    name: 'rateLimits',
    needed: false,
    find: () => ({ problem: rateLimits.health === 'ok' ? undefined : rateLimits.health }),
  },
]
