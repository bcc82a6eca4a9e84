import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database, Queryable } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import * as crm from '../sql/generated/crm.ts'

/** What SQL did with a customer's points, or why it didn't. */
export type PointsOutcome = crm.AdjustPointsAnswer | crm.RedeemRewardAnswer

export async function adjustPoints(
  sql: Queryable,
  merchantId: MerchantId,
  {
    customerId,
    points,
    reason,
  }: { readonly customerId: string; readonly points: number; readonly reason: string },
): Promise<PointsOutcome> {
  return crm.adjustPoints(sql, { merchantId, customerId, points, reason })
}

export async function redeemReward(
  sql: Queryable,
  merchantId: MerchantId,
  { customerId, rewardId }: { readonly customerId: string; readonly rewardId: string },
): Promise<PointsOutcome> {
  return crm.redeemReward(sql, { merchantId, customerId, rewardId })
}

const EXPIRY_BATCH = 200

/** Takes points off that have expired. Returns of how many accounts. */
export async function expirePoints(database: Database): Promise<number> {
  return inBatches(EXPIRY_BATCH, async () => crm.expirePoints(database, { limit: EXPIRY_BATCH }))
}
