import type {
  CreateProductInput,
  ProductImageInput,
  ProductVariantInput,
  UpdateProductInput,
  UpdateProductVariantInput,
  VariantOptionInput,
} from '@commerce-graph/contract'
import { alreadyExists, type UserError } from '@commerce-graph/contract/input'
import {
  each,
  type LookUp,
  type MutationDefinition,
  type Values,
  type Write,
} from '../../mutation/definition.ts'
import {
  absent,
  byId,
  change,
  creation,
  deletion,
  externalIdTaken,
  insertMany,
  insertOne,
  keptFields,
  pick,
  present,
  remove,
  update,
  valueOf,
  valuesOf,
} from '../../mutation/rows.ts'
import { toUuid } from '../../projection/filter.ts'
import {
  categoryTable,
  imageTable,
  maxPosition,
  notDeleted,
  optionTable,
  productCategoryTable,
  productTable,
  slugTaken,
  variantTable,
} from './tables.ts'

const productColumns = [
  'name',
  'description',
  'sku',
  'price',
  'currency',
  'compareAtPrice',
  'costPerItem',
  'tags',
  'status',
  'seoTitle',
  'seoDescription',
  'featured',
  'slug',
  ...keptFields,
] as const
const variantColumns = ['sku', 'price', 'compareAtPrice', ...keptFields] as const

const imageRows = (images: readonly ProductImageInput[]): readonly Values[] =>
  images.map(({ order, ...image }, index) => ({ ...image, position: order ?? index }))

const optionRows = (options: readonly VariantOptionInput[]): readonly Values[] =>
  options.map(({ name, value }, index) => ({ name, value, position: index }))

const variantRow = (variant: ProductVariantInput, index: number): Values => ({
  ...pick(variant, variantColumns, 'left out'),
  position: index,
  options: { data: optionRows(variant.options ?? []) },
})

const categoryRows = (ids: readonly string[]): readonly Values[] =>
  [...new Set(ids)].map((id) => ({ category_id: toUuid(id) }))

/** A SKU is unique over products and variants: what is sold is counted by it. */
const skusTaken = (
  values: LookUp['values'],
  except: { readonly product?: string; readonly variant?: string } = {},
): readonly LookUp[] => [
  absent(
    productTable,
    'sku',
    values,
    'Product',
    except.product === undefined ? undefined : byId(except.product),
  ),
  absent(
    variantTable,
    'sku',
    values,
    'Variant',
    except.variant === undefined ? undefined : byId(except.variant),
  ),
]

const variantSkus = (variants: readonly ProductVariantInput[] | null | undefined): LookUp['values'] =>
  (variants ?? []).flatMap(({ sku: value }, index) => valueOf(`variants.${index}.sku`, value))

const variantExternalIds = (variants: readonly ProductVariantInput[] | null | undefined): LookUp['values'] =>
  (variants ?? []).flatMap(({ externalId }, index) => valueOf(`variants.${index}.externalId`, externalId))

/** The database would refuse the second of two equal values, without saying which two they were. */
function repeatedSkus({ sku: own, variants }: CreateProductInput): readonly UserError[] {
  const seen = new Set([own])
  return variantSkus(variants).flatMap(({ field, value }) => {
    if (seen.has(value)) return [alreadyExists(field, value)]
    seen.add(value)
    return []
  })
}

function repeatedOptions(
  options: readonly VariantOptionInput[] | null | undefined,
  prefix: string,
): readonly UserError[] {
  const seen = new Set<string>()
  return (options ?? []).flatMap(({ name }, index) => {
    if (seen.has(name)) return [alreadyExists(`${prefix}options.${index}.name`, name)]
    seen.add(name)
    return []
  })
}

function updateProduct(input: UpdateProductInput, id: string): Write {
  const productId = toUuid(id)
  const product = { product_id: { _eq: productId }, product: notDeleted }
  const { images, categoryIds } = input
  const replacesImages =
    images == null
      ? []
      : [
          remove(imageTable, product),
          ...insertMany(
            imageTable,
            imageRows(images).map((row) => ({ ...row, product_id: productId })),
          ),
        ]
  const replacesCategories =
    categoryIds == null
      ? []
      : [
          remove(productCategoryTable, product),
          ...insertMany(
            productCategoryTable,
            categoryRows(categoryIds).map((row) => ({ ...row, product_id: productId })),
          ),
        ]
  const before = [...replacesImages, ...replacesCategories]
  return {
    before,
    record: update(productTable, byId(id), pick(input, productColumns), before.length > 0),
  }
}

