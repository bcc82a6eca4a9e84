import { checkRedis } from '@commerce-graph/rate-limits'
import { PlatformError } from './platform-error.ts'

/** Throws a PlatformError if a Redis is configured and does not answer. A running platform works without it. */
export async function requireRedis(url: string | undefined): Promise<void> {
  const problem = url === undefined ? null : await checkRedis(url)
  if (problem !== null) throw new PlatformError(`REDIS_URL can't be used: ${problem}`)
}
