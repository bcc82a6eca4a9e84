import Stripe from 'stripe'
import { refusedAmount } from '../refused-amount.ts'
import type {
  CaptureRequest,
  ChargeAnswer,
  ChargeRequest,
  PaymentMethod,
  PaymentProcessor,
  RefundAnswer,
  RefundRequest,
} from '../processor.ts'
import { answerOfIntent } from './answer-of-intent.ts'
import { cardOf, declineOf, isInvalidRequest } from './stripe-answers.ts'
import { toStripe } from './stripe-money.ts'
import { stripeVault } from './stripe-vault.ts'
import { activityOf, listedRefunds, refundReference } from './stripe-activity.ts'
import { isRefusedKey } from './check-stripe-key.ts'
import { connectStripe, type StripeConnection } from './connect-stripe.ts'

export interface StripeOptions extends StripeConnection {
  /** `stripe`, or `sandbox` for the server in processors/sandbox that speaks the same protocol. */
  readonly name: 'stripe' | 'sandbox'
  /** Hears after each answer whether Stripe still takes the key. */
  readonly onKey?: (state: KeyState) => void
}

export type KeyState = 'accepted' | 'refused'

/** Stripe's own estimate for cards is 5 to 10 business days. */
const refundDays = 10

/** Card payments through Stripe's SDK. */
export function createStripeProcessor({ name, onKey, ...connection }: StripeOptions): PaymentProcessor {
  const stripe = connectStripe(connection)
  if (onKey !== undefined) {
    const answering: Answering = stripe
    answering.on('response', ({ status }) => hearOfKey(status, onKey))
  }
  return {
    name,
    refundDays,
    vault: stripeVault(stripe),
    refusalOf(amount, currency) {
      const money = toStripe(amount, currency)
      return money.kind === 'refused' ? money.because : null
    },
    charge: (request) => chargeOf(stripe, request),
    capture: (request) => capture(stripe, request),
    release: (intentId) => answerOf(() => finalCapture(stripe, intentId, 0)),
    retrieve: (intentId) => retrieve(stripe, intentId),
    // Stripe takes the money as soon as the customer agrees.
    take: (intentId) => retrieve(stripe, intentId),
    async find(paymentId) {
      try {
        const { data } = await stripe.paymentIntents.search({
          query: `metadata['payment_id']:'${paymentId}'`,
          limit: 1,
        })
        if (data[0] === undefined) return null
        // What is found may be a minute old.
        return answerOfIntent(await stripe.paymentIntents.retrieve(data[0].id, { expand: ['latest_charge'] }))
      } catch (error) {
        return { status: 'unknown', cause: error }
      }
    },
    cancel: (intentId) =>
      answerOf(() => orAsItIs(stripe, intentId, () => stripe.paymentIntents.cancel(intentId))),
    refund: (request) => refund(stripe, request),
    async findRefund({ idempotencyKey, intentId }) {
      if (intentId === null) return null
      try {
        const refunds = await stripe.refunds.list({ payment_intent: intentId, limit: listedRefunds })
        const made = refunds.data.find(({ metadata }) => metadata?.[refundReference] === idempotencyKey)
        if (made !== undefined) return answerOfRefund(made)
        if (!refunds.has_more) return null
        return {
          status: 'unknown',
          cause: new Error(`Payment intent ${intentId} has too many refunds to look through`),
        }
      } catch (error) {
        return { status: 'unknown', cause: error }
      }
    },
    retrieveRefund: (refundId) => refundAnswerOf(() => stripe.refunds.retrieve(refundId)),
    activity: (intentId) => activityOf(stripe, intentId),
  }
}

/**
 * Takes what is missing of the total. A final capture needs no key of ours, for which Stripe would repeat an error of its own: Stripe
 * makes one. Of the others it makes many, so the intent is read first, and the key tells what it was then.
 */
