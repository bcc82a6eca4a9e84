import { type Action, defineAction } from '../action/action.ts'
import type { OrderingOptions } from './actions.ts'
import { returnAnswer, returnStaysAnswer } from './order-answer.ts'
import {
  orderIdInput,
  receiveReturnInput,
  refundReturnInput,
  rejectReturnInput,
  requestReturnInput,
} from './order-input.ts'
import { refundedAnswer } from './refund-actions.ts'
import { decideReturn, receiveReturn, refundReturn, requestReturn } from './returns.ts'

const everybody = ['customer', 'merchant'] as const
const staff = ['merchant'] as const
const permission = 'orders:write'

/** Goods on their way back, from the wish to send them to the money for them. */
export const returnActions = ({
  database,
  payments,
  keys,
}: OrderingOptions): Readonly<Record<string, Action>> => ({
  requestReturn: defineAction({
    roles: everybody,
    permission,
    input: requestReturnInput,
    async handle({ session }, { input }) {
      return returnAnswer(session.merchantId, await requestReturn(database, session, input))
    },
  }),
  approveReturn: defineAction({
    roles: staff,
    permission,
    input: orderIdInput,
    async handle({ session }, { id }) {
      return returnAnswer(session.merchantId, await decideReturn(database, session, id, 'approve'))
    },
  }),
  rejectReturn: defineAction({
    roles: staff,
    permission,
    input: rejectReturnInput,
    async handle({ session }, { id, reason }) {
      return returnAnswer(session.merchantId, await decideReturn(database, session, id, 'reject', reason))
    },
  }),
  cancelReturn: defineAction({
    roles: everybody,
    permission,
    input: orderIdInput,
    async handle({ session }, { id }) {
      return returnAnswer(session.merchantId, await decideReturn(database, session, id, 'cancel'))
    },
  }),
  receiveReturn: defineAction({
    roles: staff,
    permission,
    input: receiveReturnInput,
    async handle({ session }, { id, input }) {
      return returnAnswer(session.merchantId, await receiveReturn(database, session, id, input))
    },
  }),
  refundReturn: defineAction({
    roles: staff,
    permission: 'payments:write',
    input: refundReturnInput,
    keeping: 'in steps',
    async handle(call, { id, input }) {
      const outcome = await keys.once(
        call,
        (sql) => refundReturn(sql, call.session, id, input, payments.refundableFrom),
        ({ outcome }) => outcome === 'begun',
      )
      return outcome.outcome === 'unknown_return' || outcome.outcome === 'return_refused'
        ? returnStaysAnswer(outcome)
        : refundedAnswer(payments, call.session.merchantId, id, outcome)
    },
  }),
})
