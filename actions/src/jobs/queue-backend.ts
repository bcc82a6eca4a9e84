import {
  createPostgresBackend,
  type JobSchedulerTemplateOptions,
  type JobsOptions,
  type PgPool,
  Queue,
  runMigrations,
  Worker,
} from 'bullmq'
import { Client, Pool, type PoolClient, type QueryResult } from 'pg'
import type { Logger } from 'pino'
import { type DatabaseOptions, statementTimeout } from '../database.ts'
import { SharedListener } from '@commerce-graph/postgres-driver/shared-listener'
import { StatementInSchema } from './statement-in-schema.ts'

/** A BullMQ queue or worker, as far as it is used here. */
interface Member {
  on(event: 'error', listener: (error: Error) => void): unknown
  close(): Promise<void>
}

export interface JobQueue extends Member {
  /** A job whose `jobId` the queue knows already is not added again. */
  add(name: string, data: unknown, options: JobsOptions): Promise<unknown>
  upsertJobScheduler(
    id: string,
    repeat: { readonly every: number },
    template: { readonly name: string; readonly opts: JobSchedulerTemplateOptions },
  ): Promise<unknown>
  /** When the next run is planned for, in milliseconds since 1970; undefined for what isn't planned. */
  getJobScheduler(id: string): Promise<{ readonly next?: number } | undefined>
}

export interface JobWorker extends Member {
  on(event: 'error', listener: (error: Error) => void): unknown
  on(
    event: 'failed',
    listener: (job: { name: string; attemptsMade: number } | undefined, error: Error) => void,
  ): unknown
  waitUntilReady(): Promise<unknown>
}

/** Runs a job, which its name identifies. The result is stored with the job. */
export type RunJob = (job: { readonly name: string; readonly data: unknown }) => Promise<unknown>

/** Where BullMQ keeps its jobs. */
export interface QueueBackend {
  openQueue(name: string): JobQueue
  openWorker(name: string, run: RunJob, options: { readonly concurrency: number }): JobWorker
  close(): Promise<void>
}

const schema = 'bullmq'
/**
 * Milliseconds. The jobs of a process that is gone are free after the first and twice the second; one that lives renews its hold of them.
 * However often a job is given back, it is done in the end: it isn't the job's fault that processes end.
 */
const takingOver = { lockDuration: 8_000, stalledInterval: 4_000, maxStalledCount: 1_000 } as const

/** Where the queues' statements run. */
export interface QueueDatabase extends Pick<DatabaseOptions, 'databaseUrl' | 'pooler'> {
  /** Connections for short statements at most, beside the one to listen on. */
  readonly connections: number
  /** The connection to listen on, which others of this process share; one of its own if absent. */
  readonly listener?: SharedListener | undefined
}

/** Opens the queues, which live in the database: what is in one is as durable as an order is. */
export async function openQueueBackend(
  {
    databaseUrl,
    pooler,
    connections,
    listener = new SharedListener(pooler?.directUrl ?? databaseUrl),
  }: QueueDatabase,
  logger: Logger,
): Promise<QueueBackend> {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: connections,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    // A pooler takes no setting of a session; there, those of the database's role see to that.
    ...(pooler === undefined ? { statement_timeout: statementTimeout } : {}),
    application_name: 'queues',
  })
  pool.on('error', (error) => logger.warn({ error }, 'a connection of the queues is lost'))
  // Each queue and worker listens for errors; Node would take more than ten listeners for a leak.
  pool.setMaxListeners(100)
  const client = await pool.connect()
  try {
    await migrate(client)
  } finally {
    client.release()
  }
  const connection = queuePool(pool, listener)
  return {
    openQueue: (name) => new Queue(name, { connection }, createPostgresBackend),
    openWorker: (name, run, options) =>
      new Worker(name, run, { ...takingOver, ...options, connection }, createPostgresBackend),
    close: () => pool.end(),
  }
}

/** Makes the tables of the queues, unless they are another role's, who has made them already. */
async function migrate(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ theirs: boolean }>(
    `SELECT NOT has_schema_privilege(oid, 'CREATE') AS theirs FROM pg_namespace WHERE nspname = '${schema}'`,
  )
  if (rows[0]?.theirs !== true) await runMigrations(client, schema)
}

/** Makes the tables of the queues for roles that may not make any. */
export async function prepareQueues(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await runMigrations(client, schema)
  } finally {
    await client.end()
  }
}

/**
 * The pool as BullMQ uses it: it runs statements, which name no schema, on the pool, and listens on connections that it
 * takes out. It can't load `pg` by itself from an ES module, and describes the pool by a type of its own.
 */
function queuePool(pool: Pool, listener: SharedListener): PgPool {
  const inSchema = (text: string, values: readonly unknown[] = []): Promise<QueryResult> =>
    new Promise((resolve, reject) => {
      const done = (error: Error | null, result: QueryResult): void => {
        if (error) reject(error)
        else resolve(result)
      }
      pool.query(new StatementInSchema(schema, text, values) as unknown as string, [], done)
    })
  const connection: Pick<PgPool, 'query' | 'connect' | 'end' | 'on' | 'removeAllListeners'> = {
    query: inSchema,
    // BullMQ ends connections that it has listened on. This one is shared, so it is only given back.
    connect: () => listener.lend(),
    end: () => pool.end(),
    on: (event: string, heard: (value: never) => void) => {
      pool.on(event as 'error', heard as (error: Error) => void)
      return connection
    },
    removeAllListeners: () => connection,
  }
  return connection
}
