import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServedDatabase, adminHeaders, serveDatabase } from '../http/testing/serve-database.ts'

let served: ServedDatabase

beforeAll(async () => {
  served = await serveDatabase(`
    create table author (id int primary key);
    create table article (id int primary key, author_id int references author);`)
})

afterAll(() => served.close())

const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  served.ask('POST', path, body, { ...adminHeaders, ...headers })
const metadata = (type: string, args: unknown) => post('/v1/metadata', { type, args })
const success = { status: 200, body: { message: 'success' } }

test('/v1/query accepts the old names and arguments, run_sql included, and names the failed command of a bulk', async () => {
  const answer = await post('/v1/query', {
    type: 'bulk',
    args: [
      { type: 'run_sql', args: { sql: 'select 1 as one' } },
      { type: 'track_table', args: 'author' },
      { type: 'add_existing_table_or_view', args: { schema: 'public', name: 'article' } },
      {
        type: 'set_table_custom_fields',
        args: { table: 'author', custom_root_fields: { select: 'writers' }, custom_column_names: {} },
      },
      {
        type: 'create_select_permission',
        args: { table: 'author', role: 'reader', permission: { columns: ['id'], filter: {} } },
      },
    ],
  })
  expect(answer).toMatchObject({
    status: 200,
    body: [{ result: [['one'], ['1']] }, { message: 'success' }, {}, {}, {}],
  })
  expect(await post('/v1/graphql', { query: '{ writers { id } }' })).toMatchObject({
    body: { data: { writers: [] } },
  })
  expect(
    await post('/v1/query', {
      type: 'bulk',
      args: [
        { type: 'run_sql', args: { sql: 'select 1' } },
        { type: 'track_table', args: 'nothing' },
      ],
    }),
  ).toMatchObject({ status: 400, body: { path: '$.args[1].args' } })
  expect(await post('/v1/query', { type: 'nothing', args: {} })).toMatchObject({
    body: { code: 'parse-failed' },
  })
  expect(
    await post('/v1/query', { type: 'run_sql', args: { sql: 'select 1' } }, { 'x-hasura-role': 'reader' }),
  ).toMatchObject({ body: { code: 'access-denied' } })
})

test('/v1/query reads and writes rows, between other commands and for permitted roles; /v2/query for admin', async () => {
  const insert = { type: 'insert', args: { table: 'author', objects: [{ id: 7 }] } }
  const select = { type: 'select', args: { source: 'default', table: 'author', columns: ['id'] } }
  const sql = { type: 'run_sql', args: { sql: 'select count(*) from author' } }
  expect(await post('/v1/query', { type: 'bulk', args: [insert, sql, select] })).toEqual({
    status: 200,
    body: [{ affected_rows: 1 }, { result_type: 'TuplesOk', result: [['count'], ['1']] }, [{ id: 7 }]],
  })
  const asReader = { 'x-hasura-role': 'reader' }
  expect(await post('/v1/query', select, asReader)).toEqual({ status: 200, body: [{ id: 7 }] })
  expect(await post('/v1/query', insert, asReader)).toMatchObject({
    status: 400,
    body: { code: 'permission-denied', path: '$.args' },
  })
  expect(await post('/v1/query', { type: 'bulk', args: [select, sql] }, asReader)).toMatchObject({
    status: 400,
    body: { code: 'access-denied', path: '$.args' },
  })
  expect(
    await post('/v1/query', {
      type: 'bulk',
      args: [
        select,
        { type: 'bulk', args: [{ type: 'count', args: { table: 'author', where: { no: 1 } } }] },
      ],
    }),
  ).toMatchObject({ status: 400, body: { code: 'not-exists', path: '$.args[1].args[0].args.where' } })
  expect(await post('/v2/query', { type: 'bulk', args: [select, sql] })).toMatchObject({
    status: 200,
    body: [[{ id: 7 }], { result: [['count'], ['1']] }],
  })
  expect(await post('/v2/query', select, asReader)).toMatchObject({ body: { code: 'access-denied' } })
  expect(
    await post('/v2/query', {
      type: 'delete',
      args: { table: 'author', where: { id: 7 }, returning: ['id'] },
    }),
  ).toEqual({ status: 200, body: { returning: [{ id: 7 }], affected_rows: 1 } })
})

