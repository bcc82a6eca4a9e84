import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ClientBase, Pool } from 'pg'
import { z } from 'zod'
import type { Json } from '../metadata/parse.ts'
import { written } from '../metadata/written-metadata.ts'
import type { Metadata } from '../metadata/types.ts'
import { isCurrent, readCatalogVersions, refuseForeignCatalog } from './catalog-versions.ts'

const readSql = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8')

/** The tables of the metadata, those of a source, and the changes to the tables of an earlier Hasura. */
const createSql = ['./hdb-catalog.sql', './hdb-source-catalog.sql', './upgrade-catalog.sql']
  .map(readSql)
  .join('\n')

/** Hasura's own function writes times in the session's zone, so it is replaced. */
const eventFunctionSql = readSql('./insert-event-log.sql')
const eventFunctionBody = eventFunctionSql.split('$$')[1]

/** An arbitrary number for an advisory lock: engines that start together must not create the same objects together. */
const creationLock = 7_267_481_004

interface StoredMetadata {
  /** As this engine or Hasura has written it. The reader has to parse it. */
  readonly metadata: unknown
  readonly resourceVersion: number
}

type WriteResult =
  | { readonly kind: 'written'; readonly resourceVersion: number }
  | { readonly kind: 'conflict'; readonly currentResourceVersion: number }

/** The two documents that hasura-cli and the console keep here. */
type CatalogStateKind = 'cli' | 'console'

export interface WriteOptions {
  /** For a write that is part of the caller's transaction. */
  readonly client?: ClientBase
  /** Names of remote schemas that every engine has to introspect again. */
  readonly reloaded?: readonly string[]
}

export interface MetadataStore {
  /**
   * Creates missing tables of schema `hdb_catalog`, upgrades those of an earlier Hasura 2, and writes the initial
   * metadata if there is none. Throws StartError for tables of Hasura 1, or of an unknown newer version.
   */
  prepare(initial: Metadata): Promise<void>
  read(): Promise<StoredMetadata>
  readResourceVersion(): Promise<number>
  /** The resource version at which each remote schema was last reloaded, by name, if one was. */
  readReloads(): Promise<ReadonlyMap<string, number>>
  /** Writes, unless another writer has changed the metadata since `expectedVersion`. */
  write(metadata: Metadata, expectedVersion: number, options?: WriteOptions): Promise<WriteResult>
  /**
   * Raises the resource version, so that other engines read the catalog of the database again. Part of the caller's
   * transaction. Returns the new version.
   */
  raiseVersion(client: ClientBase): Promise<number>
  readCatalogState(): Promise<{ id: string; cli_state: Json; console_state: Json }>
  writeCatalogState(kind: CatalogStateKind, state: Json): Promise<void>
}

const versionRow = z.object({ resource_version: z.number() })
const metadataRow = z.object({ metadata: z.unknown(), resource_version: z.number() })

/**
 * SQL that notifies other instances of the version in `changed`; they poll this row and then read the metadata again.
 * Hasura reads `remote_schemas`, of the last change alone. Engines that poll after several changes need `reloads`.
 *
 * @param names SQL for the reloaded remote schemas, a JSON array
 * @param instance SQL for the id of the instance that has made the change
 */
const notifySql = (names: string, instance: string): string => `
  insert into hdb_catalog.hdb_schema_notifications as last (id, notification, resource_version, instance_id)
  select 1,
         json_build_object(
           'metadata', false, 'remote_schemas', ${names}, 'sources', '[]'::json, 'data_connectors', '[]'::json,
           'reloads', (select coalesce(json_object_agg(name, resource_version), '{}')
                         from jsonb_array_elements_text(${names}) name)),
         resource_version, ${instance}
    from changed
  on conflict (id) do update
    set notification = (excluded.notification::jsonb || jsonb_build_object('reloads',
          coalesce(last.notification::jsonb -> 'reloads', '{}') || (excluded.notification::jsonb -> 'reloads')))::json,
        resource_version = excluded.resource_version, instance_id = excluded.instance_id, updated_at = now()`

