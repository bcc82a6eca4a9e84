import { listFault, textFault } from '@commerce-graph/contract/input'
import { z } from 'zod'
import { mostEntries, numberBounds, textBounds } from './contract-bounds.ts'
import { levelsOf } from './category-path.ts'
import { addFault, boundedText, currency, list, money, slug, text, url, wholeNumber } from './values.ts'

/** Levels from the root, parted by `>`; each becomes a category of that name. */
const categoryPath = z.string().superRefine((path, context) => {
  const levels = levelsOf(path)
  if (levels.length === 0) addFault(context, { kind: 'required' })
  for (const level of levels) addFault(context, textFault(level, textBounds('CreateCategoryInput.name')))
})

const variant = z.strictObject({
  sku: text(textBounds('CreateProductInput.sku')),
  price: money.min(1).optional(),
  compareAtPrice: money.min(1).optional(),
  /** Option names and values, e.g. `{ "Size": "M" }`. */
  options: z
    .record(text(textBounds('VariantOptionInput.name')), text(textBounds('VariantOptionInput.value')))
    .superRefine((options, context) => {
      addFault(context, listFault(Object.keys(options).length, 0, mostEntries('ProductVariantInput.options')))
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
    alt: boundedText(textBounds('ProductImageInput.alt')).optional(),
    width: between(numberBounds('ProductImageInput.width')).optional(),
    height: between(numberBounds('ProductImageInput.height')).optional(),
  }),
)

const review = z.strictObject({
  authorName: text(textBounds('CreateReviewInput.authorName')),
  rating: between(numberBounds('CreateReviewInput.rating')),
  title: boundedText(textBounds('CreateReviewInput.title')).optional(),
  body: boundedText(textBounds('CreateReviewInput.body')).optional(),
  status: z.enum(['PENDING', 'APPROVED', 'REJECTED']).optional(),
})

const level = between(numberBounds('SetInventoryLevelInput.available'))

/** Units in the first warehouse, or units by warehouse code. */
const stock = z.union([level, z.record(z.string().trim().min(1), level)], {
  error: 'must be a whole number of units, or an object of warehouse codes and units',
})

const product = z.strictObject({
  type: z.literal('product').optional(),
  sku: text(textBounds('CreateProductInput.sku')),
  name: text(textBounds('CreateProductInput.name')),
  description: boundedText(textBounds('CreateProductInput.description')).optional(),
  price: money.min(1),
  currency,
  compareAtPrice: money.min(1).optional(),
  costPerItem: money.min(0).optional(),
  status: z.enum(['DRAFT', 'ACTIVE', 'ARCHIVED']).optional(),
  featured: z.boolean().optional(),
  slug: slug.optional(),
  tags: list(text(textBounds('CreateProductInput.tags')), mostEntries('CreateProductInput.tags')).optional(),
  /** Paths from the root, levels parted by ` > `. */
  categories: list(categoryPath, mostEntries('CreateProductInput.categoryIds')).optional(),
  images: list(image, mostEntries('CreateProductInput.images')).optional(),
  variants: list(variant, mostEntries('CreateProductInput.variants')).optional(),
  stock: stock.optional(),
  reviews: z.array(review).optional(),
  seoTitle: boundedText(textBounds('CreateProductInput.seoTitle')).optional(),
  seoDescription: boundedText(textBounds('CreateProductInput.seoDescription')).optional(),
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
