import { stripeId } from './stripe-id.ts'
import type { StripeError, PaymentIntent, PaymentMethodOptions, Charge, Dispute } from './stripe-objects.ts'
import { disputedMethods, onceCapturedMethods, type TestPaymentMethod } from './test-payment-methods.ts'

/** Seconds that a card's issuer holds money for. */
const authorizationSeconds = 7 * 24 * 60 * 60

const now = (): number => Math.floor(Date.now() / 1000)

export interface NewIntent {
  readonly amount: number
  readonly capture_method: 'automatic' | 'manual'
  readonly currency: string
  readonly metadata: Readonly<Record<string, string>>
  readonly payment_method_options: PaymentMethodOptions
  readonly customer?: string | null | undefined
  readonly setup_future_usage?: PaymentIntent['setup_future_usage'] | undefined
}

export function newIntent({
  amount,
  capture_method,
  currency,
  metadata,
  payment_method_options,
  customer = null,
  setup_future_usage = null,
}: NewIntent): PaymentIntent {
  const id = stripeId('pi')
  return {
    id,
    object: 'payment_intent',
    amount,
    amount_capturable: 0,
    amount_received: 0,
    capture_method,
    currency,
    customer,
    setup_future_usage,
    status: 'requires_payment_method',
    client_secret: `${id}_secret_${stripeId('x').slice(2)}`,
    created: now(),
    livemode: false,
    metadata,
    payment_method: null,
    payment_method_options,
    latest_charge: null,
    next_action: null,
    last_payment_error: null,
  }
}

/** @param authenticationUrl where the customer authenticates a payment of this intent */
export function confirm(
  intent: PaymentIntent,
  methodId: string,
  method: TestPaymentMethod,
  returnUrl: string | null,
  authenticationUrl: string,
): PaymentIntent {
  const confirmed = { ...intent, payment_method: methodId }
  switch (method.behaviour.kind) {
    case 'succeed':
      return charged(confirmed, method)
    case 'decline':
      return declined(confirmed, method, method.behaviour.error)
    case 'later':
      return { ...confirmed, status: 'processing', next_action: null }
    case 'authenticate':
      return {
        ...confirmed,
        status: 'requires_action',
        next_action: {
          type: 'redirect_to_url',
          redirect_to_url: { url: authenticationUrl, return_url: returnUrl },
        },
      }
    default:
      return method.behaviour satisfies never
  }
}

/** The bank's decision some time after the payment was confirmed. */
export const settledLater = (intent: PaymentIntent, method: TestPaymentMethod): PaymentIntent =>
  method.behaviour.kind === 'later' && method.behaviour.error !== null
    ? declined(intent, method, method.behaviour.error)
    : charged(intent, method)

export const disputeOf = (intent: PaymentIntent, charge: Charge): Dispute => ({
  id: stripeId('dp'),
  object: 'dispute',
  amount: charge.amount,
  balance_transactions: [],
  currency: intent.currency,
  charge: charge.id,
  enhanced_eligibility_types: [],
  evidence: { enhanced_evidence: {}, uncategorized_text: null },
  is_charge_refundable: false,
  payment_intent: intent.id,
  reason: 'fraudulent',
  status: 'needs_response',
  evidence_details: {
    due_by: now() + authorizationSeconds,
    enhanced_eligibility: {},
    has_evidence: false,
    past_due: false,
    submission_count: 0,
  },
  metadata: {},
  livemode: false,
  created: now(),
})

/** A debit's dispute can't be answered: the customer's bank has the money back at once. */
export function takenBack(intent: PaymentIntent, charge: Charge): Dispute {
  const dispute = disputeOf(intent, charge)
  return {
    ...dispute,
    reason: 'debit_not_authorized',
    status: 'lost',
    evidence_details: { ...dispute.evidence_details, due_by: null },
  }
}

/** The customer has proved to be who the card belongs to. */
export const authenticated = (intent: PaymentIntent, method: TestPaymentMethod): PaymentIntent =>
  charged(intent, method)

export const authenticationError = {
  type: 'card_error',
  message:
    'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
} as const

/** The customer could not prove it. */
export const authenticationFailed = (intent: PaymentIntent, method: TestPaymentMethod): PaymentIntent =>
  declined(intent, method, { ...authenticationError, code: 'payment_intent_authentication_failure' })

export const cancelled = (intent: PaymentIntent): PaymentIntent => ({
  ...intent,
  status: 'canceled',
  amount_capturable: 0,
  next_action: null,
  // The reserved money is released, which Stripe calls a refund.
  latest_charge: intent.latest_charge && {
    ...intent.latest_charge,
    amount_refunded: intent.latest_charge.amount,
    refunded: true,
  },
})

export const refunded = (intent: PaymentIntent, charge: Charge, amount: number): PaymentIntent => ({
  ...intent,
  latest_charge: {
    ...charge,
    amount_refunded: charge.amount_refunded + amount,
    refunded: charge.captured && charge.amount_refunded + amount === charge.amount_captured,
  },
})

/** Takes what was reserved, or a part of it; what is left is let go by the final capture. */
export function captured(
  intent: PaymentIntent,
  charge: Charge,
  amount: number,
  final: boolean,
): PaymentIntent {
  const received = intent.amount_received + amount
  const capturable = final ? 0 : intent.amount_capturable - amount
  return {
    ...intent,
    status: capturable === 0 ? 'succeeded' : 'requires_capture',
    amount_capturable: capturable,
    amount_received: received,
    latest_charge: { ...charge, amount_captured: received, captured: capturable === 0 },
  }
}

function charged(intent: PaymentIntent, { type, card }: TestPaymentMethod): PaymentIntent {
  const manual = intent.capture_method === 'manual'
  return {
    ...intent,
    status: manual ? 'requires_capture' : 'succeeded',
    amount_capturable: manual ? intent.amount : 0,
    amount_received: manual ? 0 : intent.amount,
    next_action: null,
    last_payment_error: null,
    latest_charge: {
      id: stripeId('ch'),
      object: 'charge',
      amount: intent.amount,
      amount_captured: manual ? 0 : intent.amount,
      amount_refunded: 0,
      billing_details: noBillingDetails,
      captured: !manual,
      created: now(),
      currency: intent.currency,
      disputed: disputedMethods.has(intent.payment_method ?? ''),
      livemode: false,
      metadata: intent.metadata,
      paid: true,
      payment_intent: intent.id,
      refunded: false,
      status: 'succeeded',
      payment_method_details: {
        type,
        ...(card !== null && {
          card: manual
            ? {
                ...card,
                capture_before: now() + authorizationSeconds,
                multicapture: { status: multicaptureOf(intent) },
              }
            : card,
        }),
      },
    },
  }
}

const multicaptureOf = ({ payment_method: methodId, payment_method_options: options }: PaymentIntent) =>
  options.card?.request_multicapture === 'if_available' && !onceCapturedMethods.has(methodId ?? '')
    ? 'available'
    : 'unavailable'

const declined = (intent: PaymentIntent, { card }: TestPaymentMethod, error: StripeError): PaymentIntent => ({
  ...intent,
  status: 'requires_payment_method',
  next_action: null,
  last_payment_error: {
    ...error,
    ...(card !== null && {
      payment_method: {
        id: intent.payment_method ?? stripeId('pm'),
        object: 'payment_method',
        type: 'card',
        billing_details: noBillingDetails,
        created: now(),
        livemode: false,
        card,
      },
    }),
  },
})

const noBillingDetails = { address: null, email: null, name: null, phone: null } as const
