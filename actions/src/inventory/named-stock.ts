import type { ActionCall } from '../action/action.ts'
import { notFound, type UserError } from '../action/answer.ts'
import type { Database } from '../database.ts'

interface Named {
  readonly what: 'SKU' | 'Warehouse'
  readonly field: string
  readonly value: string
}

/**
 * The SKUs and warehouses that an input names and the merchant doesn't have, whatever else is wrong with the input.
 * Nothing is looked up twice: this runs only for an input that gets no further.
 */
export async function unknownStock(
  database: Database,
  { session, input }: ActionCall,
): Promise<readonly UserError[]> {
  const named = namedStock(input, [])
  const skus = named.filter(({ what }) => what === 'SKU').map(({ value }) => value)
  const warehouses = named.filter(({ what }) => what === 'Warehouse').map(({ value }) => value)
  if (named.length === 0) return []
  const known = await database<{ value: string }[]>`
    SELECT i.sku AS value FROM inventory.stock_item i
    WHERE i.merchant_id = ${session.merchantId} AND i.sku = ANY (${skus})
    UNION ALL
    SELECT w.id::text FROM inventory.warehouse w
    WHERE w.merchant_id = ${session.merchantId} AND w.id::text = ANY (${warehouses})`
  const values = new Set(known.map(({ value }) => value))
  return named.filter(({ value }) => !values.has(value)).map(({ field, what }) => notFound(field, what))
}

function namedStock(value: unknown, path: readonly string[]): readonly Named[] {
  if (value === null || typeof value !== 'object') return leaf(value, path)
  return Object.entries(value).flatMap(([key, member]) => namedStock(member, [...path, key]))
}

function leaf(value: unknown, path: readonly string[]): readonly Named[] {
  const name = path.at(-1) ?? ''
  if (typeof value !== 'string' || value.trim() === '' || value.includes('\0')) return []
  const field = (path[0] === 'input' ? path.slice(1) : path).join('.')
  if (name === 'sku') return [{ what: 'SKU', field, value }]
  return /warehouseId$/i.test(name) ? [{ what: 'Warehouse', field, value: value.toLowerCase() }] : []
}
