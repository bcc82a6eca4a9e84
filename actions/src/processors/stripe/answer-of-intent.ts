import type Stripe from 'stripe'
import type { Card, ChargeAnswer } from '../processor.ts'
import { actionOf, cardOf, declineOf } from './stripe-answers.ts'
import { fromStripe } from './stripe-money.ts'

/** What an intent says of its payment. */
export function answerOfIntent(intent: Stripe.PaymentIntent): ChargeAnswer {
  const intentId = intent.id
  switch (intent.status) {
    case 'succeeded':
      return {
        status: 'succeeded',
        intentId,
        card: cardOfCharge(intent.latest_charge),
        methodId: methodIdOf(intent),
        captured: fromStripe(intent.amount_received, intent.currency),
        capturable: 0,
      }
    case 'requires_capture':
      if (intent.amount_received > 0)
        return {
          status: 'succeeded',
          intentId,
          card: cardOfCharge(intent.latest_charge),
          captured: fromStripe(intent.amount_received, intent.currency),
          capturable: fromStripe(intent.amount_capturable, intent.currency),
        }
      return {
        status: 'authorized',
        intentId,
        card: cardOfCharge(intent.latest_charge),
        methodId: methodIdOf(intent),
        captureBefore: captureBeforeOf(intent),
      }
    case 'requires_action':
      return { status: 'requires_action', intentId, action: actionOf(intent) }
    case 'processing':
      return { status: 'processing', intentId }
    case 'canceled':
      return { status: 'cancelled', intentId }
    // Where an intent is after its card was refused or its customer was not recognised.
    case 'requires_payment_method':
      return {
        status: 'declined',
        intentId,
        card: cardOf(intent.last_payment_error?.payment_method?.card),
        decline: declineOf(intent.last_payment_error),
      }
    // It can't come up: intents are confirmed when they are made.
    case 'requires_confirmation':
      return { status: 'unknown', cause: new Error(`Payment intent ${intentId} is ${intent.status}`) }
    default:
      return {
        status: 'unknown',
        cause: new Error(`Payment intent ${intentId} is in a state that is not known`),
      }
  }
}

/** Stripe's own default for cards, where the charge doesn't tell. */
const authorizationDays = 7

function captureBeforeOf({ created, latest_charge: charge }: Stripe.PaymentIntent): string {
  const captureBefore =
    charge === null || typeof charge === 'string'
      ? undefined
      : charge.payment_method_details?.card?.capture_before
  return new Date((captureBefore ?? created + authorizationDays * 24 * 60 * 60) * 1000).toISOString()
}

/** A saved method has an id of its own, which is not always the request's. */
const methodIdOf = ({ customer, payment_method: method }: Stripe.PaymentIntent): string | null =>
  customer === null || method === null ? null : typeof method === 'string' ? method : method.id

const cardOfCharge = (charge: Stripe.PaymentIntent['latest_charge']): Card | null =>
  charge === null || typeof charge === 'string' ? null : cardOf(charge.payment_method_details?.card)
