import { type Action, defineAction } from '../action/action.ts'
import { type Answer, done, idempotencyKeyReused, invalid } from '../action/answer.ts'
import type { IdempotencyKeys, Once } from '../action/idempotency-keys.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { RefundOrderAnswer } from '../sql/generated/ordering.ts'
import { completeRefunds, type OrderPayments } from './cancellation.ts'
import { staysAnswer } from './order-answer.ts'
import { repeatedUnits } from './named-twice.ts'
import { orderError } from './order-refusal.ts'
import { refundOrder } from './order-refunds.ts'

/** Money back for lines. What of the refund a crash leaves unasked is the reconciler's. */
export const refundActions = (
  keys: IdempotencyKeys,
  payments: OrderPayments,
): Readonly<Record<string, Action>> => ({
  refundOrder: defineAction('refundOrder', {
    check: ({ input }) => repeatedUnits('items', input.items),
    keeping: 'in steps',
    async handle(call, { id, input }) {
      const refund = { ...input, shipping: input.shipping ?? false }
      const outcome = await keys.once(
        call,
        (sql) => refundOrder(sql, call.session, id, refund, payments.refundableFrom),
        ({ outcome }) => outcome === 'begun',
      )
      return refundedAnswer(payments, call.session.merchantId, id, outcome)
    },
  }),
})

export async function refundedAnswer(
  payments: OrderPayments,
  merchantId: MerchantId,
  orderId: string,
  outcome: Once<RefundOrderAnswer>,
): Promise<Answer> {
  switch (outcome.outcome) {
    case 'begun':
      await completeRefunds(payments, merchantId, outcome.refundIds)
      return done({ merchantId, refundId: outcome.refundId })
    case 'invalid':
      return invalid(...outcome.refusals.map((refusal) => orderError(refusal)))
    case 'unknown_order':
    case 'order_refused':
      return staysAnswer(orderId, outcome)
    case 'key_reused':
      return idempotencyKeyReused(outcome.key)
    default:
      return outcome satisfies never
  }
}
