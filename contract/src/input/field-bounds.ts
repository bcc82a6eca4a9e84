import type { TextBounds } from './text.ts'

const line = (min: number, max: number): TextBounds => ({ lines: 'one', min, max })
const prose = (max: number): TextBounds => ({ lines: 'any', min: 0, max })

/** What a merged line, a cart line and a level of stock can hold at most. */
export const maxQuantity = 999_999

/** The texts of an AddressInput, beside its country and phone number. */
export const addressTexts = {
  line1: line(1, 255),
  line2: line(0, 255),
  city: line(1, 255),
  state: line(1, 255),
  postalCode: line(1, 32),
} as const

export const customerTexts = { name: line(1, 200), notes: prose(5000), tag: line(1, 100) } as const

export const seoTexts = { seoTitle: line(0, 200), seoDescription: prose(500) } as const

// The specification's sample validators name the bounds of name and description (docs/open-points.md).
export const productTexts = {
  name: line(3, 200),
  description: prose(5000),
  sku: line(1, 100),
  tag: line(1, 100),
  imageAlt: line(0, 500),
  optionName: line(1, 50),
  optionValue: line(1, 100),
  ...seoTexts,
} as const

export const categoryName = line(1, 200)

export const reviewTexts = { authorName: line(1, 200), title: line(0, 200), body: prose(5000) } as const

/** How many entries these lists can have. */
export const listBounds = {
  customerAddresses: 50,
  categories: 100,
  images: 100,
  options: 20,
  tags: 100,
  variants: 200,
} as const
