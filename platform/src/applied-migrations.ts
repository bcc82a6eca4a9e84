import type { Sql } from '@commerce-graph/postgres-driver'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SchemaState } from './schema-state.ts'
import { PlatformError } from './platform-error.ts'

/** The contents of each migration in a folder, by its name. */
type Contents = ReadonlyMap<string, string>

/**
 * Hasura records the names of a database's migrations, but not their contents. A migration that has changed since
 * would leave a schema that this code does not fit. Throws a PlatformError that names it.
 */
export async function checkAppliedMigrations(sql: Sql, directory: string): Promise<void> {
  const [found] = await sql<{ platform: boolean; record: boolean }[]>`
    SELECT to_regnamespace('platform') IS NOT NULL AS platform, to_regclass('platform.applied_migration') IS NOT NULL AS record`
  if (found?.platform !== true) return
  if (!found.record) throw madeByAnotherVersion('it is from before migrations were recorded')
  const now = await contentsOf(directory)
  const applied = await sql<{ name: string; content_hash: string }[]>`
    SELECT name, content_hash FROM platform.applied_migration ORDER BY name`
  const other = applied.find(({ name, content_hash: hash }) => now.get(name) !== hash)
  if (other !== undefined)
    throw madeByAnotherVersion(
      `its migration ${other.name} ${now.has(other.name) ? 'said something else' : 'is not among these'}`,
    )
}

/**
 * What a process that migrates nothing finds: a later version may have added migrations after those of this folder.
 *
 * @throws PlatformError if a migration of this folder said something else when it was applied
 */
export async function migrationState(sql: Sql, directory: string): Promise<SchemaState> {
  const [found] = await sql<{ record: boolean }[]>`
    SELECT to_regclass('platform.applied_migration') IS NOT NULL AS record`
  if (found?.record !== true) return { kind: 'lacks', what: 'its first migration' }
  const own = await contentsOf(directory)
  const rows = await sql<{ name: string; content_hash: string }[]>`
    SELECT name, content_hash FROM platform.applied_migration ORDER BY name`
  const applied = new Map(rows.map(({ name, content_hash: hash }) => [name, hash]))
  const missing = [...own.keys()].sort().find((name) => !applied.has(name))
  const latest = [...own.keys()].sort().at(-1) ?? ''
  const changed = rows.find(
    ({ name, content_hash: hash }) => own.get(name) !== hash && (own.has(name) || name < latest),
  )
  if (changed !== undefined)
    throw madeByAnotherVersion(
      `its migration ${changed.name} ${own.has(changed.name) ? 'said something else' : 'is not among these'}`,
    )
  if (missing !== undefined) return { kind: 'lacks', what: `the migration ${missing}` }
  const newest = rows.at(-1)?.name ?? ''
  return newest > latest ? { kind: 'newer', than: `the migration ${newest}` } : { kind: 'fits' }
}

/** Called when all are applied; existing records stay as they are. */
export async function recordAppliedMigrations(sql: Sql, directory: string): Promise<void> {
  const rows = [...(await contentsOf(directory))].map(([name, hash]) => ({ name, content_hash: hash }))
  await sql`INSERT INTO platform.applied_migration ${sql(rows)} ON CONFLICT (name) DO NOTHING`
}

const madeByAnotherVersion = (how: string): PlatformError =>
  new PlatformError(
    `The database was made by another version of Commerce Graph: ${how}. Start that version on it, or make it new, which drops all data in it: npm run reset`,
  )

async function contentsOf(directory: string): Promise<Contents> {
  const names = (await readdir(directory, { withFileTypes: true })).filter((entry) => entry.isDirectory())
  return new Map(
    await Promise.all(
      names.map(
        async ({ name }) => [name, hashOf(await readFile(join(directory, name, 'up.sql'), 'utf8'))] as const,
      ),
    ),
  )
}

/** Ignores comments and empty lines. */
function hashOf(text: string): string {
  const statements = text.split('\n').filter((line) => !/^\s*(--.*)?$/.test(line))
  return createHash('sha256').update(statements.join('\n')).digest('hex')
}
