import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createMigratedDatabase, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { SourceFinder } from '../hasura/engine/src/live/statement-sources.ts'
import { publishChanges } from '../platform/src/publish-changes.ts'

/** Which live queries the log wakes, and which have to ask each second as well: what a query on each tracked table reads. */

const root = path.resolve(import.meta.dirname, '..')
const tablesFolder = path.join(root, 'metadata/databases/default/tables')

interface Name {
  readonly schema: string
  readonly name: string
}

const tracked = readdirSync(tablesFolder)
  .filter((file) => file !== 'tables.yaml')
  .map((file) => parse(readFileSync(path.join(tablesFolder, file), 'utf8')) as { readonly table: Name })
  .map(({ table }) => table)

let database: TestDatabase
let sql: Sql
let published: ReadonlySet<number>

beforeAll(async () => {
  database = await createMigratedDatabase({ migrations: path.join(root, 'migrations/default') })
  sql = postgres(database.url, { max: 1, onnotice: () => undefined })
  await publishChanges(sql, true)
  const rows = await sql<{ oid: string }[]>`SELECT prrelid::text AS oid FROM pg_publication_rel`
  published = new Set(rows.map(({ oid }) => Number(oid)))
  // As the engine, whom row security binds.
  await sql`SET ROLE commerce_engine`
})

afterAll(async () => {
  await sql.end()
  await database.drop()
})

const newFinder = () =>
  new SourceFinder(async (text, values) => await sql.unsafe(text, values as never[]), {
    column: 'merchant_id',
    setting: 'commerce.merchant_id',
  })

test('all tables are followed but those that read the clock, and the audit log, which has partitions', async () => {
  const finder = newFinder()
  const polled: string[] = []
  for (const table of tracked) {
    const { tables, otherwise } = await finder.find({ relations: [table], functions: [], isOpaque: false })
    if (otherwise !== undefined || [...tables.keys()].some((oid) => !published.has(oid)))
      polled.push(`${table.schema}.${table.name}`)
  }
  expect(polled).toEqual([
    'audit.log',
    'cart.cart_total',
    'crm.segment_member',
    'identity.active_session',
    'ordering.draft_order_total',
    'payment.cart_option',
  ])
})

test('what a merchant’s subscriber sees is followed for that merchant alone', async () => {
  const finder = newFinder()
  const open = new Set<string>()
  for (const [schema, name] of [
    ['ordering', 'order'],
    ['ordering', 'order_item'],
    ['catalog', 'product'],
    ['inventory', 'product_inventory'],
    ['inventory', 'sku_inventory'],
    ['cart', 'priced_cart_item'],
    ['events', 'event'],
  ] as const) {
    const { tables } = await finder.find({ relations: [{ schema, name }], functions: [], isOpaque: false })
    expect(tables.size).toBeGreaterThan(0)
    for (const [oid, isOwn] of tables)
      if (!isOwn) {
        const [table] = await sql<{ name: string }[]>`SELECT ${oid}::oid::regclass::text AS name`
        open.add(table?.name ?? '')
      }
  }
  expect([...open]).toEqual([])
})

test('a publication has no more of a row than what identifies it, and its merchant', async () => {
  const wide = await sql<{ name: string; column: string }[]>`
    SELECT t.schemaname || '.' || t.tablename AS name, a.name AS column
    FROM pg_publication_tables t, unnest(t.attnames) AS a (name)
    WHERE
      t.pubname = 'commerce_changes'
      AND a.name <> 'merchant_id'
      AND NOT EXISTS (
        SELECT FROM pg_index i JOIN pg_attribute k ON k.attrelid = i.indrelid AND k.attnum = ANY (i.indkey)
        WHERE
          i.indrelid = (quote_ident(t.schemaname) || '.' || quote_ident(t.tablename))::regclass
          AND i.indisprimary
          AND k.attname = a.name
      )`
  expect(wide).toEqual([])
})
