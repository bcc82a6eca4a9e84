import { userInfo } from 'node:os'
import { testServerUrl } from '@commerce-graph/local-postgres/testing'
import pg from 'pg'

/** A Postgres with PostGIS available, or the reason why there is none. */
export type PostgisServer =
  | { readonly found: true; readonly url: string }
  | { readonly found: false; readonly reason: string }

const connectTimeoutMs = 2_000

/**
 * Finds a server with PostGIS. TEST_POSTGIS_URL is used alone if it is set, and must have PostGIS; otherwise the test
 * run's Postgres is tried, then the machine's own. The Postgres from npm has no PostGIS.
 */
export async function findPostgis(): Promise<PostgisServer> {
  const named = process.env['TEST_POSTGIS_URL']
  if (named !== undefined) {
    if (await hasPostgis(named)) return { found: true, url: named }
    throw new Error('TEST_POSTGIS_URL names a Postgres that has no PostGIS')
  }
  const user = encodeURIComponent(userInfo().username)
  for (const url of [testServerUrl(), `postgres://${user}@127.0.0.1:5432/postgres`])
    if (await hasPostgis(url).catch(() => false)) return { found: true, url }
  return { found: false, reason: 'neither the Postgres of the tests nor one on port 5432 has PostGIS' }
}

const extensions = ['postgis', 'postgis_raster']

async function hasPostgis(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs })
  try {
    await client.connect()
    const { rowCount } = await client.query('select from pg_available_extensions where name = any($1)', [
      extensions,
    ])
    return rowCount === extensions.length
  } finally {
    await client.end()
  }
}
