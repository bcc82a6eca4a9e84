import type { Authenticator } from '@commerce-graph/auth-webhook'
import type { DataLayer } from '@commerce-graph/data-layer'
import type { RateLimits } from '@commerce-graph/rate-limits'

export interface Health {
  readonly healthy: boolean
  /** By part: `ok`, or what is wrong with it. */
  readonly checks: Readonly<Record<string, string>>
}

const timeoutMilliseconds = 2_000

/** Nobody's merchant and no permissions: it gets through the engine to the database and sees not one row. */
const nobody = {
  'x-hasura-role': 'merchant',
  'x-hasura-merchant-id': '00000000-0000-0000-0000-000000000000',
  'x-hasura-permissions': '{}',
}

/**
 * Whether requests can be answered: the data layer, the database behind it, and who tells revocations. How rates are
 * limited is told too; requests are answered either way.
 */
export async function checkHealth(
  dataLayer: DataLayer,
  authenticator: Pick<Authenticator, 'healthy'>,
  rateLimits: Pick<RateLimits, 'health'>,
): Promise<Health> {
  const needed = {
    dataLayer: await checkDataLayer(dataLayer),
    authentication: authenticator.healthy ? 'ok' : 'revocations of keys are not heard of',
  }
  const healthy = Object.values(needed).every((check) => check === 'ok')
  return { healthy, checks: { ...needed, rateLimits: rateLimits.health } }
}

async function checkDataLayer(dataLayer: DataLayer): Promise<string> {
  try {
    const signal = AbortSignal.timeout(timeoutMilliseconds)
    const result = await dataLayer.execute({ query: '{ products(limit: 1) { id } }' }, nobody, { signal })
    return result.kind === 'data' ? 'ok' : result.kind
  } catch {
    return `no answer within ${timeoutMilliseconds} ms`
  }
}
