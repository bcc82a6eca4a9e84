import { merchantsOfRun, type OfMerchant } from '../by-merchant.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { type Database, isTimeout } from '../database.ts'
import { eachApart } from '../each-apart.ts'
import * as analytics from '../sql/generated/analytics.ts'

/** Quarters of an hour summed up in one transaction. Most hold little. */
const mostAtOnce = 500

/** The batch after one that took too long, as the quarters of a large import do. */
const shorter = (batch: number): number => Math.ceil(batch / 8)

/**
 * Sums up anew what has changed in quarters of an hour that are over. Reports are right without it; they are faster with it. It can run
 * twice at once and be cut off at any point. Returns how many quarters it dealt with.
 */
export async function refreshRollups(database: Database, now = new Date()): Promise<number> {
  // A quarter that isn't over brings its merchant here only for marks that can go.
  const merchants = await database<OfMerchant[]>`
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
    )
    LIMIT ${merchantsOfRun}`
  return eachApart(merchants, ({ merchantId }) => refreshMerchant(database, merchantId, now))
}

/** Throws when a single quarter takes too long. */
async function refreshMerchant(database: Database, merchantId: MerchantId, now: Date): Promise<number> {
  let refreshed = 0
  let limit = mostAtOnce
  for (;;) {
    try {
      const done = await analytics.refresh(database, { merchantId, limit, now: now.toISOString() })
      refreshed += done
      if (done < limit) return refreshed
    } catch (error) {
      if (!isTimeout(error) || limit === 1) throw error
      limit = shorter(limit)
    }
  }
}
