import { createTokenIssuer } from '@commerce-graph/auth-webhook'
import type { Logger } from 'pino'
import { connectDatabase } from '../database.ts'
import { manualProcessor, type PaymentProcessor } from '../payments/index.ts'
import { type MaintenanceJob, maintenanceJobs, runMaintenance } from './maintenance.ts'
import { openQueueBackend, type QueueBackend, type QueueBackendOptions } from './queue-backend.ts'

export interface WorkersOptions extends QueueBackendOptions {
  /** Everything that payments were or are made with. */
  readonly processors: readonly PaymentProcessor[]
  /** Milliseconds between two runs of a job. */
  readonly intervals?: Readonly<Partial<Record<MaintenanceJob, number>>>
  /** Seconds without an answer after which a payment is looked into; by default longer than any call takes. */
  readonly reconcileAfter?: number
  readonly logger: Logger
}

export interface Workers {
  /** Lets running jobs end, then stops. */
  stop(): Promise<void>
}

const QUEUE = 'maintenance'
const CONCURRENCY = 2
const POOL_SIZE = 4
const DEFAULT_RECONCILE_AFTER = 30

const DEFAULT_INTERVALS: Readonly<Record<MaintenanceJob, number>> = {
  'expire-reservations': 5_000,
  'reconcile-payments': 10_000,
  'remind-of-appointments': 30_000,
  'expire-points': 60_000,
  'refresh-rollups': 10_000,
  'purge-expired': 60_000,
  'rotate-signing-keys': 60 * 60_000,
}

/** A failed run is tried again after 1, 2 and 4 seconds, then left in the failed set, where it can be looked at. */
const JOB_OPTIONS = {
  attempts: 4,
  backoff: { type: 'exponential', delay: 1_000 },
  removeOnComplete: { count: 100 },
  removeOnFail: { count: 1_000 },
} as const

/** Starts what runs in the background: BullMQ workers, on Postgres, or on Redis when a URL is given. */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const { databaseUrl, reconcileAfter = DEFAULT_RECONCILE_AFTER, logger } = options
  const database = connectDatabase({ databaseUrl, poolSize: POOL_SIZE, applicationName: 'workers' })
  const tokenIssuer = createTokenIssuer({ databaseUrl })
  const processors = [...options.processors, manualProcessor]
  const backend = await openQueueBackend(options)
  const queue = await openMaintenanceQueue(backend, { ...DEFAULT_INTERVALS, ...options.intervals }, logger)
  const worker = backend.openWorker(
    QUEUE,
    ({ name }) =>
      runMaintenance(name as MaintenanceJob, { database, tokenIssuer, processors, reconcileAfter, logger }),
    { concurrency: CONCURRENCY },
  )
  worker.on('failed', (job, error) =>
    logger.error({ job: job?.name, attempt: job?.attemptsMade, error }, 'a job failed'),
  )
  worker.on('error', (error) => logger.error({ error }, 'the worker has lost its queue'))
  await worker.waitUntilReady()
  return {
    async stop() {
      await worker.close()
      await queue.close()
      await backend.close()
      await Promise.all([database.end({ timeout: 5 }), tokenIssuer.close()])
    },
  }
}

async function openMaintenanceQueue(
  backend: QueueBackend,
  intervals: Readonly<Record<MaintenanceJob, number>>,
  logger: Logger,
) {
  const queue = backend.openQueue(QUEUE)
  queue.on('error', (error) => logger.error({ error }, 'the queue can not be reached'))
  for (const job of maintenanceJobs) {
    await queue.upsertJobScheduler(job, { every: intervals[job] }, { name: job, opts: JOB_OPTIONS })
  }
  return queue
}
