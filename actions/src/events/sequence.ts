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

/** Seconds that events are kept. */
const kept = 30 * 24 * 60 * 60

/** Seconds that deletions are kept. */
const deletionsKept = 90 * 24 * 60 * 60

/** Deletes records of deletions that are older than 90 days. Returns how many. */
export const purgeDeletions = (database: Database): Promise<number> =>
  inBatches(batch, () => events.purgeDeletions(database, { olderThan: deletionsKept, limit: batch }))

/** Deletes events that are older than 30 days. Returns how many. */
export const purgeEvents = (database: Database): Promise<number> =>
  inBatches(batch, () => events.purge(database, { olderThan: kept, limit: batch }))
