import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ServedDatabase, serveDatabase } from '../http/testing/serve-database.ts'

let served: ServedDatabase

beforeAll(async () => {
  served = await serveDatabase(`
    create table author (id int primary key, name text);
    create table article (id int primary key, author_id int references author);
    create function authors() returns setof author language sql stable as 'select * from author';`)
})

beforeEach(() => served.metadata('clear_metadata'))

afterAll(() => served.close())

/** Runs a command. Returns the status and body that a client gets. */
async function run(type: string, args: unknown = {}, version: 1 | 2 = 1) {
  const { status, body } = await served.metadata(type, args, version)
  return { status, body }
}

const exported = async () => (await run('export_metadata')).body as Readonly<Record<string, unknown>>
const success = { status: 200, body: { message: 'success' } }

describe('pg_track_tables and pg_untrack_tables', () => {
  const noSuchTable = {
    message: 'Inconsistent object: no such table/view exists in source: "nothing"',
    type: 'table',
    name: 'table nothing in source default',
    code: 'track-table-failed',
  }

  test('do what is possible, and warn of the rest, the latest warning first', async () => {
    await run('pg_track_table', { table: 'article' })
    expect(
      await run('pg_track_tables', {
        tables: [{ table: 'article' }, { table: 'nothing' }, { table: 'author' }],
      }),
    ).toEqual({
      status: 200,
      body: {
        message: 'success',
        warnings: [
          noSuchTable,
          {
            message: 'view/table already tracked: "article"',
            type: 'table',
            name: 'table article in source default',
            code: 'track-table-failed',
          },
        ],
      },
    })
    expect(await exported()).toMatchObject({
      sources: [{ tables: [{ table: { name: 'article' } }, { table: { name: 'author' } }] }],
    })
  })

  test('do nothing when warnings are not allowed, or when nothing is possible', async () => {
    const tables = [{ table: 'author' }, { table: 'nothing' }]
    expect(await run('pg_track_tables', { tables, allow_warnings: false })).toEqual({
      status: 400,
      body: {
        code: 'metadata-warnings',
        error: 'failed due to metadata warnings',
        path: '$.args',
        internal: [noSuchTable],
      },
    })
    expect(await run('pg_track_tables', { tables: [{ table: 'nothing' }] })).toMatchObject({
      status: 400,
      body: { code: 'invalid-configuration', error: 'all tables failed to track', internal: [noSuchTable] },
    })
    expect(await run('pg_untrack_tables', { tables: [{ table: 'author' }] })).toMatchObject({
      status: 400,
      body: {
        error: 'all tables failed to untrack',
        internal: [{ message: 'view/table already untracked: "author"', code: 'untrack-table-failed' }],
      },
    })
    expect(
      await run('pg_track_tables', { tables: [{ table: 'author' }, { table: 'author' }] }),
    ).toMatchObject({
      status: 400,
      body: {
        code: 'bad-request',
        path: '$.args.tables',
        error: 'The following tables occur more than once in the request: default.author',
      },
    })
    expect(await exported()).toMatchObject({ sources: [{ tables: [] }] })
  })

  test('untrack tables that depend only on each other, but none that another table depends on', async () => {
    await run('pg_track_tables', { tables: [{ table: 'author' }, { table: 'article' }] })
    await run('pg_create_object_relationship', {
      table: 'article',
      name: 'author',
      using: { foreign_key_constraint_on: 'author_id' },
    })
    expect(await run('pg_untrack_tables', { tables: [{ table: 'author' }] })).toMatchObject({
      status: 400,
      body: { internal: [{ message: expect.stringContaining('dependent objects') as string }] },
    })
    expect(await run('pg_untrack_tables', { tables: [{ table: 'author' }, { table: 'article' }] })).toEqual(
      success,
    )
  })
})

