import { z } from 'zod'
import type { Outcome } from '../api/attempts.ts'
import type { CommerceApi } from '../api/commerce-api.ts'
import type { Field } from '../api/fields.ts'
import type { ProductRow, StockLevels } from '../input/product-row.ts'
import { CategoryRefused, type CategoryTree } from './category-tree.ts'
import { addReviews } from './add-reviews.ts'
import { existingProduct, live, ProductTask } from './product-task.ts'
import { runMutations, runQueries, type Call, type OnExisting, type Starts } from './task.ts'
import type { Warehouses } from './warehouses.ts'

export interface ProductImport {
  readonly api: CommerceApi
  readonly categories: CategoryTree
  readonly warehouses: Warehouses
  readonly onExisting: OnExisting
  readonly starts: Starts<ProductRow>
}

const productPayload = z.object({ product: z.object({ id: z.string() }) })

/**
 * One attempt at a batch of products: look what is there, create or change it, then its variants, stock and reviews.
 * Each step goes on only with what the one before it has done.
 */
export async function importProducts(
  context: ProductImport,
  rows: readonly ProductRow[],
): Promise<Outcome[]> {
  const tasks = rows.map((row) => new ProductTask(row))
  await findExisting(context, tasks)
  await resolveReferences(context, live(tasks))
  await context.starts.start(live(tasks).flatMap((task) => (task.existing === undefined ? [task.row] : [])))
  await runMutations(context.api, live(tasks).map(saveProduct))
  await runMutations(context.api, live(tasks).flatMap(saveVariants))
  await runMutations(context.api, live(tasks).flatMap(setStock))
  await addReviews(context.api, live(tasks))
  return tasks.map((task) => task.outcome)
}

async function findExisting(
  { api, onExisting, starts }: ProductImport,
  tasks: readonly ProductTask[],
): Promise<void> {
  const calls = tasks.map((task): Call<ProductRow> => ({
    task,
    at: '',
    field: {
      name: 'product',
      arguments: { sku: { type: 'String', value: task.row.sku } },
      selection: 'id variants { id sku }',
    },
    then(value) {
      const existing = existingProduct.parse(value)
      if (existing === null) return
      task.existing = existing
      task.id = existing.id
      if (starts.wasStarted(task.row)) return
      task.becomes(onExisting === 'skip' ? 'skipped' : 'updated')
    },
  }))
  await runQueries(api, calls)
}

// Before anything is created, so that a row with an unknown warehouse leaves nothing behind.
async function resolveReferences(
  { categories, warehouses }: ProductImport,
  tasks: readonly ProductTask[],
): Promise<void> {
  for (const task of tasks) {
    const { row } = task
    const stocks = [{ sku: row.sku, stock: row.stock, at: 'stock' }].concat(
      (row.variants ?? []).map(({ sku, stock }, index) => ({ sku, stock, at: `variants.${index}.stock` })),
    )
    const levels: ProductTask['levels'][number][] = []
    for (const { sku, stock, at } of stocks) {
      for (const [code, units] of levelsOf(stock)) {
        const warehouseId = code === undefined ? undefined : await warehouses.idOf(code)
        if (code !== undefined && warehouseId === undefined) {
          task.refuse({
            field: `${at}.${code}`,
            message: `there is no warehouse with the code "${code}"`,
            code: 'NOT_FOUND',
          })
        }
        levels.push({ sku, warehouseId, units, at })
      }
    }
    task.levels = levels
    if (task.live && row.categories !== undefined) await resolveCategories(categories, task, row.categories)
  }
}

function levelsOf(stock: StockLevels | undefined): [code: string | undefined, units: number][] {
  if (stock === undefined) return []
  return typeof stock === 'number' ? [[undefined, stock]] : Object.entries(stock)
}

async function resolveCategories(
  categories: CategoryTree,
  task: ProductTask,
  paths: readonly string[],
): Promise<void> {
  try {
    task.categoryIds = await categories.idsOf(paths)
  } catch (error) {
    if (!(error instanceof CategoryRefused)) throw error
    const [first] = error.errors
    task.refuse({ field: 'categories', message: error.message, code: first?.code ?? 'INVALID_VALUE' })
  }
}

function saveProduct(task: ProductTask): Call<ProductRow> {
  const { row, existing, categoryIds } = task
  const {
    sku,
    name,
    description,
    price,
    currency,
    compareAtPrice,
    costPerItem,
    status,
    featured,
    slug,
    tags,
  } = row
  const { images, seoTitle, seoDescription } = row
  const input = {
    sku,
    name,
    description,
    price,
    currency,
    compareAtPrice,
    costPerItem,
    status,
    featured,
    slug,
    tags,
  }
  const shared = { ...input, images, seoTitle, seoDescription, categoryIds }
  const selection = 'product { id } errors { field message code }'
  if (existing !== undefined) {
    const field: Field = {
      name: 'updateProduct',
      arguments: {
        id: { type: 'ID!', value: existing.id },
        input: { type: 'UpdateProductInput!', value: shared },
      },
      selection,
    }
    return { task, at: '', field }
  }
  const value = { ...shared, variants: row.variants?.map(variantInput) }
  const field: Field = {
    name: 'createProduct',
    creates: true,
    arguments: { input: { type: 'CreateProductInput!', value } },
    selection,
  }
  return {
    task,
    at: '',
    field,
    then: (answer) => {
      task.id = productPayload.parse(answer).product.id
    },
  }
}

function variantInput({ sku, price, compareAtPrice, options }: NonNullable<ProductRow['variants']>[number]) {
  const list = options && Object.entries(options).map(([name, value]) => ({ name, value }))
  return { sku, price, compareAtPrice, options: list }
}

// A new product brought its variants along. Those of an existing one are matched by SKU; none is deleted.
function saveVariants(task: ProductTask): Call<ProductRow>[] {
  const { existing } = task
  if (existing === undefined) return []
  return (task.row.variants ?? []).map((variant, index): Call<ProductRow> => {
    const present = existing.variants.find(({ sku }) => sku === variant.sku)
    const selection = 'variant { id } errors { field message code }'
    const value = variantInput(variant)
    const field: Field =
      present === undefined
        ? {
            name: 'createProductVariant',
            creates: true,
            arguments: {
              productId: { type: 'ID!', value: existing.id },
              input: { type: 'ProductVariantInput!', value },
            },
            selection,
          }
        : {
            name: 'updateProductVariant',
            arguments: {
              id: { type: 'ID!', value: present.id },
              input: { type: 'UpdateProductVariantInput!', value },
            },
            selection,
          }
    return { task, at: `variants.${index}`, field }
  })
}

const setStock = (task: ProductTask): Call<ProductRow>[] =>
  task.levels.map(({ sku, warehouseId, units, at }) => ({
    task,
    at,
    field: {
      name: 'setInventoryLevel',
      arguments: {
        input: { type: 'SetInventoryLevelInput!', value: { sku, warehouseId, available: units } },
      },
      selection: 'inventory { sku } errors { field message code }',
    },
  }))
