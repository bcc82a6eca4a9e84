import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { FinishChange } from '../metadata-api/command.ts'
import type { Snapshot } from '../snapshot.ts'
import { createActionQueue } from './action-queue.ts'
import type { Tracer } from '../tracing/tracer.ts'
import type { Environment } from '../webhook/environment.ts'
import { type Deliverer, startDeliverer } from './deliverer.ts'
import { createHeldRows } from './held-rows.ts'
import { createCronQueue } from './cron-queue.ts'
import { followWithCronEvents } from './cron-events.ts'
import { createEventQueue } from './event-queue.ts'
import { followWithTriggers } from './install-triggers.ts'
import { createOneOffQueue } from './one-off-queue.ts'

export interface EventSettings {
  /** With `when-asked`, delivery begins only with `Engine.startDelivery`. */
  readonly delivery: 'at-start' | 'when-asked'
  /** The most webhooks called at the same time. */
  readonly concurrency: number
  readonly fetchIntervalMs: number
  /** The most events taken from the database at once. 0: this engine delivers none. */
  readonly fetchBatchSize: number
  /** Milliseconds between two searches for items that lost engines have left locked. The second search unlocks them. */
  readonly recoveryIntervalMs: number
  /** Milliseconds that webhooks under way may take when the engine stops. */
  readonly graceMs: number
  /** Milliseconds between two polls for asynchronous actions. 0: this engine runs none. */
  readonly actionsFetchIntervalMs: number
  /** The most asynchronous actions taken from the database at once. */
  readonly actionsFetchBatchSize: number
}

/** Updates the database's event triggers and planned cron events after a change of the metadata. */
export function followWithEvents(stringifyNumbers: boolean): FinishChange {
  const followers = [followWithTriggers(stringifyNumbers), followWithCronEvents]
  return async (client, before, after, options) => {
    for (const follow of followers) await follow(client, before, after, options)
  }
}

export interface EngineEvents {
  start(): void
  stop(): Promise<void>
}

export function createEngineEvents({
  pool,
  sessions,
  getSnapshot,
  environment,
  settings,
  tracer,
  logger,
}: {
  readonly pool: Pool
  /** Its connections are the engine's alone. */
  readonly sessions: Pool
  readonly getSnapshot: () => Snapshot
  readonly environment: Environment
  readonly settings: EventSettings
  readonly tracer?: Tracer | undefined
  readonly logger: Logger
}): EngineEvents {
  const heldRows = createHeldRows(sessions.options)
  let deliverers: readonly Deliverer[] = []
  return {
    start: () => {
      if (deliverers.length > 0) return
      const queues = [
        ...(settings.fetchBatchSize === 0
          ? []
          : [
              createEventQueue(pool, heldRows, getSnapshot, { environment, tracer }),
              createCronQueue(pool, heldRows, getSnapshot, environment),
              createOneOffQueue(pool, heldRows, environment),
            ].map((queue) => ({
              queue,
              batchSize: settings.fetchBatchSize,
              intervalMs: settings.fetchIntervalMs,
            }))),
        ...(settings.actionsFetchIntervalMs === 0
          ? []
          : [
              {
                queue: createActionQueue(pool, heldRows, getSnapshot, environment),
                batchSize: settings.actionsFetchBatchSize,
                intervalMs: settings.actionsFetchIntervalMs,
              },
            ]),
      ]
      deliverers = queues.map(({ queue, batchSize, intervalMs }) =>
        startDeliverer(queue, {
          heldRows,
          concurrency: settings.concurrency,
          batchSize,
          intervalMs,
          recoveryIntervalMs: settings.recoveryIntervalMs,
          graceMs: settings.graceMs,
          logger,
        }),
      )
    },
    stop: async () => {
      await Promise.all(deliverers.map((deliverer) => deliverer.stop()))
      deliverers = []
      await heldRows.leave()
    },
  }
}
