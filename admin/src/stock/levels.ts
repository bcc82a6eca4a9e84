import type { StockLevelsQuery } from '../generated/operations.ts'

export interface Level {
  readonly sku: string
  readonly name: string
  readonly productId: string
  readonly available: number
  readonly reserved: number
}

type Listed = StockLevelsQuery['products']['nodes'][number]

/** What a warehouse has of each SKU: of the variants where there are some, and of the product otherwise. */
export const levelsOf = (products: readonly Listed[], warehouseId: string): readonly Level[] =>
  products.flatMap(({ id, name, sku, inventory, variants }) => {
    const own = { sku, name, inventory }
    const stocked =
      variants.length === 0
        ? [own]
        : variants.map((variant) => ({
            sku: variant.sku,
            name: `${name} (${variant.options.map(({ value }) => value).join(' / ')})`,
            inventory: variant.inventory,
          }))
    return stocked.map((each) => {
      const there = each.inventory?.warehouses.find((place) => place.warehouseId === warehouseId)
      return {
        sku: each.sku,
        name: each.name,
        productId: id,
        available: there?.available ?? 0,
        reserved: there?.reserved ?? 0,
      }
    })
  })

/** What was counted of a SKU in a warehouse, when it had the level that is shown beside it. It is kept when the SKU isn't listed any more. */
export interface Count {
  readonly warehouseId: string
  readonly sku: string
  readonly available: number
  readonly counted: number
}

export interface Correction {
  readonly warehouseId: string
  readonly sku: string
  readonly delta: number
}

/** By warehouse and SKU. */
export type Counts = ReadonlyMap<string, Count>

export const countKey = ({ warehouseId, sku }: Pick<Count, 'warehouseId' | 'sku'>): string =>
  `${warehouseId} ${sku}`

/** With another count. One that is what there should be, or no number, is none. */
export function withCount(counts: Counts, count: Count): Counts {
  const next = new Map(counts)
  if (Number.isNaN(count.counted) || count.counted === count.available) next.delete(countKey(count))
  else next.set(countKey(count), count)
  return next
}

/** What is left to send after a save: what was refused, and what was counted again meanwhile. */
export function withoutCounts(counts: Counts, saved: readonly Count[]): Counts {
  let left = counts
  for (const before of saved) {
    const count = counts.get(countKey(before))
    if (count === undefined) continue
    // It was counted again beside the level of before the save.
    const available = count.available === before.available ? before.counted : count.available
    left = withCount(left, { ...count, available })
  }
  return left
}

/** What a count puts right, as a difference: whatever was sold or came in since it was counted stays as it is. */
export const correctionOf = ({ warehouseId, sku, available, counted }: Count): Correction => ({
  warehouseId,
  sku,
  delta: counted - available,
})
