import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServedDatabase, adminHeaders, serveDatabase } from '../http/testing/serve-database.ts'

/** Requests as Hasura's console sends them, with superfluous arguments, and metadata as it occurs in practice. */

let served: ServedDatabase

beforeAll(async () => {
  served = await serveDatabase(`
    create table author (id int primary key, name text);
    create table book (id int primary key);
    create function authors() returns setof author language sql stable as 'select * from author';`)
})

afterAll(() => served.close())

async function post(path: string, body: unknown) {
  const answer = await served.ask('POST', path, body, adminHeaders)
  return answer.status === 200 ? answer.body : answer
}
const metadata = (type: string, args: unknown, more: object = {}) =>
  post('/v1/metadata', { type, args, ...more })
const success = { message: 'success' }
const source = 'default'

test('commands ignore unknown arguments', async () => {
  expect(await metadata('pg_track_table', { source, table: 'author', colour: 'red' })).toEqual(success)
  const cron = {
    name: 'nightly',
    webhook: 'http://127.0.0.1:9',
    schedule: '0 0 * * *',
    include_in_metadata: true,
    source,
  }
  expect(await metadata('create_cron_trigger', cron)).toEqual(success)
  const order = { order_by: [{ column: 'created_at', type: 'asc' }] }
  expect(
    await metadata('get_scheduled_events', { type: 'cron', trigger_name: 'nightly', ...order }),
  ).toMatchObject({ events: expect.any(Array) as unknown })
  expect(
    await metadata('get_scheduled_event_invocations', { type: 'cron', trigger_name: 'nightly', ...order }),
  ).toMatchObject({ invocations: [] })
  expect(await metadata('delete_cron_trigger', { source, name: 'nightly' })).toEqual(success)
  expect(
    await metadata('pg_redeliver_event', { source, table: 'author', event_id: 'nothing' }),
  ).toMatchObject({ body: { code: 'not-exists' } })
  expect(await metadata('postgres_get_event_by_id', { source, event_id: 'nothing' })).toMatchObject({
    body: { code: 'not-exists' },
  })
  await metadata('create_action', {
    name: 'hello',
    definition: { handler: 'http://127.0.0.1:9', output_type: 'String', type: 'query' },
  })
  expect(
    await metadata('create_action_permission', {
      action: 'hello',
      role: 'user',
      definition: { select: { filter: {} } },
    }),
  ).toEqual(success)
  expect(await post('/v2/query', { type: 'count', args: { table: 'author', colour: 'red' } })).toEqual({
    count: 0,
  })
})

test('unknown keys of metadata are left out, with a warning', async () => {
  const given = {
    version: 3,
    sources: [
      {
        name: source,
        kind: 'postgres',
        tables: [{ table: 'author', configuration: { query_configuration: { a: 1 } } }],
      },
    ],
  }
  const path = '$.sources[0].tables[0].configuration.query_configuration'
  expect(await metadata('replace_metadata', { metadata: given }, { version: 2 })).toEqual({
    is_consistent: true,
    inconsistent_objects: [],
    warnings: [
      {
        code: 'unknown-metadata-key',
        type: 'metadata',
        name: path,
        message: `${path}: metadata has no such key; it was left out`,
      },
    ],
  })
  expect(
    await metadata('replace_metadata', { metadata: given, allow_warnings: false }, { version: 2 }),
  ).toMatchObject({ body: { code: 'metadata-warnings' } })
})

