import { z } from 'zod'
import { type Action, defineAction } from '../action/action.ts'
import { idempotencyKeyReused, invalid, notFound } from '../action/answer.ts'
import { once } from '../action/idempotency.ts'
import { id, money, optional, userError } from '../action/input.ts'
import type { PaymentOptions } from './actions.ts'
import { collectedAnswer } from './collected-answer.ts'
import { beginCapture, findPayment, getPayment } from './payments.ts'

const access = { roles: ['merchant'], permission: 'payments:write' } as const

/** What a merchant does with money that a processor holds for it. */
export const captureActions = ({ database, cashier }: PaymentOptions): Readonly<Record<string, Action>> => ({
  capturePayment: defineAction({
    ...access,
    input: z.object({ id, amount: optional(money) }),
    async handle(call, { id, amount }) {
      const { merchantId } = call.session
      const outcome = await once(
        database,
        call,
        (sql) => beginCapture(sql, call.session, id, amount),
        ({ outcome }) => outcome === 'begun',
      )
      switch (outcome.outcome) {
        case 'begun':
          return collectedAnswer(await cashier.collect(await getPayment(database, merchantId, id), 'maybe'))
        case 'unknown_payment':
          return invalid(notFound('id', 'Payment'))
        case 'payment_refused':
          return invalid(notCapturable(outcome.status))
        case 'more_than_authorized':
          return invalid(
            userError('amount', {
              kind: 'range',
              value: amount ?? outcome.amount,
              min: 1,
              max: outcome.amount,
            }),
          )
        case 'key_reused':
          return idempotencyKeyReused(outcome.key)
        default:
          return outcome satisfies never
      }
    },
  }),
  voidPayment: defineAction({
    ...access,
    input: z.object({ id }),
    async handle({ session: { merchantId } }, { id }) {
      const payment = await findPayment(database, merchantId, id, null)
      if (payment === null) return invalid(notFound('id', 'Payment'))
      const isWaiting = payment.status === 'PROCESSING' && payment.captureRequested === null
      if (!isWaiting && !(payment.status === 'PENDING' && payment.awaited))
        return invalid(
          userError('id', {
            kind: 'value',
            message: `The payment is ${payment.status}; nothing of it is open`,
          }),
        )
      await cashier.abandon(merchantId, id)
      return collectedAnswer({
        payment: await getPayment(database, merchantId, id),
        action: null,
        answered: true,
      })
    },
  }),
})

const notCapturable = (status: string) =>
  userError('id', {
    kind: 'value',
    message: `The payment is ${status} and holds no money that could be captured for this amount`,
  })
