import type { Row } from './shop-table.ts'

/** A variant as other systems have it. A product without options has one. */
export interface ForeignVariant {
  readonly sku: string
  /** Minor units; NaN when there is none. */
  readonly price: number
  readonly compareAtPrice?: number | undefined
  readonly options: readonly { readonly name: string; readonly value: string }[]
  /** Available units; null when the other system doesn't count them. */
  readonly stock: number | null
}

/** A product's SKU, price, stock and variants. One variant without options is the product itself; others have a product's own SKU. */
export function variantsOfProduct(variants: readonly ForeignVariant[], ownSku: string): Row {
  const [first] = variants
  const isSingle = first === undefined || (variants.length === 1 && first.options.length === 0)
  if (isSingle) return first === undefined ? { sku: ownSku } : variantOf(first)
  const prices = variants.map(({ price }) => price).filter((price) => price > 0)
  return {
    sku: ownSku,
    ...(prices.length > 0 && { price: Math.min(...prices) }),
    variants: variants.map((variant) => ({ ...variantOf(variant), options: variant.options })),
  }
}

const variantOf = ({ sku, price, compareAtPrice, stock }: ForeignVariant): Row => ({
  sku,
  ...(!Number.isNaN(price) && { price }),
  ...(compareAtPrice !== undefined && compareAtPrice > price && { compareAtPrice }),
  ...(stock !== null && { stock: Math.max(0, Math.floor(stock)) }),
})
