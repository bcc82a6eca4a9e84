import { z } from 'zod'
import { type Action, defineAction } from '../action/action.ts'
import { type Answer, done, invalid } from '../action/answer.ts'
import { userError } from '../action/input.ts'
import type { MerchantId } from '../action/session.ts'
import type { Database } from '../database.ts'
import { changePlan, plans, setCancellation, type SubscriptionOutcome } from './subscriptions.ts'

const access = { roles: ['merchant'], permission: 'billing:write' } as const

/** The merchant's plan, by name as in metadata/actions.yaml. */
export function subscriptionActions(database: Database): Readonly<Record<string, Action>> {
  const cancellation = (cancel: boolean) =>
    defineAction({
      ...access,
      input: z.object({}),
      handle: async ({ session: { merchantId } }) =>
        answer(merchantId, 'subscription', await setCancellation(database, merchantId, cancel)),
    })
  return {
    changePlan: defineAction({
      ...access,
      input: z.object({ plan: z.enum(plans) }),
      handle: async ({ session: { merchantId } }, { plan }) =>
        answer(merchantId, 'plan', await changePlan(database, merchantId, plan)),
    }),
    cancelSubscription: cancellation(true),
    resumeSubscription: cancellation(false),
  }
}

function answer(merchantId: MerchantId, field: string, outcome: SubscriptionOutcome): Answer {
  switch (outcome.outcome) {
    case 'changed':
      return done({ merchantId })
    case 'not_allowed':
      return invalid(
        userError(field, {
          kind: 'value',
          message: `This can not be done to a subscription in status ${outcome.status}`,
        }),
      )
    default:
      return outcome satisfies never
  }
}
