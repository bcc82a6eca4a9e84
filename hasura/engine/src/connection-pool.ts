import pg from 'pg'
import type { ResolvedOptions } from './engine-options.ts'
import { StartError, reasonOf } from './start-error.ts'

/** Opens the engine's connections, and waits for one answer of the database. Throws StartError. */
export async function openConnectionPool(
  databaseUrl: string,
  { connections, poolSize, logger }: ResolvedOptions,
): Promise<pg.Pool> {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: poolSize,
    connectionTimeoutMillis: connections.waitMs,
    idleTimeoutMillis: connections.idleTimeoutMs,
    ...(connections.lifetimeSeconds === 0 ? {} : { maxLifetimeSeconds: connections.lifetimeSeconds }),
    application_name: 'hasura-embedded',
    // A statement's text holds everything that its plan depends on (filters, limit), so a connection can plan it once.
    // By default Postgres often plans a list with relationships again each time (measured with the list of 20:
    // 6.7 ms a request that way, 4.7 ms this way, on a busy machine).
    options: `-c plan_cache_mode=force_generic_plan -c default_transaction_isolation=${connections.isolation.replace('-', '\\ ')}`,
  })
  // An idle connection that Postgres closes must not end the process; the next request gets a new one. The error
  // carries the whole client, prepared statements included, so only its message is logged.
  pool.on('error', (error) => {
    if (!pool.ending) logger.warn({ reason: error.message }, 'a connection to Postgres was lost')
  })
  // The pool doesn't listen to a connection while closing it; without a listener, an error then would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  try {
    await pool.query('select 1')
    return pool
  } catch (error) {
    await pool.end()
    const url = URL.parse(databaseUrl)
    const place = url === null ? 'its URL' : `${url.hostname}:${url.port || '5432'}${url.pathname}`
    throw new StartError(`can't connect to the database at ${place}: ${reasonOf(error)}`)
  }
}
