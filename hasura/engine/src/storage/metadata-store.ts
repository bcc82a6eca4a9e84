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

export interface MetadataStore {
  /**
   * Creates missing tables of schema `hdb_catalog`, upgrades those of an earlier Hasura 2, and writes the initial
   * metadata if there is none. Throws StartError for tables of Hasura 1, or of an unknown newer version.
   */
  prepare(initial: Metadata): Promise<void>
  read(): Promise<StoredMetadata>
  readResourceVersion(): Promise<number>
  /**
   * Writes, unless another writer has changed the metadata since `expectedVersion`. With `client`, the write is part of
   * the caller's transaction.
   */
  write(metadata: Metadata, expectedVersion: number, client?: ClientBase): Promise<WriteResult>
  readCatalogState(): Promise<{ id: string; cli_state: Json; console_state: Json }>
  writeCatalogState(kind: CatalogStateKind, state: Json): Promise<void>
}

const versionRow = z.object({ resource_version: z.number() })
const metadataRow = z.object({ metadata: z.unknown(), resource_version: z.number() })

/** Notifies Hasura's other instances, which poll this row and then read the metadata again. */
const notification = JSON.stringify({ metadata: false, remote_schemas: [], sources: [], data_connectors: [] })

const writeSql = `
with written as (
  update hdb_catalog.hdb_metadata
     set metadata = $1, resource_version = resource_version + 1
   where id = 1 and resource_version = $2
  returning resource_version
), notified as (
  insert into hdb_catalog.hdb_schema_notifications (id, notification, resource_version, instance_id)
  select 1, $3::json, resource_version, $4::uuid from written
  on conflict (id) do update
    set notification = excluded.notification, resource_version = excluded.resource_version,
        instance_id = excluded.instance_id, updated_at = now()
)
select resource_version from written`

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

  write: async (metadata, expectedVersion, client) => {
    const { rows } = await (client ?? pool).query(writeSql, [
      JSON.stringify(written(metadata)),
      expectedVersion,
      notification,
      instanceId,
    ])
    const [row] = z.array(versionRow).parse(rows)
    return row
      ? { kind: 'written', resourceVersion: row.resource_version }
      : { kind: 'conflict', currentResourceVersion: await readResourceVersion(pool) }
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
