import { type Action, defineAction } from '../action/action.ts'
import type { IdempotencyKeys } from '../action/idempotency-keys.ts'
import type { Database } from '../database.ts'
import type { OrderPayments } from './cancellation.ts'
import { returnAnswer, returnStaysAnswer } from './order-answer.ts'
import { repeatedUnits } from './named-twice.ts'
import { refundedAnswer } from './refund-actions.ts'
import { decideReturn, receiveReturn, refundReturn, requestReturn } from './returns.ts'

/** Goods on their way back, from the wish to send them to the money for them. */
export const returnActions = (
  database: Database,
  keys: IdempotencyKeys,
  payments: OrderPayments,
): Readonly<Record<string, Action>> => ({
  requestReturn: defineAction('requestReturn', {
    check: ({ input }) => repeatedUnits('items', input.items),
    async handle({ session }, { input }) {
      return returnAnswer(session.merchantId, await requestReturn(database, session, input))
    },
  }),
  approveReturn: defineAction('approveReturn', {
    async handle({ session }, { id }) {
      return returnAnswer(session.merchantId, await decideReturn(database, session, id, 'approve'))
    },
  }),
  rejectReturn: defineAction('rejectReturn', {
    async handle({ session }, { id, reason }) {
      return returnAnswer(session.merchantId, await decideReturn(database, session, id, 'reject', reason))
    },
  }),
  cancelReturn: defineAction('cancelReturn', {
    async handle({ session }, { id }) {
      return returnAnswer(session.merchantId, await decideReturn(database, session, id, 'cancel'))
    },
  }),
  receiveReturn: defineAction('receiveReturn', {
    check: ({ input }) => repeatedUnits('restock', input.restock ?? []),
    async handle({ session }, { id, input }) {
      const receipt = { ...input, restock: input.restock ?? [] }
      return returnAnswer(session.merchantId, await receiveReturn(database, session, id, receipt))
    },
  }),
  refundReturn: defineAction('refundReturn', {
    keeping: 'in steps',
    async handle(call, { id, input }) {
      const refund = { ...input, shipping: input.shipping ?? false }
      const outcome = await keys.once(
        call,
        (sql) => refundReturn(sql, call.session, id, refund, payments.refundableFrom),
        ({ outcome }) => outcome === 'begun',
      )
      return outcome.outcome === 'unknown_return' || outcome.outcome === 'return_refused'
        ? returnStaysAnswer(outcome)
        : refundedAnswer(payments, call.session.merchantId, id, outcome)
    },
  }),
})
