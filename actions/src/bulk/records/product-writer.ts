import type { Filled, ImportProductRow } from '@commerce-graph/contract'
import { invalidValue, type UserError } from '@commerce-graph/contract/input'
import * as catalog from '../../sql/generated/catalog.ts'
import { uuidV7 } from '../uuid-v7.ts'
import { categoryPath } from './category-path.ts'
import { textAt, writtenRecords } from './refusals.ts'
import type { RecordKey, RecordWriter } from './record-writer.ts'

type ProductRow = Filled<ImportProductRow>
type Lists = Readonly<
  Record<'skus' | 'images' | 'variants' | 'options' | 'categories' | 'stock', readonly object[]>
>

export interface PreparedProduct extends Lists {
  readonly product: object
  readonly row: ProductRow
}

/** Products with their variants, pictures, categories and stock. */
export const productWriter: RecordWriter<PreparedProduct> = {
  checksSideBySide: true,
  tables: [
    'catalog.product',
    'catalog.product_variant',
    'catalog.variant_option',
    'catalog.product_image',
    'catalog.product_category',
    'catalog.category_product',
    'inventory.stock_item',
    'inventory.stock_level',
    'search.document',
    'search.word',
    'bulk.imported_record',
    'bulk.import_key',
  ],
  prepare({ values, fingerprint }) {
    const row = values as unknown as ProductRow
    const errors = faultsOf(row)
    if (errors.length > 0) return { kind: 'invalid', errors }
    const id = uuidV7()
    return {
      kind: 'prepared',
      record: {
        id,
        keys: keysOf(row),
        prepared: { ...listsOf(id, row), product: productOf(id, row, fingerprint), row },
      },
    }
  },
  async write(sql, records, { merchantId, importId, update, checkOnly }) {
    const list = (name: keyof Lists) => records.flatMap(({ prepared }) => prepared[name])
    const answers = await catalog.importProducts(sql, {
      merchantId,
      importId,
      update,
      checkOnly,
      batch: {
        products: records.map(({ prepared }) => prepared.product),
        skus: list('skus'),
        images: list('images'),
        variants: list('variants'),
        options: list('options'),
        categories: list('categories'),
        stock: list('stock'),
      },
    })
    const rows = new Map(records.map(({ id, prepared }) => [id, prepared.row]))
    return writtenRecords(answers, (id, field) => textAt(rows.get(id), field))
  },
}

function keysOf(row: ProductRow): readonly RecordKey[] {
  return [
    {
      kind: 'PRODUCT',
      key: row.externalId ?? row.sku,
      field: row.externalId === null ? 'sku' : 'externalId',
    },
    { kind: 'SKU', key: row.sku, field: 'sku' },
    ...(row.variants ?? []).map(({ sku }, index) => ({
      kind: 'SKU',
      key: sku,
      field: `variants.${index}.sku`,
    })),
    ...(row.slug === null ? [] : [{ kind: 'SLUG', key: row.slug, field: 'slug' }]),
  ]
}

function faultsOf(row: ProductRow): readonly UserError[] {
  const variants = row.variants ?? []
  const skus = [row.sku, ...variants.map(({ sku }) => sku)]
  const optionsOf = variants.map(({ options }) =>
    JSON.stringify((options ?? []).map(({ name, value }) => [name, value]).sort()),
  )
  return [
    ...skus.flatMap((sku, index) =>
      skus.indexOf(sku) < index
        ? [invalidValue(`variants.${index - 1}.sku`, 'Another one of the row has this SKU')]
        : [],
    ),
    ...variants.flatMap(({ options }, index) => {
      const names = (options ?? []).map(({ name }) => name)
      if (new Set(names).size < names.length)
        return [invalidValue(`variants.${index}.options`, 'An option is listed twice')]
      if (variants.length > 1 && names.length === 0)
        return [invalidValue(`variants.${index}.options`, 'Several variants are told apart by their options')]
      return optionsOf.indexOf(optionsOf[index] ?? '') < index
        ? [invalidValue(`variants.${index}.options`, 'Another variant has the same options')]
        : []
    }),
    ...(row.categories ?? []).flatMap((path, index) =>
      categoryPath(path) === null
        ? [
            invalidValue(
              `categories.${index}`,
              'A path has 1 to 10 names of up to 200 characters, with > between them',
            ),
          ]
        : [],
    ),
    ...(variants.length > 0 && (row.stock ?? []).some(({ available }) => available > 0)
      ? [invalidValue('stock', 'A product with variants has no stock of its own')]
      : []),
    ...stockFaults(row.stock, 'stock'),
    ...variants.flatMap(({ stock }, index) => stockFaults(stock, `variants.${index}.stock`)),
  ]
}

const stockFaults = (stock: ProductRow['stock'], field: string): readonly UserError[] =>
  new Set(stock?.map(({ warehouse }) => warehouse)).size < (stock?.length ?? 0)
    ? [invalidValue(field, 'A warehouse is listed twice')]
    : []

const productOf = (id: string, row: ProductRow, fingerprint: string): object => ({
  id,
  key: row.externalId ?? row.sku,
  external_id: row.externalId,
  fingerprint,
  sku: row.sku,
  name: row.name,
  description: row.description,
  price: row.price,
  currency: row.currency,
  compare_at_price: row.compareAtPrice,
  cost_per_item: row.costPerItem,
  status: row.status,
  featured: row.featured,
  slug: row.slug,
  tags: row.tags,
  seo_title: row.seoTitle,
  seo_description: row.seoDescription,
  created_at: row.createdAt,
})

function listsOf(id: string, row: ProductRow): Lists {
  const variants = (row.variants ?? []).map((variant, position) => ({ ...variant, id: uuidV7(), position }))
  const stockOf = (sku: string, stock: ProductRow['stock'], field: string) =>
    (stock ?? []).map(({ warehouse, available }, index) => ({
      product: id,
      sku,
      warehouse,
      available,
      field: `${field}.${index}.warehouse`,
    }))
  return {
    skus: keysOf(row)
      .filter(({ kind }) => kind === 'SKU')
      .map(({ key, field }) => ({ product: id, sku: key, field })),
    images: (row.images ?? []).map((image, position) => ({ ...image, product: id, position })),
    variants: variants.map((variant) => ({
      id: variant.id,
      product: id,
      sku: variant.sku,
      price: variant.price,
      compare_at_price: variant.compareAtPrice,
      position: variant.position,
    })),
    options: variants.flatMap((variant) =>
      (variant.options ?? []).map(({ name, value }, position) => ({
        variant: variant.id,
        name,
        value,
        position,
      })),
    ),
    categories: (row.categories ?? []).map((path) => ({ product: id, path: categoryPath(path) ?? [] })),
    stock: [
      ...(variants.length > 0 ? [] : stockOf(row.sku, row.stock, 'stock')),
      ...variants.flatMap(({ sku, stock, position }) => stockOf(sku, stock, `variants.${position}.stock`)),
    ],
  }
}
