import {
  createPostgresBackend,
  type JobSchedulerTemplateOptions,
  type JobsOptions,
  type PgPool,
  Queue,
  runMigrations,
  Worker,
} from 'bullmq'
import { Pool } from 'pg'
import type { Logger } from 'pino'

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
/** Connections for short statements, beside the one that each queue and worker keeps to listen on. */
const statementConnections = 4

/**
 * Opens the queues, which live in the database: what is in one is as durable as an order is.
 *
 * @param members queues and workers that are going to be open at the same time
 */
export async function openQueueBackend(
  databaseUrl: string,
  members: number,
  logger: Logger,
): Promise<QueueBackend> {
  // BullMQ can't load `pg` by itself from an ES module, so it gets a pool. Its statements name no schema.
  const pool = new Pool({
    connectionString: databaseUrl,
    max: members + statementConnections,
    keepAlive: true,
    options: `-c search_path=${schema}`,
    application_name: 'workers',
  })
  // Each queue and worker listens for errors, too.
  pool.setMaxListeners(2 * members + 10)
  pool.on('error', (error) => logger.warn({ error }, 'a connection of the queues is lost'))
  // Each member listens for errors; Node would take more than ten listeners for a leak.
  pool.setMaxListeners(2 * (members + statementConnections))
  const client = await pool.connect()
  try {
    await runMigrations(client, schema)
  } finally {
    client.release()
  }
  // BullMQ describes pg's pool by a type of its own, which differs from pg's only in optional properties.
  const connection = pool as unknown as PgPool
  return {
    openQueue: (name) => new Queue(name, { connection }, createPostgresBackend),
    openWorker: (name, run, options) =>
      new Worker(name, run, { ...takingOver, ...options, connection }, createPostgresBackend),
    close: () => pool.end(),
  }
}
