import pg from 'pg'
import { type TestDatabase, createTestDatabase } from '@commerce-graph/local-postgres/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Metadata } from '../metadata/types.ts'
import { type MetadataStore, createMetadataStore } from './metadata-store.ts'

const instanceId = '0192f0c0-0000-7000-8000-000000000001'
const empty: Metadata = { version: 3, sources: [] }
const other: Metadata = { version: 3, sources: [{ name: 'default', tables: [] }] }

let database: TestDatabase
let pool: pg.Pool
let store: MetadataStore

beforeEach(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool({ connectionString: database.url })
  store = createMetadataStore(pool, instanceId)
})

afterEach(async () => {
  await pool.end()
  await database.drop()
})

describe('createMetadataStore', () => {
  test('engines that start together on an empty database create its tables once', async () => {
    const stores = Array.from({ length: 5 }, () => createMetadataStore(pool))
    await Promise.all(stores.map((each) => each.prepare(empty)))
    expect(await store.read()).toEqual({ metadata: empty, resourceVersion: 1 })
    const { rows } = await pool.query('select version from hdb_catalog.hdb_version')
    expect(rows).toEqual([{ version: '48' }])
  })

  test('of two writers who read the same version one succeeds', async () => {
    await store.prepare(empty)
    const [first, second] = await Promise.all([store.write(other, 1), store.write(empty, 1)])
    const kinds = [first.kind, second.kind].toSorted()
    expect(kinds).toEqual(['conflict', 'written'])
    expect(await store.readResourceVersion()).toBe(2)
  })

  test('notifies Hasura’s other instances', async () => {
    await store.prepare(empty)
    await store.write(other, 1)
    const { rows } = await pool.query(
      'select resource_version, instance_id, notification from hdb_catalog.hdb_schema_notifications',
    )
    expect(rows).toMatchObject([
      { resource_version: 2, instance_id: instanceId, notification: { metadata: false } },
    ])
  })

  test('tells of each remote schema when it was last reloaded, by this engine or by Hasura', async () => {
    await store.prepare(empty)
    expect(await store.readReloads()).toEqual(new Map())
    await store.write(other, 1, { reloaded: ['a', 'b'] })
    await store.write(other, 2, { reloaded: ['b'] })
    await store.write(other, 3)
    expect(await store.readReloads()).toEqual(
      new Map([
        ['a', 2],
        ['b', 3],
      ]),
    )
    // As Hasura writes it.
    const notification = { metadata: false, remote_schemas: ['c'], sources: [], data_connectors: [] }
    await pool.query(
      'update hdb_catalog.hdb_schema_notifications set resource_version = 5, notification = $1',
      [JSON.stringify(notification)],
    )
    expect(await store.readReloads()).toEqual(new Map([['c', 5]]))
  })

  test('the resource version is raised without a change of the metadata', async () => {
    await store.prepare(other)
    const client = await pool.connect()
    try {
      expect(await store.raiseVersion(client)).toBe(2)
    } finally {
      client.release()
    }
    expect(await store.read()).toEqual({ metadata: other, resourceVersion: 2 })
    const { rows } = await pool.query('select resource_version from hdb_catalog.hdb_schema_notifications')
    expect(rows).toEqual([{ resource_version: 2 }])
  })

  test('preparing again keeps the metadata', async () => {
    await store.prepare(empty)
    await store.write(other, 1)
    await store.writeCatalogState('cli', { migrations: {} })
    await store.prepare(empty)
    expect(await store.read()).toEqual({ metadata: other, resourceVersion: 2 })
    expect(await store.readCatalogState()).toMatchObject({ cli_state: { migrations: {} } })
  })
})