describe('replace_metadata', () => {
  const source = {
    name: 'default',
    kind: 'postgres',
    tables: [{ table: { schema: 'public', name: 'author' } }],
  }

  test('reads from the arguments whether metadata may be inconsistent, in either version', async () => {
    const broken = {
      version: 3,
      sources: [{ ...source, tables: [{ table: { schema: 'public', name: 'gone' } }] }],
    }
    for (const version of [1, 2] as const)
      expect(
        await run('replace_metadata', { metadata: broken, allow_inconsistent_metadata: true }, version),
      ).toMatchObject({
        status: 200,
        body: { is_consistent: false, inconsistent_objects: [{ type: 'table' }] },
      })
    expect(await run('replace_metadata', broken)).toMatchObject({
      status: 400,
      body: { code: 'unexpected', error: 'cannot continue due to inconsistent metadata' },
    })
    expect(await run('replace_metadata', { version: 3, sources: [source] })).toEqual(success)
    expect(await run('replace_metadata', { metadata: { version: 3 } }, 2)).toMatchObject({
      status: 400,
      body: { code: 'parse-failed', path: '$.args.metadata' },
    })
  })

  test('takes the formats of Hasura 1 into the existing source, keeping its configuration', async () => {
    const configuration = {
      connection_info: { database_url: { from_env: 'PG_URL' }, use_prepared_statements: true },
    }
    await run('replace_metadata', { version: 3, sources: [{ ...source, tables: [], configuration }] })
    expect(await run('replace_metadata', { version: 2, tables: source.tables })).toEqual(success)
    expect(await exported()).toMatchObject({ version: 3, sources: [{ ...source, configuration }] })
    await run('replace_metadata', { version: 3, sources: [] })
    expect(await run('replace_metadata', { tables: source.tables })).toMatchObject({
      status: 400,
      body: {
        code: 'not-supported',
        error: 'cannot import metadata without sources since no default source is defined',
      },
    })
    await run('replace_metadata', { version: 3, sources: [{ ...source, tables: [] }] })
  })

  test('keeps cron triggers that exports leave out', async () => {
    const cron = {
      name: 'nightly',
      webhook: 'http://localhost',
      schedule: '0 0 * * *',
      include_in_metadata: false,
    }
    await run('create_cron_trigger', cron)
    const metadata = { version: 3, sources: [source] }
    expect(await run('replace_metadata', metadata)).toEqual(success)
    expect(await run('get_cron_triggers')).toMatchObject({ body: { cron_triggers: [{ name: 'nightly' }] } })
    expect(
      await run('replace_metadata', { ...metadata, cron_triggers: [{ ...cron, include_in_metadata: true }] }),
    ).toMatchObject({
      status: 400,
      body: {
        code: 'already-exists',
        error:
          'cron trigger with name "nightly" already exists as a cron trigger with "included_in_metadata" as false',
      },
    })
    await run('delete_cron_trigger', { name: 'nightly' })
  })

  test('refuses two event triggers of one name, and warns of names that commands would refuse', async () => {
    const withTriggers = (...names: readonly string[]) => ({
      version: 3,
      sources: [
        {
          ...source,
          tables: [
            {
              ...source.tables[0],
              event_triggers: names.map((name) => ({
                name,
                definition: { enable_manual: false, insert: { columns: '*' } },
                retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 },
                webhook: 'http://localhost',
              })),
            },
          ],
        },
      ],
    })
    expect(await run('replace_metadata', withTriggers('a', 'a'))).toMatchObject({
      status: 400,
      body: { code: 'not-supported', error: 'Event trigger with duplicate names not allowed: "a"' },
    })
    const odd = withTriggers('odd name')
    expect(await run('replace_metadata', { metadata: odd, allow_warnings: false }, 2)).toMatchObject({
      status: 400,
      body: { code: 'metadata-warnings', internal: [{ code: 'illegal-event-trigger-name' }] },
    })
    expect(await run('replace_metadata', { metadata: odd }, 2)).toMatchObject({
      status: 200,
      body: {
        is_consistent: true,
        warnings: [{ type: 'event_trigger', code: 'illegal-event-trigger-name' }],
      },
    })
    // The warning about such a trigger comes only once.
    expect(await run('replace_metadata', odd)).toEqual(success)
  })
})

test('reload_metadata reloads all sources and remote schemas, or the named ones', async () => {
  const consistent = { status: 200, body: { message: 'success', is_consistent: true } }
  expect(await run('reload_metadata')).toEqual(consistent)
  expect(
    await run('reload_metadata', {
      reload_remote_schemas: false,
      reload_sources: ['default'],
      recreate_event_triggers: true,
    }),
  ).toEqual(consistent)
  for (const [args, error] of [
    [{ reload_remote_schemas: ['x'] }, 'Remote schema with name "x" not found in metadata'],
    [{ reload_sources: ['x'] }, 'Source with name "x" not found in metadata'],
    [{ recreate_event_triggers: ['x'] }, 'Source with name "x" not found in metadata'],
  ] as const)
    expect(await run('reload_metadata', args)).toMatchObject({
      status: 400,
      body: { code: 'not-exists', error },
    })
})

test('bulk_atomic checks the result of all its commands, and changes nothing if that is inconsistent', async () => {
  await run('pg_track_tables', { tables: [{ table: 'author' }, { table: 'article' }] })
  const relationship = (name: string) => ({
    type: 'pg_create_object_relationship',
    args: { table: 'article', name, using: { foreign_key_constraint_on: 'author_id' } },
  })
  await run('bulk', [
    relationship('author'),
    {
      type: 'pg_create_select_permission',
      args: {
        table: 'article',
        role: 'reader',
        permission: { columns: ['id'], filter: { author: { id: 1 } } },
      },
    },
  ])
  const drop = { type: 'pg_drop_relationship', args: { table: 'article', relationship: 'author' } }
  expect(await run('bulk_atomic', [drop, relationship('author')])).toEqual(success)
  expect(await run('bulk_atomic', [drop, relationship('writer')])).toMatchObject({
    status: 400,
    body: {
      code: 'bad-request',
      error: 'Schema inconsistency',
      internal: [{ type: 'select_permission' }],
    },
  })
  expect(await exported()).toMatchObject({
    sources: [{ tables: [{}, { object_relationships: [{ name: 'author' }] }] }],
  })
})

