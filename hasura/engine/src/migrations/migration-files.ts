import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder `<version>_<name>` with `up.sql` and, if it can be undone, `down.sql`. */
export interface Migration {
  /** Milliseconds since 1970, as in hasura-cli. A text, because it is a key of the state. */
  readonly version: string
  readonly name: string
  readonly folder: string
}

export type Direction = 'up' | 'down'

/** A folder that can't be read as migrations: two have one version, or a name has no version. */
export class MigrationFilesError extends Error {
  override readonly name = 'MigrationFilesError'
}

/** The migrations of a database, oldest first. Only folders count. Throws MigrationFilesError. */
export async function readMigrations(directory: string): Promise<readonly Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => {
    throw new MigrationFilesError(`${directory} can't be read: is it the folder of a database's migrations?`)
  })
  const migrations = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => parseName(directory, name))
    .sort((a, b) => Number(a.version) - Number(b.version))
  for (const [index, { version, folder }] of migrations.entries()) {
    const next = migrations[index + 1]
    if (next?.version === version) {
      throw new MigrationFilesError(`${folder} and ${next.folder} have the same version`)
    }
  }
  return migrations
}

/** The SQL of one direction; undefined when there is no such file. */
export async function readMigrationSql(
  migration: Migration,
  direction: Direction,
): Promise<string | undefined> {
  try {
    return await readFile(sqlFile(migration, direction), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

export const sqlFile = (migration: Migration, direction: Direction): string =>
  join(migration.folder, `${direction}.sql`)

const namePattern = /^(\d{1,16})_(.+)$/

export const isMigrationName = (name: string): boolean => namePattern.test(name)

function parseName(directory: string, name: string): Migration {
  const [, version, label] = namePattern.exec(name) ?? []
  if (version === undefined || label === undefined) {
    throw new MigrationFilesError(
      `${join(directory, name)} is not named <version>_<name>, like 1700000000000_orders`,
    )
  }
  return { version, name: label, folder: join(directory, name) }
}
