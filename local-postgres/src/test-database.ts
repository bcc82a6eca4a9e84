import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** The prefix of test databases. Any database with it may be dropped. */
export const testDatabasePrefix = 'test_'

export interface TestDatabase {
  readonly name: string
  readonly url: string
  /** Drops the database, even while connections to it are open. */
  readonly drop: () => Promise<void>
}

/**
 * Creates an empty database, or a copy of `template`, on the Postgres of this test run or on another `server`. Postgres
 * refuses to copy a template that has open connections.
 */
export async function createTestDatabase({
  template,
  server = testServerUrl(),
}: { template?: string; server?: string } = {}): Promise<TestDatabase> {
  const name = testDatabasePrefix + randomBytes(8).toString('hex')
  // Copied as files: the other strategy writes each page to the log, which takes twice as long here.
  const copy = template === undefined ? '' : ` template ${pg.escapeIdentifier(template)} strategy file_copy`
  await asAdmin(server, `create database ${pg.escapeIdentifier(name)}${copy}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { name, url: url.href, drop: () => dropDatabase(server, name) }
}

const leavingTimeoutMs = 3_000

/**
 * An ended pool's connections may take a moment to close. A connection that is cut meanwhile raises an error that no
 * listener catches, so they get that moment.
 */
async function dropDatabase(server: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    const deadline = Date.now() + leavingTimeoutMs
    const connected = 'select from pg_stat_activity where datname = $1'
    while (Date.now() < deadline && (await client.query(connected, [name])).rowCount !== 0) await sleep(20)
    await client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`)
  } finally {
    await client.end()
  }
}

/** The address of this test run's Postgres; the global setup in vitest.config.ts starts it. */
export function testServerUrl(): string {
  const url = process.env.TEST_DATABASE_URL
  if (url === undefined) {
    throw new Error('TEST_DATABASE_URL is not set: run the tests with vitest from the root of the repository')
  }
  return url
}

async function asAdmin(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
