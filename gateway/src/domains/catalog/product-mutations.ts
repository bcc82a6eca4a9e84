import { alreadyExists, listBounds, productTexts, type UserError } from '@commerce-graph/contract/input'
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
  insertMany,
  insertOne,
  pick,
  present,
  remove,
  update,
  valueOf,
  valuesOf,
} from '../../mutation/rows.ts'
import {
  amount,
  boundedText,
  currency,
  type Fields,
  integer,
  list,
  object,
  price,
  slug,
  text,
} from '../../mutation/rules.ts'
import { toUuid } from '../../projection/filter.ts'
import {
  categoryTable,
  imageTable,
  maxPosition,
  notDeleted,
  optionTable,
  position,
  productCategoryTable,
  productTable,
  seo,
  slugTaken,
  variantTable,
} from './tables.ts'

const sku = boundedText(productTexts.sku)
/** In pixels. The largest side of a JPEG is 65,535. */
const imageSide = integer({ min: 1, max: 100_000 })
const imageRules: Fields = {
  alt: boundedText(productTexts.imageAlt),
  width: imageSide,
  height: imageSide,
  order: position,
}
const optionRules: Fields = {
  name: boundedText(productTexts.optionName),
  value: boundedText(productTexts.optionValue),
}
const variantRules: Fields = {
  sku,
  price,
  compareAtPrice: price,
  options: list(object(optionRules), { max: listBounds.options }),
}

const productRules: Fields = {
  name: boundedText(productTexts.name),
  description: boundedText(productTexts.description),
  sku,
  price,
  currency,
  compareAtPrice: price,
  costPerItem: amount,
  categoryIds: list(text({ max: 100 }), { max: listBounds.categories }),
  tags: list(boundedText(productTexts.tag), { max: listBounds.tags }),
  images: list(object(imageRules), { max: listBounds.images }),
  variants: list(object(variantRules), { max: listBounds.variants }),
  slug,
  ...seo,
}

interface ImageInput {
  readonly url: string
  readonly alt?: string | null
  readonly width?: number | null
  readonly height?: number | null
  readonly order?: number | null
}

interface OptionInput {
  readonly name: string
  readonly value: string
}

interface VariantInput {
  readonly sku?: string | null
  readonly options?: readonly OptionInput[] | null
}

interface ProductInput {
  readonly sku?: string | null
  readonly slug?: string | null
  readonly categoryIds?: readonly string[] | null
  readonly images?: readonly ImageInput[] | null
  readonly variants?: readonly VariantInput[] | null
}

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
] as const
const variantColumns = ['sku', 'price', 'compareAtPrice'] as const

const imageRows = (images: readonly ImageInput[]): readonly Values[] =>
  images.map(({ order, ...image }, index) => ({ ...image, order: order ?? index }))

const optionRows = (options: readonly OptionInput[]): readonly Values[] =>
  options.map(({ name, value }, index) => ({ name, value, position: index }))

const variantRow = (variant: VariantInput, index: number): Values => ({
  ...pick(variant as Values, variantColumns),
  position: index,
  options: { data: optionRows(variant.options ?? []) },
})

const categoryRows = (ids: readonly string[]): readonly Values[] =>
  [...new Set(ids)].map((id) => ({ categoryId: toUuid(id) }))

