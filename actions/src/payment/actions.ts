import { type Action, type ActionCall, defineAction } from '../action/action.ts'
import {
  type Answer,
  idempotencyKeyReused,
  invalid,
  notFound,
  orderNotModifiable,
  type UserError,
} from '../action/answer.ts'
import type { Once } from '../action/idempotency-keys.ts'
import { invalidValue, userError } from '../action/input.ts'
import type { InputOf } from '../action/read-input.ts'
import { ownerOf } from '../action/session.ts'
import { manualProcessor } from '../processors/index.ts'
import { payAppointment } from './appointment-payments.ts'
import { captureActions } from './capture-actions.ts'
import { collectedAnswer } from './collected-answer.ts'
import type { PaymentOptions } from './payment-options.ts'
import { isBalance, isCard, isOffline, routeOf, unsupported } from './payment-route.ts'
import { findPayment, getPayment, type PaymentRequest, receivePayment } from './payments.ts'
import { refundActions } from './refund-actions.ts'
import {
  beginChosen,
  type ChosenAnswer,
  faultsOfChoice,
  type MethodChoice,
  refusedToSave,
} from './saved-methods/save-with-payment.ts'
import { savedMethodActions } from './saved-methods/saved-method-actions.ts'

/** The domain's actions, by the name of the mutation. */
export const paymentActions = (options: PaymentOptions): Readonly<Record<string, Action>> => ({
  processPayment: processPayment(options),
  confirmPayment: confirmPayment(options),
  markPaymentReceived: markPaymentReceived(options),
  recordPayment: recordPayment(options),
  payAppointment: payAppointment(options),
  ...captureActions(options),
  ...refundActions(options),
  ...savedMethodActions(options),
})

type PaymentInput = InputOf<'processPayment', 'null'>['input']

/** The errors of input that the method of payment doesn't allow. */
const contradictions = ({
  method,
  paymentMethodId,
  captureMethod,
  received,
  partial,
  amount,
  savedPaymentMethodId,
}: PaymentInput): readonly UserError[] => [
  ...(received !== null && !isOffline(method)
    ? [invalidValue('received', 'Only money that comes outside of the platform is waited for')]
    : []),
  ...(partial === true && amount === null && !isBalance(method)
    ? [userError('amount', { kind: 'required' })]
    : []),
  ...(partial === true && amount === 0
    ? [invalidValue('amount', 'A part of a payment is more than nothing')]
    : []),
  ...(captureMethod === 'MANUAL' && !isCard(method) && method !== 'PAYPAL'
    ? [invalidValue('captureMethod', 'Only the money of a card or at PayPal can be reserved')]
    : []),
  ...((isCard(method) || method === 'SEPA_DEBIT') && paymentMethodId === null && savedPaymentMethodId === null
    ? [userError('paymentMethodId', { kind: 'required' })]
    : []),
]

const processPayment = (options: PaymentOptions): Action =>
  defineAction('processPayment', {
    check: ({ input }) => [...contradictions(input), ...faultsOfChoice(input)],
    keeping: 'in steps',
    async handle(call, { input }) {
      const { merchantId } = call.session
      const route = await routeOf(options, merchantId, input.method)
      if (route === null) return unsupported()
      // Reserved money holds the order's stock for days, which is for the merchant to say.
      if (input.captureMethod === 'MANUAL' && call.session.role !== 'merchant')
        return invalid(invalidValue('captureMethod', 'A shopper pays at once'))
      // A shopper's word is not enough: what comes outside of the platform is the merchant's to say.
      if (input.received === true && call.session.role !== 'merchant')
        return invalid(invalidValue('received', 'The shop says when the money is there'))
      const received = input.received ?? call.session.role === 'merchant'
      const request = {
        ...input,
        captureMethod: input.captureMethod ?? 'AUTOMATIC',
        ...route,
        awaited: isOffline(input.method) && !received,
        partial: input.partial ?? false,
      }
      return begunAnswer(options, call, request, await begin(options, call, request))
    },
  })

/** Money that came outside of the platform, in full or in part. */
const recordPayment = (options: PaymentOptions): Action =>
  defineAction('recordPayment', {
    check: ({ input: { method } }) =>
      isOffline(method) ? [] : [invalidValue('method', 'A processor takes the money of this method')],
    keeping: 'in steps',
    async handle(call, { input }) {
      const request = {
        ...input,
        processor: manualProcessor.name,
        paymentMethodId: null,
        returnUrl: null,
        captureMethod: 'AUTOMATIC',
        awaited: false,
        partial: input.amount !== null,
      } as const
      return begunAnswer(options, call, request, await begin(options, call, request))
    },
  })

