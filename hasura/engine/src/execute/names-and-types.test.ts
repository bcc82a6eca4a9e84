import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GraphQLExecutor } from '../graphql-request.ts'
import { admin, dataOf } from './testing/bookshop.ts'
import { type TestProject, openProject } from './testing/open-project.ts'

/** Names that would break SQL concatenated as text, and types that are not built in. */
const sql = `
  create schema "Odd ""schema""";
  create type "Odd ""schema"""."mood" as enum ('happy', 'it''s sad');
  create domain "Odd ""schema""".code as text check (value ~ '^[A-Z]+$');
  create table "Odd ""schema"""."ta""ble" (
    t0 int constraint odd_key primary key,
    id int unique,
    "true" int,
    "not a name" int,
    "json-row" text default 'plain',
    "select" "Odd ""schema"""."mood",
    code "Odd ""schema""".code,
    moods "Odd ""schema"""."mood"[],
    big numeric(30, 10),
    at timestamptz,
    data json,
    "written" bytea
  );
  create function "Odd ""schema""".describe(item "Odd ""schema"""."ta""ble") returns text stable language sql
    as $$ select item.t0 || '!' $$;
`

const name = { schema: 'Odd "schema"', name: 'ta"ble' }

let project: TestProject
let executor: GraphQLExecutor
beforeAll(async () => {
  project = await openProject(sql)
  const { newExecutor } = await project.serve({
    sources: [
      {
        name: 'default',
        tables: [
          {
            table: name,
            configuration: {
              custom_name: 'odd',
              column_config: { 'json-row': { custom_name: 'jsonRow' } },
              custom_root_fields: {
                select: { comment: 'Odd rows' },
                select_by_pk: { name: 'odd_one', comment: 'An odd row' },
                select_stream: { comment: 'Odd rows to come' },
                delete: { comment: '' },
              },
            },
            computed_fields: [
              { name: 'described', definition: { function: { schema: name.schema, name: 'describe' } } },
            ],
          },
        ],
      },
    ],
  })
  executor = newExecutor()
})
afterAll(() => project.close())

const run = async (query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<unknown> =>
  dataOf(await executor.execute({ query, variables }, admin))

test('values of enum types, domains, arrays of them, json and bytea are written and read', async () => {
  const object = {
    t0: 1,
    select: "it's sad",
    code: 'ABC',
    moods: ['happy', "it's sad"],
    big: '12345678901234567890.0123456789',
    at: '2024-02-29T12:00:00+02:00',
    data: { a: [1, 'two', null] },
    written: '\\xdeadbeef',
  }
  const query = `mutation ($object: odd_insert_input!) { insert_odd_one(object: $object) {
    t0 jsonRow select code moods big at data written described
  } }`
  const result = await executor.execute({ query, variables: { object } }, admin)
  expect(dataOf(result)).toMatchObject({
    insert_odd_one: {
      ...object,
      jsonRow: 'plain',
      big: expect.anything() as unknown,
      at: '2024-02-29T10:00:00+00:00',
      described: '1!',
    },
  })
  expect(result).toMatchObject({
    json: expect.stringContaining('"big":12345678901234567890.0123456789') as unknown,
  })
})

test('they can be compared, sorted and aggregated', async () => {
  await run(`mutation { insert_odd(
    objects: [{t0: 2, select: "happy", code: "B"}, {t0: 3, code: "C", moods: []}, {t0: 4, moods: ["happy"]}]
    on_conflict: {constraint: odd_key, update_columns: [select]}
  ) { affected_rows } }`)
  const query = `query ($moods: [mood!], $one: mood) {
    bySelect: odd(where: {select: {_in: $moods}}, order_by: {t0: asc}) { t0 }
    byMood: odd(where: {moods: {_contains: $moods}}) { t0 }
    one: odd(where: {select: {_eq: $one}, code: {_like: "%"}}) { t0 }
    described: odd(where: {described: {_eq: "1!"}}) { t0 }
  }`
  expect(await run(query, { moods: ["it's sad"], one: "it's sad" })).toEqual({
    bySelect: [{ t0: 1 }],
    byMood: [{ t0: 1 }],
    one: [{ t0: 1 }],
    described: [{ t0: 1 }],
  })
})

test('keys of an answer may be longer than names in Postgres, or named like parts of the statement', async () => {
  const long = 'a'.repeat(200)
  expect(
    await run(`{ odd(where: {t0: {_eq: 1}}) { ${long}: t0 e: t0 root: t0 t0 t1: t0 written: code } }`),
  ).toEqual({
    odd: [{ [long]: 1, e: 1, root: 1, t0: 1, t1: 1, written: 'ABC' }],
  })
  const aliases = Array.from({ length: 120 }, (_, index) => `k${index}: t0`)
  const { odd } = (await run(`{ odd(where: {t0: {_eq: 1}}) { ${aliases.join(' ')} } }`)) as {
    odd: readonly Record<string, number>[]
  }
  expect(Object.keys(odd[0] ?? {})).toHaveLength(120)
})

test('a violated domain is reported as bad data of the client', async () => {
  const query = 'mutation { insert_odd_one(object: {t0: 9, code: "lower"}) { t0 } }'
  expect(await executor.execute({ query }, admin)).toMatchObject({
    errors: [{ extensions: { code: 'permission-error' }, database: { sqlState: '23514' } }],
  })
})

test('root fields have metadata’s descriptions, or else the usual ones', async () => {
  const fields = '{ fields { name description } }'
  const { __schema } = (await run(
    `{ __schema { queryType ${fields} mutationType ${fields} subscriptionType ${fields} } }`,
  )) as { __schema: Record<string, { fields: readonly { name: string; description: string | null }[] }> }
  const described = (root: string) =>
    Object.fromEntries((__schema[root]?.fields ?? []).map((field) => [field.name, field.description]))
  expect(described('queryType')).toMatchObject({
    odd: 'Odd rows',
    odd_one: 'An odd row',
    odd_aggregate: `fetch aggregated fields from the table: "${name.name}"`,
  })
  expect(described('subscriptionType')).toMatchObject({ odd: 'Odd rows', odd_stream: 'Odd rows to come' })
  expect(described('mutationType')).toMatchObject({
    delete_odd: null,
    update_odd: `update data of the table: "${name.name}"`,
  })
})
