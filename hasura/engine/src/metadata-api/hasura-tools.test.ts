import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServedDatabase, serveDatabase } from '../http/testing/serve-database.ts'

/**
 * The requests of hasura-cli 2.36 and the console, in their order, with the parts of the answers that they read. From
 * the sources of both (`cli/internal/hasura`, `cli/migrate`, `frontend/libs/console`).
 */

let served: ServedDatabase

beforeAll(async () => {
  served = await serveDatabase('')
})

afterAll(() => served.close())

const get = async (path: string) => (await served.send('GET', path)).body

async function post(path: string, body: unknown) {
  const { status, body: answer } = await served.send('POST', path, body)
  return status === 200 ? answer : { status, answer }
}

const metadata = (type: string, args: unknown = {}) => post('/v1/metadata', { type, args })

interface Exported {
  readonly resource_version: number
  readonly metadata: { readonly sources: readonly object[] }
}

/** Without the check, as `hasura migrate apply` sends it, because metadata follows after all migrations. */
const migration = (sql: string) =>
  post('/v2/query', { type: 'run_sql', args: { sql, source: 'default', check_metadata_consistency: false } })

test('hasura migrate apply, metadata apply, seed apply, metadata export, reload and inconsistency: hasura-cli deploys a project', async () => {
  expect(await get('/v1/version')).toMatchObject({
    version: expect.stringMatching(/^v2\.\d+\.\d+/) as string,
  })
  expect(await get('/v1alpha1/config')).toMatchObject({ console_assets_dir: null })
  // The databases, and their kinds.
  expect(await metadata('export_metadata')).toMatchObject({
    sources: [{ name: 'default', kind: 'postgres' }],
  })

  expect(await metadata('get_catalog_state')).toMatchObject({
    id: expect.any(String) as string,
    cli_state: {},
  })
  const done = { result_type: 'CommandOk', result: null }
  expect(await migration('create table author (id int primary key, name text)')).toEqual(done)
  const state = {
    settings: { migration_mode: 'true' },
    migrations: { default: { '1700000000000': false } },
    isStateCopyCompleted: true,
  }
  expect(await metadata('set_catalog_state', { type: 'cli', state })).toEqual({ message: 'success' })
  expect(await migration('create table broken (id nothing)')).toMatchObject({
    status: 400,
    answer: { code: 'postgres-error', internal: { error: { message: 'type "nothing" does not exist' } } },
  })
  // hasura migrate status.
  expect(await metadata('get_catalog_state')).toMatchObject({ cli_state: state })

  const project = (tables: readonly string[]) => ({
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        tables: tables.map((name) => ({ table: { schema: 'public', name } })),
        configuration: { connection_info: { database_url: { from_env: 'HASURA_GRAPHQL_DATABASE_URL' } } },
      },
    ],
  })
  const replace = (tables: readonly string[]) =>
    post('/v1/metadata', {
      type: 'replace_metadata',
      version: 2,
      args: { allow_inconsistent_metadata: true, metadata: project(tables) },
    })
  expect(await replace(['author', 'gone'])).toMatchObject({
    is_consistent: false,
    inconsistent_objects: [
      { type: 'table', definition: { schema: 'public', name: 'gone' }, reason: expect.any(String) as string },
    ],
  })
  expect(await metadata('get_inconsistent_metadata')).toMatchObject({ is_consistent: false })
  expect(await metadata('drop_inconsistent_metadata')).toEqual({ message: 'success' })
  expect(await replace(['author'])).toEqual({ is_consistent: true, inconsistent_objects: [] })

  // hasura seed apply: each file a run_sql of one bulk.
  const seed = (sql: string) => ({ type: 'run_sql', args: { sql, source: 'default' } })
  expect(
    await post('/v2/query', {
      type: 'bulk',
      args: [seed("insert into author values (1, 'Ada')"), seed("insert into author values (2, 'Bo')")],
    }),
  ).toEqual([done, done])

  expect(await metadata('reload_metadata')).toMatchObject({ message: 'success', is_consistent: true })
  // The export equals what was applied, so `hasura metadata diff` finds no difference.
  expect(await metadata('export_metadata')).toEqual(project(['author']))
  expect(await post('/v1/graphql', { query: '{ author { name } }' })).toEqual({
    data: { author: [{ name: 'Ada' }, { name: 'Bo' }] },
  })
})

test('the console starts, reads the database, creates a table by a migration and tracks it', async () => {
  const before = (await post('/v1/metadata', { type: 'export_metadata', version: 2, args: {} })) as Exported
  expect(before).toMatchObject({
    resource_version: expect.any(Number) as number,
    metadata: { sources: [{ name: 'default' }] },
  })
  expect(await metadata('list_source_kinds')).toMatchObject({ sources: [{ kind: 'pg', available: true }] })
  expect(await metadata('get_inconsistent_metadata')).toMatchObject({ is_consistent: true })
  const onboarding = { telemetryNotificationShown: true, onboardingShown: true }
  expect(await metadata('set_catalog_state', { type: 'console', state: onboarding })).toEqual({
    message: 'success',
  })
  expect(await metadata('get_catalog_state')).toMatchObject({
    console_state: onboarding,
    cli_state: { migrations: { default: {} } },
  })

  // The tables of a schema, as JSON in the first row. The console sends several such statements in one bulk.
  const question = (sql: string) => ({
    type: 'run_sql',
    args: { source: 'default', sql, cascade: false, read_only: true },
  })
  const lists = (await post('/v2/query', {
    type: 'concurrent_bulk',
    source: 'default',
    args: [
      question(
        "select schema_name from information_schema.schemata where schema_name not like 'pg_%' order by 1",
      ),
      question(`select coalesce(json_agg(row_to_json(info)), '[]'::json) from (
        select table_schema, table_name from information_schema.tables where table_schema = 'public') as info`),
    ],
  })) as readonly { readonly result_type: string; readonly result: readonly (readonly string[])[] }[]
  expect(lists[0]?.result.flat()).toContain('public')
  expect(JSON.parse(lists[1]?.result[1]?.[0] ?? '')).toEqual([
    { table_schema: 'public', table_name: 'author' },
  ])

  expect(
    await migration('create table book (id int primary key, author_id int references author)'),
  ).toMatchObject({
    result_type: 'CommandOk',
  })
  // With the resource version that it has read, so that it can't overwrite other changes made meanwhile.
  const track = (version: number) =>
    post('/v1/metadata', {
      type: 'bulk',
      source: 'default',
      resource_version: version,
      args: [
        { type: 'pg_track_table', args: { source: 'default', table: { schema: 'public', name: 'book' } } },
      ],
    })
  expect(await track(before.resource_version - 1)).toMatchObject({
    status: 409,
    answer: { code: 'conflict' },
  })
  expect(await track(before.resource_version)).toEqual([{ message: 'success' }])
  expect(
    await metadata('pg_suggest_relationships', {
      source: 'default',
      tables: ['book', 'author'],
      omit_tracked: true,
      version: 1,
    }),
  ).toMatchObject({ relationships: [{ type: 'object' }, { type: 'array' }] })
  const after = (await post('/v1/metadata', { type: 'export_metadata', version: 2, args: {} })) as Exported
  expect(after.resource_version).toBe(before.resource_version + 1)
  expect(after.metadata.sources).toMatchObject([{ tables: [{}, { table: { name: 'book' } }] }])
})
