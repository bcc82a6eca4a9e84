import { type Action, type ActionCall, defineAction } from '../action/action.ts'
import {
  idempotencyKeyReused,
  invalid,
  notFound,
  orderNotModifiable,
  paymentFailed,
  type UserError,
} from '../action/answer.ts'
import type { Once } from '../action/idempotency-keys.ts'
import { userError } from '../action/input.ts'
import type { InputOf } from '../action/read-input.ts'
import { ownerOf } from '../action/session.ts'
import { manualProcessor, type PaymentProcessor } from '../processors/index.ts'
import type { BeginPaymentAnswer } from '../sql/generated/payment.ts'
import { captureActions } from './capture-actions.ts'
import { collectedAnswer } from './collected-answer.ts'
import type { PaymentOptions } from './payment-options.ts'
import {
  beginPayment,
  findPayment,
  getPayment,
  type PaymentMethod,
  type PaymentRequest,
  receivePayment,
} from './payments.ts'
import { refundActions } from './refund-actions.ts'

/** What the domain serves, by the name of the mutation. */
export const paymentActions = (options: PaymentOptions): Readonly<Record<string, Action>> => ({
  processPayment: processPayment(options),
  confirmPayment: confirmPayment(options),
  markPaymentReceived: markPaymentReceived(options),
  ...captureActions(options),
  ...refundActions(options),
})

type PaymentInput = InputOf<'processPayment', 'null'>['input']

/** What a method of payment doesn't go with. */
function contradictions({
  method,
  paymentMethodId,
  captureMethod,
  received,
}: PaymentInput): readonly UserError[] {
  const wrong = (field: string, message: string) => userError(field, { kind: 'value', message })
  return [
    ...(received !== null && !isOffline(method)
      ? [wrong('received', 'Only money that comes outside of the platform is waited for')]
      : []),
    ...(captureMethod === 'MANUAL' && method !== 'CARD'
      ? [wrong('captureMethod', 'Only the money of a card can be reserved')]
      : []),
    ...(method === 'CARD' && paymentMethodId === null
      ? [userError('paymentMethodId', { kind: 'required' })]
      : []),
  ]
}

const processPayment = (options: PaymentOptions): Action =>
  defineAction('processPayment', {
    check: ({ input }) => contradictions(input),
    keeping: 'in steps',
    async handle(call, { input }) {
      const { database, cashier } = options
      const { merchantId } = call.session
      const processor = processorFor(input.method, options.cardProcessor)
      if (processor === null) return unsupported()
      // Reserved money holds the order's stock for days, which is for the merchant to say.
      if (input.captureMethod === 'MANUAL' && call.session.role !== 'merchant')
        return invalid(userError('captureMethod', { kind: 'value', message: 'A shopper pays at once' }))
      // A shopper's word is not enough: what comes outside of the platform is the merchant's to say.
      if (input.received === true && call.session.role !== 'merchant')
        return invalid(
          userError('received', { kind: 'value', message: 'The shop says when the money is there' }),
        )
      const received = input.received ?? call.session.role === 'merchant'
      const request = {
        ...input,
        captureMethod: input.captureMethod ?? 'AUTOMATIC',
        processor: processor.name,
        awaited: isOffline(input.method) && !received,
      }
      const { outcome, asked } = await begin(options, call, request)
      switch (outcome.outcome) {
        case 'begun':
          return collectedAnswer(
            await cashier.collect(await getPayment(database, merchantId, outcome.paymentId), asked),
          )
        case 'unknown_order':
          return invalid(notFound('orderId', 'Order'))
        case 'method_not_accepted':
          return unsupported()
        case 'order_refused':
          return orderNotModifiable('orderId', input.orderId, outcome.status)
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
          return invalid(
            userError('amount', { kind: 'value', message: `The order’s total is ${outcome.total}` }),
          )
        case 'key_reused':
          return idempotencyKeyReused(outcome.key)
        default:
          return outcome satisfies never
      }
    },
  })

interface Begun {
  readonly outcome: Once<BeginPaymentAnswer>
  /** A payment that an Idempotency-Key brings back may have been asked for. */
  readonly asked: 'never' | 'maybe'
}

/** Who tries again with another card gives up the attempt that still waits for authentication. */
async function begin(
  { keys, cashier }: PaymentOptions,
  call: ActionCall,
  request: PaymentRequest,
): Promise<Begun> {
  const { merchantId } = call.session
  let asked: Begun['asked'] = 'maybe'
  const attempt = () =>
    keys.once(
      call,
      (sql) => {
        asked = 'never'
        return beginPayment(sql, call.session, request)
      },
      ({ outcome }) => outcome === 'begun',
    )
  const outcome = await attempt()
  if (outcome.outcome !== 'payment_open' || outcome.authorized) return { outcome, asked }
  const isOver = await cashier.abandon(merchantId, outcome.paymentId)
  return { outcome: isOver ? await attempt() : outcome, asked }
}

/** Cash and transfers come outside of the platform. */
const isOffline = (method: PaymentMethod): boolean => method === 'CASH' || method === 'BANK_TRANSFER'

const unsupported = () => paymentFailed('method unsupported', { field: 'method', code: 'method_unsupported' })

function processorFor(
  method: PaymentMethod,
  cardProcessor: PaymentProcessor | null,
): PaymentProcessor | null {
  switch (method) {
    case 'CARD':
      return cardProcessor
    case 'CASH':
    case 'BANK_TRANSFER':
      return manualProcessor
    case 'PAYPAL':
    case 'APPLE_PAY':
    case 'GOOGLE_PAY':
      return null
    default:
      return method satisfies never
  }
}

/** The money that an order waits for is there. Said again, it says the same. */
const markPaymentReceived = ({ database }: PaymentOptions): Action =>
  defineAction('markPaymentReceived', {
    async handle({ session }, input) {
      const payment = await findPayment(database, session.merchantId, input.id, null)
      if (payment === null) return invalid(notFound('id', 'Payment'))
      const isAwaited = payment.awaited && payment.status === 'PENDING'
      const received = isAwaited ? await receivePayment(database, session, payment.id) : payment
      if (received.awaited && received.status === 'SUCCEEDED')
        return collectedAnswer({ payment: received, action: null, answered: true })
      const message = `The payment is ${received.status}; no money is waited for`
      return invalid(userError('id', { kind: 'value', message }))
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
