import { createTokenIssuer, type SecretBox } from '@commerce-graph/auth-webhook'
import type { Logger } from 'pino'
import { connectDatabase, type Database } from '../database.ts'
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from '../delivery/index.ts'
import { EVENT_QUEUE, eventHandlers, type RowEvent } from '../events/index.ts'
import type { MailTransport } from '../mail/index.ts'
import { manualProcessor, type PaymentProcessor } from '../processors/index.ts'
import { createLogTransport, type PushTransport } from '../push/index.ts'
import { deliverMessages, type MessageSending } from './deliver-messages.ts'
import { type MaintenanceJob, maintenanceJobs, runMaintenance } from './maintenance.ts'
import {
  type JobWorker,
  openQueueBackend,
  type QueueBackend,
  type QueueBackendOptions,
} from './queue-backend.ts'

export interface WorkersOptions extends QueueBackendOptions {
  /** Everything that payments were or are made with. */
  readonly processors: readonly PaymentProcessor[]
  /** What secrets in the database are sealed with. */
  readonly secretBox: SecretBox
  /** Milliseconds between two runs of a job. */
  readonly intervals?: Readonly<Partial<Record<MaintenanceJob, number>>>
  /** Seconds without an answer after which a payment is looked into; by default longer than any call takes. */
  readonly reconcileAfter?: number
  /** What takes e-mail away. */
  readonly mailer: MailTransport
  /** Whose address e-mail comes from; each merchant's own by default. */
  readonly senderAddress?: string
  /** Where unsubscribe links lead: the actions' /unsubscribe, as the world reaches it. */
  readonly unsubscribeUrl: string
  /** What takes pushes away; without one they go to the log. */
  readonly pusher?: PushTransport
  readonly retryPolicy?: RetryPolicy
  readonly logger: Logger
}

export interface Workers {
  /** Lets running jobs end, then stops. */
  stop(): Promise<void>
}

const MAINTENANCE_QUEUE = 'maintenance'
/** Sending waits for other servers, and must not keep reservations from expiring. */
const CONCURRENCY = 4
const POOL_SIZE = 8
const DEFAULT_RECONCILE_AFTER = 30

const DEFAULT_INTERVALS: Readonly<Record<MaintenanceJob, number>> = {
  'expire-reservations': 5_000,
  'reconcile-payments': 10_000,
  'remind-of-appointments': 30_000,
  'remind-of-payments': 30_000,
  'expire-points': 60_000,
  'refresh-rollups': 10_000,
  'tell-back-in-stock': 30_000,
  'advance-campaigns': 5_000,
  'deliver-messages': 2_000,
  'purge-expired': 60_000,
  'begin-subscription-periods': 60_000,
  'rotate-signing-keys': 60 * 60_000,
  'reseal-secrets': 60 * 60_000,
  'prepare-audit-months': 60 * 60_000,
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
  const { databaseUrl, secretBox, reconcileAfter = DEFAULT_RECONCILE_AFTER, logger } = options
  const database = connectDatabase({ databaseUrl, poolSize: POOL_SIZE, applicationName: 'workers' })
  const tokenIssuer = createTokenIssuer({ databaseUrl, secretBox })
  const processors = [...options.processors, manualProcessor]
  const backend = await openQueueBackend(options)
  const queue = await openMaintenanceQueue(backend, { ...DEFAULT_INTERVALS, ...options.intervals }, logger)
  const messages = messageSending(options)
  const workers = [
    backend.openWorker(
      MAINTENANCE_QUEUE,
      ({ name }) =>
        runMaintenance(name as MaintenanceJob, {
          database,
          tokenIssuer,
          secretBox,
          processors,
          reconcileAfter,
          messages,
          logger,
        }),
      { concurrency: CONCURRENCY },
    ),
    backend.openWorker(EVENT_QUEUE, ({ data }) => handleEvent(database, messages, data as RowEvent), {
      concurrency: CONCURRENCY,
    }),
  ]
  for (const worker of workers) report(worker, logger)
  await Promise.all(workers.map((worker) => worker.waitUntilReady()))
  return {
    async stop() {
      await Promise.all(workers.map((worker) => worker.close()))
      await queue.close()
      await backend.close()
      messages.mailer.close()
      await Promise.all([database.end({ timeout: 5 }), tokenIssuer.close()])
    },
  }
}

function messageSending(options: WorkersOptions): MessageSending {
  const { mailer, senderAddress = null, unsubscribeUrl, secretBox, logger } = options
  const { pusher = createLogTransport(logger), retryPolicy = DEFAULT_RETRY_POLICY } = options
  return { mailer, senderAddress, unsubscribeUrl, secretBox, pusher, retryPolicy }
}

/** Writes down what an event gives rise to, and sends it at once instead of when the next round comes. */
async function handleEvent(database: Database, messages: MessageSending, event: RowEvent): Promise<void> {
  const handle = eventHandlers[event.trigger]
  if (handle === undefined) throw new Error(`No handler knows the event ${event.trigger}.`)
  await handle(database, event)
  await deliverMessages(database, messages)
}

function report(worker: JobWorker, logger: Logger): void {
  worker.on('failed', (job, error) =>
    logger.error({ job: job?.name, attempt: job?.attemptsMade, error }, 'a job failed'),
  )
  worker.on('error', (error) => logger.error({ error }, 'the worker has lost its queue'))
}

async function openMaintenanceQueue(
  backend: QueueBackend,
  intervals: Readonly<Record<MaintenanceJob, number>>,
  logger: Logger,
) {
  const queue = backend.openQueue(MAINTENANCE_QUEUE)
  queue.on('error', (error) => logger.error({ error }, 'the queue can not be reached'))
  for (const job of maintenanceJobs) {
    await queue.upsertJobScheduler(job, { every: intervals[job] }, { name: job, opts: JOB_OPTIONS })
  }
  return queue
}
