import { expect, test } from 'vitest'
import { countryCode, countryFault, currencyFault, inputError, phoneFault, textFault } from './index.ts'

test.each([
  ['US', 'US'],
  ['us', 'US'],
  [' de ', 'DE'],
  ['USA', 'US'],
  ['gbr', 'GB'],
  ['United States', 'US'],
  ['united kingdom', 'GB'],
  ['Germany', 'DE'],
])('the country %j is %s', (given, code) => {
  expect(countryCode(given)).toBe(code)
  expect(countryFault(given)).toBeNull()
})

test.each(['Narnia', 'XX', 'ZZ', 'D E', 'Blah', 'EU', 'UN', '1', '276'])(
  'the country %j is refused, with the valid form',
  (given) => {
    expect(inputError('address.country', countryFault(given) ?? { kind: 'required' })).toEqual({
      field: 'address.country',
      message:
        'Field address.country has invalid format. Expected: ISO 3166-1 alpha-2 country code, for example US',
      code: 'INVALID_FORMAT',
    })
  },
)

test('a currency is an ISO 4217 code in capitals', () => {
  expect(['USD', 'EUR', 'JPY', 'KWD'].map(currencyFault)).toEqual([null, null, null, null])
  expect(['ZZZ', 'usd', 'US', 'ABC', ' USD'].map((code) => currencyFault(code)?.kind)).toEqual(
    Array(5).fill('format'),
  )
  expect(currencyFault(' ')).toEqual({ kind: 'required' })
})

test.each([
  '(503) 555-9573',
  '503.555.9573 x12',
  '+1 (503) 555-9573 ext. 5',
  '+49 30 123456',
  '+44 20 5550 105',
  '030-0074321',
  '(5) 555-4729',
  '0621-08460',
  '00 49 30 123456',
])('%j is accepted as a phone number', (given) => {
  expect(phoneFault(given)).toBeNull()
})

test.each(['none', '12', '+1 503', '+999 12345678', '12345678901234567890', 'call 5035559573', '+'])(
  '%j is no phone number',
  (given) => {
    expect(phoneFault(given)?.kind).toBe('format')
  },
)

test('lengths are counted in code points', () => {
  expect(textFault('😀'.repeat(200), { lines: 'one', min: 1, max: 200 })).toBeNull()
  expect(textFault('😀'.repeat(201), { lines: 'one', min: 1, max: 200 })).toEqual({
    kind: 'range',
    value: 'of 201 characters',
    min: 1,
    max: 200,
  })
})

test('text that would be stored changed is refused', () => {
  for (const text of ['A\ud800B', 'A\0B']) {
    expect(textFault(text, { lines: 'one', min: 1, max: 200 })?.kind).toBe('format')
    expect(textFault(text, { lines: 'any', min: 0, max: 200 })?.kind).toBe('format')
  }
})
