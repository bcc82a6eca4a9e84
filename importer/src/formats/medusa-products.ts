import { minorUnits } from './amounts.ts'
import { filled } from './filled.ts'
import { type Fields, readRecords } from './medusa-records.ts'
import type { Reader, Row } from './shop-table.ts'
import { type ForeignVariant, variantsOfProduct } from './variants-of-product.ts'

/** The products of Medusa's Admin API, version 2 (JSON), with their prices in one currency. */
export const medusaProducts: Reader = async function* (file, { mapping, currency }) {
  for await (const product of readRecords(file, { list: 'products', mapping }))
    yield { line: product.line, row: productOf(product, currency) }
}

const statuses = new Map([
  ['published', 'ACTIVE'],
  ['rejected', 'ARCHIVED'],
])

function productOf(product: Fields, currency: string): Row {
  const handle = product.text('handle')
  const ownSku = handle || product.text('id')
  const records = product.list('variants')
  // Medusa gives a product without options one with one value.
  const hasOptions =
    records.length > 1 || product.list('options').some((option) => option.list('optionValues').length > 1)
  const variants = records.map((variant, index) => ({
    sku: variant.text('sku') || (records.length === 1 ? ownSku : `${ownSku}-${index + 1}`),
    price: priceOf(variant, currency),
    options: hasOptions ? optionsOf(variant) : [],
    stock: variant.isTrue('managesStock') && variant.has('stock') ? Number(variant.text('stock')) : null,
  }))
  const images = product
    .list('images')
    .map((image) => image.text('imageUrl'))
    .filter((url) => url !== '')
  const categories = product.list('categories').map(pathOf)
  const tags = product
    .list('tags')
    .map((tag) => tag.text('tagValue'))
    .filter((tag) => tag !== '')
  return {
    type: 'product',
    ...filled({ externalId: product.text('id') }),
    name: product.text('title'),
    ...filled({ slug: handle, description: product.text('description').slice(0, 5000) }),
    currency,
    ...variantsOfProduct(variants, ownSku),
    status: statuses.get(product.text('status')) ?? 'DRAFT',
    ...(categories.length > 0 && { categories }),
    ...(tags.length > 0 && { tags }),
    ...(images.length > 0 && { images }),
    ...filled({ createdAt: product.text('createdAt') }),
  }
}

/** The price of everyone: those of regions and of larger quantities have rules. NaN: there is none in the currency. */
function priceOf(variant: Fields, currency: string): number {
  const price = variant
    .list('prices')
    .filter((entry) => entry.text('priceCurrency').toUpperCase() === currency)
    .find(
      (entry) => Number(entry.text('priceRules') || '0') === 0 && Number(entry.text('priceFrom') || '0') <= 1,
    )
  return price === undefined ? Number.NaN : minorUnits(price.text('priceAmount'), currency)
}

const optionsOf = (variant: Fields): ForeignVariant['options'] =>
  variant.list('variantOptions').flatMap((entry) => {
    const value = entry.text('optionValue')
    return value === '' ? [] : [{ name: entry.text('optionTitle') || 'Option', value }]
  })

/** The bound on levels of a category. */
const maxLevels = 20

/** The path of a category from the root, as far as the answer has those above it. */
function pathOf(category: Fields): string {
  const names: string[] = []
  let at: Fields | null = category
  while (at !== null && names.length < maxLevels) {
    names.unshift(at.text('categoryName'))
    at = at.part('categoryParent')
  }
  return names.join(' > ')
}
