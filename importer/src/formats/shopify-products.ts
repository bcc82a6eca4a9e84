import { minorUnits } from './amounts.ts'
import { filled, labels } from './filled.ts'
import { plainText } from './plain-text.ts'
import { type Cells, type Group, readTable, type Reader, type Row, together } from './shop-table.ts'
import { variantsOfProduct } from './variants-of-product.ts'

/** The rows of Shopify's export of products (CSV): a product over as many rows as it has variants and pictures. */
export const shopifyProducts: Reader = async function* (file, { mapping, currency }) {
  for await (const rows of together(readTable(file, mapping), 'handle'))
    yield { line: rows[0].line, row: productOf(rows, currency) }
}

const optionNumbers = [1, 2, 3] as const

function productOf(rows: Group, currency: string): Row {
  const [product] = rows
  const names = optionNumbers.map((number) => product(`option${number}Name`))
  const variantRows = rows.filter((cells) => cells('price') !== '')
  // A product without options has one called Title.
  const hasOptions = variantRows.length > 1 || (names[0] !== '' && names[0] !== 'Title')
  const variants = variantRows.map((cells, index) => ({
    sku: cells('sku').replace(/^'/, '') || `${cells('handle')}-${index + 1}`,
    price: minorUnits(cells('price'), currency),
    compareAtPrice: minorUnits(cells('compareAtPrice'), currency),
    options: hasOptions ? optionsOf(cells, names) : [],
    stock: cells('stock') === '' ? null : Number(cells('stock')),
  }))
  const images = rows.filter((cells) => cells('image') !== '')
  return {
    type: 'product',
    externalId: product('handle'),
    name: product('title'),
    slug: product('handle'),
    currency,
    ...variantsOfProduct(variants, product('handle')),
    ...filled({
      description: plainText(product('body')).slice(0, 5000),
      seoTitle: product('seoTitle').slice(0, 200),
      seoDescription: product('seoDescription').slice(0, 500),
    }),
    status: { active: 'ACTIVE', archived: 'ARCHIVED' }[product('status').toLowerCase()] ?? 'DRAFT',
    ...(product('type') !== '' && { categories: [product('type')] }),
    ...labels('tags', product('tags')),
    ...(images.length > 0 && {
      images: images.map((cells) => filled({ url: cells('image'), alt: cells('imageAlt') })),
    }),
  }
}

const optionsOf = (cells: Cells, names: readonly string[]) =>
  optionNumbers.flatMap((number, at) =>
    cells(`option${number}Value`) === ''
      ? []
      : [{ name: names[at] || `Option ${number}`, value: cells(`option${number}Value`) }],
  )
