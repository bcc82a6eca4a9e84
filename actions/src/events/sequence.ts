import { byMerchant, merchantsOfRun, type OfMerchant } from '../by-merchant.ts'
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
  byMerchant(
    database,
    database<OfMerchant[]>`
      SELECT DISTINCT x.merchant_id AS "merchantId" FROM events.deletion x
      WHERE x.deleted_at < now() - ${olderThan} * interval '1 second' LIMIT ${merchantsOfRun}`,
    (own, merchantId) =>
      inBatches(batch, () => events.purgeDeletions(own, { merchantId, olderThan, limit: batch })),
  )

/** Deletes events that are older, in seconds, and their deliveries. Returns how many events. */
export const purgeEvents = (database: Database, olderThan: number): Promise<number> =>
  byMerchant(
    database,
    database<OfMerchant[]>`
      SELECT DISTINCT x.merchant_id AS "merchantId" FROM events.event x
      WHERE x.created_at < now() - ${olderThan} * interval '1 second' LIMIT ${merchantsOfRun}`,
    (own, merchantId) => inBatches(batch, () => events.purge(own, { merchantId, olderThan, limit: batch })),
  )

/** Deletes deliveries that have ended and are older, in seconds. Returns how many. */
export const purgeDeliveries = (database: Database, olderThan: number): Promise<number> =>
  byMerchant(
    database,
    database<OfMerchant[]>`
      SELECT DISTINCT x.merchant_id AS "merchantId" FROM events.delivery x
      WHERE x.status IN ('DELIVERED', 'FAILED') AND x.created_at < now() - ${olderThan} * interval '1 second' LIMIT ${merchantsOfRun}`,
    (own, merchantId) =>
      inBatches(batch, () => events.purgeDeliveries(own, { merchantId, olderThan, limit: batch })),
  )
