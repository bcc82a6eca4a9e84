import { minorUnits } from './amounts.ts'
import { type Cells, type Mapping, readTable } from './shop-table.ts'

type Row = Readonly<Record<string, unknown>>

/** The rows of Shopify's export of products (CSV): a product over as many rows as it has variants and pictures. */
export async function* shopifyProducts(
  file: string,
  mapping: Mapping,
  currency: string,
): AsyncGenerator<Row> {
  let open: Cells[] = []
  for await (const cells of readTable(file, mapping)) {
    const [first] = open
    if (first !== undefined && first('handle') !== cells('handle')) {
      yield productOf(open, currency)
      open = []
    }
    open.push(cells)
  }
  if (open.length > 0) yield productOf(open, currency)
}

const optionNumbers = [1, 2, 3] as const

function productOf(rows: readonly Cells[], currency: string): Row {
  const [product] = rows
  if (product === undefined) throw new Error('A product has a row.')
  const variantRows = rows.filter((cells) => cells('price') !== '')
  const names = optionNumbers.map((number) => product(`option${number}Name`))
  const isSingle = variantRows.length <= 1 && (names[0] === '' || names[0] === 'Title')
  const skuOf = (cells: Cells, index: number) =>
    cells('sku').replace(/^'/, '') || `${cells('handle')}-${index + 1}`
  const prices = variantRows.map((cells) => minorUnits(cells('price'), currency)).filter((price) => price > 0)
  const [single] = variantRows
  const stockOf = (cells: Cells) =>
    cells('stock') === '' ? {} : { stock: Math.max(0, Number(cells('stock'))) }
  const images = rows.filter((cells) => cells('image') !== '')
  const tags = product('tags')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
  return {
    type: 'product',
    externalId: product('handle'),
    sku: isSingle && single !== undefined ? skuOf(single, 0) : product('handle'),
    name: product('title'),
    slug: product('handle'),
    ...(product('body') !== '' && { description: plainText(product('body')).slice(0, 5000) }),
    price: Math.min(...prices),
    currency,
    status: { active: 'ACTIVE', archived: 'ARCHIVED' }[product('status').toLowerCase()] ?? 'DRAFT',
    ...(product('type') !== '' && { categories: [product('type')] }),
    ...(tags.length > 0 && { tags }),
    ...(product('seoTitle') !== '' && { seoTitle: product('seoTitle').slice(0, 200) }),
    ...(product('seoDescription') !== '' && { seoDescription: product('seoDescription').slice(0, 500) }),
    ...(images.length > 0 && {
      images: images.map((cells) => ({
        url: cells('image'),
        ...(cells('imageAlt') !== '' && { alt: cells('imageAlt') }),
      })),
    }),
    ...(isSingle
      ? single === undefined
        ? {}
        : stockOf(single)
      : {
          variants: variantRows.map((cells, index) => ({
            sku: skuOf(cells, index),
            price: minorUnits(cells('price'), currency),
            options: optionNumbers.flatMap((number, at) =>
              cells(`option${number}Value`) === ''
                ? []
                : [{ name: names[at] || `Option ${number}`, value: cells(`option${number}Value`) }],
            ),
            ...stockOf(cells),
          })),
        }),
  }
}

/** The text of a description in HTML, with line breaks where its blocks end. */
const plainText = (html: string): string =>
  html
    .replace(/<(br|\/p|\/li|\/h\d|\/div)[^>]*>/gi, '\n')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
