import { z } from 'zod'
import { currency, money, optionalText, slug, text, wholeNumber } from './values.ts'

const variant = z.strictObject({
  sku: text,
  price: money.min(1).optional(),
  compareAtPrice: money.min(1).optional(),
  /** Option names and values, e.g. `{ "Size": "M" }`. */
  options: z.record(text, text).optional(),
  stock: z.lazy(() => stock).optional(),
})

const image = z.preprocess(
  (value) => (typeof value === 'string' ? { url: value } : value),
  z.strictObject({
    url: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }),
    alt: optionalText,
  }),
)

const review = z.strictObject({
  authorName: text,
  rating: wholeNumber.min(1).max(5),
  title: optionalText,
  body: optionalText,
  status: z.enum(['PENDING', 'APPROVED', 'REJECTED']).optional(),
})

const level = wholeNumber.min(0).max(2_147_483_647)

/** Units in the first warehouse, or units by warehouse code. */
const stock = z.union([level, z.record(text, level)], {
  error: 'must be a whole number of units, or an object of warehouse codes and units',
})

export const productRow = z.strictObject({
  type: z.literal('product').optional(),
  sku: text,
  name: z.string().trim().min(3).max(200),
  description: z.string().max(5000).optional(),
  price: money.min(1),
  currency,
  compareAtPrice: money.min(1).optional(),
  costPerItem: money.min(0).optional(),
  status: z.enum(['DRAFT', 'ACTIVE', 'ARCHIVED']).optional(),
  featured: z.boolean().optional(),
  slug: slug.optional(),
  tags: z.array(text).optional(),
  /** Paths from the root, levels parted by ` > `. */
  categories: z.array(text).optional(),
  images: z.array(image).optional(),
  variants: z.array(variant).optional(),
  stock: stock.optional(),
  reviews: z.array(review).optional(),
  seoTitle: optionalText,
  seoDescription: optionalText,
})

export type ProductRow = z.infer<typeof productRow>
export type ReviewRow = z.infer<typeof review>
export type StockLevels = z.infer<typeof stock>
