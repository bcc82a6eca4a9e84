import type { SandboxCard, StripeError } from './stripe-objects.ts'

/** What a test payment method does when it is charged. */
type Behaviour =
  | { readonly kind: 'succeed' }
  | { readonly kind: 'decline'; readonly error: StripeError }
  /** 3-D Secure: the customer decides on the sandbox's page. */
  | { readonly kind: 'authenticate' }

export interface TestPaymentMethod {
  readonly card: SandboxCard
  readonly behaviour: Behaviour
}

const card = (brand: string, last4: string): SandboxCard => ({ brand, last4, exp_month: 12, exp_year: 2034 })

const succeed = (brand: string, last4: string): TestPaymentMethod => ({
  card: card(brand, last4),
  behaviour: { kind: 'succeed' },
})

const authenticate = (last4: string): TestPaymentMethod => ({
  card: card('visa', last4),
  behaviour: { kind: 'authenticate' },
})

const decline = (last4: string, code: string, declineCode: string, message: string): TestPaymentMethod => ({
  card: card('visa', last4),
  behaviour: { kind: 'decline', error: { type: 'card_error', code, decline_code: declineCode, message } },
})

const genericDecline = decline('0002', 'card_declined', 'generic_decline', 'Your card was declined.')
const insufficientFunds = decline(
  '9995',
  'card_declined',
  'insufficient_funds',
  'Your card has insufficient funds.',
)

/** Stripe's test payment methods (https://docs.stripe.com/testing), by id. */
export const testPaymentMethods: ReadonlyMap<string, TestPaymentMethod> = new Map([
  ['pm_card_visa', succeed('visa', '4242')],
  ['pm_card_mastercard', succeed('mastercard', '4444')],
  ['pm_card_amex', succeed('amex', '8431')],
  ['pm_card_chargeDeclined', genericDecline],
  ['pm_card_visa_chargeDeclined', genericDecline],
  ['pm_card_chargeDeclinedInsufficientFunds', insufficientFunds],
  ['pm_card_visa_chargeDeclinedInsufficientFunds', insufficientFunds],
  [
    'pm_card_chargeDeclinedExpiredCard',
    decline('0069', 'expired_card', 'expired_card', 'Your card has expired.'),
  ],
  [
    'pm_card_chargeDeclinedFraudulent',
    decline('0019', 'card_declined', 'fraudulent', 'Your card was declined.'),
  ],
  [
    'pm_card_chargeDeclinedIncorrectCvc',
    decline('0127', 'incorrect_cvc', 'incorrect_cvc', "Your card's security code is incorrect."),
  ],
  [
    'pm_card_chargeDeclinedProcessingError',
    decline(
      '0119',
      'processing_error',
      'processing_error',
      'An error occurred while processing your card. Try again in a little bit.',
    ),
  ],
  ['pm_card_authenticationRequired', authenticate('3184')],
  ['pm_card_threeDSecure2Required', authenticate('3220')],
])
