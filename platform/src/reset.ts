import { rmSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from '@commerce-graph/postgres-driver'
import type { PlatformConfig } from './configuration.ts'
import {
  dataFiles,
  filesFolder,
  openDataFolder,
  outboxFolder,
  postgresFolder,
  restoringFolder,
} from './data-folder.ts'
import { PlatformError } from './platform-error.ts'
import { root, source } from './prepare-schema.ts'

/** Schemas that the running platform creates, in addition to those of the migrations. */
const runtimeSchemas = ['hdb_catalog', 'bullmq', 'sandbox_processor']

/**
 * Resets the platform: the next start begins with an empty database, new secrets and new keys. Removes only what the
 * platform has created. Throws a PlatformError while the platform runs, and for an operator's own database
 * (DATABASE_URL) unless `confirmed`.
 */
export async function reset(
  config: Pick<PlatformConfig, 'dataDir' | 'databaseUrl'>,
  { confirmed }: { readonly confirmed: boolean },
): Promise<string> {
  const folder = openDataFolder(config.dataDir)
  try {
    if (config.databaseUrl !== undefined) await dropSchemas(config.databaseUrl, confirmed)
    for (const file of dataFiles) folder.remove(file)
    if (config.databaseUrl === undefined) {
      for (const name of [postgresFolder, outboxFolder, filesFolder, restoringFolder]) {
        rmSync(join(folder.path, name), { recursive: true, force: true })
      }
    }
    return folder.path
  } finally {
    folder.release()
  }
}

async function dropSchemas(databaseUrl: string, confirmed: boolean): Promise<void> {
  const schemas = [...(await migratedSchemas()), ...runtimeSchemas]
  if (!confirmed) {
    const { host, pathname } = new URL(databaseUrl)
    throw new PlatformError(
      `This drops the schemas ${schemas.join(', ')} of ${host}${pathname} with everything in them. To go on: npm run reset -- --yes`,
    )
  }
  const sql = postgres(databaseUrl, { max: 1, connect_timeout: 10, onnotice: () => undefined })
  try {
    // One statement, so that it is atomic.
    await sql`drop schema if exists ${sql(schemas)} cascade`
  } catch (error) {
    throw new PlatformError(
      `DATABASE_URL can't be reset: ${error instanceof Error ? error.message : String(error)}`,
    )
  } finally {
    await sql.end({ timeout: 1 })
  }
}

async function migratedSchemas(): Promise<string[]> {
  const directory = join(root, 'migrations', source)
  const folders = (await readdir(directory)).sort()
  const files = await Promise.all(folders.map((name) => readFile(join(directory, name, 'up.sql'), 'utf8')))
  return files.flatMap((sql) =>
    [...sql.matchAll(/^\s*create schema (?:if not exists )?(\w+)/gim)].map((match) => match[1] ?? ''),
  )
}
