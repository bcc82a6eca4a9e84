import type { RequestError } from '@commerce-graph/client'
import { differing } from '../api/differing.ts'
import { unitsOf } from '../format/money.ts'
import type { BulkProductsQuery, ProductStatus, UpdateProductsInput } from '../generated/operations.ts'

export type BulkProduct = BulkProductsQuery['products']['nodes'][number]

/** What one types into a row. Amounts are in the currency; NaN is no amount. */
export interface BulkRow {
  readonly name: string
  readonly sku: string
  readonly price: number
  readonly compareAtPrice: number
  readonly status: ProductStatus
}

/** What was typed of a product. It is kept when the product isn't listed any more. */
export interface BulkEdit {
  readonly product: BulkProduct
  readonly row: Partial<BulkRow>
}

/** By the products' ids. */
export type BulkEdits = ReadonlyMap<string, BulkEdit>

export const withEdit = (edits: BulkEdits, product: BulkProduct, row: Partial<BulkRow>): BulkEdits =>
  new Map(edits).set(product.id, { product, row: { ...edits.get(product.id)?.row, ...row } })

/** The edits of products that are listed are of them as they are now. */
export function renewedEdits(edits: BulkEdits, listed: readonly BulkProduct[]): BulkEdits {
  const products = new Map(listed.map((product) => [product.id, product]))
  return new Map([...edits].map(([id, edit]) => [id, { ...edit, product: products.get(id) ?? edit.product }]))
}

/**
 * What is left to send after a save: what was refused, and what was typed meanwhile.
 *
 * @param sent the edits as they were when they were sent
 * @param saved the ids of the products that have them now
 */
export function withoutSaved(edits: BulkEdits, sent: BulkEdits, saved: ReadonlySet<string>): BulkEdits {
  const left = [...edits].map(([id, edit]): [string, BulkEdit] => {
    const before = saved.has(id) ? sent.get(id) : undefined
    return [id, before === undefined ? edit : { ...edit, row: differing(edit.row, before.row) }]
  })
  return new Map(left.filter(([, { row }]) => Object.keys(row).length > 0))
}

export const rowOf = ({ name, sku, price, compareAtPrice, status, currency }: BulkProduct): BulkRow => ({
  name,
  sku,
  price: price / unitsOf(currency),
  compareAtPrice: compareAtPrice === null ? Number.NaN : compareAtPrice / unitsOf(currency),
  status,
})

/** What a row changes of its product; null if nothing. */
export function inputOf({ product, row: edits }: BulkEdit): UpdateProductsInput | null {
  const before = rowOf(product)
  const changed = (name: keyof BulkRow) => name in edits && !Object.is(edits[name], before[name])
  const minor = (amount: number) => Math.round(amount * unitsOf(product.currency))
  const { name, sku, price, compareAtPrice, status } = { ...before, ...edits }
  const input = {
    ...(changed('name') && { name }),
    ...(changed('sku') && { sku }),
    ...(changed('price') && !Number.isNaN(price) && { price: minor(price) }),
    ...(changed('compareAtPrice') && {
      compareAtPrice: Number.isNaN(compareAtPrice) ? null : minor(compareAtPrice),
    }),
    ...(changed('status') && { status }),
  }
  return Object.keys(input).length === 0 ? null : { id: product.id, ...input }
}

/** What takes the changes back: the values of the same fields as they were. */
export const undoInputOf = (product: BulkProduct, input: UpdateProductsInput): UpdateProductsInput => ({
  id: product.id,
  ...(input.name !== undefined && { name: product.name }),
  ...(input.sku !== undefined && { sku: product.sku }),
  ...(input.price !== undefined && { price: product.price }),
  ...(input.compareAtPrice !== undefined && { compareAtPrice: product.compareAtPrice }),
  ...(input.status !== undefined && { status: product.status }),
})

/** The API takes so many products at once. */
export const batchSize = 100

export const batchesOf = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / batchSize) }, (_, index) =>
    items.slice(index * batchSize, (index + 1) * batchSize),
  )

/** By the ids of the refused products: what is wrong, by field; `''` for the row as a whole. */
export function faultsByRow(
  error: RequestError,
  inputs: readonly UpdateProductsInput[],
): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const faults = new Map<string, Record<string, string>>()
  if (error.kind !== 'refused') return faults
  for (const { field, message } of error.userErrors) {
    const [, index, name = ''] = /^inputs\.(\d+)(?:\.(\w+))?/.exec(field ?? '') ?? []
    const id = index === undefined ? undefined : inputs[Number(index)]?.id
    if (id !== undefined) faults.set(id, { ...faults.get(id), [name]: message })
  }
  return faults
}