function deleteProduct(id: unknown): Write {
  const deletedAt = new Date().toISOString()
  return {
    before: [update(variantTable, { product_id: { _eq: toUuid(id) } }, { deleted_at: deletedAt })],
    record: update(productTable, byId(id), { deleted_at: deletedAt }),
  }
}

function updateVariant(input: UpdateProductVariantInput, id: string): Write {
  const variantId = toUuid(id)
  const before =
    input.options == null
      ? []
      : [
          remove(optionTable, { variant_id: { _eq: variantId }, variant: notDeleted }),
          ...insertMany(
            optionTable,
            optionRows(input.options).map((row) => ({ ...row, variant_id: variantId })),
          ),
        ]
  return {
    before,
    record: update(variantTable, byId(id), pick(input, variantColumns), before.length > 0),
  }
}

const createProduct = creation<'createProduct'>({
  record: 'Product',
  what: 'Product',
  check: (input) => [
    ...repeatedSkus(input),
    ...(input.variants ?? []).flatMap(({ options }, index) => repeatedOptions(options, `variants.${index}.`)),
  ],
  lookUps: (input) => [
    ...skusTaken([...valueOf('sku', input.sku), ...variantSkus(input.variants)]),
    slugTaken(productTable, 'Product', input.slug),
    externalIdTaken(productTable, 'Product', input.externalId),
    absent(variantTable, 'external_id', variantExternalIds(input.variants), 'Variant'),
    present(categoryTable, valuesOf('categoryIds', input.categoryIds), 'Category'),
  ],
  write: (input) =>
    insertOne(productTable, {
      ...pick(input, productColumns, 'left out'),
      images: { data: imageRows(input.images ?? []) },
      variants: { data: (input.variants ?? []).map(variantRow) },
      product_categories: { data: categoryRows(input.categoryIds ?? []) },
    }),
})

const changeProduct = change<'updateProduct'>({
  record: 'Product',
  what: 'Product',
  lookUps: (input, { id }) => [
    ...skusTaken(valueOf('sku', input.sku), { product: id }),
    slugTaken(productTable, 'Product', input.slug, id),
    externalIdTaken(productTable, 'Product', input.externalId, id),
    present(categoryTable, valuesOf('categoryIds', input.categoryIds), 'Category'),
  ],
  write: (input, { id }) => updateProduct(input, id),
})

export const productMutations: Readonly<Record<string, MutationDefinition>> = {
  createProduct,
  createProducts: each(createProduct, { as: 'createProduct', toArgs: (input) => ({ input }) }),
  updateProduct: changeProduct,
  updateProducts: each(changeProduct, { as: 'updateProduct', toArgs: ({ id, ...input }) => ({ id, input }) }),
  deleteProduct: deletion('Product', deleteProduct),
  createProductVariant: creation<'createProductVariant'>({
    record: 'ProductVariant',
    what: 'Variant',
    check: ({ options }) => repeatedOptions(options, ''),
    lookUps: ({ sku: value, externalId }, { productId }) => [
      ...skusTaken(valueOf('sku', value)),
      externalIdTaken(variantTable, 'Variant', externalId),
      present(productTable, valueOf('productId', productId), 'Product'),
    ],
    write: (input, { productId }) =>
      insertOne(variantTable, { ...variantRow(input, maxPosition), product_id: toUuid(productId) }),
  }),
  updateProductVariant: change<'updateProductVariant'>({
    record: 'ProductVariant',
    what: 'Variant',
    check: ({ options }) => repeatedOptions(options, ''),
    lookUps: ({ sku: value, externalId }, { id }) => [
      ...skusTaken(valueOf('sku', value), { variant: id }),
      externalIdTaken(variantTable, 'Variant', externalId, id),
    ],
    write: (input, { id }) => updateVariant(input, id),
  }),
  deleteProductVariant: deletion('Variant', (id) =>
    update(variantTable, byId(id), { deleted_at: new Date().toISOString() }),
  ),
}
