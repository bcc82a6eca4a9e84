import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTestDatabase, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectDatabase, type Database } from './database.ts'
import { migrationsFolder } from './testing/test-shop.ts'

let testDatabase: TestDatabase
let database: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = connectDatabase({ databaseUrl: testDatabase.url, poolSize: 1, applicationName: 'test' })
})
afterAll(async () => {
  await database.end()
  await testDatabase.drop()
})

const folders = readdirSync(migrationsFolder).sort()

async function run(file: 'up.sql' | 'down.sql', order: readonly string[]): Promise<void> {
  for (const folder of order)
    await database.unsafe(readFileSync(join(migrationsFolder, folder, file), 'utf8'))
}

const objects = () => database`
  SELECT n.nspname AS schema, p.proname AS name, pg_get_functiondef(p.oid) AS definition
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
  WHERE n.nspname !~ '^pg_|^information_schema$|^public$'
  UNION ALL
  SELECT n.nspname, c.relname, c.relkind::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname !~ '^pg_|^information_schema$|^public$'
  ORDER BY 1, 2, 3`

test('every migration can be undone, down to an empty database, and applied again', async () => {
  await run('up.sql', folders)
  const applied = await objects()
  await run('down.sql', folders.toReversed())
  expect(await objects()).toEqual([])
  await run('up.sql', folders)
  expect(await objects()).toEqual(applied)
})

test('ids sort by when they were made, also within a millisecond, and are UUIDs of version 7', async () => {
  const ids: string[] = []
  for (let count = 0; count < 200; count += 1) {
    const [row] = await database<{ id: string }[]>`SELECT platform.uuid_v7() AS id`
    ids.push(row?.id ?? '')
  }
  expect(ids.toSorted()).toEqual(ids)
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  const made = Number.parseInt((ids[0] ?? '').replaceAll('-', '').slice(0, 12), 16)
  expect(Math.abs(made - Date.now())).toBeLessThan(60_000)
})
