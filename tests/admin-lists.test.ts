import { describe, expect, test } from 'vitest'
import { applyMoves, movesFor, undoOf } from '../admin/src/categories/category-tree.ts'
import { movedBack, movedTo, putBack } from '../admin/src/products/image-list.ts'
import {
  combinations,
  missingCombinations,
  skuFor,
  valuesOf,
  variantInput,
} from '../admin/src/products/variant-options.ts'

const below = (parent: string | null) => (parent === null ? null : { id: parent })
const tree = (['a', null, 'b', null, 'c', 'b', 'd', 'b', 'e', 'd'] as const)
  .map((_each, index, all) => ({ id: all[index] ?? '', name: '', parent: below(all[index + 1] ?? null) }))
  .filter((_each, index) => index % 2 === 0)

describe('a moved category', () => {
  test('has its siblings numbered, in the order that is shown', () => {
    expect(movesFor(tree, 'c', { key: 'd', place: 'after' })).toEqual([
      { id: 'd', parentId: 'b', position: 0 },
      { id: 'c', parentId: 'b', position: 1 },
    ])
    expect(movesFor(tree, 'e', { key: 'a', place: 'before' })).toEqual([
      { id: 'e', parentId: null, position: 0 },
      { id: 'a', parentId: null, position: 1 },
      { id: 'b', parentId: null, position: 2 },
    ])
    expect(movesFor(tree, 'a', { key: 'b', place: 'on' })).toEqual([
      { id: 'c', parentId: 'b', position: 0 },
      { id: 'd', parentId: 'b', position: 1 },
      { id: 'a', parentId: 'b', position: 2 },
    ])
  })

  test('is never put into itself', () => {
    for (const key of ['b', 'c', 'e']) expect(movesFor(tree, 'b', { key, place: 'on' })).toEqual([])
  })

  test('goes back to where it was', () => {
    const moved = applyMoves(tree, movesFor(tree, 'c', { key: 'a', place: 'on' }))
    const back = applyMoves(moved, undoOf(tree, 'c'))
    const placeOf = (items: typeof tree) =>
      items.filter(({ parent }) => parent?.id === 'b').map(({ id }) => id)
    expect(placeOf([...moved])).toEqual(['d'])
    expect(placeOf([...back])).toEqual(['c', 'd'])
  })
})

describe('pictures', () => {
  test('are moved before and after another one, several in their order', () => {
    const moved = (keys: readonly string[], key: string, after: boolean) =>
      movedTo(['a', 'b', 'c', 'd'], (each) => each, new Set(keys), { key, after }).join('')
    expect(moved(['d'], 'a', false)).toBe('dabc')
    expect(moved(['a', 'c'], 'd', true)).toBe('bdac')
    expect(moved(['a'], 'gone', true)).toBe('abcd')
  })

  const pictures = (urls: string, alt: string | null = null) =>
    urls.split('').map((url) => ({ url, alt, width: null, height: null }))
  const urlsOf = (images: readonly { readonly url: string }[]) => images.map(({ url }) => url).join('')
  const before = pictures('abcd')

  test('that were removed come back to their place in the list as it is by then', () => {
    const back = (now: string, removed: number) => {
      const image = before[removed]
      return image === undefined ? '' : urlsOf(putBack(pictures(now), before, image))
    }
    expect(back('abd', 2)).toBe('abcd')
    expect(back('bcdx', 0)).toBe('abcdx')
    expect(back('xadb', 2)).toBe('xadbc')
    expect(back('xy', 3)).toBe('dxy')
  })

  test('that were moved go back without what others did to the list since', () => {
    const [a, , c] = before
    if (a === undefined || c === undefined) throw new Error('there are four')
    expect(urlsOf(movedBack(pictures('bcda'), before, [a]))).toBe('abcd')
    expect(urlsOf(movedBack(pictures('bdacx'), before, [a, c]))).toBe('abcdx')
    expect(urlsOf(movedBack(pictures('bd'), before, [a]))).toBe('bd')
    expect(movedBack(pictures('ba', 'described'), before, [a])[0]?.alt).toBe('described')
  })
})

describe('variants', () => {
  test('are all combinations that are not there yet', () => {
    const all = combinations([
      { name: ' Size ', values: valuesOf('S, M,, S') },
      { name: 'Color', values: valuesOf('Dark sand') },
      { name: '', values: ['left out'] },
    ])
    expect(all.map((each) => each.map(({ name, value }) => `${name} ${value}`).join(', '))).toEqual([
      'Size S, Color Dark sand',
      'Size M, Color Dark sand',
    ])
    const there = [
      {
        options: [
          { name: 'color', value: 'dark Sand' },
          { name: 'size', value: 's' },
        ],
      },
    ]
    expect(missingCombinations(all, there)).toEqual([all[1]])
    expect(combinations([])).toEqual([])
  })

  test('have only those of their fields sent that were typed', () => {
    expect(variantInput({ sku: 'TENT-S' }, 100)).toEqual({ sku: 'TENT-S' })
    expect(variantInput({ price: 19.99 }, 100)).toEqual({ price: 1_999 })
    expect(variantInput({ price: Number.NaN }, 100)).toEqual({})
  })

  test('have SKUs of letters that every label printer knows', () => {
    expect(skuFor('TENT', [{ name: 'Farbe', value: 'Größe grün' }])).toBe('TENT-GROSSE-GRUN')
  })
})
