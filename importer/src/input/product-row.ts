import {
  categoryName,
  listBounds,
  listFault,
  maxQuantity,
  productTexts,
  reviewTexts,
  textFault,
} from '@commerce-graph/contract/input'
import { z } from 'zod'
import { levelsOf } from './category-path.ts'
import { addFault, boundedText, currency, list, money, slug, text, url, wholeNumber } from './values.ts'

/** Levels from the root, parted by `>`; each becomes a category of that name. */
const categoryPath = z.string().superRefine((path, context) => {
  const levels = levelsOf(path)
  if (levels.length === 0) addFault(context, { kind: 'required' })
  for (const level of levels) addFault(context, textFault(level, categoryName))
})

const variant = z.strictObject({
  sku: text(productTexts.sku),
  price: money.min(1).optional(),
  compareAtPrice: money.min(1).optional(),
  /** Option names and values, e.g. `{ "Size": "M" }`. */
  options: z
    .record(text(productTexts.optionName), text(productTexts.optionValue))
    .superRefine((options, context) => {
      addFault(context, listFault(Object.keys(options).length, 0, listBounds.options))
    })
    .optional(),
  stock: z.lazy(() => stock).optional(),
})

const imageSide = wholeNumber.min(1).max(100_000)
const image = z.preprocess(
  (value) => (typeof value === 'string' ? { url: value } : value),
  z.strictObject({
    url,
    alt: boundedText(productTexts.imageAlt).optional(),
    width: imageSide.optional(),
    height: imageSide.optional(),
  }),
)

const review = z.strictObject({
  authorName: text(reviewTexts.authorName),
  rating: wholeNumber.min(1).max(5),
  title: boundedText(reviewTexts.title).optional(),
  body: boundedText(reviewTexts.body).optional(),
  status: z.enum(['PENDING', 'APPROVED', 'REJECTED']).optional(),
})

const level = wholeNumber.min(0).max(maxQuantity)

/** Units in the first warehouse, or units by warehouse code. */
const stock = z.union([level, z.record(z.string().trim().min(1), level)], {
  error: 'must be a whole number of units, or an object of warehouse codes and units',
})

const product = z.strictObject({
  type: z.literal('product').optional(),
  sku: text(productTexts.sku),
  name: text(productTexts.name),
  description: boundedText(productTexts.description).optional(),
  price: money.min(1),
  currency,
  compareAtPrice: money.min(1).optional(),
  costPerItem: money.min(0).optional(),
  status: z.enum(['DRAFT', 'ACTIVE', 'ARCHIVED']).optional(),
  featured: z.boolean().optional(),
  slug: slug.optional(),
  tags: list(text(productTexts.tag), listBounds.tags).optional(),
  /** Paths from the root, levels parted by ` > `. */
  categories: list(categoryPath, listBounds.categories).optional(),
  images: list(image, listBounds.images).optional(),
  variants: list(variant, listBounds.variants).optional(),
  stock: stock.optional(),
  reviews: z.array(review).optional(),
  seoTitle: boundedText(productTexts.seoTitle).optional(),
  seoDescription: boundedText(productTexts.seoDescription).optional(),
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
