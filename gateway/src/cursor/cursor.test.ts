import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeCursor, encodeCursor } from './cursor.ts'

test('a decoded cursor equals its input, and a cursor is safe in a URL', () => {
  const cursor = fc.record({
    sort: fc.constantFrom('Product.NAME', 'Order.TOTAL'),
    value: fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.maxSafeInteger()),
    id: fc.uuid(),
  })
  fc.assert(
    fc.property(cursor, (original) => {
      const text = encodeCursor(original)
      expect(text).toMatch(/^[\w-]+$/)
      expect(decodeCursor(text)).toEqual(original)
    }),
  )
})

test('any text that is no cursor is refused', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => decodeCursor(text) === undefined))
  const made = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url')
  for (const parts of [
    {},
    [],
    [0, 'Product.NAME', 'x', 'id'],
    [2, 'Product.NAME', 'x', 'id'],
    [1, 'Product.NAME', null, 'id'],
    [1, 'Product.NAME', { x: 1 }, 'id'],
    [1, 'Product.NAME', 'x', 7],
    [1, 'Product.NAME', 'x', 'id', 'more'],
  ])
    expect(decodeCursor(made(parts))).toBeUndefined()
  expect(decodeCursor(made([1, 'Product.NAME', 'x'.repeat(10_000), 'id']))).toBeUndefined()
})
