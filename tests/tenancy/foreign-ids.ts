import { randomUUID } from 'node:crypto'
import type postgres from '@commerce-graph/postgres-driver'
import type { Client } from '../support/graphql-client.ts'
import type { GeneratedOperation } from './operation-generator.ts'
import { tenantTables } from './tenants.ts'

/** Ids of rows that don't belong to the caller, and the arguments that can name them. */
export interface ForeignIds {
  /** The singular names that arguments use for the tables: `order` for `orderId` and `order_id`. */
  readonly tables: readonly string[]
  readonly all: readonly string[]
  readonly pattern: RegExp
  /**
   * The value for an argument that can name a row: the id of that table's row, unless the argument's name says
   * another table.
   */
  leaf(table: string, argument: string): unknown
}

/**
 * @param byName the id of one row of each table, by the table's singular name
 * @param merchantId the value of arguments for the merchant
 */
export function foreignIds(byName: ReadonlyMap<string, string>, merchantId: string): ForeignIds {
  const all = [...byName.values()]
  return {
    tables: [...byName.keys()],
    all,
    pattern: new RegExp(all.join('|')),
    leaf(table, argument) {
      if (argument === 'merchantId' || argument === 'merchant_id') return merchantId
      // A token of the payment processor, and no row's id.
      if (argument === 'paymentMethodId') return undefined
      // Another system's, and no row's id.
      if (/^external_?ids?$/i.test(argument)) return undefined
      if (argument === 'id') return byName.get(table)
      if (argument === 'representations') return { __typename: typeName(table), id: byName.get(table) }
      // The contract's arguments are in camel case, Hasura's in snake case.
      const column = argument.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      const named = /^(\w+)_ids?$/.exec(column)?.[1]
      return named === undefined ? undefined : (byName.get(named) ?? byName.get(table))
    },
  }
}

/** One row of each of a merchant's tables, and the merchant itself. */
export async function idsOfMerchant(sql: postgres.Sql, merchantId: string): Promise<ForeignIds> {
  const byName = new Map([['merchant', merchantId]])
  for (const table of await tenantTables(sql)) {
    // A number that counts rows is in every answer, and names none.
    if (!table.columns.some(({ name, type }) => name === 'id' && type === 'uuid')) continue
    const [row] = await sql.unsafe<{ id: string }[]>(
      `SELECT id FROM ${table.name} WHERE merchant_id = $1 LIMIT 1`,
      [merchantId],
    )
    if (row !== undefined) byName.set(singularOf(table.name), row.id)
  }
  return foreignIds(byName, merchantId)
}

/** `order` of `ordering."order"`. */
export const singularOf = (table: string): string => table.replaceAll('"', '').split('.')[1] ?? table

/** `product_variant` is ProductVariant in the contract. Another type name is refused, so that nothing is found. */
const typeName = (table: string): string =>
  table.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The answers to an operation with the foreign ids that it names, and with random ids in their place. */
export async function answersForForeignAndUnknown(
  client: Client,
  { query, variables }: GeneratedOperation,
  foreign: ForeignIds,
): Promise<readonly [string, string]> {
  const random = new Map(foreign.all.map((id) => [id, randomUUID()]))
  const unknown = JSON.stringify(variables).replaceAll(
    new RegExp(foreign.pattern, 'g'),
    (id) => random.get(id) ?? id,
  )
  const theirs = await client(query, variables)
  const absent = await client(query, JSON.parse(unknown) as typeof variables)
  const anyId = new RegExp([...foreign.all, ...random.values()].join('|'), 'g')
  return [stable(theirs.text.replaceAll(anyId, 'id')), stable(absent.text.replaceAll(anyId, 'id'))]
}

/** The data of an answer only: error messages may repeat the caller's own variables. */
export const dataOf = (text: string): string =>
  JSON.stringify((JSON.parse(text) as { data?: unknown }).data ?? null)

/**
 * The answer without what changes from call to call: request ids, the time, when the key was last used, and the
 * order of lists without a requested order.
 */
export const stable = (text: string): string => JSON.stringify(sorted(JSON.parse(text)))

const volatile = new Set(['requestId', 'timestamp', 'lastUsedAt', 'last_used_at'])

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, volatile.has(key) ? null : sorted(child)]),
  )
}
