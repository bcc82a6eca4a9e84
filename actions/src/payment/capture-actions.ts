import { type Action, defineAction } from '../action/action.ts'
import { type Answer, idempotencyKeyReused, invalid, notFound } from '../action/answer.ts'
import { invalidValue, userError } from '../action/input.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Queryable } from '../database.ts'
import type { PaymentOptions } from './payment-options.ts'
import { collectedAnswer } from './collected-answer.ts'
import type { Cashier } from './cashier.ts'
import { beginCapture } from './captures.ts'
import { findPayment, getPayment, type Payment } from './payments.ts'
import { refusedPart } from './refused-part.ts'

/** The merchant's actions on authorised money, by the name of the mutation. */
export const captureActions = (options: PaymentOptions): Readonly<Record<string, Action>> => ({
  capturePayment: capturePayment(options),
  voidPayment: voidPayment(options),
})

const capturePayment = ({ database, keys, cashier }: PaymentOptions): Action =>
  defineAction('capturePayment', {
    keeping: 'in steps',
    async handle(call, { id, amount, final }) {
      const { merchantId } = call.session
      const refused = await refusedPart({ database, cashier }, merchantId, id, amount)
      if (refused !== null) return invalid(refused)
      const outcome = await keys.once(
        call,
        (sql) => beginCapture(sql, call.session, { paymentId: id, amount, final: final ?? false }),
        ({ outcome }) => outcome === 'begun',
      )
      switch (outcome.outcome) {
        case 'begun':
          return capturedAnswer(cashier, await getPayment(database, merchantId, id))
        case 'unknown_payment':
          return invalid(notFound('id', 'Payment'))
        case 'payment_refused':
          return invalid(notCapturable(outcome.status))
        case 'closed':
          return invalid(
            invalidValue(
              'id',
              'The order is over, or its money on the way back; nothing more of it is taken',
            ),
          )
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
  })

const voidPayment = ({ database, keys, cashier }: PaymentOptions): Action =>
  defineAction('voidPayment', {
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
        case 'open': {
          const payment = await getPayment(database, merchantId, id)
          await (payment.capturedAmount > 0 ? cashier.release(payment) : cashier.abandon(merchantId, id))
          return collectedAnswer({
            payment: await getPayment(database, merchantId, id),
            action: null,
            answered: true,
          })
        }
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
  })

/** The answer after the processor was asked for a capture that is on record. */
async function capturedAnswer(cashier: Cashier, begun: Payment): Promise<Answer> {
  const collected = await cashier.collect(begun, 'maybe')
  const { capturedAmount, captureRequested } = collected.payment
  const isRefused = collected.answered && capturedAmount > 0 && capturedAmount < (begun.captureRequested ?? 0)
  // The payment may have been captured meanwhile at the processor, or its time may be over there.
  return isRefused && captureRequested === capturedAmount
    ? invalid(
        invalidValue('amount', `The processor refused the capture; it has captured ${capturedAmount} in all`),
      )
    : collectedAnswer(collected)
}

type OpenOutcome =
  | { readonly outcome: 'open' | 'unknown_payment' }
  | { readonly outcome: 'not_open'; readonly status: string }

async function openPayment(sql: Queryable, merchantId: MerchantId, id: string): Promise<OpenOutcome> {
  const payment = await findPayment(sql, merchantId, id, null)
  if (payment === null) return { outcome: 'unknown_payment' }
  const { status, captureRequested, capturedAmount, capturableAmount, awaited } = payment
  const isOpen =
    (status === 'PROCESSING' && captureRequested === null) ||
    (status === 'PENDING' && awaited) ||
    (capturedAmount > 0 && capturableAmount > 0 && (captureRequested ?? 0) <= capturedAmount)
  return isOpen ? { outcome: 'open' } : { outcome: 'not_open', status }
}

const notCapturable = (status: string) =>
  invalidValue('id', `The payment is ${status} and holds no money that could be captured for this amount`)
