import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import { subscriptionTransitions } from './subscription-machine.ts'
import * as merchant from '../sql/generated/merchant.ts'

export type Plan = 'FREE' | 'STARTER' | 'PRO' | 'ENTERPRISE'

export type SubscriptionOutcome = merchant.RequestPlanAnswer

/** Notes the plan that a merchant asks for, to be confirmed by an operator. The present one takes back what was asked for. */
export async function requestPlan(
  database: Database,
  merchantId: MerchantId,
  plan: Plan,
): Promise<SubscriptionOutcome> {
  const { from } = subscriptionTransitions.choose
  return merchant.requestPlan(database, { merchantId, plan, from })
}

export type PlanAnswerOutcome = merchant.AnswerPlanRequestAnswer

/** @param confirm a confirmed larger plan begins at once, a smaller one with the next period */
export async function answerPlanRequest(
  database: Database,
  { merchantId, plan }: { readonly merchantId: MerchantId; readonly plan: Plan },
  confirm: boolean,
): Promise<PlanAnswerOutcome> {
  const { from, to } = subscriptionTransitions.choose
  return merchant.answerPlanRequest(database, { merchantId, plan, confirm, from, to })
}

/** Puts a merchant on a plan at once. A payment that is late stays late. */
export async function setPlan(
  database: Database,
  { merchantId, plan }: { readonly merchantId: MerchantId; readonly plan: Plan },
): Promise<PlanAnswerOutcome> {
  const { from, to } = subscriptionTransitions.choose
  return merchant.setPlan(database, { merchantId, plan, from, to })
}

/** @param cancel whether the subscription is to end with its period */
export async function setCancellation(
  database: Database,
  merchantId: MerchantId,
  cancel: boolean,
): Promise<SubscriptionOutcome> {
  const { from } = subscriptionTransitions.end
  return merchant.setCancellation(database, { merchantId, cancel, from })
}

export type BillingStatus = 'PAID' | 'PAST_DUE' | 'UNPAID'

const billingEvents = { PAID: 'settle', PAST_DUE: 'fail', UNPAID: 'giveUp' } as const

/** Follows what a billing system says of the plan's payment. */
export async function setBillingStatus(
  database: Database,
  { merchantId, status }: { readonly merchantId: MerchantId; readonly status: BillingStatus },
): Promise<PlanAnswerOutcome> {
  const { from, to } = subscriptionTransitions[billingEvents[status]]
  return merchant.setBillingStatus(database, { merchantId, from, to })
}

const batch = 500

/** Begins the next period of every subscription whose period is over. Returns how many. */
export async function beginPeriods(database: Database): Promise<number> {
  const { renew, end } = subscriptionTransitions
  return inBatches(batch, async () =>
    merchant.beginPeriods(database, { limit: batch, from: renew.from, renewed: renew.to, ended: end.to }),
  )
}
