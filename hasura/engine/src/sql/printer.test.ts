import { createTestDatabase } from '@commerce-graph/local-postgres/testing'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtinType, cast, select, text } from './build.ts'
import { encodeLiteral } from './encode.ts'
import { printStatement } from './printer.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let client: pg.Client
beforeAll(async () => {
  database = await createTestDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

/** Texts that Postgres can store: without code 0, and without unpaired surrogates. */
const storable = fc
  .string({ unit: 'binary', maxLength: 30 })
  .filter((value) => !value.includes('\0') && value.isWellFormed())

test('no text can escape its quotes, as a constant or as an identifier', async () => {
  await fc.assert(
    fc.asyncProperty(storable, storable, async (value, name) => {
      // Postgres truncates names after 63 bytes.
      fc.pre(name !== '' && Buffer.byteLength(name) <= 63)
      const { text: sql } = printStatement(
        select([{ value: cast(text(value), builtinType('text')), alias: name }]),
      )
      const { rows } = await client.query<Record<string, string>>(sql)
      expect(rows).toEqual([{ [name]: value }])
    }),
    {
      numRuns: 300,
      examples: [
        ["'; drop table x; --", '"'],
        ["\\'", '\\"'],
        ["''\\", 'a"b'],
      ],
    },
  )
})

test('a list that is bound as one array is read back item by item', async () => {
  const item = fc.option(storable, { nil: null })
  await fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 8 }), async (items) => {
      const encoded = encodeLiteral(items, { scalar: 'string', list: true })
      const { rows } = await client.query<{ items: unknown }>('select $1::text[] as items', [
        encoded.ok ? encoded.text : undefined,
      ])
      expect(rows[0]?.items).toEqual(items)
    }),
    { numRuns: 200, examples: [[['NULL', null, '', '{', ',', '"', '\\', ' ']]] },
  )
})

test('the same value under the same type is one parameter, under another type a second', () => {
  const parameter = (type: string) => ({
    kind: 'parameter' as const,
    source: { kind: 'session' as const, name: 'x-hasura-user-id' },
    type: builtinType(type),
  })
  const statement = select([
    { value: parameter('int4') },
    { value: parameter('text') },
    { value: parameter('int4') },
  ])
  const { text: sql, parameters } = printStatement(statement)
  expect(sql).toBe('SELECT ($1)::"int4", ($2)::"text", ($1)::"int4"')
  expect(parameters).toHaveLength(2)
})
