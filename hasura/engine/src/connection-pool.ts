import pg from 'pg'
import type { ResolvedOptions } from './engine-options.ts'
import { withoutNamedStatements, withSessionSettings } from './execute/statement-query.ts'
import { type Replicas, watchReplicas } from './replicas.ts'
import { StartError, reasonOf } from './start-error.ts'

/** The engine's connections to its database. */
export interface Connections {
  readonly pool: pg.Pool
  /** For what belongs to a session. The pool itself, unless a pooler is in between. */
  readonly sessions: pg.Pool
  /** Absent where there are none. */
  readonly replicas: Replicas | undefined
  close(): Promise<void>
}

/** SQL of the admin's runs seldom, and not at the same time. */
const sessionPoolSize = 2
const sessionIdleMs = 1_000

/** Opens the engine's connections, and waits for one answer of the database. Throws StartError. */
export async function openConnections(databaseUrl: string, options: ResolvedOptions): Promise<Connections> {
  const { poolSize, connections, pooler } = options
  const idleTimeoutMillis = connections.idleTimeoutMs
  if (pooler === undefined) {
    const pool = openPool({ ...ours(databaseUrl, options), max: poolSize, idleTimeoutMillis }, options)
    await firstAnswer(pool, databaseUrl)
    const replicas = openReplicas(pool, options)
    return { pool, sessions: pool, replicas, close: () => endAll(replicas, pool) }
  }
  if (connections.isolation !== 'read-committed')
    throw new StartError(
      `the isolation level ${connections.isolation} is a setting of the session, which a pooler in transaction mode doesn't keep`,
    )
  const pool = openPool(
    { connectionString: databaseUrl, application_name: applicationName, max: poolSize, idleTimeoutMillis },
    options,
  )
  if (!pooler.namedStatements) pool.on('connect', withoutNamedStatements)
  const sessions = openPool(
    {
      connectionString: pooler.directUrl,
      application_name: applicationName,
      options: unlimited,
      max: sessionPoolSize,
      idleTimeoutMillis: sessionIdleMs,
    },
    options,
  )
  await firstAnswer(pool, databaseUrl)
  await firstAnswer(sessions, pooler.directUrl)
  const replicas = openReplicas(pool, options)
  return { pool, sessions, replicas, close: () => endAll(replicas, pool, sessions) }
}

async function endAll(replicas: Replicas | undefined, ...pools: readonly pg.Pool[]): Promise<void> {
  await replicas?.close()
  await Promise.all(pools.map((pool) => pool.end()))
}

/** A standby that doesn't answer at the start is no fault: until it does, the primary answers. */
function openReplicas(primary: pg.Pool, options: ResolvedOptions): Replicas | undefined {
  const { replicas, poolSize, connections, logger } = options
  if (replicas.urls.length === 0) return undefined
  const pools = replicas.urls.map((url) =>
    openPool({ ...ours(url, options), max: poolSize, idleTimeoutMillis: connections.idleTimeoutMs }, options),
  )
  return watchReplicas(primary, pools, { maxLagMs: replicas.maxLagMs, logger })
}

const applicationName = 'hasura-embedded'

/** Settings of the sessions that are the engine's alone. */
const ours = (connectionString: string, { connections: { isolation } }: ResolvedOptions): pg.PoolConfig => ({
  connectionString,
  application_name: applicationName,
  // Short reads share round trips. Not through a pooler, which may give the server away between two answers.
  pipeline: true,
  // A statement's text holds everything that its plan depends on (filters, limit), so a connection can plan it once.
  // By default Postgres often plans a list with relationships again each time (measured with the list of 20:
  // 6.7 ms a request that way, 4.7 ms this way, on a busy machine).
  options: `-c plan_cache_mode=force_generic_plan -c default_transaction_isolation=${isolation.replace('-', '\\ ')}`,
})

/** The role may have time limits for statements through the pooler, which are none of migrations'. */
const unlimited = '-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0'

function openPool(config: pg.PoolConfig, { connections, sessionSettings, logger }: ResolvedOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionTimeoutMillis: connections.waitMs,
    ...(connections.lifetimeSeconds === 0 ? {} : { maxLifetimeSeconds: connections.lifetimeSeconds }),
    ...config,
  })
  // An idle connection that Postgres closes must not end the process; the next request gets a new one. The error
  // carries the whole client, prepared statements included, so only its message is logged.
  pool.on('error', (error) => {
    if (!pool.ending) logger.warn({ reason: error.message }, 'a connection to Postgres was lost')
  })
  // The pool doesn't listen to a connection while closing it; without a listener, an error then would end the process.
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    withSessionSettings(client, sessionSettings)
  })
  return pool
}

async function firstAnswer(pool: pg.Pool, databaseUrl: string): Promise<void> {
  try {
    await pool.query('select 1')
  } catch (error) {
    await pool.end()
    const url = URL.parse(databaseUrl)
    const place = url === null ? 'its URL' : `${url.hostname}:${url.port || '5432'}${url.pathname}`
    throw new StartError(`can't connect to the database at ${place}: ${reasonOf(error)}`)
  }
}
