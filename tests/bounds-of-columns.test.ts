import { Kind, parse } from 'graphql'
import path from 'node:path'
import { createMigratedDatabase, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { type Domain, domains, domainSdl, loadContract } from '@commerce-graph/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'

/*
 * A bound is defined in the SDL. One end of it is repeated as a CHECK if no row may break it, because Hasura's own
 * API writes rows without our services. Not every bound needs both; an end that is a CHECK must equal the SDL's
 * (docs/decisions/0086).
 */

interface Range {
  readonly min: number | null
  readonly max: number | null
}

const { bounds } = loadContract()

/** Columns that store something else than the field of the same name, and why. */
const others: Readonly<Record<string, string>> = {
  'crm.loyalty_account.points': 'the sum of the entries, of which one may take points away',
  'events.endpoint.url': 'the scalar URL has this bound',
  'payment.payment.amount': 'an order that costs nothing is confirmed without a payment',
}

let database: TestDatabase
let sql: Sql
/** The tables of each domain, named as types are. */
let tables: ReadonlyMap<string, readonly string[]>
beforeAll(async () => {
  database = await createMigratedDatabase({
    migrations: path.resolve(import.meta.dirname, '../migrations/default'),
  })
  sql = postgres(database.url, { max: 1, onnotice: () => undefined })
  const rows = await sql<{ schema: string; names: string[] }[]>`
    SELECT schemaname AS schema, array_agg(tablename::text) AS names FROM pg_tables GROUP BY 1`
  tables = new Map(rows.map(({ schema, names }) => [schema, names.map((name) => camel(`_${name}`))]))
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

test('a CHECK has the same bound as the SDL’s fields that write its column', async () => {
  const checks = await checkedColumns()
  const disagreeing = checks.flatMap(({ name, domain, type, column, of, range }) =>
    fieldsOf(domain, type, column)
      .map((field) => ({ field, said: of === 'length' ? lengthOf(field) : rangeOf(field) }))
      .filter(({ said }) => (['min', 'max'] as const).some((end) => (range[end] ?? said[end]) !== said[end]))
      .map(({ field, said }) => ({ name, range, field, said })),
  )
  expect(disagreeing.filter(({ name }) => others[name] === undefined)).toEqual([])
  expect([...new Set(disagreeing.map(({ name }) => name))].filter((name) => name in others)).toEqual(
    Object.keys(others),
  )
  // Otherwise the patterns below no longer match what Postgres prints.
  expect(
    checks.filter(({ domain, type, column }) => fieldsOf(domain, type, column).length > 0).length,
  ).toBeGreaterThan(30)
})

interface CheckedColumn {
  /** `ordering.order_item.quantity` */
  readonly name: string
  readonly domain: Domain
  /** The table's name as a type's name: `OrderItem`. */
  readonly type: string
  readonly column: string
  readonly of: 'number' | 'length'
  readonly range: Range
}

/** The CHECKs of one column that only bound its range, as Postgres prints them. */
async function checkedColumns(): Promise<readonly CheckedColumn[]> {
  const rows = await sql<{ schema: Domain; table: string; column: string; definition: string }[]>`
    SELECT n.nspname AS schema, t.relname AS table, a.attname AS column, pg_get_constraintdef(c.oid) AS definition
    FROM pg_constraint c
    JOIN pg_class t ON t.oid = c.conrelid
    JOIN pg_namespace n ON n.oid = t.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
    WHERE c.contype = 'c' AND cardinality(c.conkey) = 1 AND n.nspname = ANY (${[...domains]}) AND NOT t.relispartition
    ORDER BY 1, 2, 3`
  return rows.flatMap(({ definition, schema: domain, table, column }) => {
    const ends = [
      ...definition.matchAll(/\((?:char_length\()?"?\w+"?\)? (>=|>|<=|<) '?\(?(-?\d+)\)?'?(?:::\w+)?\)/g),
    ]
    const rest = ends
      .reduce((text, [end]) => text.replace(end, ''), definition)
      .replace(/CHECK|AND|[()\s]/g, '')
    if (ends.length === 0 || rest !== '') return []
    const of = definition.includes('char_length') ? 'length' : 'number'
    const place = { name: `${domain}.${table}.${column}`, domain, type: camel(`_${table}`), column }
    return [{ ...place, of, range: rangeOfEnds(ends.map(([, sign = '', end = '']) => [sign, Number(end)])) }]
  })
}

function rangeOfEnds(ends: readonly (readonly [string, number])[]): Range {
  const of = (closed: string, open: string, step: number) =>
    ends.flatMap(([sign, end]) => (sign === closed ? [end] : sign === open ? [end + step] : []))[0]
  return inType({ min: of('>=', '>', 1), max: of('<=', '<', -1) })
}

/** The bounds of Int and of Money come with the type, so neither place repeats them. */
const inType = ({
  min,
  max,
}: {
  readonly min?: number | null | undefined
  readonly max?: number | null | undefined
}): Range => ({
  min: min ?? null,
  max: max == null || max === Number.MAX_SAFE_INTEGER || max === 2_147_483_647 ? null : max,
})

/** A price must be above 0. */
const rangeOf = (field: string): Range =>
  inType(bounds.of(field).format === 'price' ? { min: 1 } : (bounds.of(field).range ?? {}))

function lengthOf(field: string): Range {
  const { min, max } = bounds.of(field).length ?? {}
  return { min: min === undefined || min === 0 ? null : min, max: max ?? null }
}

/**
 * The fields that mutations write to a column: those of its name in inputs named after the table, or otherwise in
 * inputs named after no table.
 */
function fieldsOf(domain: Domain, table: string, column: string): readonly string[] {
  const named = parse(domainSdl(domain))
    .definitions.filter((definition) => definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION)
    .filter(({ fields }) => fields?.some(({ name }) => name.value === camel(column)))
    .map(({ name }) => name.value)
    .filter((type) => !type.endsWith('Filters'))
  const own = named.filter((type) => tableOf(domain, type) === table)
  return (own.length > 0 ? own : named.filter((type) => tableOf(domain, type) === undefined)).map(
    (type) => `${type}.${camel(column)}`,
  )
}

/** The table that an input is named after: `OrderItem` of `UpdateOrderItemInput`. */
const tableOf = (domain: Domain, input: string): string | undefined =>
  (tables.get(domain) ?? [])
    .filter((table) => input.includes(table))
    .toSorted((one, other) => other.length - one.length)[0]

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