test('/v1/query refuses an unknown command before it runs any', async () => {
  const insert = { type: 'insert', args: { table: 'author', objects: [{ id: 8 }] } }
  const count = { type: 'count', args: { table: 'author', where: { id: 8 } } }
  expect(
    await post('/v1/query', { type: 'bulk', args: [insert, { type: 'select', args: { table: 'author' } }] }),
  ).toMatchObject({ status: 400, body: { code: 'parse-failed', path: '$.args[1]' } })
  expect(await post('/v1/query', count)).toEqual({ status: 200, body: { count: 0 } })
})

test('suggests the relationships of foreign keys, optionally without existing ones', async () => {
  const table = (name: string) => ({ schema: 'public', name })
  const toAuthor = {
    type: 'object',
    from: { table: table('article'), columns: ['author_id'], constraint_name: 'article_author_id_fkey' },
    to: { table: table('author'), columns: ['id'] },
  }
  const toArticles = { type: 'array', from: toAuthor.to, to: toAuthor.from }
  const suggest = async (args: object) => (await metadata('pg_suggest_relationships', args)).body
  expect(await suggest({})).toEqual({ relationships: [toAuthor, toArticles] })
  expect(await suggest({ tables: ['author'] })).toEqual({ relationships: [toArticles] })
  await metadata('pg_create_object_relationship', {
    table: 'article',
    name: 'author',
    using: { foreign_key_constraint_on: 'author_id' },
  })
  expect(await suggest({ omit_tracked: true })).toEqual({ relationships: [toArticles] })
})

test('introspection can be disabled for roles', async () => {
  const ask = (role: string) =>
    post('/v1/graphql', { query: '{ __schema { queryType { name } } }' }, { 'x-hasura-role': role })
  expect(await ask('reader')).toMatchObject({ body: { data: {} } })
  const options = (roles: string[]) =>
    metadata('set_graphql_schema_introspection_options', { disabled_for_roles: roles })
  expect(await options(['reader'])).toEqual(success)
  expect(await ask('reader')).toMatchObject({
    body: { errors: [{ message: `field "__schema" not found in type: 'query_root'` }] },
  })
  expect(await ask('admin')).toMatchObject({ body: { data: {} } })
  await options([])
})

test('the single source can be inspected, renamed, dropped and added again; a second one is refused', async () => {
  expect((await metadata('get_source_tables', { source: 'default' })).body).toEqual(
    expect.arrayContaining([{ schema: 'public', name: 'article' }]),
  )
  expect(await metadata('pg_add_source', { name: 'other', configuration: {} })).toMatchObject({
    status: 400,
    body: { code: 'not-supported' },
  })
  expect(await metadata('pg_add_source', { name: 'default' })).toMatchObject({
    body: { code: 'already-exists' },
  })
  expect(await metadata('rename_source', { name: 'default', new_name: 'main' })).toEqual(success)
  expect(await post('/v1/graphql', { query: '{ writers { id } }' })).toMatchObject({
    body: { data: { writers: [] } },
  })
  expect(await metadata('pg_drop_source', { name: 'main', cascade: true })).toEqual(success)
  expect(await post('/v1/graphql', { query: '{ writers { id } }' })).toMatchObject({ body: { errors: [{}] } })
  expect(
    await metadata('pg_add_source', {
      name: 'default',
      configuration: { connection_info: { database_url: { from_env: 'PG_URL' } } },
    }),
  ).toEqual(success)
  expect(await metadata('pg_track_table', { table: 'author' })).toEqual(success)
})
