import { join, resolve } from 'node:path'
import pg from 'pg'
import { DataFolderInUse } from './local-postgres-error.ts'
import { type LocalPostgres, startLocalPostgres } from './local-postgres.ts'
import { testDataFolder } from './test-data-folder.ts'
import { testDatabasePrefix } from './test-database.ts'

const parallelRuns = 16

/**
 * Starts one Postgres for the whole test run and puts its address into TEST_DATABASE_URL, unless that is set already.
 * Returns a function that stops it.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_DATABASE_URL !== undefined) return undefined
  const server = await startInFreeFolder(testDataFolder(resolve(import.meta.dirname, '../..')))
  process.env.TEST_DATABASE_URL = server.adminUrl
  await dropLeftovers(server.adminUrl)
  return server.stop
}

/** Test runs that share a checkout use different folders. The next run finds an initialised folder. */
async function startInFreeFolder(parent: string): Promise<LocalPostgres> {
  let inUse: unknown
  for (let run = 1; run <= parallelRuns; run++) {
    try {
      return await startLocalPostgres({ dataDir: join(parent, String(run)), durable: false })
    } catch (error) {
      if (!(error instanceof DataFolderInUse)) throw error
      inUse = error
    }
  }
  throw inUse
}

async function dropLeftovers(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [testDatabasePrefix],
    )
    for (const { datname } of rows) {
      await client.query(`drop database ${pg.escapeIdentifier(datname)} with (force)`)
    }
  } finally {
    await client.end()
  }
}
