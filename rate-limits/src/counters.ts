import { once } from 'node:events'
import { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'

/** Counts by key in windows of fixed length, each beginning with the first that is counted in it. */
export interface Counter {
  /** Counts so many, and tells how many there are in the window and how many seconds of it are left (1 at least). */
  count(key: string, weight?: number): Promise<Count>
  /** Takes so many back. */
  takeBack(key: string, weight?: number): void
}

export interface Count {
  readonly counted: number
  readonly secondsLeft: number
}

/** Where counts are kept: in this process, or in a Redis that processes share. */
export interface Counters {
  open(name: string, windowSeconds: number): Counter
  /** Whether what is counted is what all processes count. False while Redis is away: each counts for itself. */
  readonly shared: boolean
  close(): void
}

/** Keys that a window of this process holds. Who has so many merchants or addresses at once has a Redis. */
const maxKeys = 100_000

/** rate-limiter-flexible's limiter in memory, which forgets who was counted longest ago when there are too many. */
class BoundedMemory extends RateLimiterMemory {
  readonly #counted = new LRUCache<string, true>({
    max: maxKeys,
    dispose: (_value, key, reason) => {
      if (reason === 'evict') void this.delete(key)
    },
  })

  override consume(key: string, points = 1): Promise<RateLimiterRes> {
    this.#counted.set(key, true)
    return super.consume(key, points)
  }
}

// Who is over is for the caller to say: plans differ in it and change, and the count goes on.
const points = Number.MAX_SAFE_INTEGER

const counterOver = (limiter: RateLimiterMemory | RateLimiterRedis): Counter => ({
  async count(key, weight = 1) {
    const { consumedPoints, msBeforeNext } = await limiter.consume(key, weight)
    return { counted: consumedPoints, secondsLeft: Math.max(1, Math.ceil(msBeforeNext / 1000)) }
  },
  takeBack: (key, weight = 1) => void limiter.reward(key, weight),
})

/** Counts in this process alone. */
export const memoryCounters = (): Counters => ({
  open: (name, duration) => counterOver(new BoundedMemory({ keyPrefix: name, points, duration })),
  shared: true,
  close: () => undefined,
})

const connectMilliseconds = 2_000
/**
 * Redis answers in less than one, and a process under load may take hundreds to read it. Nobody's request waits for longer
 * than this for a Redis that hangs; then the connection is ended, and nobody waits at all.
 */
const commandMilliseconds = 1_000
const maxReconnectMilliseconds = 1_000

/**
 * Counts in Redis, for all processes that do. While Redis is away, or doesn't answer, each process counts for itself,
 * and says so in the log; it is asked for again every second.
 */
export async function redisCounters(url: string, logger: Logger): Promise<Counters> {
  const redis = new Redis(url, {
    // A request is counted now or elsewhere, never later.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: connectMilliseconds,
    commandTimeout: commandMilliseconds,
    // Ends a connection that is open and silent, which makes it one that isn't ready.
    socketTimeout: commandMilliseconds,
    retryStrategy: (times) => Math.min(times * 100, maxReconnectMilliseconds),
  })
  const state = { shared: true }
  const lose = (error?: Error): void => {
    if (!state.shared) return
    state.shared = false
    logger.warn(
      { err: error },
      'Redis is away: each process holds the rate limits for itself until it is back',
    )
  }
  redis.on('error', lose)
  redis.on('close', lose)
  redis.on('ready', () => {
    if (!state.shared) logger.warn('Redis is back: the rate limits are held by all processes together')
    state.shared = true
  })
  await once(redis, 'ready', { signal: AbortSignal.timeout(connectMilliseconds) }).catch(lose)
  return {
    open: (name, duration) => {
      const keyPrefix = `rate:${name}`
      const insuranceLimiter = new BoundedMemory({ keyPrefix, points, duration })
      return counterOver(
        new RateLimiterRedis({
          storeClient: redis,
          rejectIfRedisNotReady: true,
          insuranceLimiter,
          keyPrefix,
          points,
          duration,
        }),
      )
    },
    get shared() {
      return state.shared
    },
    close: () => redis.disconnect(),
  }
}
