import { listFault, textFault } from '@commerce-graph/contract/input'
import { z } from 'zod'
import { bounds } from './contract-bounds.ts'
import { levelsOf } from './category-path.ts'
import { addFault, boundedText, currency, list, money, slug, text, url, wholeNumber } from './values.ts'

/** Levels from the root, separated by `>`; each becomes a category of that name. */
const categoryPath = z.string().superRefine((path, context) => {
  const levels = levelsOf(path)
  if (levels.length === 0) addFault(context, { kind: 'required' })
  for (const level of levels) addFault(context, textFault(level, bounds.textOf('CreateCategoryInput.name')))
})

const variant = z.strictObject({
  sku: text(bounds.textOf('CreateProductInput.sku')),
  price: money.min(1).optional(),
  compareAtPrice: money.min(1).optional(),
  /** Option names and values, e.g. `{ "Size": "M" }`. */
  options: z
    .record(text(bounds.textOf('VariantOptionInput.name')), text(bounds.textOf('VariantOptionInput.value')))
    .superRefine((options, context) => {
      addFault(
        context,
        listFault(Object.keys(options).length, 0, bounds.mostEntriesOf('ProductVariantInput.options')),
      )
    })
    .optional(),
  stock: z.lazy(() => stock).optional(),
})

const between = ({ min, max }: { readonly min: number; readonly max: number }) =>
  wholeNumber.min(min).max(max)

const image = z.preprocess(
  (value) => (typeof value === 'string' ? { url: value } : value),
  z.strictObject({
    url,
    alt: boundedText(bounds.textOf('ProductImageInput.alt')).optional(),
    width: between(bounds.rangeOf('ProductImageInput.width')).optional(),
    height: between(bounds.rangeOf('ProductImageInput.height')).optional(),
  }),
)

const review = z.strictObject({
  authorName: text(bounds.textOf('CreateReviewInput.authorName')),
  rating: between(bounds.rangeOf('CreateReviewInput.rating')),
  title: boundedText(bounds.textOf('CreateReviewInput.title')).optional(),
  body: boundedText(bounds.textOf('CreateReviewInput.body')).optional(),
  status: z.enum(['PENDING', 'APPROVED', 'REJECTED']).optional(),
})

const level = between(bounds.rangeOf('SetInventoryLevelInput.available'))

/** Units in the first warehouse, or units by warehouse code. */
const stock = z.union([level, z.record(z.string().trim().min(1), level)], {
  error: 'must be a whole number of units, or an object of warehouse codes and units',
})

const product = z.strictObject({
  type: z.literal('product').optional(),
  sku: text(bounds.textOf('CreateProductInput.sku')),
  name: text(bounds.textOf('CreateProductInput.name')),
  description: boundedText(bounds.textOf('CreateProductInput.description')).optional(),
  price: money.min(1),
  currency,
  compareAtPrice: money.min(1).optional(),
  costPerItem: money.min(0).optional(),
  status: z.enum(['DRAFT', 'ACTIVE', 'ARCHIVED']).optional(),
  featured: z.boolean().optional(),
  slug: slug.optional(),
  tags: list(
    text(bounds.textOf('CreateProductInput.tags')),
    bounds.mostEntriesOf('CreateProductInput.tags'),
  ).optional(),
  /** Paths from the root, levels separated by ` > `. */
  categories: list(categoryPath, bounds.mostEntriesOf('CreateProductInput.categoryIds')).optional(),
  images: list(image, bounds.mostEntriesOf('CreateProductInput.images')).optional(),
  variants: list(variant, bounds.mostEntriesOf('CreateProductInput.variants')).optional(),
  stock: stock.optional(),
  reviews: z.array(review).optional(),
  seoTitle: boundedText(bounds.textOf('CreateProductInput.seoTitle')).optional(),
  seoDescription: boundedText(bounds.textOf('CreateProductInput.seoDescription')).optional(),
})

const hasUnits = (stock: StockLevels): boolean =>
  typeof stock === 'number' ? stock > 0 : Object.values(stock).some((units) => units > 0)

export const productRow = product.refine(
  ({ stock = 0, variants = [] }) => variants.length === 0 || !hasUnits(stock),
  { path: ['stock'], error: 'must be that of the variants: a product that has any has no stock of its own' },
)

export type ProductRow = z.infer<typeof productRow>
export type ReviewRow = z.infer<typeof review>
export type StockLevels = z.infer<typeof stock>
