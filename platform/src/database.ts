import { startLocalPostgres, type WalArchive } from '@commerce-graph/local-postgres'
import { join } from 'node:path'
import postgres, { type Pooler, sessionOptions } from '@commerce-graph/postgres-driver'
import { databaseParts, feedLogin, loginOf, logins, ownerLogin, type PartUrls } from './database-parts.ts'
import { postgresFolder } from './data-folder.ts'
import { markLeakproof } from './mark-leakproof.ts'
import { PlatformError } from './platform-error.ts'

/** The name of the platform's database. */
export const database = 'commerce'
const oldestMajor = 15

/** Extensions that `migrations/` needs; a server that lacks one is refused before anything is changed. */
const extensions = ['citext', 'pg_trgm', 'unaccent', 'btree_gist']

export interface Database {
  /** The owner's, who migrates it. */
  readonly url: string
  /** The superuser's, of the platform's own Postgres. */
  readonly superuserUrl: string | undefined
  readonly partUrls: PartUrls
  /** Of the login that reads the log of the platform's own Postgres. */
  readonly feedUrl: string | undefined
  /** Settles with the reason when the database that was started here ends unexpectedly. */
  readonly crashed: Promise<string>
  readonly stop: () => Promise<void>
}

/** The Postgres of `databaseUrl`, or otherwise one in the data folder. */
export async function openDatabase(options: {
  readonly databaseUrl: string | undefined
  readonly partUrls: PartUrls | undefined
  readonly pooler: Pooler | undefined
  readonly dataDir: string
  readonly port: number
  /** Where our own Postgres archives its log. */
  readonly archive: WalArchive | undefined
}): Promise<Database> {
  const { databaseUrl, partUrls = {}, pooler, dataDir, port, archive } = options
  if (databaseUrl !== undefined) {
    await checkServer('DATABASE_URL', databaseUrl, pooler)
    if (pooler !== undefined) await checkServer('DATABASE_DIRECT_URL', pooler.directUrl, undefined)
    return {
      url: databaseUrl,
      superuserUrl: undefined,
      partUrls,
      feedUrl: undefined,
      crashed: new Promise(() => undefined),
      stop: () => Promise.resolve(),
    }
  }
  const server = await startLocalPostgres({
    dataDir: join(dataDir, postgresFolder),
    databases: [database],
    logins,
    port,
    archive,
  })
  await countStatements(server.url)
  const crashed = new Promise<string>((resolve) => {
    void server.exit.then((exit) => {
      if (exit.kind === 'crashed') resolve(exit.reason)
    })
  })
  return {
    url: server.urlOf(ownerLogin),
    superuserUrl: server.url,
    partUrls: Object.fromEntries(databaseParts.map((part) => [part, server.urlOf(loginOf(part))])),
    feedUrl: server.urlOf(feedLogin),
    crashed,
    stop: server.stop,
  }
}

/** Makes the view `pg_stat_statements`, which shows where the database spends its time. */
async function countStatements(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => undefined })
  try {
    await sql`CREATE EXTENSION IF NOT EXISTS pg_stat_statements`
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** In the platform's own Postgres, where the owner is no superuser. */
export async function markAsSuperuser(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, connect_timeout: 10 })
  try {
    await markLeakproof(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Throws a PlatformError that names what the server lacks. */
export async function checkServer(variable: string, url: string, pooler: Pooler | undefined): Promise<void> {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: 10,
    onnotice: () => undefined,
    // A pooler refuses the setting, here rather than in the middle of the start.
    ...sessionOptions({ statement_timeout: 60_000 }, pooler),
  })
  try {
    const [server] = await sql<{ version: number; maycreate: boolean }[]>`
      select current_setting('server_version_num')::int / 10000 as version,
             has_database_privilege(current_database(), 'CREATE') as maycreate`
    if (server === undefined) throw new Error('no answer')
    if (server.version < oldestMajor) {
      throw new PlatformError(
        `${variable} leads to PostgreSQL ${server.version}; ${oldestMajor} or later is needed.`,
      )
    }
    if (!server.maycreate) {
      throw new PlatformError(`The user of ${variable} may not create schemas in that database.`)
    }
    const available = await sql<{ name: string }[]>`
      select name from pg_available_extensions where name in ${sql(extensions)}`
    const missing = extensions.filter((name) => !available.some((extension) => extension.name === name))
    if (missing.length > 0) {
      throw new PlatformError(
        `The server of ${variable} lacks the extensions ${missing.join(', ')} (package postgresql-contrib).`,
      )
    }
  } catch (error) {
    if (error instanceof PlatformError) throw error
    const reason = error instanceof Error && error.message !== '' ? error.message : String(error)
    const hint = reason.includes('unsupported startup parameter')
      ? '. It leads to a pooler: DATABASE_DIRECT_URL must lead to Postgres itself'
      : ''
    throw new PlatformError(`${variable} can't be used: ${reason}${hint}`)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
