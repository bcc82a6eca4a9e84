import { createTokenIssuer, type TokenIssuer } from '@commerce-graph/access-tokens'
import type { Pooler } from '@commerce-graph/postgres-driver'
import { acrossMerchants } from '@commerce-graph/postgres-driver/merchant-scope'
import type { SecretBox } from '@commerce-graph/secret-box'
import { connectDatabase, connectSessions, type Database } from '../database.ts'

export interface WorkerConnectionsOptions {
  readonly databaseUrl: string
  /** The pooler that the URL leads to. */
  readonly pooler?: Pooler | undefined
  /** Connections to the database at most, 6 or more; 21 by default. */
  readonly connections?: number | undefined
  /** Opens the sealed secrets in the database. */
  readonly secretBox: SecretBox
}

/** The connections of a process's workers, but those of the queues. */
export interface WorkerConnections {
  /** For the rows of one merchant at a time (`forMerchant`). */
  readonly pool: Database
  /** The same pool, for the rows of all merchants. */
  readonly database: Database
  /** Of webhooks, which keep nothing else waiting. */
  readonly webhookDatabase: Database
  /** To Postgres itself, for locks that outlive a transaction. */
  readonly sessions: Database
  readonly tokenIssuer: TokenIssuer
  /** How many connections are left for the queues. */
  readonly ofQueues: number
  /** Ends them; statements that still run are cut after 5 seconds. */
  close(): Promise<void>
}

const defaultConnections = 21

export function connectWorkers({
  databaseUrl,
  pooler,
  secretBox,
  connections = defaultConnections,
}: WorkerConnectionsOptions): WorkerConnections {
  const share = shared(connections)
  const connect = (poolSize: number, applicationName: string): Database =>
    connectDatabase({ databaseUrl, pooler, poolSize, applicationName })
  const pool = connect(share.jobs, 'workers')
  const webhookPool = connect(share.webhooks, 'webhooks')
  const sessions = connectSessions({ databaseUrl, pooler, poolSize: 1, applicationName: 'workers lock' })
  const tokenIssuer = createTokenIssuer({ databaseUrl, pooler, secretBox })
  return {
    pool,
    database: acrossMerchants(pool, 'jobs look for the work of all merchants'),
    webhookDatabase: acrossMerchants(webhookPool, 'webhooks of all merchants share their workers'),
    sessions,
    tokenIssuer,
    ofQueues: share.queues,
    async close() {
      await Promise.all([
        ...[pool, sessions, webhookPool].map((one) => one.end({ timeout: 5 })),
        tokenIssuer.close(),
      ])
    },
  }
}

/** One connection signs tokens. Events and webhooks have connections of their own, so that they keep nothing else waiting. */
function shared(connections: number): {
  readonly jobs: number
  readonly webhooks: number
  readonly queues: number
} {
  const queues = Math.max(1, Math.round(connections / 5))
  const webhooks = Math.max(1, Math.round((connections * 2) / 7))
  return { queues, webhooks, jobs: connections - queues - webhooks - 1 }
}
