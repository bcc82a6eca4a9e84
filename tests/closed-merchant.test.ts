import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { deleteClosedMerchants } from '@commerce-graph/actions/merchants'
import { temporaryStorage } from '@commerce-graph/file-storage/testing'
import type { TestDatabase } from '@commerce-graph/local-postgres/testing'
import postgres from '@commerce-graph/postgres-driver'
import { createSecretBox } from '@commerce-graph/secret-box'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDemoDatabase } from './support/demo-database.ts'
import { fillEmptyTables } from './tenancy/rows-of-each-table.ts'

let database: TestDatabase
let sql: postgres.Sql
const files = temporaryStorage()
let closed: string
let other: string
let tables: readonly string[]
beforeAll(async () => {
  database = await createDemoDatabase()
  sql = postgres(database.url, { max: 2, onnotice: () => undefined })
  const [shop] = await sql<[{ merchantId: string; customerId: string }]>`
    SELECT merchant_id AS "merchantId", customer_id AS "customerId" FROM ordering.order LIMIT 1`
  closed = shop.merchantId
  await fillEmptyTables(sql, shop, createSecretBox([{ id: 'test', key: randomBytes(32) }]))
  const [opened] = await sql<[{ opened: { merchantId: string } }]>`
    SELECT merchant.open_merchant('Other', 'other@example.com', 'DE', 'EUR', NULL, NULL, '[]') AS opened`
  other = opened.opened.merchantId
  for (const merchantId of [closed, other]) await addUntrackedRows(merchantId)
  const rows = await sql<{ name: string }[]>`
    SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE a.attname = 'merchant_id' AND NOT a.attisdropped AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    ORDER BY 1`
  tables = rows.map(({ name }) => name)
})
afterAll(async () => {
  await sql.end()
  await database.drop()
  await files.remove()
})

/** Rows that no API shows, in tables whose rows are not deleted by a foreign key to the merchant. */
async function addUntrackedRows(merchantId: string): Promise<void> {
  const entry = { merchant_id: merchantId, actor_kind: 'KEY', source: 'CONTRACT', outcome: 'DONE' }
  await sql`SELECT audit.append(${sql.json([entry])})`
  await sql`
    INSERT INTO platform.idempotency_record (merchant_id, caller, key, operation, fingerprint)
    VALUES (${merchantId}, 'merchant', 'k', 'createOrder', 'f')`
}

async function rowsOf(merchantId: string): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const name of tables) {
    const [row] = await sql<[{ count: number }]>`
      SELECT count(*)::int AS count FROM ${sql.unsafe(name)} WHERE merchant_id = ${merchantId}`
    if (row.count > 0) counts.set(name, row.count)
  }
  return counts
}

async function deleteRows(limit: number) {
  const [row] = await sql<[{ answer: { outcome: string } }]>`
    SELECT merchant.delete_rows(${closed}, ${limit}) AS answer`
  return row.answer.outcome
}

test('every table with a merchant has a row here, or a foreign key that deletes its rows with the merchant', async () => {
  const withRows = await rowsOf(closed)
  const cascading = await sql<{ name: string }[]>`
    WITH RECURSIVE going AS (
      SELECT 'merchant.merchant'::regclass::oid AS oid
      UNION
      SELECT k.conrelid FROM pg_constraint k JOIN going g ON k.confrelid = g.oid
      WHERE k.contype = 'f' AND k.confdeltype = 'c'
    )
    SELECT oid::regclass::text AS name FROM going`
  // Types of the rows that functions return.
  const neverStored = ['search.facet', 'search.hit', 'search.suggestion', 'search.total']
  const going = new Set([...cascading.map(({ name }) => name), ...withRows.keys(), ...neverStored])
  expect(tables.length).toBeGreaterThan(100)
  expect(tables.filter((name) => !going.has(name))).toEqual([])
})

test('only the owner of the database may delete a merchant’s rows', async () => {
  const [row] = await sql`
    SELECT has_function_privilege('pg_write_all_data', 'merchant.delete_rows(uuid, integer)', 'EXECUTE') AS may`
  expect(row).toEqual({ may: false })
})

test('nothing of an open merchant, or of a closed one that can be reinstated, is deleted', async () => {
  const before = await rowsOf(closed)
  expect(await deleteRows(1000)).toBe('not_due')
  await sql`
    UPDATE merchant.merchant SET status = 'CLOSED', deletes_at = now() + interval '1 minute' WHERE id = ${closed}`
  expect(await deleteRows(1000)).toBe('not_due')
  expect(await deleteClosedMerchants(sql, files.storage)).toBe(0)
  expect(await rowsOf(closed)).toEqual(before)
})

test('after the delay, every row and file of the merchant is deleted, and no other merchant’s', async () => {
  const others = await rowsOf(other)
  for (const merchantId of [closed, other])
    await files.storage.put(`${merchantId}/public/folder/image`, Readable.from([Buffer.from('x')]), {
      contentType: 'image/webp',
    })
  expect([...others.keys()]).toContain('audit.entry')
  await sql`UPDATE merchant.merchant SET deletes_at = now() WHERE id = ${closed}`

  // A process that dies after a round leaves the rest to the next process.
  expect(await deleteRows(10)).toBe('more')
  const left = await rowsOf(closed)
  expect(left.size).toBeGreaterThan(50)
  expect(await deleteClosedMerchants(sql, files.storage)).toBeGreaterThan(1000)

  expect([...(await rowsOf(closed)).keys()]).toEqual([])
  expect(await sql`SELECT FROM merchant.merchant WHERE id = ${closed}`).toHaveLength(0)
  expect(await rowsOf(other)).toEqual(others)
  expect(await files.storage.head(`${closed}/public/folder/image`)).toBeNull()
  expect(await files.storage.head(`${other}/public/folder/image`)).not.toBeNull()
  expect(await sql`SELECT id, name FROM operator.deleted_merchant`).toEqual([
    { id: closed, name: expect.any(String) as string },
  ])
})

test('rows that a running request wrote after the deletion are deleted, too', async () => {
  await addUntrackedRows(closed)
  expect(await deleteClosedMerchants(sql, files.storage)).toBe(2)
  expect([...(await rowsOf(closed)).keys()]).toEqual([])
})