/** A SKU is unique over products and variants: what is sold is counted by it. */
function skusTaken(
  values: LookUp['values'],
  except: { readonly product?: string; readonly variant?: string } = {},
): readonly LookUp[] {
  return [
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
}

const variantSkus = (variants: readonly VariantInput[] | null | undefined): LookUp['values'] =>
  (variants ?? []).flatMap(({ sku: value }, index) => valueOf(`variants.${index}.sku`, value))

/** The database would refuse the second of two equal values, without saying which two they were. */
function repeatedSkus({ sku: own, variants }: ProductInput): readonly UserError[] {
  const seen = new Set(own == null ? [] : [own])
  return variantSkus(variants).flatMap(({ field, value }) => {
    if (seen.has(value)) return [alreadyExists(field, value)]
    seen.add(value)
    return []
  })
}

function repeatedOptions(
  options: readonly OptionInput[] | null | undefined,
  prefix: string,
): readonly UserError[] {
  const seen = new Set<string>()
  return (options ?? []).flatMap(({ name }, index) => {
    if (seen.has(name)) return [alreadyExists(`${prefix}options.${index}.name`, name)]
    seen.add(name)
    return []
  })
}

function updateProduct(input: ProductInput, id: string): Write {
  const product = { productId: { _eq: toUuid(id) }, product: notDeleted }
  const productId = toUuid(id)
  const { images, categoryIds } = input
  const replacesImages =
    images == null
      ? []
      : [
          remove(imageTable, product),
          ...insertMany(
            imageTable,
            imageRows(images).map((row) => ({ ...row, productId })),
          ),
        ]
  const replacesCategories =
    categoryIds == null
      ? []
      : [
          remove(productCategoryTable, product),
          ...insertMany(
            productCategoryTable,
            categoryRows(categoryIds).map((row) => ({ ...row, productId })),
          ),
        ]
  const before = [...replacesImages, ...replacesCategories]
  return {
    before,
    record: update(productTable, byId(id), pick(input as Values, productColumns), before.length > 0),
  }
}

function deleteProduct(id: unknown): Write {
  const deletedAt = new Date().toISOString()
  return {
    before: [update(variantTable, { productId: { _eq: toUuid(id) } }, { deletedAt })],
    record: update(productTable, byId(id), { deletedAt }),
  }
}

function updateVariant(input: VariantInput, id: string): Write {
  const variantId = toUuid(id)
  const before =
    input.options == null
      ? []
      : [
          remove(optionTable, { variantId: { _eq: variantId }, variant: notDeleted }),
          ...insertMany(
            optionTable,
            optionRows(input.options).map((row) => ({ ...row, variantId })),
          ),
        ]
  return {
    before,
    record: update(variantTable, byId(id), pick(input as Values, variantColumns), before.length > 0),
  }
}

const createProduct = creation<ProductInput>({
  record: 'Product',
  what: 'Product',
  rules: productRules,
  check: (input) => [
    ...repeatedSkus(input),
    ...(input.variants ?? []).flatMap(({ options }, index) => repeatedOptions(options, `variants.${index}.`)),
  ],
  lookUps: (input) => [
    ...skusTaken([...valueOf('sku', input.sku), ...variantSkus(input.variants)]),
    slugTaken(productTable, input.slug),
    present(categoryTable, valuesOf('categoryIds', input.categoryIds), 'Category'),
  ],
  write: (input) =>
    insertOne(productTable, {
      ...pick(input as Values, productColumns, 'left out'),
      images: { data: imageRows(input.images ?? []) },
      variants: { data: (input.variants ?? []).map(variantRow) },
      productCategories: { data: categoryRows(input.categoryIds ?? []) },
    }),
})

const changeProduct = change<ProductInput>({
  record: 'Product',
  what: 'Product',
  rules: productRules,
  required: [
    'name',
    'sku',
    'price',
    'currency',
    'categoryIds',
    'tags',
    'images',
    'status',
    'featured',
    'slug',
  ],
  lookUps: (input, { id }) => [
    ...skusTaken(valueOf('sku', input.sku), { product: id as string }),
    slugTaken(productTable, input.slug, id as string),
    present(categoryTable, valuesOf('categoryIds', input.categoryIds), 'Category'),
  ],
  write: (input, { id }) => updateProduct(input, id as string),
})

export const productMutations: Readonly<Record<string, MutationDefinition>> = {
  createProduct,
  createProducts: each(createProduct, { toArgs: (input) => ({ input }) }),
  updateProduct: changeProduct,
  updateProducts: each(changeProduct, { toArgs: ({ id, ...input }) => ({ id, input }) }),
  deleteProduct: deletion('Product', deleteProduct),
  createProductVariant: creation<VariantInput>({
    record: 'ProductVariant',
    what: 'Variant',
    rules: variantRules,
    check: ({ options }) => repeatedOptions(options, ''),
    lookUps: ({ sku: value }, { productId }) => [
      ...skusTaken(valueOf('sku', value)),
      present(productTable, valueOf('productId', productId as string), 'Product'),
    ],
    write: (input, { productId }) =>
      insertOne(variantTable, { ...variantRow(input, maxPosition), productId: toUuid(productId) }),
  }),
  updateProductVariant: change<VariantInput>({
    record: 'ProductVariant',
    what: 'Variant',
    rules: variantRules,
    required: ['sku', 'options'],
    check: ({ options }) => repeatedOptions(options, ''),
    lookUps: ({ sku: value }, { id }) => skusTaken(valueOf('sku', value), { variant: id as string }),
    write: (input, { id }) => updateVariant(input, id as string),
  }),
  deleteProductVariant: deletion('Variant', (id) =>
    update(variantTable, byId(id), { deletedAt: new Date().toISOString() }),
  ),
}
