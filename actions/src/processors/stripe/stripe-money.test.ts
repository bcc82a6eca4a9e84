import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromStripe, stripeUnitOf, toStripe } from './stripe-money.ts'

test.each([
  ['USD', 1999, 1999],
  // Intl has no decimals for these two; Stripe and ISO 4217 have two.
  ['HUF', 199_900, 199_900],
  ['IDR', 1999, 1999],
  ['TWD', 1999, 1999],
  ['JPY', 1999, 1999],
  ['KRW', 1999, 1999],
  ['MGA', 199_900, 1999],
  ['ISK', 1999, 199_900],
  ['UGX', 1999, 199_900],
  ['KWD', 5120, 5120],
  ['JPY', 0, 0],
])('of %s, %i minor units are %i at Stripe', (currency, minor, amount) => {
  expect(toStripe(minor, currency)).toEqual({ kind: 'amount', amount })
  expect(fromStripe(amount, currency.toLowerCase())).toBe(minor)
})

test.each([
  ['MGA', 199_950, 'decimals_not_supported'],
  ['KWD', 5124, 'decimals_not_supported'],
  ['TND', 1, 'decimals_not_supported'],
  ['IQD', 5120, 'currency_not_supported'],
  ['CLF', 10_000, 'currency_not_supported'],
])('of %s, %i minor units can’t be sent', (currency, minor, because) => {
  expect(toStripe(minor, currency)).toEqual({ kind: 'refused', because })
})

const currencies = Intl.supportedValuesOf('currency').filter((currency) => stripeUnitOf(currency) !== null)

test('every amount that can be sent comes back as it was, and is one that Stripe takes', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 10 ** 13 }),
      fc.constantFrom(1, 10, 100),
      fc.constantFrom(...currencies),
      (number, step, currency) => {
        const sent = toStripe(number * step, currency)
        if (sent.kind === 'refused') return step < 100
        const { multipleOf } = stripeUnitOf(currency) ?? { multipleOf: Number.NaN }
        return (
          sent.amount % multipleOf === 0 && fromStripe(sent.amount, currency.toLowerCase()) === number * step
        )
      },
    ),
  )
})

test('every amount that Stripe names can be sent back', () => {
  fc.assert(
    fc.property(fc.nat(10 ** 12), fc.constantFrom(...currencies), (number, currency) => {
      const amount = number * (stripeUnitOf(currency)?.multipleOf ?? Number.NaN)
      expect(toStripe(fromStripe(amount, currency), currency)).toEqual({ kind: 'amount', amount })
    }),
  )
})

test('a part of a króna in a dispute is rounded', () => {
  expect(fromStripe(199_949, 'isk')).toBe(1999)
})
