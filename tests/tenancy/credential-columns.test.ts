import path from 'node:path'
import { createMigratedDatabase, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { credentialColumns } from './expectations.ts'

const parts = ['engine', 'actions', 'auth', 'worker', 'reader'] as const

/** A column with such a name, or one of these types of bytes, is taken for a credential until the table says what it is. */
const looksLikeCredential =
  "(a.attname ~ '(hash|secret|sealed|passw|credential|token|jwk|otp|private_key|signing|nonce|salt|undelivered)' OR a.atttypid = 'bytea'::regtype)"

let database: TestDatabase
let sql: Sql
beforeAll(async () => {
  database = await createMigratedDatabase({
    migrations: path.resolve(import.meta.dirname, '../../migrations/default'),
  })
  sql = postgres(database.url, { max: 1, onnotice: () => undefined })
}, 60_000)
afterAll(async () => {
  await sql.end()
  await database.drop()
})

test('every column that looks like a credential is in credential-columns.csv', async () => {
  const found = await sql<{ name: string }[]>`
    SELECT format('%s.%s.%s', n.nspname, c.relname, a.attname) AS name
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
      AND n.nspname IN (SELECT s.name FROM platform.own_schemas() s) AND ${sql.unsafe(looksLikeCredential)}
    ORDER BY 1`
  const known = credentialColumns()
  expect(found.length).toBeGreaterThan(0)
  expect(found.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([])
})

test('each part has the rights of credential-columns.csv to such a column, and no others', async () => {
  const expected = [...credentialColumns().values()]
  const rights = await sql<{ column: string; part: string; read: boolean; write: boolean }[]>`
    SELECT given.name AS column, part,
      has_column_privilege('commerce_' || part, given.relation, given.column_name, 'SELECT') AS read,
      has_column_privilege('commerce_' || part, given.relation, given.column_name, 'INSERT')
        OR has_column_privilege('commerce_' || part, given.relation, given.column_name, 'UPDATE') AS write
    FROM (
      SELECT name, substring(name, '^(.*)[.]')::regclass::oid AS relation, substring(name, '[^.]*$') AS column_name
      FROM unnest(${expected.map(({ column }) => column)}::text[]) AS name
    ) AS given, unnest(${[...parts]}::text[]) AS part`
  const actual = rights.map(({ column, part, read, write }) => ({
    column,
    part,
    rights: [read ? 'read' : '', write ? 'write' : ''].filter((one) => one !== '').join(' ') || '-',
  }))
  expect(actual).toHaveLength(expected.length * parts.length)
  const wrong = actual.filter(({ column, part, rights: has }) => {
    const row = credentialColumns().get(column)
    return has !== row?.[part as (typeof parts)[number]]
  })
  expect(wrong).toEqual([])
})

test('the list of the migration names the same columns', async () => {
  const granted = await sql<{ name: string }[]>`
    SELECT format('%s.%s', relation, column_name) AS name FROM platform.credential_columns()`
  const credentials = [...credentialColumns().values()].filter(
    ({ content }) => !content.startsWith('no credential'),
  )
  expect(granted.map(({ name }) => name).toSorted()).toEqual(
    credentials.map(({ column }) => column).toSorted(),
  )
})
