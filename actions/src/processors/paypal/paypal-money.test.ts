import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromPaypal, toPaypal } from './paypal-money.ts'

test.each([
  [1999, 'USD', '19.99'],
  [5, 'EUR', '0.05'],
  [100, 'EUR', '1.00'],
  [1999, 'JPY', '1999'],
  [199900, 'HUF', '1999'],
  [199900, 'TWD', '1999'],
])('%i minor units of %s are %s at PayPal', (amount, currency, value) => {
  expect(toPaypal(amount, currency)).toEqual({ kind: 'amount', money: { currency_code: currency, value } })
})

test.each([
  [199950, 'HUF', 'decimals_not_supported'],
  [199950, 'TWD', 'decimals_not_supported'],
  [1999, 'ISK', 'currency_not_supported'],
  [5120, 'KWD', 'currency_not_supported'],
])('%i minor units of %s can’t be sent', (amount, currency, because) => {
  expect(toPaypal(amount, currency)).toEqual({ kind: 'refused', because })
})

test.each([
  ['10', 'USD', 1000],
  ['10.5', 'USD', 1050],
  ['10.500', 'USD', 1050],
  ['10', 'JPY', 10],
  ['10.00', 'HUF', 1000],
])('%s of %s is %i minor units, however PayPal writes it', (value, currency, amount) => {
  expect(fromPaypal({ currency_code: currency, value })).toBe(amount)
})

test('every amount comes back as it was sent', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      fc.constantFrom('USD', 'JPY', 'CHF'),
      (amount, currency) => {
        const sent = toPaypal(amount, currency)
        return sent.kind === 'amount' && fromPaypal(sent.money) === amount
      },
    ),
  )
})
