import type { Logger } from 'pino'
import type { HeldRows, QueueName } from './held-rows.ts'

/** A due item that this engine has locked: an event, a scheduled event, a tick of a cron trigger, or an action. */
export interface Delivery {
  readonly id: string
  /** Delivers it and records the result. Records nothing when the signal cuts the delivery off. */
  attempt(signal: AbortSignal): Promise<void>
}

/** A table of items to deliver. */
export interface DeliveryQueue {
  readonly name: QueueName
  /** Whether any item can be due. If not, the database is not polled. */
  isUsed(): boolean
  /** Locks due items, at most `limit`. */
  take(limit: number): Promise<readonly Delivery[]>
  /** Unlocks items, so that another engine or a later start can take them. */
  release(ids: readonly string[]): Promise<void>
  /** Ids of items that are locked but held by no engine: the engine is gone, or has just lost its connection. */
  findAbandoned(): Promise<readonly string[]>
  /** Unlocks those of these items that are still locked and held by no engine. */
  releaseAbandoned(ids: readonly string[]): Promise<void>
}

export interface DelivererOptions {
  readonly heldRows: HeldRows
  /** The most deliveries under way at the same time. */
  readonly concurrency: number
  /** The most items taken from the database at once. */
  readonly batchSize: number
  /** Milliseconds to wait when nothing is due. */
  readonly intervalMs: number
  /** Milliseconds between two searches for items that lost engines have left locked. */
  readonly recoveryIntervalMs: number
  /** Milliseconds that deliveries under way may take when the engine stops. */
  readonly graceMs: number
  readonly logger: Logger
}

export interface Deliverer {
  /** Takes no more items, waits for deliveries under way, and unlocks the rest. */
  stop(): Promise<void>
}

/** Longer than an engine takes to reconnect. */
const secondLookMs = 2_000

/**
 * Delivers due items at least once: an item is locked in the database before its delivery, and recorded there after it.
 * When a process ends in between, the item stays locked; another engine unlocks it after finding it abandoned twice.
 */
export function startDeliverer(queue: DeliveryQueue, options: DelivererOptions): Deliverer {
  const { logger, concurrency } = options
  const running = new Map<string, Promise<void>>()
  const cut = new AbortController()
  let stopping = false
  let wake = (): void => undefined
  let lookedAt = -Infinity
  let abandonedBefore: ReadonlySet<string> = new Set()

  /** Waits until the time is over, a delivery ends, or the engine stops. */
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
        // The item stays locked, so that it is not delivered again at once; it is taken again when the lock is old.
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
    // An engine whose connection was cut has reconnected by the second search.
    const gone = abandoned.filter((id) => abandonedBefore.has(id))
    if (gone.length > 0) await queue.releaseAbandoned(gone)
    abandonedBefore = new Set(abandoned)
    lookedAt = Date.now()
  }

  /** Takes and starts a batch. Returns whether more items may be due. */
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
        logger.warn({ err: error, queue: queue.name }, 'could not poll for deliveries')
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
