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

const isSame = (one: unknown, other: unknown): boolean =>
  Object.is(one, other) || JSON.stringify(one) === JSON.stringify(other)

/** What differs from what was loaded: nothing else is sent, so nobody's change to another field is undone. */
export function changesOf(draft: ProductDraft, loaded: Product): UpdateProductInput {
  const before = draftOf(loaded)
  const changed = (name: keyof ProductDraft) => !isSame(draft[name], before[name])
  const minor = (amount: number) => Math.round(amount * unitsOf(loaded.currency))
  return {
    ...(changed('name') && { name: draft.name }),
    ...(changed('description') && { description: draft.description }),
    ...(changed('price') && !Number.isNaN(draft.price) && { price: minor(draft.price) }),
    ...(changed('compareAtPrice') && {
      compareAtPrice: Number.isNaN(draft.compareAtPrice) ? null : minor(draft.compareAtPrice),
    }),
    ...(changed('status') && { status: draft.status }),
    ...(changed('slug') && { slug: draft.slug }),
    ...(changed('tags') && { tags: valuesOf(draft.tags) }),
    ...(changed('categoryIds') && { categoryIds: draft.categoryIds }),
    ...(changed('seoTitle') && { seoTitle: draft.seoTitle }),
    ...(changed('seoDescription') && { seoDescription: draft.seoDescription }),
  }
}
