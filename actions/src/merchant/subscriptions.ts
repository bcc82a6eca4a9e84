import type { MerchantId } from '@commerce-graph/contract/ids'
import { type Database, onlyOutcome } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import { type SubscriptionStatus, subscriptionTransitions } from './subscription-machine.ts'

export const plans = ['FREE', 'STARTER', 'PRO', 'ENTERPRISE'] as const

export type Plan = (typeof plans)[number]

export type SubscriptionOutcome =
  { readonly outcome: 'changed' } | { readonly outcome: 'not_allowed'; readonly status: SubscriptionStatus }

/** Notes the plan that a merchant asks for, to be confirmed by an operator. The present one takes back what was asked for. */
export async function requestPlan(
  database: Database,
  merchantId: MerchantId,
  plan: Plan,
): Promise<SubscriptionOutcome> {
  const { from } = subscriptionTransitions.choose
  return onlyOutcome(
    await database<{ outcome: SubscriptionOutcome }[]>`
      SELECT merchant.request_plan(${merchantId}, ${plan}, ${from as string[]}) AS outcome`,
  )
}

export type PlanAnswerOutcome =
  | SubscriptionOutcome
  | { readonly outcome: 'unknown' }
  /** `requested`: what was asked for instead; null: nothing. */
  | { readonly outcome: 'not_requested'; readonly requested: Plan | null }

/** @param confirm a confirmed larger plan begins at once, a smaller one with the next period */
export async function answerPlanRequest(
  database: Database,
  { merchantId, plan }: { readonly merchantId: string; readonly plan: Plan },
  confirm: boolean,
): Promise<PlanAnswerOutcome> {
  const { from, to } = subscriptionTransitions.choose
  return onlyOutcome(
    await database<{ outcome: PlanAnswerOutcome }[]>`
      SELECT merchant.answer_plan_request(${merchantId}, ${plan}, ${confirm}, ${from as string[]}, ${to}) AS outcome`,
  )
}

/** Puts a merchant on a plan at once. A payment that is late stays late. */
export async function setPlan(
  database: Database,
  { merchantId, plan }: { readonly merchantId: string; readonly plan: Plan },
): Promise<PlanAnswerOutcome> {
  const { from, to } = subscriptionTransitions.choose
  return onlyOutcome(
    await database<{ outcome: PlanAnswerOutcome }[]>`
      SELECT merchant.set_plan(${merchantId}, ${plan}, ${from as string[]}, ${to}) AS outcome`,
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
