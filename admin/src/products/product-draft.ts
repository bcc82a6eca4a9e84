import { unitsOf } from '../format/money.ts'
import type { ProductStatus, UpdateProductInput } from '../generated/operations.ts'
import type { Product } from './product-page.tsx'
import { valuesOf } from './variant-options.ts'

/** The values of the form, as one types them. */
export interface ProductDraft {
  readonly name: string
  readonly description: string
  readonly price: number
  /** NaN: there is none. */
  readonly compareAtPrice: number
  readonly status: ProductStatus
  readonly slug: string
  readonly tags: string
  readonly categoryIds: readonly string[]
  readonly seoTitle: string
  readonly seoDescription: string
}

/** The fields at which the server's errors are shown. */
export const draftFields = [
  'name',
  'description',
  'price',
  'compareAtPrice',
  'status',
  'slug',
  'tags',
  'seoTitle',
  'seoDescription',
]

export const draftOf = (product: Product): ProductDraft => ({
  name: product.name,
  description: product.description ?? '',
  price: product.price / unitsOf(product.currency),
  compareAtPrice:
    product.compareAtPrice === null ? Number.NaN : product.compareAtPrice / unitsOf(product.currency),
  status: product.status,
  slug: product.slug,
  tags: product.tags.join(', '),
  categoryIds: product.categories.map(({ id }) => id),
  seoTitle: product.seoTitle ?? '',
  seoDescription: product.seoDescription ?? '',
})

/** What is sent of the fields that were changed. */
export function inputOf(changed: Partial<ProductDraft>, currency: string): UpdateProductInput {
  const { price, compareAtPrice, tags, ...others } = changed
  const minor = (amount: number) => Math.round(amount * unitsOf(currency))
  return {
    ...others,
    ...(price !== undefined && !Number.isNaN(price) && { price: minor(price) }),
    ...(compareAtPrice !== undefined && {
      compareAtPrice: Number.isNaN(compareAtPrice) ? null : minor(compareAtPrice),
    }),
    ...(tags !== undefined && { tags: valuesOf(tags) }),
  }
}