test('a source of another kind is kept unchanged and reported as inconsistent, and the rest is served', async () => {
  const mysql = {
    name: 'old',
    kind: 'mysql8',
    tables: [{ table: ['shop', 'orders'] }],
    configuration: { value: { jdbc_url: 'x' }, template: null },
  }
  const given = {
    version: 3,
    sources: [mysql, { name: source, kind: 'postgres', tables: [{ table: 'author' }] }],
  }
  expect(
    await metadata(
      'replace_metadata',
      { metadata: given, allow_inconsistent_metadata: true },
      { version: 2 },
    ),
  ).toMatchObject({ is_consistent: false, inconsistent_objects: [{ name: 'source old' }] })
  expect(await post('/v1/graphql', { query: '{ author { id } }' })).toEqual({ data: { author: [] } })
  expect(await metadata('pg_track_table', { source, table: 'book' })).toEqual(success)
  const exported = (await metadata('export_metadata', {})) as { readonly sources: readonly unknown[] }
  expect(exported.sources[0]).toEqual(mysql)
  expect(exported.sources[1]).toMatchObject({ name: source, tables: [{}, {}] })
  expect(await metadata('pg_untrack_table', { source, table: 'book' })).toEqual(success)
})

test('of two objects with the same root field the second is refused, and the first is still served', async () => {
  const conflict = (root: string, field: string) => ({
    status: 500,
    body: {
      code: 'unexpected',
      error: `found duplicate fields in selection set for ${root} root: ${field}`,
    },
  })
  const tables = [{ table: { schema: 'public', name: 'author' } }]
  const base = { version: 3, sources: [{ name: source, kind: 'postgres', tables }] }
  await metadata('replace_metadata', base)
  expect(
    await metadata('pg_track_function', {
      source,
      function: 'authors',
      configuration: { custom_name: 'author' },
    }),
  ).toMatchObject(conflict('query', 'author, author_aggregate'))
  await metadata('pg_track_logical_model', {
    source,
    name: 'number',
    fields: [{ name: 'n', type: 'integer' }],
  })
  expect(
    await metadata('pg_track_native_query', {
      source,
      root_field_name: 'author_aggregate',
      code: 'select 1 as n',
      returns: 'number',
    }),
  ).toMatchObject(conflict('query', 'author_aggregate'))
  const definition = { handler: 'http://127.0.0.1:9', output_type: 'String' }
  expect(await metadata('create_action', { name: 'insert_author_one', definition })).toMatchObject(
    conflict('mutation', 'insert_author_one'),
  )
  const renamed = { custom_root_fields: { select: 'author_stream' } }
  expect(await metadata('pg_track_table', { source, table: 'book', configuration: renamed })).toMatchObject(
    conflict('subscription', 'author_stream'),
  )
  expect(
    await metadata('replace_metadata', {
      ...base,
      actions: [{ name: 'author_by_pk', definition: { ...definition, type: 'query' } }],
    }),
  ).toMatchObject(conflict('query', 'author_by_pk'))
  expect(await post('/v1/graphql', { query: '{ author { id } }' })).toEqual({ data: { author: [] } })
})

test('an argument of a native query that GraphQL can not name is refused', async () => {
  expect(
    await metadata('pg_track_native_query', {
      source,
      root_field_name: 'numbers',
      arguments: { 'how many': { type: 'integer' } },
      code: 'select 1 as n',
      returns: 'number',
    }),
  ).toMatchObject({ body: { error: expect.stringContaining('how many') as string } })
})

test('concurrent_bulk only reads', async () => {
  const run = (...args: object[]) => post('/v2/query', { type: 'concurrent_bulk', args })
  const count = { type: 'count', args: { table: 'author' } }
  const sql = (text: string) => ({ type: 'run_sql', args: { sql: text } })
  expect(await run(count, sql('select 1 as one'))).toEqual([
    { count: 0 },
    { result_type: 'TuplesOk', result: [['one'], ['1']] },
  ])
  const insert = { type: 'insert', args: { table: 'author', objects: [{ id: 1 }] } }
  expect(await run(count, insert)).toMatchObject({
    status: 500,
    body: { error: 'Only read-only queries are allowed in a concurrent_bulk', code: 'unexpected' },
  })
  expect(await run(sql('insert into author values (1)'))).toMatchObject({
    body: { internal: { error: { message: 'cannot execute INSERT in a read-only transaction' } } },
  })
  expect(await run(count)).toEqual([{ count: 0 }])
})
