import Stripe from 'stripe'
import type { Card, Decline, RequiredAction } from '../processor.ts'

interface StripeDecline {
  readonly code?: string | undefined
  readonly decline_code?: string | undefined
  /** As Stripe's API has it, or as its SDK does. */
  readonly type?: string | undefined
  readonly message?: string | undefined
}

/**
 * The stored part of a decline. Stripe's messages about a card come from a fixed list; those about an invalid request
 * may quote it.
 */
export function declineOf(error: StripeDecline | null | undefined): Decline {
  const code = error?.code ?? 'card_declined'
  const message =
    error?.type === 'card_error' || error?.type === 'StripeCardError'
      ? (error.message ?? 'The payment was declined.')
      : `The payment processor refused the request: ${code}`
  return { code, message, declineCode: error?.decline_code ?? null }
}

interface StripeCard {
  readonly brand: string | null
  readonly last4: string | null
  readonly exp_month: number
  readonly exp_year: number
}

export function cardOf(card: StripeCard | null | undefined): Card | null {
  if (card?.brand == null || card.last4 === null) return null
  return { brand: card.brand, last4: card.last4, expiryMonth: card.exp_month, expiryYear: card.exp_year }
}

export const actionOf = ({
  next_action: next,
  client_secret: clientSecret,
}: Pick<Stripe.PaymentIntent | Stripe.SetupIntent, 'next_action' | 'client_secret'>): RequiredAction => ({
  type: next?.type ?? 'use_stripe_sdk',
  clientSecret: clientSecret ?? '',
  redirectUrl: next?.redirect_to_url?.url ?? null,
})

const conflict = 409

/** A request that will never do. 409 is not: the same key, or the same intent, is in another request's hands. */
export const isInvalidRequest = (error: unknown): error is Stripe.errors.StripeInvalidRequestError =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode !== conflict
