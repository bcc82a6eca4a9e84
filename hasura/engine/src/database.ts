import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLocalPostgres } from '@commerce-graph/local-postgres'

/** The engine's database, and how to close it. */
export interface Database {
  readonly url: string
  readonly stop: () => Promise<void>
}

export interface DatabaseOptions {
  readonly databaseUrl?: string | undefined
  readonly dataDir?: string | undefined
}

/**
 * Opens the database at the URL, or else starts a Postgres of the engine's own. With a folder, that one keeps its data
 * there; without, the data is deleted at the stop, and writes don't wait for the disk. Throws LocalPostgresError.
 */
export async function openDatabase({ databaseUrl, dataDir }: DatabaseOptions): Promise<Database> {
  if (databaseUrl !== undefined) return { url: databaseUrl, stop: () => Promise.resolve() }
  if (dataDir !== undefined) return startLocalPostgres({ dataDir, databases: [ownDatabase] })
  const folder = await mkdtemp(join(tmpdir(), 'hasura-embedded-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const postgres = await startLocalPostgres({ dataDir: folder, databases: [ownDatabase], durable: false })
    const stop = async (): Promise<void> => {
      await postgres.stop()
      await remove()
    }
    return { url: postgres.url, stop }
  } catch (error) {
    await remove()
    throw error
  }
}

const ownDatabase = 'hasura'
