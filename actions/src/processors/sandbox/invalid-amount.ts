import { stripeUnitOf } from '../stripe/stripe-money.ts'
import { failed, invalidParameter, type StripeAnswer } from './stripe-error.ts'

interface Amount {
  /** The parameter that it is in. */
  readonly param: 'amount' | 'amount_to_capture'
  /** In Stripe's unit. */
  readonly amount: number
  readonly currency: string
}

/** Stripe's answer to an amount that is finer than what it takes of the currency; null: it is not. */
export function invalidAmount({ param, amount, currency }: Amount): StripeAnswer | null {
  const code = currency.toUpperCase()
  const unit = stripeUnitOf(code)
  if (unit === null) return invalidParameter('currency', `Invalid currency: ${currency}`)
  if (amount % unit.multipleOf === 0) return null
  return failed(400, {
    type: 'invalid_request_error',
    code: 'invalid_charge_amount_no_decimal_compatible',
    param,
    message: `Invalid amount. Amounts in ${code} must be evenly divisible by ${unit.multipleOf}`,
  })
}
