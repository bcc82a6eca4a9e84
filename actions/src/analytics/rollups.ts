import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import * as analytics from '../sql/generated/analytics.ts'

/** Quarters of an hour summed up in one transaction. */
const batch = 500

/**
 * Sums up anew what has changed in quarters of an hour that are over. Reports are right without it; they are faster with it. It can run
 * twice at once and be cut off at any point. Returns how many quarters it dealt with.
 */
export async function refreshRollups(database: Database, now = new Date()): Promise<number> {
  // A quarter that isn't over brings its merchant here only for marks that can go.
  const merchants = await database<{ merchantId: MerchantId }[]>`
    SELECT m.id AS "merchantId" FROM merchant.merchant m
    WHERE EXISTS (
      SELECT FROM analytics.stale_bucket s
      WHERE s.merchant_id = m.id AND (
        s.bucket < analytics.bucket_of(${now})
        OR EXISTS (
          SELECT FROM analytics.stale_bucket o
          WHERE o.merchant_id = s.merchant_id AND o.bucket = s.bucket AND o.id < s.id
        )
      )
    )`
  let refreshed = 0
  for (const { merchantId } of merchants) refreshed += await refreshMerchant(database, merchantId, now)
  return refreshed
}

const refreshMerchant = async (database: Database, merchantId: MerchantId, now: Date): Promise<number> =>
  inBatches(batch, async () =>
    analytics.refresh(database, { merchantId, limit: batch, now: now.toISOString() }),
  )
