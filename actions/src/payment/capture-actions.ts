import { type Action, defineAction } from '../action/action.ts'
import { idempotencyKeyReused, invalid, notFound } from '../action/answer.ts'
import { invalidValue, userError } from '../action/input.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Queryable } from '../database.ts'
import type { PaymentOptions } from './payment-options.ts'
import { collectedAnswer } from './collected-answer.ts'
import { beginCapture, findPayment, getPayment } from './payments.ts'

/** The merchant's actions on authorised money, by the name of the mutation. */
export const captureActions = ({
  database,
  keys,
  cashier,
}: PaymentOptions): Readonly<Record<string, Action>> => ({
  capturePayment: defineAction('capturePayment', {
    keeping: 'in steps',
    async handle(call, { id, amount }) {
      const { merchantId } = call.session
      const outcome = await keys.once(
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
  voidPayment: defineAction('voidPayment', {
    keeping: 'in steps',
    async handle(call, { id }) {
      const { merchantId } = call.session
      // On record is that it was open and to be voided. Voiding it again changes nothing.
      const outcome = await keys.once(
        call,
        (sql) => openPayment(sql, merchantId, id),
        ({ outcome }) => outcome === 'open',
      )
      switch (outcome.outcome) {
        case 'open':
          await cashier.abandon(merchantId, id)
          return collectedAnswer({
            payment: await getPayment(database, merchantId, id),
            action: null,
            answered: true,
          })
        case 'unknown_payment':
          return invalid(notFound('id', 'Payment'))
        case 'not_open':
          return invalid(invalidValue('id', `The payment is ${outcome.status}; nothing of it is open`))
        case 'key_reused':
          return idempotencyKeyReused(outcome.key)
        default:
          return outcome satisfies never
      }
    },
  }),
})

type OpenOutcome =
  { readonly outcome: 'open' | 'unknown_payment' } | { readonly outcome: 'not_open'; readonly status: string }

async function openPayment(sql: Queryable, merchantId: MerchantId, id: string): Promise<OpenOutcome> {
  const payment = await findPayment(sql, merchantId, id, null)
  if (payment === null) return { outcome: 'unknown_payment' }
  const { status, captureRequested, awaited } = payment
  const isOpen = (status === 'PROCESSING' && captureRequested === null) || (status === 'PENDING' && awaited)
  return isOpen ? { outcome: 'open' } : { outcome: 'not_open', status }
}

const notCapturable = (status: string) =>
  invalidValue('id', `The payment is ${status} and holds no money that could be captured for this amount`)