async function begunAnswer(
  { database, cashier }: PaymentOptions,
  call: ActionCall,
  input: PaymentRequest,
  { outcome, asked }: Begun,
): Promise<Answer> {
  const { merchantId } = call.session
  switch (outcome.outcome) {
    case 'begun':
      return collectedAnswer(
        await cashier.collect(await getPayment(database, merchantId, outcome.paymentId), asked),
      )
    case 'unknown_order':
      return invalid(notFound('orderId', 'Order'))
    case 'method_not_accepted':
      return unsupported()
    case 'return_url_missing':
      return invalid(userError('returnUrl', { kind: 'required' }))
    case 'order_refused':
      return orderNotModifiable('orderId', input.orderId, outcome.status)
    case 'unknown_saved_method':
      return invalid(notFound('savedPaymentMethodId', 'Saved payment method'))
    case 'not_saved':
      return refusedToSave(outcome.because, 'savePaymentMethod')
    case 'nothing_to_pay':
      return orderNotModifiable(
        'orderId',
        input.orderId,
        outcome.status,
        'It costs nothing, so there is nothing to pay',
      )
    case 'payment_open':
      return orderNotModifiable(
        'orderId',
        input.orderId,
        'PENDING',
        `Payment ${outcome.paymentId} is ${outcome.authorized ? 'authorized: capture or void it' : 'under way'}`,
      )
    case 'amount_mismatch':
      return invalid(invalidValue('amount', `There is ${outcome.total} left to pay of the order`))
    case 'balance_too_low':
      return balanceTooLow(input, outcome.covers)
    case 'key_reused':
      return idempotencyKeyReused(outcome.key)
    default:
      return outcome satisfies never
  }
}

/** @param covers minor units */
const balanceTooLow = ({ amount }: PaymentRequest, covers: number): Answer =>
  invalid(
    invalidValue(
      amount === null ? 'method' : 'amount',
      covers === 0
        ? 'The customer has no points to pay with'
        : `The customer’s points pay ${covers}. Pay a part with them: partial`,
    ),
  )

/** Open payments of an order that a whole payment takes the place of. */
const mostOpenPayments = 20

interface Begun {
  readonly outcome: Once<ChosenAnswer>
  /** A payment that an Idempotency-Key brings back may have been asked for. */
  readonly asked: 'never' | 'maybe'
}

/** A customer who tries another card gives up the attempt that still waits for authentication. */
async function begin(
  { keys, cashier }: PaymentOptions,
  call: ActionCall,
  request: PaymentRequest & Partial<MethodChoice>,
): Promise<Begun> {
  const { merchantId } = call.session
  let asked: Begun['asked'] = 'maybe'
  const attempt = () =>
    keys.once(
      call,
      (sql) => {
        asked = 'never'
        return beginChosen(sql, call.session, request)
      },
      ({ outcome }) => outcome === 'begun',
    )
  let outcome = await attempt()
  for (let given = 0; given < mostOpenPayments; given += 1) {
    if (outcome.outcome !== 'payment_open' || outcome.authorized || request.partial === true) break
    if (!(await cashier.abandon(merchantId, outcome.paymentId))) break
    outcome = await attempt()
  }
  return { outcome, asked }
}

/** The money that an order waits for is there. Said again, it says the same. */
const markPaymentReceived = ({ database }: PaymentOptions): Action =>
  defineAction('markPaymentReceived', {
    async handle({ session }, input) {
      const payment = await findPayment(database, session.merchantId, input.id, null)
      if (payment === null) return invalid(notFound('id', 'Payment'))
      const isAwaited = payment.awaited && payment.status === 'PENDING'
      const outcome = isAwaited
        ? await receivePayment(database, session, payment.id, input.amount)
        : ({ outcome: 'settled', payment } as const)
      if (outcome.outcome === 'more_than_awaited') {
        const value = input.amount ?? outcome.amount
        return invalid(userError('amount', { kind: 'range', value, min: 1, max: outcome.amount }))
      }
      const received = outcome.payment
      if (received.awaited && received.status === 'SUCCEEDED')
        return collectedAnswer({ payment: received, action: null, answered: true })
      const message = `The payment is ${received.status}; no money is waited for`
      return invalid(invalidValue('id', message))
    },
  })

/** Asks the processor what became of a payment. That it was asked is on record; a repeated call asks again, and charges nothing twice. */
const confirmPayment = ({ database, keys, cashier }: PaymentOptions): Action =>
  defineAction('confirmPayment', {
    keeping: 'in steps',
    async handle(call, { id }) {
      const { session } = call
      const outcome = await keys.once(
        call,
        async (sql) =>
          (await findPayment(sql, session.merchantId, id, ownerOf(session))) === null
            ? ({ outcome: 'unknown_payment' } as const)
            : ({ outcome: 'found' } as const),
        ({ outcome }) => outcome === 'found',
      )
      switch (outcome.outcome) {
        case 'found':
          return collectedAnswer(
            await cashier.collect(await getPayment(database, session.merchantId, id), 'maybe'),
          )
        case 'unknown_payment':
          return invalid(notFound('id', 'Payment'))
        case 'key_reused':
          return idempotencyKeyReused(outcome.key)
        default:
          return outcome satisfies never
      }
    },
  })
