import { describe, expect, test } from 'vitest'
import { parseRow, type Problem, type RowKind } from './row.ts'

const location = { file: 'shop.jsonl', line: 3, index: 2 }
const product = { sku: 'A-1', name: 'A tent', price: 999, currency: 'USD' }
const customer = { email: 'ann@example.com', name: 'Ann' }
const place = { line1: '1', city: 'Bend', state: 'OR', postalCode: '97701', country: 'USA' }

function problemsOf(value: unknown, kind: RowKind | undefined = 'product'): readonly Problem[] {
  const parsed = parseRow({ location, kind, value })
  return parsed.kind === 'refused' ? parsed.refused.problems : []
}

describe('a row', () => {
  test('of either kind is accepted with its required fields', () => {
    expect(parseRow({ location, kind: undefined, value: { type: 'product', ...product } })).toEqual({
      kind: 'row',
      row: { kind: 'product', location, value: { type: 'product', ...product } },
    })
    expect(parseRow({ location, kind: 'customer', value: customer })).toMatchObject({
      kind: 'row',
      row: { kind: 'customer' },
    })
  })

  test('is refused with every invalid field, not only the first', () => {
    expect(
      problemsOf({
        name: 'ab',
        price: 9.99,
        currency: 'usd',
        colour: 'red',
        reviews: [{ authorName: '', rating: 6 }],
      }),
    ).toEqual([
      { field: 'sku', message: expect.any(String) as string, code: 'REQUIRED_FIELD' },
      { field: 'name', message: expect.any(String) as string, code: 'OUT_OF_RANGE' },
      {
        field: 'price',
        message: 'must be a whole number of minor units (9.99 dollars are 999)',
        code: 'INVALID_VALUE',
      },
      {
        field: 'currency',
        message: 'Field currency has invalid format. Expected: ISO 4217 currency code, for example USD',
        code: 'INVALID_FORMAT',
      },
      { field: 'reviews.0.authorName', message: expect.any(String) as string, code: 'REQUIRED_FIELD' },
      { field: 'reviews.0.rating', message: expect.any(String) as string, code: 'OUT_OF_RANGE' },
      { field: 'colour', message: 'there is no such field', code: 'INVALID_VALUE' },
    ])
  })

  test.each([
    [{ ...product, price: 0 }, 'price', 'OUT_OF_RANGE'],
    [{ ...product, price: -1 }, 'price', 'OUT_OF_RANGE'],
    [{ ...product, price: 2 ** 53 }, 'price', 'OUT_OF_RANGE'],
    [{ ...product, price: '999' }, 'price', 'INVALID_VALUE'],
    [{ ...product, name: '   ' }, 'name', 'REQUIRED_FIELD'],
    [{ ...product, stock: -1 }, 'stock', 'OUT_OF_RANGE'],
    [{ ...product, stock: { BEND: 1.5 } }, 'stock', 'INVALID_VALUE'],
    [{ ...product, stock: 1, variants: [{ sku: 'A-1-M' }] }, 'stock', 'INVALID_VALUE'],
    [{ ...product, stock: { BEND: 1 }, variants: [{ sku: 'A-1-M' }] }, 'stock', 'INVALID_VALUE'],
    [
      { ...product, images: [{ url: 'https://example.com/a.jpg', width: 0 }] },
      'images.0.width',
      'OUT_OF_RANGE',
    ],
    [{ ...product, images: ['ftp://example.com/a.jpg'] }, 'images.0.url', 'INVALID_FORMAT'],
    [{ ...product, status: 'SOLD' }, 'status', 'INVALID_VALUE'],
    [{ ...product, variants: [{ sku: '' }] }, 'variants.0.sku', 'REQUIRED_FIELD'],
    [{ ...product, currency: 'ZZZ' }, 'currency', 'INVALID_FORMAT'],
    [{ ...product, description: 'card 4242 4242 4242 4242' }, 'description', 'INVALID_VALUE'],
    [{ ...product, variants: [{ sku: 'A-1' }] }, 'variants.0.sku', 'ALREADY_EXISTS'],
    [{ ...product, categories: ['x'.repeat(201)] }, 'categories.0', 'OUT_OF_RANGE'],
    [{ ...product, images: ['https://shop:secret@example.com/a.jpg'] }, 'images.0.url', 'INVALID_FORMAT'],
  ])('%j is refused at %s with %s', (value, field, code) => {
    expect(problemsOf(value)).toMatchObject([{ field, code }])
  })

  test('accepts a price above 2^31', () => {
    expect(problemsOf({ ...product, price: 2 ** 40 })).toEqual([])
  })

  test.each([
    [{ ...customer, email: 'ann' }, 'email', 'INVALID_FORMAT'],
    [{ ...customer, phone: 'none' }, 'phone', 'INVALID_FORMAT'],
    [{ ...customer, addresses: [{ ...place, state: '' }] }, 'addresses.0.state', 'REQUIRED_FIELD'],
    [{ ...customer, addresses: [{ ...place, country: 'Narnia' }] }, 'addresses.0.country', 'INVALID_FORMAT'],
    [{ ...customer, addresses: [{ line1: 'x' }] }, 'addresses.0.city', 'REQUIRED_FIELD'],
  ])('of a customer %j is refused at %s with %s', (value, field, code) => {
    expect(problemsOf(value, 'customer')[0]).toMatchObject({ field, code })
  })

  test.each([null, 5, 'text', [], {}, { type: 'order' }])('that is %j is refused for its type', (value) => {
    const parsed = parseRow({ location, kind: undefined, value })
    expect(parsed).toMatchObject({ kind: 'refused', refused: { problems: [{ field: 'type' }] } })
  })
})
