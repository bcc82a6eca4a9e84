import type { Observer } from '@commerce-graph/telemetry'
import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import * as events from '../sql/generated/events.ts'

const batch = 500

/**
 * Turns the changes that are committed into events. Can run at any time, twice at once, and be killed at any point. Returns how many
 * changes those were.
 *
 * @param observe is told how many events each topic got
 */
export const sequenceEvents = (database: Database, observe?: Observer['events']): Promise<number> =>
  inBatches(batch, async () => {
    const { taken, topics } = await events.sequence(database, { limit: batch })
    // The function declares its values as counts.
    observe?.(topics as Record<string, number>)
    return taken
  })

/** Deletes records of deletions that are older, in seconds. Returns how many. */
export const purgeDeletions = (database: Database, olderThan: number): Promise<number> =>
  inBatches(batch, () => events.purgeDeletions(database, { olderThan, limit: batch }))

/** Deletes events that are older, in seconds, and their deliveries. Returns how many events. */
export const purgeEvents = (database: Database, olderThan: number): Promise<number> =>
  inBatches(batch, () => events.purge(database, { olderThan, limit: batch }))

/** Deletes deliveries that have ended and are older, in seconds. Returns how many. */
export const purgeDeliveries = (database: Database, olderThan: number): Promise<number> =>
  inBatches(batch, () => events.purgeDeliveries(database, { olderThan, limit: batch }))
