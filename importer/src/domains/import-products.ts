import type { Outcome } from '../api/attempts.ts'
import { creation, field } from '../api/batch.ts'
import type { CommerceApi } from '../api/commerce-api.ts'
import { recordOf } from '../api/mutation-payload.ts'
import {
  CreateProductDocument,
  CreateProductVariantDocument,
  ProductBySkuDocument,
  SetInventoryLevelDocument,
  UpdateProductDocument,
  UpdateProductVariantDocument,
  type CreateProductMutation,
  type ProductBySkuQuery,
} from '../generated/operations.ts'
import type { ProductRow, StockLevels } from '../input/product-row.ts'
import { CategoryRefused, type CategoryTree } from './category-tree.ts'
import { addReviews } from './add-reviews.ts'
import { live, ProductTask } from './product-task.ts'
import { runMutations, runQueries, type OnExisting, type Starts } from './task.ts'
import type { Warehouses } from './warehouses.ts'

export interface ProductImport {
  readonly api: CommerceApi
  readonly categories: CategoryTree
  readonly warehouses: Warehouses
  readonly onExisting: OnExisting
  readonly starts: Starts<ProductRow>
}

/**
 * One attempt at a batch of products: looks up existing ones, creates or updates them, then their variants, stock
 * and reviews. Each step continues with the rows that succeeded in the step before.
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
  const calls = tasks.map((task) => ({
    task,
    at: '',
    field: field(ProductBySkuDocument, { sku: task.row.sku }),
    then(existing: ProductBySkuQuery['product']) {
      if (existing === null) return
      task.existing = existing
      task.id = existing.id
      if (starts.wasStarted(task.row)) return
      task.becomes(onExisting === 'skip' ? 'skipped' : 'updated')
    },
  }))
  await runQueries(api, calls)
}

// Checked before anything is created, so that a row with an unknown warehouse creates nothing.
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

function saveProduct(task: ProductTask) {
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
  if (existing !== undefined) {
    return { task, at: '', field: field(UpdateProductDocument, { id: existing.id, input: shared }) }
  }
  const creating = { ...shared, variants: row.variants?.map(variantInput) }
  return {
    task,
    at: '',
    field: creation(CreateProductDocument, { input: creating }),
    then({ product }: NonNullable<CreateProductMutation['createProduct']>) {
      task.id = recordOf(product).id
    },
  }
}

function variantInput({ sku, price, compareAtPrice, options }: NonNullable<ProductRow['variants']>[number]) {
  const list = options && Object.entries(options).map(([name, value]) => ({ name, value }))
  return { sku, price, compareAtPrice, options: list }
}

// A new product was created with its variants. Variants of an existing one are matched by SKU; none is deleted.
function saveVariants(task: ProductTask) {
  const { existing } = task
  if (existing === undefined) return []
  return (task.row.variants ?? []).map((variant, index) => {
    const present = existing.variants.find(({ sku }) => sku === variant.sku)
    const input = variantInput(variant)
    const saving =
      present === undefined
        ? creation(CreateProductVariantDocument, { productId: existing.id, input })
        : field(UpdateProductVariantDocument, { id: present.id, input })
    return { task, at: `variants.${index}`, field: saving }
  })
}

const setStock = (task: ProductTask) =>
  task.levels.map(({ sku, warehouseId, units, at }) => ({
    task,
    at,
    field: field(SetInventoryLevelDocument, { input: { sku, warehouseId, available: units } }),
  }))
