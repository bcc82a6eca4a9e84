import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  applyMetadata,
  type HasuraApi,
  type Inconsistency,
  readInconsistencies,
} from '@commerce-graph/hasura-cli'
import type { SchemaState } from './schema-state.ts'
import type { Sql } from '@commerce-graph/postgres-driver'

/** Versions whose processes may still run while later ones replace them. */
const formersKept = 20

/**
 * Applies the metadata of a folder, unless Hasura has it from an earlier start and nothing has changed it since: reading
 * and replacing it takes a quarter of a second. Returns the parts that Hasura can't use.
 */
export async function applyChangedMetadata(
  sql: Sql,
  api: HasuraApi,
  directory: string,
): Promise<readonly Inconsistency[]> {
  const hash = await hashOf(directory)
  const version = await resourceVersion(sql)
  if (version !== undefined) {
    const applied = await sql`
      SELECT FROM platform.applied_metadata WHERE content_hash = ${hash} AND resource_version = ${version}`
    if (applied.length > 0) return readInconsistencies(api)
  }
  const inconsistencies = await applyMetadata(api, directory)
  const after = await resourceVersion(sql)
  if (after !== undefined)
    await sql`
      INSERT INTO platform.applied_metadata (content_hash, resource_version) VALUES (${hash}, ${after})
      ON CONFLICT (is_only) DO UPDATE
      SET content_hash = EXCLUDED.content_hash, resource_version = EXCLUDED.resource_version,
        former_hashes = (array_remove(platform.applied_metadata.content_hash || platform.applied_metadata.former_hashes,
          EXCLUDED.content_hash))[:${formersKept}]`
  return inconsistencies
}

/** What a process that applies nothing finds: this folder's metadata, those of a later version, or neither. */
export async function metadataState(sql: Sql, directory: string): Promise<SchemaState> {
  const hash = await hashOf(directory)
  const [applied] = await sql<{ isApplied: boolean; wasApplied: boolean }[]>`
    SELECT content_hash = ${hash} AS "isApplied", ${hash} = ANY (former_hashes) AS "wasApplied"
    FROM platform.applied_metadata`
  if (applied?.isApplied === true) return { kind: 'fits' }
  return applied?.wasApplied === true
    ? { kind: 'newer', than: 'other metadata' }
    : { kind: 'lacks', what: 'the metadata of this version' }
}

/** Undefined for a Hasura that keeps its metadata in another database. */
async function resourceVersion(sql: Sql): Promise<string | undefined> {
  const [found] = await sql<{ here: boolean }[]>`
    SELECT to_regclass('hdb_catalog.hdb_metadata') IS NOT NULL AS here`
  if (found?.here !== true) return undefined
  const [row] = await sql<{ version: string }[]>`
    SELECT resource_version::text AS version FROM hdb_catalog.hdb_metadata WHERE id = 1`
  return row?.version
}

/** Of the names and contents of all files of the folder. */
async function hashOf(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const hash = createHash('sha256')
  for (const file of files.sort())
    hash
      .update(file.slice(directory.length))
      .update('\0')
      .update(await readFile(file))
  return hash.digest('hex')
}
