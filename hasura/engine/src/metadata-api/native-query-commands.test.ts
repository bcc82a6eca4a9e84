import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServedDatabase, adminHeaders, serveDatabase } from '../http/testing/serve-database.ts'

let served: ServedDatabase

beforeAll(async () => {
  served = await serveDatabase('')
})

afterAll(() => served.close())

const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  served.ask('POST', path, body, { ...adminHeaders, ...headers })
const metadata = (type: string, args: object) =>
  post('/v1/metadata', { type, args: { source: 'default', ...args } })
const success = { status: 200, body: { message: 'success' } }

const model = {
  name: 'squares',
  fields: [
    { name: 'n', type: 'integer' },
    { name: 'square', type: 'bigint' },
  ],
}
const query = {
  root_field_name: 'squares_up_to',
  arguments: { most: { type: 'integer' } },
  code: 'select n, n::bigint * n as square from generate_series(1, {{most}}) n',
  returns: 'squares',
}

test('native queries are tracked, served, permitted, listed and untracked', async () => {
  expect(await metadata('pg_track_logical_model', model)).toEqual(success)
  expect(await metadata('pg_track_native_query', { type: 'query', ...query })).toEqual(success)
  const squares = { query: '{ squares_up_to(args: {most: 3}, where: {n: {_gt: 1}}) { n square } }' }
  const rows = [
    { n: 2, square: 4 },
    { n: 3, square: 9 },
  ]
  expect(await post('/v1/graphql', squares)).toEqual({ status: 200, body: { data: { squares_up_to: rows } } })
  const asReader = { 'x-hasura-role': 'reader' }
  expect(await post('/v1/graphql', squares, asReader)).toMatchObject({ body: { errors: [{}] } })
  const permission = { columns: '*', filter: { n: { _lt: 'X-Hasura-Most' } } }
  expect(
    await metadata('pg_create_logical_model_select_permission', {
      name: 'squares',
      role: 'reader',
      permission,
    }),
  ).toEqual(success)
  expect(await post('/v1/graphql', squares, { ...asReader, 'x-hasura-most': '3' })).toEqual({
    status: 200,
    body: { data: { squares_up_to: rows.slice(0, 1) } },
  })
  expect(await metadata('pg_get_native_query', {})).toMatchObject({
    body: [{ root_field_name: 'squares_up_to' }],
  })
  expect(await metadata('pg_get_logical_model', {})).toMatchObject({
    body: [{ name: 'squares', fields: [{ name: 'n', type: { scalar: 'integer' } }, {}] }],
  })
  expect(await metadata('pg_untrack_logical_model', { name: 'squares' })).toMatchObject({
    status: 400,
    body: {
      code: 'constraint-violation',
      error: 'Logical model "squares" still being used by native query "squares_up_to".',
    },
  })
  for (const [type, args] of [
    ['pg_drop_logical_model_select_permission', { name: 'squares', role: 'reader' }],
    ['pg_untrack_native_query', { root_field_name: 'squares_up_to' }],
    ['pg_untrack_logical_model', { name: 'squares' }],
  ] as const)
    expect(await metadata(type, args)).toEqual(success)
  expect(await post('/v1/graphql', squares)).toMatchObject({ body: { errors: [{}] } })
})

test.each<[string, string, object, object]>([
  [
    'a second one of the same name',
    'pg_track_native_query',
    query,
    { code: 'already-tracked', error: "Native query 'squares_up_to' is already tracked." },
  ],
  [
    'an unknown logical model',
    'pg_track_native_query',
    { ...query, returns: 'cubes' },
    { code: 'not-found', error: 'Logical model "cubes" not found.' },
  ],
  [
    'an argument that is not closed',
    'pg_track_native_query',
    { ...query, code: 'select {{most' },
    { code: 'parse-failed', error: "Found '{{' without a matching closing '}}'" },
  ],
  [
    'an argument that is not declared',
    'pg_track_native_query',
    { ...query, arguments: {} },
    { code: 'validation-failed', error: 'Undeclared arguments: "most"' },
  ],
  [
    'SQL that Postgres refuses',
    'pg_track_native_query',
    { ...query, code: 'select * from nowhere' },
    { code: 'validation-failed', error: 'Failed to validate query', internal: { status_code: '42P01' } },
  ],
  [
    'a column of another type',
    'pg_track_native_query',
    { ...query, code: 'select 1 as n, 1 as square' },
    {
      code: 'validation-failed',
      internal:
        "Return column 'square' has a type mismatch. The expected type is 'int8', but the actual type is 'integer'.",
    },
  ],
  [
    'SQL that writes',
    'pg_track_native_query',
    {
      ...query,
      code: 'with w as (delete from pg_class returning 1) select 1 as n, 1::bigint as square from w',
    },
    { code: 'validation-failed' },
  ],
  [
    'a permission for an unknown field',
    'pg_create_logical_model_select_permission',
    { name: 'squares', role: 'r', permission: { columns: ['cube'], filter: {} } },
    { code: 'invalid-configuration' },
  ],
  [
    'to drop an unknown one',
    'pg_untrack_native_query',
    { root_field_name: 'none' },
    { code: 'not-found', error: 'Native query "none" not found in source "default".' },
  ],
])('refuses %s', async (_, type, args, expected) => {
  await metadata('pg_track_logical_model', model)
  await metadata('pg_track_native_query', query)
  expect(await metadata(type, args)).toMatchObject({ status: 400, body: expected })
})
