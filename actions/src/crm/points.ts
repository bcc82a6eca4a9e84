import { byMerchant, merchantsOfRun, type OfMerchant } from '../by-merchant.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database, Queryable } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import * as crm from '../sql/generated/crm.ts'

/** The outcome of a change of a customer's points. */
export type PointsOutcome = crm.AdjustPointsAnswer | crm.RedeemRewardAnswer

export const adjustPoints = async (
  sql: Queryable,
  merchantId: MerchantId,
  {
    customerId,
    points,
    reason,
  }: { readonly customerId: string; readonly points: number; readonly reason: string },
): Promise<PointsOutcome> => crm.adjustPoints(sql, { merchantId, customerId, points, reason })

export const redeemReward = async (
  sql: Queryable,
  merchantId: MerchantId,
  { customerId, rewardId }: { readonly customerId: string; readonly rewardId: string },
): Promise<PointsOutcome> => crm.redeemReward(sql, { merchantId, customerId, rewardId })

const expiryBatch = 200

/** Takes points off that have expired. Returns of how many accounts. */
export const expirePoints = async (database: Database): Promise<number> =>
  byMerchant(
    database,
    database<OfMerchant[]>`
      SELECT DISTINCT a.merchant_id AS "merchantId" FROM crm.loyalty_account a
      WHERE a.next_expiry <= now() LIMIT ${merchantsOfRun}`,
    (own, merchantId) =>
      inBatches(expiryBatch, () => crm.expirePoints(own, { merchantId, limit: expiryBatch })),
  )
