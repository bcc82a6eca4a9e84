import { setInterval, setTimeout } from 'node:timers'
import type { Logger } from 'pino'
import type { CommittedTransaction } from './committed-transaction.ts'
import { type LogReader, type LogReaderOptions, readLog } from './log-reader.ts'

export interface ChangeFeedOptions extends Omit<LogReaderOptions, 'serverPatienceMs'> {
  readonly logger: Logger
  readonly times?: Partial<FeedTimes>
}

/** All in milliseconds. */
export interface FeedTimes {
  /** Between two questions how far Postgres has decoded. */
  readonly heartbeatMs: number
  /** Without an answer for as long, the connection counts as lost. */
  readonly silenceMs: number
  /** A transaction that is received as long after its commit: the feed is behind. */
  readonly behindMs: number
  /** The first pause before another attempt; each further one is twice as long. */
  readonly firstPauseMs: number
  readonly longestPauseMs: number
}

const defaultTimes: FeedTimes = {
  heartbeatMs: 1_000,
  silenceMs: 5_000,
  behindMs: 3_000,
  firstPauseMs: 250,
  longestPauseMs: 30_000,
}

export type FeedState =
  /** Each transaction that changes one of `tables` is told. */
  | { readonly kind: 'following'; readonly tables: ReadonlySet<number> }
  /** Anything may have changed, and may change, without a word. */
  | { readonly kind: 'absent'; readonly reason: string }

/** Both are called in the order of the log, and must not throw. */
export interface FeedListener {
  /** A transaction was committed. A snapshot that is taken now may not show it yet (CommitVisibility). */
  readonly committed: (transaction: CommittedTransaction) => void
  /**
   * The state is another one, and anything may have changed. With a new slot, which has waited for all running transactions,
   * snapshots show each commit that an earlier one told.
   */
  readonly changed: (state: FeedState, isNewSlot: boolean) => void
}

/** The changes of a database in the order of their commits, as long as it can be followed. */
export interface ChangeFeed {
  readonly state: () => FeedState
  /** All transactions up to this position have been told, as of a moment of `performance.now()`. */
  readonly confirmed: () => { readonly lsn: bigint; readonly at: number }
  /**
   * Waits until all transactions up to a position have been told. False when that takes longer, or the feed is absent.
   * Asks Postgres at once, and again with growing pauses.
   */
  readonly reach: (lsn: bigint, patienceMs: number) => Promise<boolean>
  /** Asks Postgres how far it has decoded; the answer is in `confirmed` a moment later. */
  readonly ping: () => void
  /** Returns how to stop listening. */
  readonly listen: (listener: FeedListener) => () => void
  /** Begins anew with another slot, because what is published may have changed. */
  readonly renew: (reason: string) => void
  /** Resolves with the state after the first attempt. */
  readonly settled: Promise<FeedState>
  readonly close: () => Promise<void>
}

/** Milliseconds between two questions while a position is waited for. */
const longestPingMs = 8

const nothingConfirmed = { lsn: 0n, at: -Infinity }

/**
 * Follows the log of a database. Whatever ends that (the connection, Postgres, a slot that is lost) makes it `absent` until
 * it follows again, by a new slot; listeners then take anything as changed.
 */
export function openChangeFeed(options: ChangeFeedOptions): ChangeFeed {
  const { logger } = options
  const times = { ...defaultTimes, ...options.times }
  const reading = { ...options, serverPatienceMs: 2 * times.silenceMs }
  const listeners = new Set<FeedListener>()
  const first = Promise.withResolvers<FeedState>()
  let state: FeedState = { kind: 'absent', reason: 'it has not started yet' }
  let confirmed = nothingConfirmed
  let reader: LogReader | undefined
  let tables: ReadonlySet<number> | undefined
  let heardAt = 0
  let pauseMs = times.firstPauseMs
  let retry: NodeJS.Timeout | undefined
  let closed = false
  const waiting = new Set<() => void>()

  const tellWaiting = (): void => {
    for (const wake of [...waiting]) wake()
  }
  const become = (next: FeedState, isNewSlot = false): void => {
    state = next
    for (const listener of [...listeners]) listener.changed(next, isNewSlot)
    first.resolve(next)
    tellWaiting()
  }
  const start = (): void => {
    heardAt = performance.now()
    reader = readLog(reading, {
      started: (covered) => {
        heardAt = performance.now()
        tables = covered
        pauseMs = times.firstPauseMs
        logger.info({ tables: covered.size }, 'follows the log of the database')
        become({ kind: 'following', tables: covered }, true)
        reader?.ping()
      },
      committed: (transaction) => {
        heardAt = performance.now()
        for (const listener of [...listeners]) listener.committed(transaction)
      },
      // Only a new slot is sure to have all changes of tables that were added.
      schemaChanged: () => restart('the schema has changed', 0),
      confirmed: (lsn) => {
        heardAt = performance.now()
        confirmed = { lsn, at: heardAt }
        tellWaiting()
      },
      ended: (error) => restart(reasonOf(error), undefined),
    })
  }
  /** @param afterMs otherwise, longer after each failure */
  const restart = (reason: string, afterMs: number | undefined): void => {
    const ending = reader
    reader = undefined
    tables = undefined
    confirmed = nothingConfirmed
    if (closed) return
    void ending?.stop().catch(() => undefined)
    const isNews = state.kind === 'following' || state.reason !== reason
    if (isNews && afterMs === undefined) logger.warn({ reason }, 'does not follow the log of the database')
    become({ kind: 'absent', reason })
    clearTimeout(retry)
    retry = setTimeout(start, afterMs ?? pauseMs * (0.5 + Math.random() / 2))
    retry.unref()
    if (afterMs === undefined) pauseMs = Math.min(times.longestPauseMs, pauseMs * 2)
  }
  const watch = (): void => {
    if (reader === undefined || tables === undefined) return
    if (performance.now() - heardAt > times.silenceMs) {
      restart('Postgres does not answer', undefined)
      return
    }
    const isBehind = reader.behindMs() > times.behindMs
    if (isBehind && state.kind === 'following')
      become({ kind: 'absent', reason: 'a large transaction is being received' })
    else if (!isBehind && state.kind === 'absent') become({ kind: 'following', tables })
    reader.ping()
  }

  /** Until something new is known, or so many milliseconds have passed. */
  const untilNews = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        waiting.delete(end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      waiting.add(end)
    })
  const reach = async (lsn: bigint, patienceMs: number): Promise<boolean> => {
    const deadline = performance.now() + patienceMs
    for (let pauseMs = 1; state.kind === 'following'; pauseMs = Math.min(2 * pauseMs, longestPingMs)) {
      if (confirmed.lsn >= lsn) return true
      const leftMs = deadline - performance.now()
      if (leftMs <= 0) return false
      reader?.ping()
      await untilNews(Math.min(pauseMs, leftMs))
    }
    return false
  }

  const heartbeat = setInterval(watch, times.heartbeatMs)
  heartbeat.unref()
  start()
  return {
    state: () => state,
    confirmed: () => confirmed,
    reach,
    ping: () => {
      if (state.kind === 'following') reader?.ping()
    },
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    renew: (reason) => {
      if (state.kind === 'following') restart(reason, 0)
    },
    settled: first.promise,
    close: async () => {
      closed = true
      clearInterval(heartbeat)
      clearTimeout(retry)
      first.resolve(state)
      await reader?.stop()
    },
  }
}

/** Some errors of connections have no message, such as one for several addresses. */
const reasonOf = (error: Error): string =>
  error.message === '' && 'code' in error ? String(error.code) : error.message
