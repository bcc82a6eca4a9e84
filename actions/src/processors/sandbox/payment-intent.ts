import { randomBytes } from 'node:crypto'
import type { StripeError, SandboxCard, PaymentIntent, Charge } from './stripe-objects.ts'
import type { TestPaymentMethod } from './test-payment-methods.ts'

/** Seconds that a card's issuer holds money for. */
const authorizationSeconds = 7 * 24 * 60 * 60

export interface NewIntent {
  readonly amount: number
  readonly capture_method: 'automatic' | 'manual'
  readonly currency: string
  readonly metadata: Readonly<Record<string, string>>
}

/** Stripe's form of ids: a kind, and random characters. */
export const stripeId = (kind: string): string =>
  `${kind}_${randomBytes(15).toString('base64url').replace(/[-_]/g, '0')}`

export function newIntent({ amount, capture_method, currency, metadata }: NewIntent): PaymentIntent {
  const id = stripeId('pi')
  return {
    id,
    object: 'payment_intent',
    amount,
    amount_received: 0,
    capture_method,
    currency,
    status: 'requires_payment_method',
    client_secret: `${id}_secret_${stripeId('x').slice(2)}`,
    created: Math.floor(Date.now() / 1000),
    livemode: false,
    metadata,
    payment_method: null,
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
      return charged(confirmed, method.card)
    case 'decline':
      return declined(confirmed, method.card, method.behaviour.error)
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

/** The customer has proved to be who the card belongs to. */
export const authenticated = (intent: PaymentIntent, card: SandboxCard): PaymentIntent =>
  charged(intent, card)

/** The customer could not prove it. */
export const authenticationFailed = (intent: PaymentIntent, card: SandboxCard): PaymentIntent =>
  declined(intent, card, {
    type: 'card_error',
    code: 'payment_intent_authentication_failure',
    message:
      'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
  })

export const cancelled = (intent: PaymentIntent): PaymentIntent => ({
  ...intent,
  status: 'canceled',
  next_action: null,
})

export const refunded = (intent: PaymentIntent, charge: Charge, amount: number): PaymentIntent => ({
  ...intent,
  latest_charge: { ...charge, amount_refunded: charge.amount_refunded + amount },
})

/** Takes what was reserved, or a part of it; the rest is let go. */
export const captured = (intent: PaymentIntent, charge: Charge, amount: number): PaymentIntent => ({
  ...intent,
  status: 'succeeded',
  amount_received: amount,
  latest_charge: { ...charge, amount },
})

function charged(intent: PaymentIntent, card: SandboxCard): PaymentIntent {
  const manual = intent.capture_method === 'manual'
  return {
    ...intent,
    status: manual ? 'requires_capture' : 'succeeded',
    amount_received: manual ? 0 : intent.amount,
    next_action: null,
    last_payment_error: null,
    latest_charge: {
      id: stripeId('ch'),
      object: 'charge',
      amount: intent.amount,
      amount_refunded: 0,
      payment_method_details: {
        type: 'card',
        card: manual
          ? { ...card, capture_before: Math.floor(Date.now() / 1000) + authorizationSeconds }
          : card,
      },
    },
  }
}

const declined = (intent: PaymentIntent, card: SandboxCard, error: StripeError): PaymentIntent => ({
  ...intent,
  status: 'requires_payment_method',
  next_action: null,
  last_payment_error: { ...error, payment_method: { card } },
})
