import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MigrationFilesError } from 'hasura-embedded/migrations'

/** Creates the folder of a new migration with an empty up.sql and down.sql. Returns the folder's path. */
export async function createMigration(directory: string, name: string, now: Date): Promise<string> {
  if (!/^\w+$/.test(name)) {
    throw new MigrationFilesError(
      `A migration's name has letters, digits and underscores only, not "${name}"`,
    )
  }
  const folder = join(directory, `${now.getTime()}_${name}`)
  await mkdir(directory, { recursive: true })
  await mkdir(folder)
  for (const direction of ['up', 'down']) await writeFile(join(folder, `${direction}.sql`), '')
  return folder
}
