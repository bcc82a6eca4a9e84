import type { Authenticator } from '@commerce-graph/auth-webhook'
import type { DataLayer } from '@commerce-graph/data-layer'

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

/** Whether requests can be answered: the data layer, the database behind it, and who tells revocations. */
export async function checkHealth(
  dataLayer: DataLayer,
  authenticator: Pick<Authenticator, 'healthy'>,
): Promise<Health> {
  const checks = {
    dataLayer: await checkDataLayer(dataLayer),
    authentication: authenticator.healthy ? 'ok' : 'revocations of keys are not heard of',
  }
  return { healthy: Object.values(checks).every((check) => check === 'ok'), checks }
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
