import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRow } from '../../src/input/row.ts'
import { convert } from './convert.ts'
import { minorUnits } from './minor-units.ts'

describe('an amount of dollars', () => {
  test('becomes exactly its cents for any float', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (cents) => {
        const text = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
        expect(minorUnits(Number(text))).toBe(cents)
      }),
    )
  })

  test.each([
    [9.99, 999],
    [64.5, 6450],
    [1899, 189900],
    [0.07, 7],
    [1.1, 110],
    [36999.99, 3699999],
  ])('%s is %i cents', (dollars, cents) => {
    expect(minorUnits(dollars)).toBe(cents)
  })

  test.each([9.999, -1, 1e21, NaN, Infinity, 1e-7])('%s is refused', (amount) => {
    expect(() => minorUnits(amount)).toThrow(RangeError)
  })
})

describe('files in the form of DummyJSON', () => {
  const fixture = (name: string) => readFile(join(import.meta.dirname, 'fixture', name), 'utf8')

  test('become rows that the importer accepts', async () => {
    const rows = [...convert(await fixture('products.json')), ...convert(await fixture('customers.json'))]
    const parsed = rows.map((value, index) =>
      parseRow({ location: { file: 'x', line: index, index }, kind: undefined, value }),
    )
    expect(parsed.map((one) => (one.kind === 'row' ? one.row.kind : one.refused.problems))).toEqual([
      'product',
      'product',
      'product',
      'customer',
      'customer',
    ])
    expect(rows[0]).toMatchObject({
      name: 'Harbour Lantern',
      price: 1999,
      stock: 7,
      categories: ['home-decoration'],
    })
    expect(rows[4]).toMatchObject({ name: 'Bo Lindahl', addresses: [{ city: 'Visby' }] })
  })
})
