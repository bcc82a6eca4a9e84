import {
  createPostgresBackend,
  createRedisBackend,
  type JobSchedulerTemplateOptions,
  type JobsOptions,
  type PgPool,
  Queue,
  runMigrations,
  Worker,
} from 'bullmq'
import { Pool } from 'pg'

export interface QueueBackendOptions {
  readonly databaseUrl: string
  /** Queues live in Redis when it is given, in Postgres otherwise. */
  readonly redisUrl?: string | undefined
}

/** A BullMQ queue or worker, as far as it is the same on both backends. */
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
}

export interface JobWorker extends Member {
  on(event: 'error', listener: (error: Error) => void): unknown
  on(
    event: 'failed',
    listener: (job: { name: string; attemptsMade: number } | undefined, error: Error) => void,
  ): unknown
  waitUntilReady(): Promise<unknown>
}

/** What a job is run by. The name says which one it is; what is returned is kept with the job. */
export type RunJob = (job: { readonly name: string; readonly data: unknown }) => Promise<unknown>

/** Where BullMQ keeps its jobs. Callers see queues and workers, never which of the two it is. */
export interface QueueBackend {
  openQueue(name: string): JobQueue
  openWorker(name: string, run: RunJob, options: { readonly concurrency: number }): JobWorker
  close(): Promise<void>
}

export async function openQueueBackend({
  databaseUrl,
  redisUrl,
}: QueueBackendOptions): Promise<QueueBackend> {
  return redisUrl === undefined ? await openPostgresBackend(databaseUrl) : openRedisBackend(redisUrl)
}

const SCHEMA = 'bullmq'
/** A queue and a worker each keep one connection to listen on; the rest are for short statements. */
const POOL_SIZE = 6

async function openPostgresBackend(databaseUrl: string): Promise<QueueBackend> {
  // BullMQ can't load `pg` by itself from an ES module, so it gets a pool. Its statements name no schema.
  const pool = new Pool({
    connectionString: databaseUrl,
    max: POOL_SIZE,
    keepAlive: true,
    options: `-c search_path=${SCHEMA}`,
    application_name: 'workers',
  })
  const client = await pool.connect()
  try {
    await runMigrations(client, SCHEMA)
  } finally {
    client.release()
  }
  // BullMQ describes pg's pool by a type of its own, which differs from pg's only in optional properties.
  const connection = pool as unknown as PgPool
  return {
    openQueue: (name) => new Queue(name, { connection }, createPostgresBackend),
    openWorker: (name, run, options) =>
      new Worker(name, run, { ...options, connection }, createPostgresBackend),
    close: () => pool.end(),
  }
}

function openRedisBackend(url: string): QueueBackend {
  return {
    openQueue: (name) => new Queue(name, { connection: { url } }, createRedisBackend),
    // A worker waits for its next job as long as it takes, whatever the connection's limit of retries says.
    openWorker: (name, run, options) =>
      new Worker(
        name,
        run,
        { ...options, connection: { url, maxRetriesPerRequest: null } },
        createRedisBackend,
      ),
    close: () => Promise.resolve(),
  }
}