describe('what is there twice, or not at all, is refused by the command for it', () => {
  test('permissions of functions', async () => {
    await run('pg_track_table', { table: 'author' })
    await run('pg_track_function', { function: 'authors' })
    const permission = (role: string) => ({ function: 'authors', role })
    for (const role of ['one', 'two']) {
      await run('pg_create_select_permission', {
        table: 'author',
        role,
        permission: { columns: '*', filter: {} },
      })
      expect(await run('pg_create_function_permission', permission(role))).toEqual(success)
    }
    expect(await run('pg_create_function_permission', permission('one'))).toMatchObject({
      status: 400,
      body: { code: 'already-exists' },
    })
    expect(await run('pg_drop_function_permission', permission('one'))).toEqual(success)
    expect(await run('pg_drop_function_permission', permission('one'))).toMatchObject({
      status: 400,
      body: { code: 'not-exists' },
    })
    expect(await exported()).toMatchObject({
      sources: [{ functions: [{ function: { name: 'authors' }, permissions: [{ role: 'two' }] }] }],
    })
  })

  test('inherited roles', async () => {
    await run('pg_track_table', { table: 'author' })
    for (const role of ['one', 'two'])
      await run('pg_create_select_permission', {
        table: 'author',
        role,
        permission: { columns: '*', filter: {} },
      })
    for (const name of ['both', 'all'])
      expect(await run('add_inherited_role', { role_name: name, role_set: ['one', 'two'] })).toEqual(success)
    expect(await run('drop_inherited_role', { role_name: 'none' })).toMatchObject({
      status: 400,
      body: { code: 'not-exists' },
    })
    expect(await run('drop_inherited_role', { role_name: 'both' })).toEqual(success)
    expect(await exported()).toMatchObject({ inherited_roles: [{ role_name: 'all' }] })
  })
})

test('settings that only the other engine obeys are kept, exported and removed', async () => {
  const cases: readonly (readonly [string, unknown, object])[] = [
    [
      'set_query_tags',
      { source_name: 'default', disabled: true },
      { sources: [{ query_tags: { disabled: true, format: 'standard' } }] },
    ],
    ['set_api_limits', { disabled: false }, { api_limits: { disabled: false } }],
    [
      'set_metrics_config',
      { analyze_query_variables: true },
      { metrics_config: { analyze_query_variables: true } },
    ],
    ['set_opentelemetry_config', { status: 'disabled' }, { opentelemetry: { status: 'disabled' } }],
    ['set_opentelemetry_status', 'enabled', { opentelemetry: { status: 'enabled' } }],
    ['set_opentelemetry_status', { status: 'disabled' }, { opentelemetry: { status: 'disabled' } }],
    [
      'add_host_to_tls_allowlist',
      { host: 'a.example', suffix: '8443' },
      { network: { tls_allowlist: [{ host: 'a.example', suffix: '8443' }] } },
    ],
  ]
  for (const [type, args, found] of cases) {
    expect(await run(type, args)).toEqual(success)
    expect(await exported()).toMatchObject(found)
  }
  expect(await run('add_host_to_tls_allowlist', { host: 'a.example', suffix: '8443' })).toMatchObject({
    status: 400,
    body: {
      code: 'already-exists',
      error: 'the host "a.example" with suffix "8443" already exists in the allowlist',
    },
  })
  expect(await run('drop_host_from_tls_allowlist', { host: 'a.example' })).toMatchObject({
    status: 400,
    body: { code: 'not-exists', error: 'the host "a.example" isn\'t present in the allowlist' },
  })
  for (const [type, args] of [
    ['drop_host_from_tls_allowlist', { host: 'a.example', suffix: '8443' }],
    ['remove_api_limits', {}],
    ['remove_metrics_config', {}],
  ] as const)
    expect(await run(type, args)).toEqual(success)
  const left = await exported()
  expect(left).not.toHaveProperty('api_limits')
  expect(left).not.toHaveProperty('metrics_config')
  expect(await run('set_query_tags', { source_name: 'x' })).toMatchObject({ body: { code: 'not-exists' } })
})

test('lists the kinds of sources, of which its own needs no connector', async () => {
  expect(await run('list_source_kinds')).toMatchObject({ body: { sources: [{ kind: 'pg', builtin: true }] } })
  for (const [name, error] of [
    ['pg', 'pg does not support Capabilities'],
    ['sqlite', 'Source Kind sqlite was not found'],
  ])
    expect(await run('get_source_kind_capabilities', { name })).toMatchObject({
      status: 400,
      body: { code: 'data-connector-error', error },
    })
  expect((await run('pg_get_source_tables', { source: 'default' })).body).toEqual(
    expect.arrayContaining([{ schema: 'public', name: 'author' }]),
  )
})

test.each([
  ['cleanup_event_trigger_logs', 'Event log cleanup feature is enterprise edition only'],
  ['pg_test_connection_template', 'Connection templating feature is enterprise edition only'],
])('%s is refused as by the Community Edition', async (type, error) => {
  expect(await run(type, { source_name: 'default' })).toEqual({
    status: 400,
    body: { path: '$.args', code: 'not-supported', error },
  })
})
