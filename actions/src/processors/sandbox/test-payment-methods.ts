import { stripeId } from './stripe-id.ts'
import type { SandboxCard, StripeError } from './stripe-objects.ts'

/** The behaviour of a test payment method when it is charged. */
type Behaviour =
  | { readonly kind: 'succeed' }
  | { readonly kind: 'decline'; readonly error: StripeError }
  /** 3-D Secure: the customer decides on the sandbox's page. */
  | { readonly kind: 'authenticate' }
  /** A bank decides after the answer; null: in favour. */
  | { readonly kind: 'later'; readonly error: StripeError | null }

export interface TestPaymentMethod {
  /** Null: it is no card. */
  readonly card: SandboxCard | null
  readonly type: 'card' | 'paypal' | 'sepa_debit'
  readonly behaviour: Behaviour
  /** While it is saved, if that differs. */
  readonly setup?: Behaviour
  /** When it is charged after it was saved, if that differs. */
  readonly saved?: Behaviour
}

const card = (brand: string, last4: string): SandboxCard => ({
  brand,
  last4,
  exp_month: 12,
  exp_year: 2034,
  funding: 'credit',
})

const succeed = (brand: string, last4: string): TestPaymentMethod => ({
  type: 'card',
  card: card(brand, last4),
  behaviour: { kind: 'succeed' },
})

const authenticate = (last4: string): TestPaymentMethod => ({
  type: 'card',
  card: card('visa', last4),
  behaviour: { kind: 'authenticate' },
})

const decline = (last4: string, code: string, declineCode: string, message: string): TestPaymentMethod => ({
  type: 'card',
  card: card('visa', last4),
  behaviour: { kind: 'decline', error: { type: 'card_error', code, decline_code: declineCode, message } },
})

const debit = (error: StripeError | null): TestPaymentMethod => ({
  type: 'sepa_debit',
  card: null,
  behaviour: { kind: 'later', error },
})

/** Methods whose charges are disputed as soon as they are made. */
export const disputedMethods: ReadonlySet<string> = new Set(['pm_card_createDispute', 'pm_disputed_de'])

/** Cards whose reserved money can be captured once only. */
export const onceCapturedMethods: ReadonlySet<string> = new Set([
  'pm_card_credit_disableEnterpriseCardFeatures',
])

/** Methods whose refunds are decided later: they succeed, or fail after they seemed to have succeeded. */
export const laterRefunds: ReadonlySet<string> = new Set(['pm_card_pendingRefund', 'pm_card_refundFail'])

const genericDecline = decline('0002', 'card_declined', 'generic_decline', 'Your card was declined.')
const insufficientFunds = decline(
  '9995',
  'card_declined',
  'insufficient_funds',
  'Your card has insufficient funds.',
)

/** Stripe's test payment methods (https://docs.stripe.com/testing), by id. */
const testPaymentMethods: ReadonlyMap<string, TestPaymentMethod> = new Map([
  ['pm_card_visa', succeed('visa', '4242')],
  ['pm_card_mastercard', succeed('mastercard', '4444')],
  ['pm_card_amex', succeed('amex', '8431')],
  ['pm_card_credit_disableEnterpriseCardFeatures', succeed('visa', '0076')],
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
  ['pm_card_createDispute', succeed('visa', '0259')],
  ['pm_card_pendingRefund', succeed('visa', '7726')],
  ['pm_card_refundFail', succeed('visa', '5126')],
  // The customer decides on PayPal's page, which is the sandbox's here.
  ['pm_paypal', { type: 'paypal', card: null, behaviour: { kind: 'authenticate' } }],
  ['pm_success_de', debit(null)],
  [
    'pm_failed_de',
    debit({
      type: 'card_error',
      code: 'payment_method_provider_decline',
      message: "The customer's bank declined the debit.",
    }),
  ],
  // A debit that succeeds, and that the customer's bank takes back.
  ['pm_disputed_de', debit(null)],
  // See troubles.ts.
  ['pm_trouble_errorBefore', succeed('visa', '0500')],
  ['pm_trouble_errorAfter', succeed('visa', '0501')],
  ['pm_trouble_timeout', succeed('visa', '0504')],
  ['pm_trouble_late', succeed('visa', '0408')],
  ['pm_card_authenticationRequired', authenticate('3184')],
  ['pm_card_threeDSecure2Required', authenticate('3220')],
  // Needs no further authentication once it is saved.
  ['pm_card_authenticationRequiredOnSetup', { ...authenticate('3155'), saved: { kind: 'succeed' } }],
  // Can be saved, and is declined when it is charged.
  [
    'pm_card_chargeCustomerFail',
    { ...genericDecline, card: card('visa', '0341'), setup: { kind: 'succeed' } },
  ],
])

/** A saved method has an id of its own, which ends in that of the test method that it behaves like. */
export const savedId = (id: string): string => `${stripeId('pm')}_as_${testIdOf(id).slice('pm_'.length)}`

const testIdOf = (id: string): string => id.replace(/^pm_\w+?_as_/, 'pm_')

/** The test method of an id, whether it is saved or not. */
export function testMethodOf(id: string): TestPaymentMethod | undefined {
  const testId = testIdOf(id)
  const method = testPaymentMethods.get(testId)
  return method === undefined || testId === id
    ? method
    : { ...method, behaviour: method.saved ?? method.behaviour }
}
