import { type Action, defineAction, defineOperatorAction } from '../action/action.ts'
import { type Answer, done, invalid, notFound } from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'
import type { Database } from '../database.ts'
import {
  answerPlanRequest,
  type PlanAnswerOutcome,
  requestPlan,
  setBillingStatus,
  setCancellation,
  setPlan,
  type SubscriptionOutcome,
} from './subscriptions.ts'
import { named } from './named-merchant.ts'

/** The merchant's plan, by the name of the mutation. */
export function subscriptionActions(database: Database): Readonly<Record<string, Action>> {
  const cancellation = (name: 'cancelSubscription' | 'resumeSubscription', cancel: boolean) =>
    defineAction(name, {
      handle: async ({ session: { merchantId } }) =>
        answer(merchantId, 'subscription', await setCancellation(database, merchantId, cancel)),
    })
  const planRequest = (name: 'confirmPlanRequest' | 'declinePlanRequest', confirm: boolean) =>
    defineOperatorAction(name, async (_call, input) =>
      answer(input.merchantId, 'plan', await answerPlanRequest(database, named(input), confirm)),
    )
  return {
    changePlan: defineAction('changePlan', {
      handle: async ({ session: { merchantId } }, { plan }) =>
        answer(merchantId, 'plan', await requestPlan(database, merchantId, plan)),
    }),
    confirmPlanRequest: planRequest('confirmPlanRequest', true),
    declinePlanRequest: planRequest('declinePlanRequest', false),
    setMerchantPlan: defineOperatorAction('setMerchantPlan', async (_call, input) =>
      answer(input.merchantId, 'plan', await setPlan(database, named(input))),
    ),
    setBillingStatus: defineOperatorAction('setBillingStatus', async (_call, input) =>
      answer(input.merchantId, 'status', await setBillingStatus(database, named(input))),
    ),
    cancelSubscription: cancellation('cancelSubscription', true),
    resumeSubscription: cancellation('resumeSubscription', false),
  }
}

function answer(merchantId: string, field: string, outcome: PlanAnswerOutcome | SubscriptionOutcome): Answer {
  switch (outcome.outcome) {
    case 'changed':
      return done({ merchantId })
    case 'not_allowed':
      return invalid(
        invalidValue(field, `This can not be done to a subscription in status ${outcome.status}`),
      )
    case 'unknown':
      return invalid(notFound('merchantId', 'Merchant'))
    case 'twin':
      return invalid(
        invalidValue(field, 'Test data has the plan of its merchant, who changes it with a live key'),
      )
    case 'not_requested':
      return invalid(
        invalidValue(
          field,
          outcome.requested === null
            ? 'The merchant has not asked for another plan, or was answered already'
            : `The merchant has asked for ${outcome.requested}`,
        ),
      )
    default:
      return outcome satisfies never
  }
}
