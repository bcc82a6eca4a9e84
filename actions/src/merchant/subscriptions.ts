import type { MerchantId } from '../action/session.ts'
import { type Database, onlyOutcome } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import { type SubscriptionStatus, subscriptionTransitions } from './subscription-machine.ts'

export const plans = ['FREE', 'STARTER', 'PRO', 'ENTERPRISE'] as const

export type SubscriptionOutcome =
  { readonly outcome: 'changed' } | { readonly outcome: 'not_allowed'; readonly status: SubscriptionStatus }

/** A larger plan begins at once, a smaller one with the next period. */
export async function changePlan(
  database: Database,
  merchantId: MerchantId,
  plan: (typeof plans)[number],
): Promise<SubscriptionOutcome> {
  const { from, to } = subscriptionTransitions.choose
  return onlyOutcome(
    await database<{ outcome: SubscriptionOutcome }[]>`
      SELECT merchant.change_plan(${merchantId}, ${plan}, ${from as string[]}, ${to}) AS outcome`,
  )
}

/** @param cancel whether the subscription is to end with its period */
export async function setCancellation(
  database: Database,
  merchantId: MerchantId,
  cancel: boolean,
): Promise<SubscriptionOutcome> {
  const { from } = subscriptionTransitions.end
  return onlyOutcome(
    await database<{ outcome: SubscriptionOutcome }[]>`
      SELECT merchant.set_cancellation(${merchantId}, ${cancel}, ${from as string[]}) AS outcome`,
  )
}

const BATCH = 500

/** Begins the next period of every subscription whose period is over. Returns how many. */
export async function beginPeriods(database: Database): Promise<number> {
  const { renew, end } = subscriptionTransitions
  return inBatches(BATCH, async () =>
    onlyOutcome(
      await database<{ outcome: number }[]>`
        SELECT merchant.begin_periods(${BATCH}, ${renew.from as string[]}, ${renew.to}, ${end.to}) AS outcome`,
    ),
  )
}
