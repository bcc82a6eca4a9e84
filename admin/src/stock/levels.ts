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

export interface Counted extends Level {
  readonly counted: number
}

/** The SKUs of which something else was counted than there should be. */
export const differences = (
  levels: readonly Level[],
  counts: ReadonlyMap<string, number>,
): readonly Counted[] =>
  levels.flatMap((level) => {
    const counted = counts.get(level.sku)
    return counted === undefined || Number.isNaN(counted) || counted === level.available
      ? []
      : [{ ...level, counted }]
  })
