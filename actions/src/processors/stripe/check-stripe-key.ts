import Stripe from 'stripe'
import type { CredentialsCheck } from '../processor-kind.ts'
import { connectStripe, type StripeConnection } from './connect-stripe.ts'

/** Asks Stripe whether a key is good for payments, by reading one: restricted keys may do little else. */
export async function checkStripeKey(connection: StripeConnection): Promise<CredentialsCheck> {
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
