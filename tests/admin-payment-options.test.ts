import { describe, expect, test } from 'vitest'
import {
  draftOf,
  newOption,
  optionChanges,
  optionInput,
  type PaymentOption,
  positionChanges,
} from '../admin/src/settings/payment-option-draft.ts'
import { movedBy } from '../admin/src/ui/moved-by.ts'

const shop = { currency: 'USD', unitsOf: (currency: string) => (currency === 'JPY' ? 1 : 100) }
const option = (given: Partial<PaymentOption>): PaymentOption => ({
  id: 'option',
  method: 'INVOICE',
  name: 'Invoice',
  instructions: null,
  enabled: true,
  position: 0,
  currencies: [],
  countries: [],
  minAmount: null,
  maxAmount: null,
  paymentMinutes: null,
  ...given,
})

describe('a way to pay', () => {
  test('is sent with codes in capitals, totals in the smallest unit, and null for what is empty', () => {
    const draft = {
      ...newOption('INVOICE', 'Invoice'),
      countries: 'de, at',
      maxAmount: 200,
      paymentMinutes: 60,
    }
    expect(optionInput(draft, [option({ position: 3 }), option({ position: 1 })], shop)).toEqual({
      method: 'INVOICE',
      name: 'Invoice',
      instructions: null,
      enabled: true,
      position: 4,
      currencies: [],
      countries: ['DE', 'AT'],
      minAmount: null,
      maxAmount: 20_000,
      paymentMinutes: 60,
    })
  })

  test('has minutes to wait only where an order waits for so long', () => {
    expect(
      optionInput({ ...newOption('CARD', 'Card'), paymentMinutes: 60 }, [], shop).paymentMinutes,
    ).toBeNull()
  })

  test('counts its totals in its only currency, and sends them again if that becomes another one', () => {
    const loaded = draftOf(option({ currencies: ['EUR'], minAmount: 1_050 }), shop)
    expect(loaded.minAmount).toBe(10.5)
    expect(optionChanges({ ...loaded, minAmount: 20 }, loaded, shop)).toEqual({ minAmount: 2_000 })
    expect(optionChanges({ ...loaded, minAmount: 20, currencies: 'jpy' }, loaded, shop)).toEqual({
      currencies: ['JPY'],
      minAmount: 20,
    })
    expect(optionChanges({ ...loaded, currencies: 'euros' }, loaded, shop)).toEqual({ currencies: ['EUROS'] })
  })

  test('sends what was changed alone', () => {
    const loaded = draftOf(option({ instructions: 'Pay', countries: ['DE'], paymentMinutes: 5 }), shop)
    expect(optionChanges(loaded, loaded, shop)).toEqual({})
    expect(optionChanges({ ...loaded, instructions: ' ', paymentMinutes: NaN }, loaded, shop)).toEqual({
      instructions: null,
      paymentMinutes: null,
    })
  })
})

test('a moved way to pay numbers those that stand elsewhere then', () => {
  const options = ['a', 'b', 'c'].map((id, position) => option({ id, position }))
  expect(positionChanges(movedBy(options, 1, 1))).toEqual([
    { id: 'c', position: 1 },
    { id: 'b', position: 2 },
  ])
  expect(movedBy(options, 0, -1)).toBe(options)
  expect(movedBy(options, 2, 1)).toBe(options)
})
