import type { MerchantId } from '@commerce-graph/contract/ids'
import { type Database, onlyOutcome, type Queryable } from '../database.ts'
import { inBatches } from '../in-batches.ts'

/** What SQL did with a customer's points, or why it didn't. */
export type PointsOutcome =
  | { readonly outcome: 'changed'; readonly entryId: string }
  | {
      readonly outcome:
        | 'unknown_customer'
        | 'unknown_reward'
        | 'reward_not_active'
        | 'program_not_enabled'
        | 'too_many_points'
    }
  | { readonly outcome: 'not_enough_points'; readonly points: number }

export async function adjustPoints(
  sql: Queryable,
  merchantId: MerchantId,
  {
    customerId,
    points,
    reason,
  }: { readonly customerId: string; readonly points: number; readonly reason: string },
): Promise<PointsOutcome> {
  return onlyOutcome(
    await sql<{ outcome: PointsOutcome }[]>`
      SELECT crm.adjust_points(${merchantId}, ${customerId}, ${points}, ${reason}) AS outcome`,
  )
}

export async function redeemReward(
  sql: Queryable,
  merchantId: MerchantId,
  { customerId, rewardId }: { readonly customerId: string; readonly rewardId: string },
): Promise<PointsOutcome> {
  return onlyOutcome(
    await sql<{ outcome: PointsOutcome }[]>`
      SELECT crm.redeem_reward(${merchantId}, ${customerId}, ${rewardId}) AS outcome`,
  )
}

const EXPIRY_BATCH = 200

/** Takes points off that have expired. Returns of how many accounts. */
export async function expirePoints(database: Database): Promise<number> {
  return inBatches(EXPIRY_BATCH, async () =>
    onlyOutcome(await database<{ outcome: number }[]>`SELECT crm.expire_points(${EXPIRY_BATCH}) AS outcome`),
  )
}
