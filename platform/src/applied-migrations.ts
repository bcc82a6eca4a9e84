import type { Sql } from '@commerce-graph/postgres-driver'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PlatformError } from './platform-error.ts'

/** What each migration of a folder says, by its name. */
type Contents = ReadonlyMap<string, string>

/**
 * Hasura knows which migrations a database has, but not what they said. One that has changed since makes a schema that nothing
 * here was written for. Throws a PlatformError that names it.
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

/** Once all are applied; what is recorded already stays as it is. */
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

/** Comments and empty lines make no difference. */
function hashOf(text: string): string {
  const statements = text.split('\n').filter((line) => !/^\s*(--.*)?$/.test(line))
  return createHash('sha256').update(statements.join('\n')).digest('hex')
}
