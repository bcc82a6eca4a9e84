import { isoTime } from './amounts.ts'
import { filled, labels } from './filled.ts'
import { localizedPrices, type PriceOf } from './localized-prices.ts'
import { plainText } from './plain-text.ts'
import { type Cells, readTable, type Reader, type Row, type Source } from './shop-table.ts'
import { type ForeignVariant, variantsOfProduct } from './variants-of-product.ts'
import { numbersOf } from './woocommerce-items.ts'

/**
 * The rows of WooCommerce's export of products (CSV). A variation names its product, and can stand anywhere, so the file is read
 * once for them, and they are kept meanwhile. Prices have the decimal sign of the shop.
 */
export const woocommerceProducts: Reader = async function* (file, given) {
  const source = { ...given, priceOf: await localizedPrices(file, given, ['regularPrice', 'salePrice']) }
  const variations = new Map<string, ForeignVariant[]>()
  for await (const cells of readTable(file, source.mapping))
    if (isVariation(cells)) {
      const parent = cells('parent')
      const known = variations.get(parent)
      if (known === undefined) variations.set(parent, [variantOf(cells, source, optionsOf(cells))])
      else known.push(variantOf(cells, source, optionsOf(cells)))
    }
  for await (const cells of readTable(file, source.mapping))
    if (!isVariation(cells)) {
      const own = [`id:${cells('id')}`, cells('sku')].flatMap((parent) => variations.get(parent) ?? [])
      yield { line: cells.line, row: productOf(cells, source, own) }
    }
}

interface PricedSource extends Source {
  readonly priceOf: PriceOf
}

const isVariation = (cells: Cells): boolean => /(^|,)\s*variation\s*($|,)/.test(cells('type'))

const skuOf = (cells: Cells): string => cells('sku') || `id-${cells('id')}`

function variantOf(
  cells: Cells,
  { priceOf, now }: PricedSource,
  options: ForeignVariant['options'],
): ForeignVariant {
  const isReduced = cells('salePrice') !== '' && isOnSale(cells, now)
  const stock = Number(cells('stock'))
  return {
    sku: skuOf(cells),
    price: priceOf(cells, isReduced ? 'salePrice' : 'regularPrice'),
    compareAtPrice: isReduced ? priceOf(cells, 'regularPrice') : undefined,
    options,
    // A variation whose stock is counted with its product's has the word `parent`.
    stock: cells('stock') === '' || Number.isNaN(stock) ? null : stock,
  }
}

/** A sale without times goes on. */
function isOnSale(cells: Cells, now: Date): boolean {
  const starts = isoTime(dayOf(cells('saleStarts'), '00:00:00'))
  const ends = isoTime(dayOf(cells('saleEnds'), '23:59:59'))
  return (starts === null || new Date(starts) <= now) && (ends === null || new Date(ends) >= now)
}

const dayOf = (text: string, time: string): string =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text} ${time}` : text

/** The bound on attributes of a variant. */
const maxGap = 20

const optionsOf = (cells: Cells): ForeignVariant['options'] =>
  numbersOf(cells, 'attributeName', maxGap).flatMap((n) => {
    const value = cells('attributeValues', n)
    return value === '' ? [] : [{ name: cells('attributeName', n), value }]
  })

function productOf(cells: Cells, source: PricedSource, variations: readonly ForeignVariant[]): Row {
  const variants = variations.length > 0 ? variations : [variantOf(cells, source, [])]
  const images = listOf(cells('images'))
  const categories = listOf(cells('categories'))
  const description = plainText(cells('description') || cells('shortDescription'))
  return {
    type: 'product',
    ...filled({ externalId: cells('id') }),
    name: cells('name'),
    currency: source.currency,
    ...variantsOfProduct(variants, skuOf(cells)),
    ...filled({ description: description.slice(0, 5000) }),
    status: cells('published') === '1' ? 'ACTIVE' : 'DRAFT',
    featured: ['1', 'yes'].includes(cells('featured').toLowerCase()),
    ...(categories.length > 0 && { categories }),
    ...labels('tags', cells('tags')),
    ...(images.length > 0 && { images }),
  }
}

/** The parts of a cell. A comma in a part has a backslash before it. */
const listOf = (text: string): readonly string[] =>
  text
    .split(/(?<!\\),/)
    .map((part) => part.replaceAll('\\,', ',').trim())
    .filter((part) => part !== '')
