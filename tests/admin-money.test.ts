import { expect, test } from 'vitest'
import { newService, serviceInput } from '../admin/src/bookings/service-draft.ts'
import { moneyOptions, unitsOf } from '../admin/src/format/money.ts'
import { type BulkProduct, inputOf } from '../admin/src/products/bulk-changes.ts'
import { newOption, optionInput } from '../admin/src/settings/payment-option-draft.ts'

// As someone types them, as the API has them, and as the admin shows them.
const typed = [
  ['HUF', 1999, 199_900, 'HUF\u00a01,999.00'],
  ['ISK', 1999, 1999, 'ISK\u00a01,999'],
  ['JPY', 1999, 1999, '¥1,999'],
  ['KWD', 5.124, 5124, 'KWD\u00a05.124'],
  ['USD', 19.99, 1999, '$19.99'],
] as const

test.each(typed)('an amount of %s that is typed as %d is %d minor units, and shown as %s', (...row) => {
  const [currency, amount, minor, shown] = row
  const format = new Intl.NumberFormat('en-US', moneyOptions(currency))
  expect(format.format(minor / unitsOf(currency))).toBe(shown)
  const product = { currency, price: 1, compareAtPrice: null } as BulkProduct
  expect(inputOf({ product, row: { price: amount } })).toMatchObject({ price: minor })
  const service = { ...newService, price: amount }
  expect(serviceInput(service, currency, unitsOf(currency))).toMatchObject({ price: minor })
  const option = { ...newOption('INVOICE', 'Invoice'), minAmount: amount }
  expect(optionInput(option, [], { currency, unitsOf })).toMatchObject({ minAmount: minor })
})
