import Stripe from 'stripe'
import { connectStripe, type StripeConnection } from './connect-stripe.ts'

/** What Stripe says of a key: `unanswered` when it can't be reached, so that nothing is known. */
export type KeyCheck =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unanswered'; readonly message: string }

/** Asks Stripe whether a key is good for payments, by reading one: restricted keys may do little else. */
export async function checkStripeKey(connection: StripeConnection): Promise<KeyCheck> {
  try {
    await connectStripe(connection).paymentIntents.list({ limit: 1 })
    return { kind: 'accepted' }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { kind: isRefusedKey(error) ? 'refused' : 'unanswered', message }
  }
}

/** Stripe doesn't know the key any more, or the key lacks a permission: the request has done nothing. */
export const isRefusedKey = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeAuthenticationError ||
  error instanceof Stripe.errors.StripePermissionError
