import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cardNumberFields } from './card-number-fields.ts'
import { holdsCardNumber } from './card-number.ts'

/** The digit with which a number passes Luhn's test, found by trying all ten. */
function withCheckDigit(digits: string): string {
  for (let last = 0; last < 10; last += 1) {
    const number = `${digits}${last}`
    let sum = 0
    for (let place = 0; place < number.length; place += 1) {
      const digit = Number(number[number.length - 1 - place])
      sum += place % 2 === 0 ? digit : Math.floor((digit * 2) / 10) + ((digit * 2) % 10)
    }
    if (sum % 10 === 0) return number
  }
  throw new Error('no digit will do')
}

const digits = (minLength: number, maxLength: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength, maxLength })
    .map((list) => list.join(''))
    .filter((text) => /[1-9]/.test(text))

/** Of 14 digits and more, so that none is a barcode by chance. */
const cardNumber = digits(13, 18).map(withCheckDigit)
const separators = fc.array(fc.constantFrom('', '', ' ', '-', '\u00a0', '\u2013'), {
  minLength: 19,
  maxLength: 19,
})
const words = fc.constantFrom('', 'my card: ', 'visa ', '(', 'x', 'line one\n')

describe('a card’s number', () => {
  test('is found with any separators and among any words', () => {
    fc.assert(
      fc.property(cardNumber, separators, words, words, (number, gaps, before, after) => {
        const written = Array.from(number)
          .map((digit, index) => digit + (gaps[index] ?? ''))
          .join('')
        // A gap before the number would belong to the text before it.
        expect(holdsCardNumber(`${before}${written} ${after}`)).toBe(true)
      }),
    )
  })

  test('is not found in a number that fails Luhn’s test', () => {
    fc.assert(
      fc.property(cardNumber, fc.integer({ min: 1, max: 9 }), (number, more) => {
        const wrong = number.slice(0, -1) + String((Number(number.at(-1)) + more) % 10)
        expect(holdsCardNumber(`order ${wrong} of today`)).toBe(false)
      }),
    )
  })

  test.each([
    '4242424242424242',
    '4242 4242 4242 4242',
    '4242-4242-4242-4242 12/29 123',
    'pay with 3782 822463 10005, please',
    '6011111111111117',
    '30569309025904',
    '4222222222222',
    '6799990100000000019',
    '4242424242424242.',
    'pm_4242424242424242',
    '４２４２４２４２４２４２４２４２',
    '4242 4242 4242 4242',
    'DE03 1203 0000 0000 2020 51',
    'DE02 1203 0000 0000 2020 51 and 4242 4242 4242 4242',
  ])('is found in %s', (text) => {
    expect(holdsCardNumber(text)).toBe(true)
  })

  test.each([
    ['', 'nothing'],
    ['Leave it at the 3rd door, 12 steps up', 'words'],
    ['4006381333931', 'an EAN-13'],
    ['036000291452', 'a UPC-A'],
    ['01a1f000-0001-7000-8000-000000000001', 'a UUID'],
    ['2026-11-22 2026-11-30', 'two dates'],
    ['https://cdn.example.com/4242424242424242.jpg', 'a URL'],
    ['+49 30 1234567', 'a telephone number'],
    ['42424242424', 'eleven digits'],
    ['42424242424242424242', 'twenty digits'],
    ['e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 'a hash'],
    ['192.168.100.100', 'an address of the network'],
    ['Old Mill, IBAN DE02 1203 0000 0000 2020 51', 'an IBAN'],
    ['IBAN DE02 1203 0000 0000 2020 51 BIC BYLADEM1001', 'an IBAN before a word'],
    ['AT026000000001349870', 'an IBAN in one piece'],
    ['GB33 BUKB 2020 1555 5555 55 or ES79 2100 0813 6101 2345 6789 BANK', 'two IBANs'],
  ])('is not found in %s, %s', (text) => {
    expect(holdsCardNumber(text)).toBe(false)
  })

  test('is not found in ids and days', () => {
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.date({ min: new Date('1990-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
        (id, day) => {
          expect(holdsCardNumber(`See ${id}, from ${day.toISOString()}`)).toBe(false)
        },
      ),
    )
  })

  test('is searched in time linear in the text’s length', () => {
    for (const part of ['4', '1 ', '1-', 'a1', 'http://', '0000-'])
      expect(holdsCardNumber(part.repeat(100_000))).toBe(false)
  })
})

describe('the fields of an input', () => {
  const card = '4242 4242 4242 4242'

  test('are named as in errors', () => {
    const input = {
      notes: card,
      items: [
        { productId: '1', note: 'none' },
        { productId: '2', note: `card ${card}` },
      ],
      shippingAddress: { line1: card },
      tags: ['fine', card],
    }
    expect(cardNumberFields({ input, reason: card })).toEqual([
      'notes',
      'items.1.note',
      'shippingAddress.line1',
      'tags.1',
      'reason',
    ])
  })

  test('that hold numbers by definition are skipped, with everything in them', () => {
    const input = {
      sku: card,
      trackingNumber: card,
      phone: card,
      reference: card,
      images: [{ url: `https://cdn.example.com/${card}`, alt: card }],
      skus: [card],
      token: card,
    }
    expect(cardNumberFields({ input, password: card })).toEqual(['images.0.alt'])
  })
})
