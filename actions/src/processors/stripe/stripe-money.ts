import { currencyExponent } from '@commerce-graph/contract/input'
import type { AmountRefusal } from '../processor.ts'

// Stripe's own units, which are not always ISO 4217's: https://docs.stripe.com/currencies, under "Zero-decimal currencies" and "Special
// cases", as it was in July 2026. The rule for three decimals stood there until 2022 (web.archive.org has the page), and holds.

/** MGA has two decimals in ISO 4217. */
const zeroDecimal: ReadonlySet<string> = new Set(
  'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '),
)

/** They have lost their decimals. Stripe counts in hundredths of them still, and takes whole ones only. */
const wholeInHundredths: ReadonlySet<string> = new Set(['ISK', 'UGX'])

/** The last digit has to be 0, for the sake of Stripe's partners. */
const threeDecimal: ReadonlySet<string> = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND'])

interface StripeUnit {
  /** Digits after the point of Stripe's amounts. */
  readonly digits: number
  /** What an amount has to be a multiple of. */
  readonly multipleOf: number
}

/** How Stripe counts a currency; null: that is not known. HUF and TWD have two decimals, and none in payouts alone, which aren't made here. */
export function stripeUnitOf(currency: string): StripeUnit | null {
  if (zeroDecimal.has(currency)) return { digits: 0, multipleOf: 1 }
  if (wholeInHundredths.has(currency)) return { digits: 2, multipleOf: 100 }
  if (threeDecimal.has(currency)) return { digits: 3, multipleOf: 10 }
  // All others that Stripe takes have two. It refuses itself those that it doesn't take.
  return currencyExponent(currency) === 2 ? { digits: 2, multipleOf: 1 } : null
}

export type StripeAmount =
  | { readonly kind: 'amount'; readonly amount: number }
  | { readonly kind: 'refused'; readonly because: AmountRefusal }

/** @param amount minor units by ISO 4217 */
export function toStripe(amount: number, currency: string): StripeAmount {
  const unit = stripeUnitOf(currency)
  if (unit === null) return { kind: 'refused', because: 'currency_not_supported' }
  const scaled = scaledBy(amount, unit.digits - currencyExponent(currency))
  return Number.isInteger(scaled) && scaled % unit.multipleOf === 0
    ? { kind: 'amount', amount: scaled }
    : { kind: 'refused', because: 'decimals_not_supported' }
}

/**
 * Minor units by ISO 4217. A dispute, in which banks convert currencies, may name a part of a unit that there is no more; it is rounded.
 * @param currency as Stripe writes it, in small letters
 */
export function fromStripe(amount: number, currency: string): number {
  const code = currency.toUpperCase()
  const unit = stripeUnitOf(code)
  if (unit === null) throw new Error(`Stripe names an amount in ${code}, of which no unit is known`)
  return Math.round(scaledBy(amount, currencyExponent(code) - unit.digits))
}

/** A division by a power of ten is exact where a product with its inverse is not. */
const scaledBy = (amount: number, digits: number): number =>
  digits < 0 ? amount / 10 ** -digits : amount * 10 ** digits
