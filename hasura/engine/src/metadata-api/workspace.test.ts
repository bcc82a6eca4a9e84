import pg from 'pg'
import { type TestDatabase, createTestDatabase } from '@commerce-graph/local-postgres/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { followWithEvents } from '../events/engine-events.ts'
import { HasuraError, errorBody } from '../hasura-error.ts'
import type { Json } from '../metadata/parse.ts'
import { startRemoteServer } from '../remote/testing/remote-server.ts'
import { createMetadataStore } from '../storage/metadata-store.ts'
import { type Workspace, openWorkspace } from './workspace.ts'

let database: TestDatabase
let pool: pg.Pool
let workspace: Workspace

beforeAll(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool({ connectionString: database.url })
})

afterAll(async () => {
  await pool.end()
  await database.drop()
})

beforeEach(async () => {
  await pool.query(
    'drop schema if exists hdb_catalog cascade; drop schema public cascade; create schema public',
  )
  const store = createMetadataStore(pool)
  await store.prepare({ version: 3, sources: [{ name: 'default', kind: 'postgres', tables: [] }] })
  await pool.query(`
    create table author (id serial primary key, name text not null);
    create table article (id serial primary key, title text, author_id int references author (id), done bool);
    create function search(word text) returns setof article language sql stable
      as 'select * from article where title = word';
  `)
  workspace = await openWorkspace(pool, store, followWithEvents(false))
})

const metadata = (type: string, args: Json = {}, more: Record<string, Json> = {}): Promise<Json> =>
  workspace.handle('metadata', { type, args, ...more })

const sql = (text: string, args: Record<string, Json> = {}): Promise<Json> =>
  workspace.handle('query', { type: 'run_sql', args: { sql: text, ...args } })

/** The status and body of an error, as a client sees it. */
async function refusal(answer: Promise<Json>): Promise<unknown> {
  try {
    return { answered: await answer }
  } catch (error) {
    if (!(error instanceof HasuraError)) throw error
    return { status: error.status, ...(errorBody(error) as object) }
  }
}

interface ExportedMetadata {
  readonly actions?: readonly object[]
  readonly sources: readonly { readonly tables: readonly object[] }[]
}

const exported = async (): Promise<ExportedMetadata> =>
  (await metadata('export_metadata')) as unknown as ExportedMetadata

async function trackAll(): Promise<void> {
  await metadata('bulk', [
    { type: 'pg_track_table', args: { table: 'author' } },
    { type: 'pg_track_table', args: { table: 'article' } },
    {
      type: 'pg_create_object_relationship',
      args: { table: 'article', name: 'author', using: { foreign_key_constraint_on: 'author_id' } },
    },
    {
      type: 'pg_create_array_relationship',
      args: {
        table: 'author',
        name: 'articles',
        using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } },
      },
    },
    {
      type: 'pg_create_select_permission',
      args: {
        table: 'article',
        role: 'user',
        permission: {
          columns: ['id', 'title'],
          filter: { _or: [{ author: { id: 'X-Hasura-User-Id' } }, { done: true }] },
        },
      },
    },
    { type: 'pg_track_function', args: { function: 'search' } },
  ])
}

const filterOfArticles = (): unknown =>
  workspace.snapshot.storedMetadata.sources[0]?.tables.flatMap(({ select_permissions = [] }) =>
    select_permissions.map(({ permission }) => permission.filter),
  )[0]

