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
