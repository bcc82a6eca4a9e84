import { Redis } from 'ioredis'

const timeoutMs = 10_000

/** Tries to reach a Redis for ten seconds. Returns what is wrong with it, or null when it answers. */
export async function checkRedis(url: string): Promise<string | null> {
  const redis = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: null,
    connectTimeout: timeoutMs,
    retryStrategy: () => 200,
  })
  let problem = `no answer within ${timeoutMs / 1_000} s`
  redis.on('error', (error) => {
    problem = error.message === '' ? String((error as NodeJS.ErrnoException).code) : error.message
  })
  const late = Promise.withResolvers<false>()
  const timer = setTimeout(() => late.resolve(false), timeoutMs)
  const answers = redis
    .ping()
    .then(() => true)
    .catch((error: unknown) => {
      problem = error instanceof Error ? error.message : String(error)
      return false
    })
  try {
    return (await Promise.race([answers, late.promise])) ? null : problem
  } finally {
    clearTimeout(timer)
    redis.disconnect()
  }
}
