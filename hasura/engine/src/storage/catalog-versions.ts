import type { Pool } from 'pg'
import { StartError } from '../start-error.ts'

/** Versions of Hasura's catalog tables: those of the metadata, and those of a source. */
export interface CatalogVersions {
  /** Absent without such tables. */
  readonly metadata: number | undefined
  readonly source: number | undefined
}

/** The versions that this engine creates. */
const current = { metadata: 48, source: 3 }

/** Hasura's migrations to these versions only change a function, which this engine replaces anyway. */
const newestKnown = { metadata: 49, source: 4 }

/** The first version of Hasura 2. Earlier ones had metadata in tables of their own. */
const oldestReadable = 44

export const readCatalogVersions = async (pool: Pool): Promise<CatalogVersions> => ({
  metadata: await readVersion(pool, 'hdb_catalog.hdb_version'),
  source: await readVersion(pool, 'hdb_catalog.hdb_source_catalog_version'),
})

async function readVersion(pool: Pool, table: string): Promise<number | undefined> {
  const { rows: tables } = await pool.query<{ present: boolean }>(
    'select to_regclass($1) is not null as present',
    [table],
  )
  if (tables[0]?.present !== true) return undefined
  const { rows } = await pool.query<{ version: string }>(`select version from ${table}`)
  return rows[0] === undefined ? undefined : Number(rows[0].version)
}

/** Whether the tables have the form of this engine, or of a newer Hasura that is known. */
export const isCurrent = ({ metadata, source }: CatalogVersions): boolean =>
  metadata !== undefined && source !== undefined && metadata >= current.metadata && source >= current.source

/** Throws StartError for tables of an unknown version. */
export function refuseForeignCatalog({ metadata, source }: CatalogVersions): void {
  if (metadata !== undefined && metadata < oldestReadable)
    throw new StartError(
      `the database has the metadata of Hasura 1 (catalog version ${metadata}); start Hasura 2 on it once, which brings it over`,
    )
  const newer =
    (metadata ?? 0) > newestKnown.metadata
      ? `a catalog version <= ${newestKnown.metadata}, but the current version is ${metadata ?? ''}`
      : (source ?? 0) > newestKnown.source
        ? `a source catalog version <= ${newestKnown.source}, but the current version is ${source ?? ''}`
        : undefined
  if (newer !== undefined)
    throw new StartError(
      `Cannot use database previously used with a newer version of graphql-engine (expected ${newer})`,
    )
}
