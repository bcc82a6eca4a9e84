import { once } from 'node:events'
import { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'

/** Counts by key in windows of fixed length. A key's window begins with the first count in it. */
export interface Counter {
  /** Adds `weight` (default 1). Returns the window's count and its remaining seconds (at least 1). */
  count(key: string, weight?: number): Promise<Count>
  /** Subtracts `weight` (default 1). */
  takeBack(key: string, weight?: number): void
}

export interface Count {
  readonly counted: number
  readonly secondsLeft: number
}

/** Where counts are kept: in this process, or in a Redis that processes share. */
export interface Counters {
  open(name: string, windowSeconds: number): Counter
  /** Whether all processes share the counts. False while Redis is away: then each process counts alone. */
  readonly shared: boolean
  close(): void
}

/** Keys that one window of this process keeps. A deployment with more merchants or addresses at once needs Redis. */
const maxKeys = 100_000

/** rate-limiter-flexible's limiter in memory. At `maxKeys` it forgets the key that was counted longest ago. */
class BoundedMemory extends RateLimiterMemory {
  readonly #counted = new LRUCache<string, true>({
    // As `max` it would allocate the memory for all of them at once.
    maxSize: maxKeys,
    sizeCalculation: () => 1,
    dispose: (_value, key, reason) => {
      if (reason === 'evict') void this.delete(key)
    },
  })

  override consume(key: string, points = 1): Promise<RateLimiterRes> {
    this.#counted.set(key, true)
    return super.consume(key, points)
  }
}

// The caller decides whether a count exceeds a limit: plans differ and change, and the count goes on.
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
 * Redis answers in less than a millisecond, but a process under load may take hundreds to read the answer. A request
 * waits for a hanging Redis no longer than this; then the connection is ended, and later requests don't wait.
 */
const commandMilliseconds = 1_000
const maxReconnectMilliseconds = 1_000

/**
 * Counts in Redis, shared by all processes. While Redis is away or doesn't answer, each process counts alone and logs
 * that; it reconnects every second.
 */
export async function redisCounters(url: string, logger: Logger): Promise<Counters> {
  const redis = new Redis(url, {
    // A count must not be queued for later: without a connection this process counts alone.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: connectMilliseconds,
    commandTimeout: commandMilliseconds,
    // Ends a connection that is open but silent, so that it no longer counts as ready.
    socketTimeout: commandMilliseconds,
    retryStrategy: (times) => Math.min(times * 100, maxReconnectMilliseconds),
  })
  const state = { shared: true }
  const lose = (error?: Error): void => {
    if (!state.shared) return
    state.shared = false
    logger.warn({ err: error }, 'Redis is away: each process counts alone until it is back')
  }
  redis.on('error', lose)
  redis.on('close', lose)
  redis.on('ready', () => {
    if (!state.shared) logger.warn('Redis is back: all processes share their counts again')
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
