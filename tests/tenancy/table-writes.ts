import { randomUUID } from 'node:crypto'
import { getNamedType, isInputObjectType, isLeafType, type GraphQLSchema } from 'graphql'
import type { Answer } from '../support/graphql-client.ts'
import type { Matrix } from './open-matrix.ts'
import { tenantTables } from './tenants.ts'
import { tableFields, type TableField, type TrackedTable } from './tracked-tables.ts'

type Data = Readonly<Record<string, unknown>>
type Write = 'insert' | 'update' | 'delete'

/** A mutation of Hasura's own API that writes one row of a table, if the caller may. */
export interface TableWrite {
  readonly table: TrackedTable
  readonly does: Write
  readonly query: string
  readonly variables: Data
}

/** The fields that write many rows and return their number; the `_one` fields are the same operation. */
export function writingFields(schema: GraphQLSchema, tables: readonly TrackedTable[]): readonly TableField[] {
  const type = schema.getMutationType()
  return type ? tableFields(type, tables).filter(({ field }) => takesMany(field)) : []
}

const takesMany = ({ args }: TableField['field']): boolean =>
  args.some(({ name }) => name === 'objects' || name === 'where')

/**
 * The outcome of a write: an error's code, or whether a row was written. Hasura has one code for a permission that
 * refuses a row and for a CHECK of the table, which only a caller with the permission reaches. The message shows
 * which one it was.
 */
export function outcomeOf({ data, text }: Answer<Data>): string {
  if (text.includes('"message":"Check constraint violation. ')) return 'constraint-violation'
  const code = /"code":"([^"]+)"/.exec(text)?.[1]
  if (code !== undefined) return code
  return JSON.stringify(data?.['done']) === '{"affected_rows":0}' ? 'nothing' : 'written'
}

/** Tables with at most one row for each pair or each parent: a second one can't be inserted. */
const pairs: ReadonlySet<string> = new Set([
  'catalog.product_category',
  'booking.staff_service',
  'booking.resource_requirement',
  'inventory.warehouse_address',
])

/** A call for each operation of each table. Deletions are last, children before parents. */
export async function tableWrites(matrix: Matrix, schema: GraphQLSchema): Promise<readonly TableWrite[]> {
  const calls: TableWrite[] = []
  for (const { table, does, field } of writingFields(schema, matrix.tracked)) {
    if (does !== 'insert' && does !== 'update' && does !== 'delete') continue
    const row =
      does === 'insert' && pairs.has(table.name) ? await takenOut(matrix, table) : await aRow(matrix, table)
    calls.push({ table, does, ...callFor(schema, does, field.name, table, row) })
  }
  const order: readonly Write[] = ['insert', 'update', 'delete']
  const tables = (await tenantTables(matrix.sql)).map(({ name }) => name.replaceAll('"', ''))
  const depth = ({ table, does }: TableWrite) => (does === 'delete' ? -tables.indexOf(table.name) : 0)
  return calls.toSorted(
    (one, other) => order.indexOf(one.does) - order.indexOf(other.does) || depth(one) - depth(other),
  )
}

/** A row that no longer exists, so that it can be inserted. */
async function takenOut(matrix: Matrix, table: TrackedTable): Promise<Data> {
  const row = await aRow(matrix, table)
  const { sql } = matrix
  const ids = Object.keys(whereIs(row))
  await sql`DELETE FROM ${sql(table.name)} WHERE ${ids
    .map((name) => sql`${sql(name)} = ${String(row[name])}`)
    .reduce((all, each) => sql`${all} AND ${each}`)}`
  return row
}

async function aRow(matrix: Matrix, table: TrackedTable): Promise<Data> {
  const [found] = await matrix.sql.unsafe<{ row: Data }[]>(
    `SELECT row FROM (SELECT to_jsonb(t) AS row FROM ${table.sql} t) rows
     WHERE coalesce(row ->> 'merchant_id', row ->> 'id') = $1
     ORDER BY row ->> 'customer_id' IS NOT NULL, row ->> 'id' DESC LIMIT 1`,
    [matrix.platform.merchantId],
  )
  if (found === undefined) throw new Error(`${table.name} has no row`)
  return found.row
}

function callFor(
  schema: GraphQLSchema,
  does: Write,
  field: string,
  table: TrackedTable,
  row: Data,
): Pick<TableWrite, 'query' | 'variables'> {
  switch (does) {
    case 'insert': {
      const object = Object.fromEntries(
        inputColumns(schema, `${table.type}_insert_input`).map((name) => [name, anew(name, row[name])]),
      )
      return {
        query: `mutation ($rows: [${table.type}_insert_input!]!) { done: ${field}(objects: $rows) { affected_rows } }`,
        variables: { rows: [object] },
      }
    }
    case 'update': {
      const columns = inputColumns(schema, `${table.type}_set_input`)
      const column = columns.find((name) => row[name] !== null) ?? columns[0] ?? ''
      return {
        query: `mutation ($set: ${table.type}_set_input!, $where: ${table.type}_bool_exp!) { done: ${field}(_set: $set, where: $where) { affected_rows } }`,
        variables: { set: { [column]: row[column] }, where: whereIs(row) },
      }
    }
    case 'delete':
      return {
        query: `mutation ($where: ${table.type}_bool_exp!) { done: ${field}(where: $where) { affected_rows } }`,
        variables: { where: whereIs(row) },
      }
    default:
      return does satisfies never
  }
}

/** The columns of an input without nested inputs. */
function inputColumns(schema: GraphQLSchema, name: string): readonly string[] {
  const type = schema.getType(name)
  if (!isInputObjectType(type)) throw new Error(`there is no ${name}`)
  return Object.values(type.getFields())
    .filter((field) => isLeafType(getNamedType(field.type)))
    .map((field) => field.name)
}

/** Makes unique values unique. */
function anew(name: string, value: unknown): unknown {
  if (/^(slug|name|code|sku|token|key)$/i.test(name)) return randomUUID().toUpperCase()
  if (name === 'email') return `${randomUUID()}@example.com`
  if (name === 'network') return '198.51.100.0/24'
  // A method that the shop has no payment option for.
  if (name === 'method') return 'SEPA_DEBIT'
  return name === 'position' || name === 'threshold' ? Number(value) + 12 : value
}

/** Exactly this row: by `id`, or by all its id columns. */
function whereIs(row: Data): Data {
  const ids = 'id' in row ? ['id'] : Object.keys(row).filter((name) => /_id$/.test(name))
  return Object.fromEntries(
    ids.filter((name) => row[name] !== null).map((name) => [name, { _eq: row[name] }]),
  )
}
