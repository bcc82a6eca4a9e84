import pg from 'pg'
import type { ResolvedOptions } from './engine-options.ts'
import { StartError, reasonOf } from './start-error.ts'

/** The engine's connections to its database, which has answered once. Throws StartError. */
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
    // A statement's text holds all that its plan depends on (filters, limit), so its plan can be made once for a
    // connection. Left to itself, Postgres often plans a list with relationships anew each time (measured on the
    // list of 20: 6.7 ms a request that way, 4.7 ms this way, on a busy machine).
    options: `-c plan_cache_mode=force_generic_plan -c default_transaction_isolation=${connections.isolation.replace('-', '\\ ')}`,
  })
  // An idle connection that Postgres closes must not end the process; the next request gets a new one. The error
  // carries the whole client, prepared statements included, so only its message is logged.
  pool.on('error', (error) => {
    if (!pool.ending) logger.warn({ reason: error.message }, 'a connection to Postgres was lost')
  })
  // The pool stops listening to a connection when it closes it, and a server that stops meanwhile would end the process.
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
