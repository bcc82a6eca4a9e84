import { type TestDatabase, createTestDatabase } from '@commerce-graph/local-postgres/testing'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Metadata } from '../metadata/types.ts'
import { createMetadataStore } from './metadata-store.ts'

const empty: Metadata = { version: 3, sources: [] }

let database: TestDatabase
let pool: pg.Pool

beforeEach(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool({ connectionString: database.url, max: 2 })
})

afterEach(async () => {
  await pool.end()
  await database.drop()
})

/** A line for each column, constraint, index and function, in Postgres's notation. */
async function form(): Promise<readonly string[]> {
  const { rows } = await pool.query<{ line: string }>(`
    with tables as (
      select oid, relname from pg_class where relnamespace = 'hdb_catalog'::regnamespace and relkind = 'r'
    )
    select relname || '.' || attname || ' ' || format_type(atttypid, atttypmod)
           || case when attnotnull then ' not null' else '' end
           || coalesce(' default ' || pg_get_expr(adbin, adrelid), '') as line
      from tables join pg_attribute on attrelid = oid and attnum > 0 and not attisdropped
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
    union all
    select 'constraint ' || conname || ' on ' || relname || ': ' || pg_get_constraintdef(c.oid)
      from tables join pg_constraint c on conrelid = tables.oid where contype <> 'n'
    union all
    select 'index ' || pg_get_indexdef(indexrelid) from tables join pg_index on indrelid = oid
      where not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))
    union all
    select 'function ' || proname || '(' || pg_get_function_identity_arguments(oid) || ') returns '
           || pg_get_function_result(oid)
      from pg_proc where pronamespace = 'hdb_catalog'::regnamespace
    order by 1`)
  return rows.map(({ line }) => line)
}

test('the tables have the same form as Hasura’s, so that either engine can use the database', async () => {
  await createMetadataStore(pool).prepare(empty)
  await expect(`${(await form()).join('\n')}\n`).toMatchFileSnapshot('hdb-catalog.form.txt')
})

/** Undoes the differences to catalog version 44 and source catalog version 1: Hasura 2.0. */
const asHasura20 = `
  drop table hdb_catalog.hdb_schema_notifications, hdb_catalog.hdb_event_log_cleanups;
  drop index hdb_catalog.hdb_cron_events_unique_scheduled, hdb_catalog.hdb_cron_event_invocation_event_id,
    hdb_catalog.event_log_fetch_events;
  create index on hdb_catalog.event_log (locked);
  create index on hdb_catalog.event_log (delivered);
  create index on hdb_catalog.event_log (created_at);
  alter table hdb_catalog.hdb_version drop ee_client_id, drop ee_client_secret;
  alter table hdb_catalog.event_invocation_logs drop trigger_name,
    add foreign key (event_id) references hdb_catalog.event_log (id);
  update hdb_catalog.hdb_version set version = '44', cli_state = '{"settings": {}}';
  update hdb_catalog.hdb_source_catalog_version set version = '1'`

test('a catalog of an earlier Hasura 2 is upgraded, and keeps its rows', async () => {
  const store = createMetadataStore(pool)
  await store.prepare(empty)
  const wanted = await form()
  await store.write({ version: 3, sources: [{ name: 'default', tables: [] }] }, 1)
  await pool.query(asHasura20)
  await store.prepare(empty)
  // Postgres appends new columns at the end, so the lines are sorted.
  expect(await form()).toEqual(wanted)
  expect(await store.read()).toMatchObject({
    metadata: { sources: [{ name: 'default' }] },
    resourceVersion: 2,
  })
  expect(await store.readCatalogState()).toMatchObject({ cli_state: { settings: {} } })
  const { rows } = await pool.query(
    'select v.version, s.version as source from hdb_catalog.hdb_version v, hdb_catalog.hdb_source_catalog_version s',
  )
  expect(rows).toEqual([{ version: '48', source: '3' }])
})

test.each([
  ['hdb_version', '34', 'the database has the metadata of Hasura 1 (catalog version 34)'],
  ['hdb_version', '50', 'expected a catalog version <= 49, but the current version is 50'],
  ['hdb_source_catalog_version', '5', 'expected a source catalog version <= 4, but the current version is 5'],
])(
  'a catalog of an unknown version is refused and left unchanged: %s %s',
  async (table, version, message) => {
    const store = createMetadataStore(pool)
    await store.prepare(empty)
    await pool.query(`update hdb_catalog.${table} set version = $1`, [version])
    const before = await form()
    await expect(store.prepare(empty)).rejects.toThrow(message)
    expect(await form()).toEqual(before)
  },
)

test('a catalog of a newer Hasura that only has another function is used as it is', async () => {
  const store = createMetadataStore(pool)
  await store.prepare(empty)
  await pool.query(`update hdb_catalog.hdb_source_catalog_version set version = '4'`)
  await store.prepare(empty)
  const { rows } = await pool.query('select version from hdb_catalog.hdb_source_catalog_version')
  expect(rows).toEqual([{ version: '4' }])
})
