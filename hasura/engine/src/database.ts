import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLocalPostgres } from '@commerce-graph/local-postgres'

/** The engine's database, and how to close it. */
export interface Database {
  readonly url: string
  /** Whether it is the engine's own Postgres. */
  readonly isOwn: boolean
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
  if (databaseUrl !== undefined) return { url: databaseUrl, isOwn: false, stop: () => Promise.resolve() }
  if (dataDir !== undefined) {
    const { url, stop } = await startLocalPostgres({ dataDir, databases: [ownDatabase] })
    return { url, isOwn: true, stop }
  }
  const folder = await mkdtemp(join(tmpdir(), 'hasura-embedded-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const postgres = await startLocalPostgres({ dataDir: folder, databases: [ownDatabase], durable: false })
    const stop = async (): Promise<void> => {
      await postgres.stop()
      await remove()
    }
    return { url: postgres.url, isOwn: true, stop }
  } catch (error) {
    await remove()
    throw error
  }
}

const ownDatabase = 'hasura'