const writeSql = `
with changed as (
  update hdb_catalog.hdb_metadata
     set metadata = $1, resource_version = resource_version + 1
   where id = 1 and resource_version = $2
  returning resource_version
), notified as (${notifySql('$3::jsonb', '$4::uuid')})
select resource_version from changed`

const raiseVersionSql = `
with changed as (
  update hdb_catalog.hdb_metadata set resource_version = resource_version + 1 where id = 1 returning resource_version
), notified as (${notifySql("'[]'::jsonb", '$1::uuid')})
select resource_version from changed`

const notificationRows = z
  .array(
    z.object({
      resource_version: z.number(),
      notification: z.object({
        remote_schemas: z.array(z.string()).default([]),
        reloads: z.record(z.string(), z.number()).default({}),
      }),
    }),
  )
  .max(1)

export const createMetadataStore = (pool: Pool, instanceId: string = randomUUID()): MetadataStore => ({
  prepare: async (initial) => {
    const versions = await readCatalogVersions(pool)
    refuseForeignCatalog(versions)
    if (!isCurrent(versions)) await locked(pool, createSql)
    if ((await readEventFunction(pool)) !== eventFunctionBody) await locked(pool, eventFunctionSql)
    await pool.query(
      'insert into hdb_catalog.hdb_metadata (id, metadata, resource_version) values (1, $1, 1) on conflict do nothing',
      [JSON.stringify(initial)],
    )
  },

  read: async () => {
    const { rows } = await pool.query(
      'select metadata, resource_version from hdb_catalog.hdb_metadata where id = 1',
    )
    const row = metadataRow.parse(rows[0])
    return { metadata: row.metadata, resourceVersion: row.resource_version }
  },

  readResourceVersion: () => readResourceVersion(pool),

  readReloads: async () => {
    const { rows } = await pool.query(
      'select resource_version, notification from hdb_catalog.hdb_schema_notifications where id = 1',
    )
    return new Map(
      notificationRows
        .parse(rows)
        .flatMap(({ resource_version: version, notification }) => [
          ...Object.entries(notification.reloads),
          ...notification.remote_schemas.map((name) => [name, version] as const),
        ]),
    )
  },

  write: async (metadata, expectedVersion, { client, reloaded = [] } = {}) => {
    const { rows } = await (client ?? pool).query(writeSql, [
      JSON.stringify(written(metadata)),
      expectedVersion,
      JSON.stringify(reloaded),
      instanceId,
    ])
    const [row] = z.array(versionRow).parse(rows)
    return row
      ? { kind: 'written', resourceVersion: row.resource_version }
      : { kind: 'conflict', currentResourceVersion: await readResourceVersion(pool) }
  },

  raiseVersion: async (client) => {
    const { rows } = await client.query(raiseVersionSql, [instanceId])
    return versionRow.parse(rows[0]).resource_version
  },

  readCatalogState: async () => {
    const { rows } = await pool.query<{ id: string; cli_state: Json; console_state: Json }>(
      'select hasura_uuid as id, cli_state, console_state from hdb_catalog.hdb_version',
    )
    const [row] = rows
    if (!row) throw new Error('hdb_catalog.hdb_version has no row')
    return row
  },

  writeCatalogState: async (kind, state) => {
    const column = kind === 'cli' ? 'cli_state' : 'console_state'
    await pool.query(`update hdb_catalog.hdb_version set ${column} = $1`, [JSON.stringify(state)])
  },
})

async function readResourceVersion(pool: Pool): Promise<number> {
  const { rows } = await pool.query('select resource_version from hdb_catalog.hdb_metadata where id = 1')
  return versionRow.parse(rows[0]).resource_version
}

async function readEventFunction(pool: Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ body: string }>(
    `select prosrc as body from pg_proc
      where oid = to_regprocedure('hdb_catalog.insert_event_log(text, text, text, text, json)')`,
  )
  return rows[0]?.body
}

async function locked(pool: Pool, sql: string): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [creationLock])
    await client.query(sql)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}
