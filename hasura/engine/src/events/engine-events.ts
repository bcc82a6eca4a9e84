import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Snapshot } from '../snapshot.ts'
import type { Environment } from '../webhook/environment.ts'
import { type Deliverer, startDeliverer } from './deliverer.ts'
import { createPresence } from './engine-presence.ts'
import { createEventQueue } from './event-queue.ts'

export interface EventSettings {
  /** With `when-asked`, nothing is delivered before `Engine.startDelivery`. */
  readonly delivery: 'at-start' | 'when-asked'
  /** Webhooks called at the same time. */
  readonly concurrency: number
  readonly fetchIntervalMs: number
  /** Events taken from the database at once; with 0, this engine delivers none. */
  readonly fetchBatchSize: number
  /** How long webhooks under way may take when the engine stops. */
  readonly graceMs: number
}

export interface EngineEvents {
  start(): void
  stop(): Promise<void>
}

export const createEngineEvents = ({
  pool,
  getSnapshot,
  environment,
  settings,
  logger,
}: {
  readonly pool: Pool
  readonly getSnapshot: () => Snapshot
  readonly environment: Environment
  readonly settings: EventSettings
  readonly logger: Logger
}): EngineEvents => {
  const presence = createPresence(pool.options)
  let deliverers: readonly Deliverer[] = []
  return {
    start: () => {
      if (settings.fetchBatchSize === 0 || deliverers.length > 0) return
      deliverers = [createEventQueue(pool, getSnapshot, environment)].map((queue) =>
        startDeliverer(queue, {
          presence,
          concurrency: settings.concurrency,
          batchSize: settings.fetchBatchSize,
          intervalMs: settings.fetchIntervalMs,
          graceMs: settings.graceMs,
          logger,
        }),
      )
    },
    stop: async () => {
      await Promise.all(deliverers.map((deliverer) => deliverer.stop()))
      deliverers = []
      await presence.leave()
    },
  }
}