describe('metadata commands', () => {
  test('a change is stored, exported as Hasura writes it, and gives a new resource version', async () => {
    await trackAll()
    await metadata('pg_untrack_function', { function: 'search' })
    expect(await metadata('export_metadata', {}, { version: 2 })).toMatchObject({ resource_version: 3 })
    expect(await exported()).toMatchObject({
      version: 3,
      sources: [
        {
          tables: [
            { table: { name: 'author', schema: 'public' }, array_relationships: [{ name: 'articles' }] },
            { table: { name: 'article', schema: 'public' }, object_relationships: [{ name: 'author' }] },
          ],
        },
      ],
    })
    const [, article] = (await exported()).sources[0]?.tables ?? []
    expect(Object.keys(article ?? {})).toEqual(['table', 'object_relationships', 'select_permissions'])
    const reopened = await openWorkspace(pool, createMetadataStore(pool), followWithEvents(false))
    expect(reopened.snapshot.storedMetadata).toEqual(workspace.snapshot.storedMetadata)
  })

  test('a failing bulk changes nothing and names the failed command', async () => {
    const answer = metadata('bulk', [
      { type: 'pg_track_table', args: { table: 'author' } },
      { type: 'pg_track_table', args: { table: 'gone' } },
    ])
    expect(await refusal(answer)).toMatchObject({
      status: 400,
      path: '$.args[1].args',
      code: 'invalid-configuration',
      error: 'Inconsistent object: no such table/view exists in source: "gone"',
    })
    expect(workspace.snapshot.storedMetadata.sources[0]?.tables).toEqual([])
  })

  test.each(['bulk', 'bulk_atomic', 'bulk_keep_going'])(
    'a failing bulk in a %s keeps the invocations of an action that it would have dropped',
    async (type) => {
      const definition = { handler: 'http://127.0.0.1:9', kind: 'asynchronous', output_type: 'Done' }
      await metadata('set_custom_types', {
        objects: [{ name: 'Done', fields: [{ name: 'at', type: 'Int' }] }],
      })
      await metadata('create_action', { name: 'order', definition })
      await pool.query(`insert into hdb_catalog.hdb_action_log (action_name, input_payload, request_headers, session_variables, status)
      values ('order', '{}', '{}', '{}', 'created')`)
      const drop = { type: 'drop_action', args: { name: 'order' } }
      const failing = { type: 'bulk', args: [drop, { type: 'drop_action', args: { name: 'gone' } }] }
      await refusal(metadata(type, [failing]))
      await metadata('pg_track_table', { table: 'author' })
      const left = 'select from hdb_catalog.hdb_action_log'
      expect((await exported()).actions).toMatchObject([{ name: 'order' }])
      expect((await pool.query(left)).rowCount).toBe(1)
      await metadata('bulk', [drop])
      expect((await pool.query(left)).rowCount).toBe(0)
    },
  )

  test('bulk_keep_going runs every command and reports the failures', async () => {
    const answer = await metadata('bulk_keep_going', [
      { type: 'pg_track_table', args: { table: 'gone' } },
      { type: 'pg_track_table', args: { table: 'author' } },
    ])
    expect(answer).toMatchObject([{ code: 'invalid-configuration' }, { message: 'success' }])
    expect(workspace.snapshot.metadata.sources[0]?.tables).toHaveLength(1)
  })

  test('bulk_keep_going undoes a command that failed halfway', async () => {
    const tables = ['author', 'gone'].map((table) => ({ table }))
    const answer = await metadata('bulk_keep_going', [
      { type: 'pg_track_tables', args: { tables, allow_warnings: false } },
      { type: 'pg_track_table', args: { table: 'article' } },
    ])
    expect(answer).toMatchObject([{ code: 'metadata-warnings' }, { message: 'success' }])
    expect(workspace.snapshot.storedMetadata.sources[0]?.tables).toMatchObject([
      { table: { name: 'article' } },
    ])
  })

  test('a resource version that is not the current one is a conflict', async () => {
    await metadata('pg_track_table', { table: 'author' }, { resource_version: 1 })
    expect(
      await refusal(metadata('pg_track_table', { table: 'article' }, { resource_version: 1 })),
    ).toMatchObject({
      status: 409,
      code: 'conflict',
      error: 'metadata resource version referenced (1) did not match current version',
    })
  })

  test('what another engine stores is taken over', async () => {
    const other = await openWorkspace(pool, createMetadataStore(pool), followWithEvents(false))
    await other.handle('metadata', { type: 'pg_track_table', args: { table: 'author' } })
    await workspace.synchronize()
    expect(workspace.snapshot.metadata.sources[0]?.tables).toHaveLength(1)
    expect(workspace.snapshot.resourceVersion).toBe(2)
  })

  test('a remote schema that one engine reloads is introspected again by every other, also after more changes', async () => {
    const remote = await startRemoteServer()
    onTestFinished(() => remote.close())
    await metadata('add_remote_schema', { name: 'world', definition: { url: remote.url } })
    remote.isUp = false
    const open = () => openWorkspace(pool, createMetadataStore(pool), followWithEvents(false))
    const [one, other, third] = [await open(), await open(), await open()]
    expect(other.snapshot.inconsistencies).toMatchObject([{ type: 'remote_schema' }])
    remote.isUp = true
    await one.handle('metadata', { type: 'reload_metadata', args: {} })
    await other.synchronize()
    expect(other.snapshot.inconsistencies).toEqual([])
    await one.handle('metadata', { type: 'pg_track_table', args: { table: 'author' } })
    await third.synchronize()
    expect(third.snapshot.inconsistencies).toEqual([])
  })

  test('a change builds on the catalog that was read before, and on a new one once the database has changed', async () => {
    await trackAll()
    const { catalog } = workspace.snapshot
    await metadata('pg_untrack_function', { function: 'search' })
    expect(workspace.snapshot.catalog).toBe(catalog)
    await pool.query('alter table author add column born date')
    const born = { table: 'author', role: 'user', permission: { columns: ['born'], filter: {} } }
    expect(await metadata('pg_create_select_permission', born)).toEqual({ message: 'success' })
    expect(workspace.snapshot.catalog).not.toBe(catalog)
    await pool.query('alter table author drop column born')
    expect(await refusal(metadata('pg_untrack_table', { table: 'article', cascade: true }))).toMatchObject({
      answered: { message: 'success' },
    })
    expect(workspace.snapshot.inconsistencies).toMatchObject([{ type: 'select_permission' }])
  })

  test('an enum’s values are read again before a change, though the database is the same otherwise', async () => {
    await pool.query(`create table mood (name text primary key); insert into mood values ('calm')`)
    await metadata('pg_track_table', { table: 'mood' })
    await metadata('pg_set_table_is_enum', { table: 'mood', is_enum: true })
    const values = () => workspace.snapshot.catalog.enumTables.get('public.mood')?.map(({ value }) => value)
    expect(values()).toEqual(['calm'])
    await pool.query(`insert into mood values ('wild')`)
    await metadata('pg_track_table', { table: 'author' })
    expect(values()).toEqual(['calm', 'wild'])
    await metadata('pg_set_table_is_enum', { table: 'mood', is_enum: false })
    expect(values()).toBeUndefined()
  })

  test('an object with dependents is dropped only with cascade', async () => {
    await trackAll()
    const drop = { table: 'article', relationship: 'author' }
    expect(await refusal(metadata('pg_drop_relationship', drop))).toMatchObject({
      code: 'dependency-error',
      error:
        'cannot drop due to the following dependent objects: permission article.user.select in source "default"',
    })
    await metadata('pg_drop_relationship', { ...drop, cascade: true })
    expect(filterOfArticles()).toBeUndefined()
  })

  test('renaming a relationship renames it in permissions', async () => {
    await trackAll()
    await metadata('pg_rename_relationship', { table: 'article', name: 'author', new_name: 'writer' })
    expect(filterOfArticles()).toEqual({ _or: [{ writer: { id: 'X-Hasura-User-Id' } }, { done: true }] })
  })

  test('a permission with an unknown name is refused with the inconsistency', async () => {
    await metadata('pg_track_table', { table: 'author' })
    const permission = { columns: ['id', 'colour'], filter: {} }
    const reason =
      'Inconsistent object: in table "author": in permission for role "user": "colour" does not exist'
    expect(
      await refusal(metadata('pg_create_select_permission', { table: 'author', role: 'user', permission })),
    ).toEqual({
      status: 400,
      path: '$.args',
      code: 'invalid-configuration',
      error: reason,
      internal: [
        {
          type: 'select_permission',
          name: 'select_permission user in table author in source default',
          reason,
          definition: {
            source: 'default',
            table: { schema: 'public', name: 'author' },
            role: 'user',
            permission,
            comment: null,
          },
        },
      ],
    })
  })

  test('replace_metadata refuses what is inconsistent unless allowed, and then serves the rest', async () => {
    const wanted = {
      version: 3,
      sources: [{ name: 'default', kind: 'postgres', tables: [{ table: 'author' }, { table: 'gone' }] }],
    }
    expect(await refusal(metadata('replace_metadata', wanted))).toMatchObject({
      code: 'unexpected',
      error: 'cannot continue due to inconsistent metadata',
    })
    expect(workspace.snapshot.resourceVersion).toBe(1)
    const allowed = { metadata: wanted, allow_inconsistent_metadata: true }
    expect(await metadata('replace_metadata', allowed, { version: 2 })).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [{ name: 'table gone in source default' }],
    })
    expect(workspace.snapshot.metadata.sources[0]?.tables).toHaveLength(1)
    await metadata('drop_inconsistent_metadata')
    expect(await metadata('get_inconsistent_metadata')).toEqual({
      is_consistent: true,
      inconsistent_objects: [],
    })
    expect(workspace.snapshot.storedMetadata.sources[0]?.tables).toHaveLength(1)
  })

  test('keeps the state of hasura-cli and the console', async () => {
    const state = { migrations: { default: { '1795219200000': false } } }
    await metadata('set_catalog_state', { type: 'cli', state })
    expect(await metadata('get_catalog_state')).toMatchObject({ cli_state: state, console_state: {} })
  })

  test.each([
    [
      'an unknown command',
      { type: 'make_coffee', args: {} },
      '$.type',
      'unknown metadata command "make_coffee"',
    ],
    [
      'an unknown version',
      { type: 'pg_track_table', version: 3, args: {} },
      '$.version',
      'expected 1 or 2, encountered 3',
    ],
    ['a missing argument', { type: 'pg_track_table', args: {} }, '$', 'key "table" not found'],
    ['what is no object', 'track', '$', 'parsing Object failed, expected Object, but encountered String'],
  ])('refuses %s', async (_, body, path, error) => {
    expect(await refusal(workspace.handle('metadata', body))).toEqual({
      status: 400,
      code: 'parse-failed',
      path,
      error,
    })
  })
})

