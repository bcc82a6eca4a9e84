import { expect, test } from 'vitest'
import { accountInput, taxRateFormat } from '../admin/src/settings/shop-input.ts'

test.each([
  [0.08875, '8.875%'],
  [0.123456, '12.3456%'],
  [0.2, '20%'],
])('a tax of %s is shown as %s, with all digits that are kept', (rate, shown) => {
  expect(new Intl.NumberFormat('en-US', taxRateFormat).format(rate)).toBe(shown)
})

test('what is emptied of a shop’s account is taken away, and nothing is sent that wasn’t changed', () => {
  expect(accountInput({ country: '', phone: '', website: '' })).toEqual({
    country: null,
    phone: null,
    website: null,
  })
  expect(accountInput({ country: 'AT' })).toEqual({ country: 'AT' })
  // The API says at the field that a shop has a name.
  expect(accountInput({ name: '' })).toEqual({ name: '' })
})
