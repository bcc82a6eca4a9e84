import { describe, expect, test } from 'vitest'
import {
  type BulkEdits,
  type BulkProduct,
  inputOf,
  renewedEdits,
  withEdit,
  withoutSaved,
} from '../admin/src/products/bulk-changes.ts'
import {
  correctionOf,
  type Count,
  countKey,
  type Counts,
  withCount,
  withoutCounts,
} from '../admin/src/stock/levels.ts'

const product = (id: string): BulkProduct => ({
  id,
  name: id,
  sku: id,
  price: 1_000,
  compareAtPrice: null,
  currency: 'USD',
  status: 'ACTIVE',
})
const [tent, lamp] = [product('tent'), product('lamp')]
const none: BulkEdits = new Map()
const inputsOf = (edits: BulkEdits) => [...edits.values()].map(inputOf)

describe('the table of many products in /admin', () => {
  test('sends what was typed of a product that isn’t listed any more', () => {
    const edits = withEdit(withEdit(none, tent, { price: 12 }), lamp, { name: 'Lantern' })
    expect(inputsOf(renewedEdits(edits, [lamp]))).toEqual([
      { id: 'tent', price: 1_200 },
      { id: 'lamp', name: 'Lantern' },
    ])
  })

  test('compares with a listed product as it is now', () => {
    const edits = withEdit(none, tent, { price: 12 })
    expect(inputsOf(renewedEdits(edits, [{ ...tent, price: 1_200 }]))).toEqual([null])
  })

  test('keeps what was typed while it was saved, and what was refused', () => {
    const sent = withEdit(withEdit(none, tent, { price: 12, name: 'Big tent' }), lamp, { name: 'a' })
    const meanwhile = withEdit(sent, tent, { price: 13 })
    const left = withoutSaved(meanwhile, sent, new Set(['tent']))
    expect([...left].map(([id, { row }]) => [id, row])).toEqual([
      ['tent', { price: 13 }],
      ['lamp', { name: 'a' }],
    ])
    expect(withoutSaved(sent, sent, new Set(['tent', 'lamp'])).size).toBe(0)
  })
})

describe('counted stock in /admin', () => {
  const count = (counted: number, part: Partial<Count> = {}): Count => ({
    warehouseId: 'bend',
    sku: 'TENT',
    available: 12,
    counted,
    ...part,
  })
  const counts = (...all: readonly Count[]) => all.reduce<Counts>(withCount, new Map())

  test('is kept for each warehouse', () => {
    expect(counts(count(9), count(7, { warehouseId: 'asheville' })).size).toBe(2)
  })

  test('is nothing to save when it is what there should be', () => {
    expect(counts(count(9), count(12)).size).toBe(0)
    expect(counts(count(9), count(Number.NaN)).size).toBe(0)
  })

  test('is saved as the difference from what there was when it was counted', () => {
    expect(correctionOf(count(9))).toEqual({ warehouseId: 'bend', sku: 'TENT', delta: -3 })
  })

  test('is left to save when it was refused', () => {
    const [saved, refused] = [count(9), count(7, { sku: 'LAMP' })]
    expect([...withoutCounts(counts(saved, refused), [saved]).values()]).toEqual([refused])
  })

  test('is the difference from what was saved when it was counted again meanwhile', () => {
    const saved = count(9)
    const beside = (available: number) => {
      const again = withoutCounts(counts(saved, count(8, { available })), [saved])
      return again.get(countKey(saved))
    }
    // Beside the level of before the save, and beside the one after it.
    expect(beside(12)).toEqual(count(8, { available: 9 }))
    expect(beside(9)).toEqual(count(8, { available: 9 }))
  })
})
