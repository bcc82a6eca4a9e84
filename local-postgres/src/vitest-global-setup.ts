import { mkdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { DataFolderInUse } from './local-postgres-error.ts'
import { type LocalPostgres, startLocalPostgres } from './local-postgres.ts'
import { testDataFolder } from './test-data-folder.ts'
import { testDatabasePrefix } from './test-database.ts'

const parallelRuns = 16

/** So that the platforms of a run don't each decode the log of all tests. Tests of the change feed have servers of their own. */
const settings = { wal_level: 'replica' }

/**
 * Starts one Postgres for the whole test run and puts its address into TEST_DATABASE_URL, unless that is set already. The
 * tests' temporary files are beside its data, in memory if that is. Returns a function that ends both.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_DATABASE_URL !== undefined) return undefined
  const { server, dataDir } = await startInFreeFolder(testDataFolder(resolve(import.meta.dirname, '../..')))
  process.env.TEST_DATABASE_URL = server.adminUrl
  const temporary = join(dataDir, 'tmp')
  await rm(temporary, { recursive: true, force: true })
  await mkdir(temporary)
  process.env.TMPDIR = temporary
  await dropLeftovers(server.adminUrl)
  return async () => {
    await server.stop()
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Test runs that share a checkout use different folders. The next run finds an initialised folder. */
async function startInFreeFolder(
  parent: string,
): Promise<{ readonly server: LocalPostgres; readonly dataDir: string }> {
  let inUse: unknown
  for (let run = 1; run <= parallelRuns; run++) {
    const dataDir = join(parent, String(run))
    try {
      return { server: await startLocalPostgres({ dataDir, durable: false, settings }), dataDir }
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