async function capture(stripe: Stripe, request: CaptureRequest): Promise<ChargeAnswer> {
  const { intentId, currency } = request
  const total = toStripe(request.total, currency)
  if (total.kind === 'refused') return refusedAmount(intentId, total.because)
  const captured = toStripe(request.captured, currency)
  if (captured.kind === 'refused') return refusedAmount(intentId, captured.because)
  return captureInUnits(stripe, { ...request, total: total.amount, captured: captured.amount })
}

/** The amounts of the request are in Stripe's unit here. */
async function captureInUnits(
  stripe: Stripe,
  { idempotencyKey, intentId, total, captured, final }: CaptureRequest,
): Promise<ChargeAnswer> {
  if (final) return answerOf(() => finalCapture(stripe, intentId, total - captured))
  return answerOf(async () => {
    const intent = await stripe.paymentIntents.retrieve(intentId, { expand: ['latest_charge'] })
    const missing = total - intent.amount_received
    if (intent.status !== 'requires_capture' || missing <= 0) return intent
    if (!canCaptureAgain(intent)) return finalCapture(stripe, intentId, missing)
    return orAsItIs(stripe, intentId, () =>
      stripe.paymentIntents.capture(
        intentId,
        { amount_to_capture: missing, final_capture: false, expand: ['latest_charge'] },
        { idempotencyKey: `${idempotencyKey}:${intent.amount_received}` },
      ),
    )
  })
}

/** @param amount in Stripe's unit; 0 lets go of what is left after earlier captures */
const finalCapture = (stripe: Stripe, intentId: string, amount: number): Promise<Stripe.PaymentIntent> =>
  orAsItIs(stripe, intentId, () =>
    stripe.paymentIntents.capture(intentId, {
      amount_to_capture: amount,
      final_capture: true,
      expand: ['latest_charge'],
    }),
  )

const canCaptureAgain = ({ latest_charge: charge }: Stripe.PaymentIntent): boolean =>
  charge !== null &&
  typeof charge !== 'string' &&
  charge.payment_method_details?.card?.multicapture?.status === 'available'

const retrieve = (stripe: Stripe, intentId: string): Promise<ChargeAnswer> =>
  answerOf(() => stripe.paymentIntents.retrieve(intentId, { expand: ['latest_charge'] }))

/** The fields that the SDK declares as `any`. */
interface Answering {
  on(event: 'response', listener: (answer: Stripe.ResponseEvent) => void): void
}

/** Of other statuses nothing follows: Stripe may be out of order before it looks at the key. */
function hearOfKey(status: number, onKey: (state: KeyState) => void): void {
  if (status === 401 || status === 403) onKey('refused')
  else if (status < 500 && status !== 429) onKey('accepted')
}

/**
 * The retry is done here and not by the SDK: a key that is refused at the second try says nothing of the first one, which
 * may have charged the card.
 */
async function chargeOf(stripe: Stripe, request: ChargeRequest): Promise<ChargeAnswer> {
  const { idempotencyKey } = request
  const money = toStripe(request.amount, request.currency)
  if (money.kind === 'refused') return refusedAmount(null, money.because)
  const intent = intentOf(request, money.amount)
  const ask = () =>
    answerOf(() => stripe.paymentIntents.create(intent, { idempotencyKey, maxNetworkRetries: 0 }))
  const first = await ask()
  if (first.status !== 'unknown') return first
  const second = await ask()
  return second.status === 'unauthorized' ? { status: 'unknown', cause: second.cause } : second
}

/** An intent that has moved on meanwhile can't be captured or cancelled: what it is now is the answer. */
async function orAsItIs(
  stripe: Stripe,
  intentId: string,
  call: () => Promise<Stripe.PaymentIntent>,
): Promise<Stripe.PaymentIntent> {
  try {
    return await call()
  } catch (error) {
    if (!isUnexpectedState(error)) throw error
    return stripe.paymentIntents.retrieve(intentId, { expand: ['latest_charge'] })
  }
}