describe('run_sql', () => {
  test('answers rows as text under their names, and null where there are none', async () => {
    expect(await sql('select 1 as a, true as b, null as c')).toEqual({
      result_type: 'TuplesOk',
      result: [
        ['a', 'b', 'c'],
        ['1', 't', null],
      ],
    })
    expect(await sql('create table other ()')).toEqual({ result_type: 'CommandOk', result: null })
  })

  test('is one transaction', async () => {
    const body = await refusal(sql("insert into author (name) values ('a'); select 1/0"))
    expect(body).toMatchObject({
      code: 'postgres-error',
      error: 'query execution failed',
      internal: { error: { status_code: '22012', message: 'division by zero' } },
    })
    expect(await sql('select count(*) from author')).toMatchObject({ result: [['count'], ['0']] })
  })

  test('an error at the commit is Postgres’ own, and nothing that was rolled back is served', async () => {
    await trackAll()
    await sql('alter table article alter constraint article_author_id_fkey deferrable initially deferred')
    const before = workspace.snapshot
    expect(
      await refusal(
        sql('alter table author add column born date; insert into article (author_id) values (99)'),
      ),
    ).toMatchObject({
      code: 'postgres-error',
      internal: {
        error: { status_code: '23503', message: expect.stringContaining('article_author_id_fkey') as string },
      },
    })
    expect(workspace.snapshot).toBe(before)
  })

  test('SQL whose role may not store the metadata that follow is refused as by Postgres', async () => {
    await trackAll()
    expect(
      await refusal(sql('alter table author rename to writer; set role pg_read_all_data')),
    ).toMatchObject({ code: 'postgres-error', internal: { error: { status_code: '42501' } } })
    expect(await sql('select * from author')).toMatchObject({ result: [['id', 'name']] })
  })

  test('columns that it adds are taken over by other engines, and by this one after their changes', async () => {
    await trackAll()
    const other = await openWorkspace(pool, createMetadataStore(pool), followWithEvents(false))
    const columns = ({ snapshot }: Workspace) =>
      snapshot.catalog.tables.get('public.author')?.columns.map(({ name }) => name)
    await sql('alter table author add column born date')
    const version = workspace.snapshot.resourceVersion
    await other.synchronize()
    expect(columns(other)).toEqual(['id', 'name', 'born'])
    expect(other.snapshot.resourceVersion).toBe(version)
    await sql('comment on table author is null')
    expect(workspace.snapshot.resourceVersion).toBe(version)
    await other.handle('query', {
      type: 'run_sql',
      args: { sql: 'alter table author add column died date' },
    })
    await workspace.synchronize()
    expect(columns(workspace)).toEqual(['id', 'name', 'born', 'died'])
  })

  test('read_only prevents writes', async () => {
    expect(await refusal(sql('drop table author', { read_only: true }))).toMatchObject({
      internal: { error: { status_code: '25006' } },
    })
  })

  test('metadata follows renamed tables and columns into relationships and permissions', async () => {
    await trackAll()
    await sql('alter table author rename to writer; alter table writer rename column id to writer_id')
    expect(workspace.snapshot.inconsistencies).toEqual([])
    expect(filterOfArticles()).toEqual({
      _or: [{ author: { writer_id: 'X-Hasura-User-Id' } }, { done: true }],
    })
    expect(workspace.snapshot.metadata.sources[0]?.tables[0]?.table.name).toBe('writer')
  })

  test('dropping a column that a permission needs is refused, and with cascade drops the permission', async () => {
    await trackAll()
    expect(await refusal(sql('alter table article drop column title'))).toMatchObject({
      code: 'dependency-error',
      error:
        'cannot drop due to the following dependent objects: permission article.user.select in source "default"',
    })
    expect(await sql('select title from article')).toMatchObject({ result: [['title']] })
    await sql('alter table article drop column title', { cascade: true })
    expect(workspace.snapshot.inconsistencies).toEqual([])
    expect(filterOfArticles()).toBeUndefined()
  })

  test('dropping a table removes its entries, and is refused while other objects lead to it', async () => {
    await trackAll()
    expect(await refusal(sql('drop table article cascade'))).toMatchObject({
      error:
        'cannot drop due to the following dependent objects: relationship author.articles in source "default"',
    })
    await sql('drop table article cascade; drop table author')
    expect(workspace.snapshot.storedMetadata.sources[0]).toMatchObject({ tables: [] })
  })

  test('a column’s type can change only when no permission compares it with a literal', async () => {
    await trackAll()
    expect(await refusal(sql('alter table article alter column done type text'))).toMatchObject({
      code: 'dependency-error',
      error:
        'cannot change type of column "done" in table "article" because of the following dependencies : permission article.user.select in source "default"',
    })
    await sql('alter table article alter column title type varchar(20)')
  })

  test('a tracked function stays single and side-effect free', async () => {
    await trackAll()
    expect(
      await refusal(
        sql(
          "create function search(a int) returns setof article language sql stable as 'select * from article'; comment on function search(int) is ''",
        ),
      ),
    ).toMatchObject({
      code: 'not-supported',
      error: 'the following tracked function(s) cannot be overloaded: search',
    })
  })

  test('without a check the metadata may become inconsistent', async () => {
    await trackAll()
    await sql('drop table article cascade', { check_metadata_consistency: false })
    await metadata('reload_metadata')
    expect(workspace.snapshot.inconsistencies.map(({ reason }) => reason)).toContain(
      'Inconsistent object: no such table/view exists in source: "article"',
    )
  })
})

describe('what run_sql sets in its session', () => {
  test.each([
    ['a setting', "set time zone 'Asia/Tokyo'", "select current_setting('timezone')"],
    ['the path of schemas', 'set search_path to pg_temp', "select current_setting('search_path')"],
    ['a role', 'set role pg_read_all_data', 'select current_user'],
    ['a temporary table', 'create temporary table passing ()', "select to_regclass('passing')"],
    [
      'a lock',
      'select pg_advisory_lock(7)',
      "select count(*) from pg_locks where locktype = 'advisory' and objid = 7",
    ],
    [
      'a prepared statement',
      'prepare passing as select 1',
      'select count(*) from pg_prepared_statements where name = $$passing$$',
    ],
  ])('ends with the request: %s', async (_what, set, look) => {
    const before = await sql(look)
    await sql(set)
    for (let again = 0; again < 3; again += 1) expect(await sql(look)).toEqual(before)
  })
})
