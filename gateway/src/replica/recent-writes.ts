import { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'

/** Who has written within the last moments: a read of theirs must not be answered with what is older than that. */
export interface RecentWrites {
  /** A write of the holder is committed. */
  readonly note: (holder: string) => Promise<void>
  /** Whether the holder has written, or may have: true also where it can't be found out. */
  readonly has: (holder: string) => Promise<boolean>
  readonly close: () => void
}

/** Holders that one process keeps. When it has as many, it takes every holder for one of them. */
const maxHolders = 100_000

/** Keeps writes in this process, for a gateway that is alone. @param milliseconds for which a write is recent */
export function writesInMemory(milliseconds: number): RecentWrites {
  const holders = new LRUCache<string, true>({ max: maxHolders, ttl: milliseconds })
  return {
    note: (holder) => {
      holders.set(holder, true)
      return Promise.resolve()
    },
    has: (holder) => {
      if (holders.size >= maxHolders) holders.purgeStale()
      return Promise.resolve(holders.size >= maxHolders || holders.has(holder))
    },
    close: () => holders.clear(),
  }
}

const connectMilliseconds = 2_000
/** A request waits no longer for Redis, and then reads from the primary. */
const commandMilliseconds = 500
const maxReconnectMilliseconds = 1_000

/** Keeps writes in the Redis that all gateways share. While it is away, everyone has written. */
export function writesInRedis(url: string, milliseconds: number, logger: Logger): RecentWrites {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: connectMilliseconds,
    commandTimeout: commandMilliseconds,
    retryStrategy: (times) => Math.min(times * 100, maxReconnectMilliseconds),
  })
  redis.on('error', (error: Error) => logger.debug({ reason: error.message }, 'no Redis for recent writes'))
  // What Redis didn't take is known here at least.
  const own = writesInMemory(milliseconds)
  return {
    async note(holder) {
      try {
        await redis.set(keyOf(holder), '', 'PX', milliseconds)
      } catch {
        await own.note(holder)
      }
    },
    async has(holder) {
      if (await own.has(holder)) return true
      try {
        return (await redis.exists(keyOf(holder))) > 0
      } catch {
        return true
      }
    },
    close: () => redis.disconnect(),
  }
}

const keyOf = (holder: string): string => `commerce-graph:wrote:${holder}`