/** @param amount in Stripe's unit */
const intentOf = (request: ChargeRequest, amount: number): Stripe.PaymentIntentCreateParams => ({
  amount,
  currency: request.currency.toLowerCase(),
  confirm: true,
  capture_method: request.manualCapture ? 'manual' : 'automatic',
  allowed_payment_method_types: [stripeTypeOf(request.method)],
  ...(request.manualCapture && {
    payment_method_options: { card: { request_multicapture: 'if_available' } },
  }),
  metadata: { ...request.metadata },
  ...(request.customer != null && {
    customer: request.customer.id,
    ...(request.customer.keepsMethod && { setup_future_usage: 'off_session' as const }),
  }),
  expand: ['latest_charge'],
  ...(request.paymentMethodId !== null
    ? { payment_method: request.paymentMethodId }
    : request.method === 'PAYPAL' && { payment_method_data: { type: 'paypal' } }),
  // The customer agrees to the debit on the storefront's own page.
  ...(request.method === 'SEPA_DEBIT' && { mandate_data: { customer_acceptance: { type: 'offline' } } }),
  ...(request.returnUrl !== null && { return_url: request.returnUrl }),
})

/** Wallets hold cards. */
function stripeTypeOf(method: PaymentMethod): 'card' | 'paypal' | 'sepa_debit' {
  switch (method) {
    case 'PAYPAL':
      return 'paypal'
    case 'SEPA_DEBIT':
      return 'sepa_debit'
    case 'CARD':
    case 'APPLE_PAY':
    case 'GOOGLE_PAY':
      return 'card'
    case 'CASH':
    case 'BANK_TRANSFER':
    case 'INVOICE':
    case 'CASH_ON_DELIVERY':
    case 'LOYALTY_POINTS':
    case 'EXTERNAL':
      throw new Error(`${method} doesn't go through Stripe.`)
    default:
      return method satisfies never
  }
}

async function answerOf(call: () => Promise<Stripe.PaymentIntent>): Promise<ChargeAnswer> {
  try {
    return answerOfIntent(await call())
  } catch (error) {
    return answerOfError(error)
  }
}

// A card error and an invalid request are Stripe's decisions. Any other error (connection, 5xx, rate limit) leaves
// the outcome unknown, and the request is repeated.
function answerOfError(error: unknown): ChargeAnswer {
  if (error instanceof Stripe.errors.StripeCardError || isInvalidRequest(error)) {
    return {
      status: 'declined',
      intentId: error.payment_intent?.id ?? null,
      card: cardOf(error.payment_intent?.last_payment_error?.payment_method?.card),
      decline: declineOf(error),
    }
  }
  return { status: isRefusedKey(error) ? 'unauthorized' : 'unknown', cause: error }
}

async function refund(
  stripe: Stripe,
  { idempotencyKey, intentId, amount, currency }: RefundRequest,
): Promise<RefundAnswer> {
  const money = toStripe(amount, currency)
  if (money.kind === 'refused') return { status: 'failed', refundId: null, reason: money.because }
  return refundAnswerOf(() => {
    if (intentId === null)
      throw new Error('A payment without an intent has taken nothing that could be refunded.')
    return stripe.refunds.create(
      { payment_intent: intentId, amount: money.amount, metadata: { [refundReference]: idempotencyKey } },
      { idempotencyKey },
    )
  })
}

async function refundAnswerOf(call: () => Promise<Stripe.Refund>): Promise<RefundAnswer> {
  try {
    return answerOfRefund(await call())
  } catch (error) {
    return isInvalidRequest(error)
      ? { status: 'failed', refundId: null, reason: error.code ?? 'invalid_request' }
      : { status: 'unknown', cause: error }
  }
}

function answerOfRefund({ id, status, failure_reason: reason }: Stripe.Refund): RefundAnswer {
  switch (status) {
    case 'succeeded':
      return { status: 'succeeded', refundId: id }
    case 'failed':
    case 'canceled':
      return { status: 'failed', refundId: id, reason: reason ?? status }
    default:
      return { status: 'pending', refundId: id }
  }
}

const isUnexpectedState = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'payment_intent_unexpected_state'
