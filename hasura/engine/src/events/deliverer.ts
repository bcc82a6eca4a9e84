import type { Logger } from 'pino'
import type { HeldRows, QueueName } from './held-rows.ts'

/** Something due that an engine has locked for itself: an event, a scheduled event, a tick of a cron trigger. */
export interface Delivery {
  readonly id: string
  /** Delivers and records what came of it. When the signal ends it early, it records nothing. */
  attempt(signal: AbortSignal): Promise<void>
}

/** A table of what is to be delivered. */
export interface DeliveryQueue {
  readonly name: QueueName
  /** Whether anything can be due at all; if not, the database is not asked. */
  isUsed(): boolean
  /** Locks what is due, up to a number. */
  take(limit: number): Promise<readonly Delivery[]>
  /** Unlocks: someone else, or a later start, may have them. */
  release(ids: readonly string[]): Promise<void>
  /** What is locked and held by no engine: whoever has locked it is gone, or has just lost its connection. */
  findAbandoned(): Promise<readonly string[]>
  /** Unlocks what of these is still locked and held by no engine. */
  releaseAbandoned(ids: readonly string[]): Promise<void>
}

export interface DelivererOptions {
  readonly heldRows: HeldRows
  /** Deliveries under way at the same time. */
  readonly concurrency: number
  /** Taken at once from the database. */
  readonly batchSize: number
  /** How long to wait when nothing is due. */
  readonly intervalMs: number
  /** How often it looks for what engines that are gone have left behind. */
  readonly recoveryIntervalMs: number
  /** How long deliveries under way may take when the engine stops. */
  readonly graceMs: number
  readonly logger: Logger
}

export interface Deliverer {
  /** Takes nothing more, lets what is under way end, and unlocks the rest. */
  stop(): Promise<void>
}

/** Longer than an engine that has lost its connection takes to come back. */
const secondLookMs = 2_000

/**
 * Delivers what is due, at least once: it is locked in the database before and recorded there afterwards. Ends of
 * the process in between leave it locked, and the next engine that sees so twice unlocks it.
 */
export function startDeliverer(queue: DeliveryQueue, options: DelivererOptions): Deliverer {
  const { logger, concurrency } = options
  const running = new Map<string, Promise<void>>()
  const cut = new AbortController()
  let stopping = false
  let wake = (): void => undefined
  let lookedAt = -Infinity
  let abandonedBefore: ReadonlySet<string> = new Set()

  /** Until the time is over, a delivery ends, or the engine stops. */
  const pause = (ms?: number): Promise<void> =>
    new Promise((resolve) => {
      if (stopping) {
        resolve()
        return
      }
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const start = (delivery: Delivery): void => {
    const attempt = delivery
      .attempt(cut.signal)
      .catch((error: unknown) => {
        // It stays locked, so that it is not delivered over and over; it is taken again when the lock is old.
        if (!cut.signal.aborted)
          logger.error({ err: error, queue: queue.name, id: delivery.id }, 'a delivery was not recorded')
      })
      .finally(() => {
        if (!cut.signal.aborted) {
          running.delete(delivery.id)
          options.heldRows.letGo(queue.name, delivery.id)
        }
        if (running.size === concurrency - 1) wake()
      })
    running.set(delivery.id, attempt)
  }

  const recover = async (): Promise<void> => {
    const interval =
      abandonedBefore.size > 0
        ? Math.min(secondLookMs, options.recoveryIntervalMs)
        : options.recoveryIntervalMs
    if (Date.now() - lookedAt < interval) return
    const abandoned = await queue.findAbandoned()
    // An engine whose connection was cut is there again by the second look.
    const gone = abandoned.filter((id) => abandonedBefore.has(id))
    if (gone.length > 0) await queue.releaseAbandoned(gone)
    abandonedBefore = new Set(abandoned)
    lookedAt = Date.now()
  }

  /** Returns whether there may be more. */
  const round = async (): Promise<boolean> => {
    if (!queue.isUsed()) return false
    await recover()
    const room = Math.min(options.batchSize, concurrency - running.size)
    const taken = await queue.take(room)
    if (stopping) await queue.release(taken.map(({ id }) => id))
    else taken.forEach(start)
    return taken.length === room
  }

  const loop = async (): Promise<void> => {
    while (!stopping) {
      const more = await round().catch((error: unknown) => {
        logger.warn({ err: error, queue: queue.name }, 'could not look for what is to be delivered')
        return false
      })
      if (running.size >= concurrency) await pause()
      else if (!more) await pause(options.intervalMs)
    }
  }

  const looping = loop()
  return {
    stop: async () => {
      stopping = true
      wake()
      await looping
      const deadline = setTimeout(() => cut.abort(new Error('the engine stops')), options.graceMs)
      await Promise.all(running.values())
      clearTimeout(deadline)
      if (running.size > 0) await queue.release([...running.keys()])
    },
  }
}
