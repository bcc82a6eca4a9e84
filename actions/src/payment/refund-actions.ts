import { type Action, defineAction } from '../action/action.ts'
import { done, idempotencyKeyReused, invalid, notFound } from '../action/answer.ts'
import { invalidValue, userError } from '../action/input.ts'
import type { PaymentOptions } from './payment-options.ts'
import { beginRefund, retryRefund } from './refunds.ts'
import { refusedPart } from './refused-part.ts'

/** Money back for a payment as a whole; for lines of an order it is the ordering domain's. */
export const refundActions = (options: PaymentOptions): Readonly<Record<string, Action>> => ({
  refundPayment: refundPayment(options),
  retryRefund: retry(options),
})

const refundPayment = ({ database, cashier, keys, completeRefund }: PaymentOptions): Action =>
  defineAction('refundPayment', {
    keeping: 'in steps',
    async handle(call, { id, input }) {
      const { merchantId } = call.session
      const refused = await refusedPart({ database, cashier }, merchantId, id, input.amount)
      if (refused !== null) return invalid(refused)
      const outcome = await keys.once(
        call,
        (sql) => beginRefund(sql, call.session, id, input),
        ({ outcome }) => outcome === 'begun',
      )
      switch (outcome.outcome) {
        case 'begun':
          await completeRefund(merchantId, outcome.refundId)
          return done({ merchantId, refundId: outcome.refundId })
        case 'unknown_payment':
          return invalid(notFound('id', 'Payment'))
        case 'payment_refused':
          return invalid(
            invalidValue(
              'id',
              `The payment is ${outcome.status} and holds nothing that is not refunded already`,
            ),
          )
        case 'more_than_left':
          return invalid(
            userError('amount', {
              kind: 'range',
              value: input.amount ?? outcome.left,
              min: 1,
              max: outcome.left,
            }),
          )
        case 'key_reused':
          return idempotencyKeyReused(outcome.key)
        default:
          return outcome satisfies never
      }
    },
  })

const retry = ({ keys, completeRefund }: PaymentOptions): Action =>
  defineAction('retryRefund', {
    keeping: 'in steps',
    async handle(call, { id, manually }) {
      const { merchantId } = call.session
      const outcome = await keys.once(
        call,
        (sql) => retryRefund(sql, call.session, id, manually ?? false),
        ({ outcome }) => outcome === 'begun',
      )
      switch (outcome.outcome) {
        case 'begun':
          await completeRefund(merchantId, id)
          return done({ merchantId, refundId: id })
        case 'unknown_refund':
          return invalid(notFound('id', 'Refund'))
        case 'refund_refused':
          return invalid(invalidValue('id', `The refund is ${outcome.status}`))
        case 'key_reused':
          return idempotencyKeyReused(outcome.key)
        default:
          return outcome satisfies never
      }
    },
  })
