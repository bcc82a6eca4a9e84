import type { FileStorage } from '@commerce-graph/file-storage'
import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import type { SharedListener } from '@commerce-graph/postgres-driver/shared-listener'
import { type Observer, tracer } from '@commerce-graph/telemetry'
import type { Logger } from 'pino'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../database.ts'
import {
  defaultRetryPolicy,
  deliverMessages,
  type MessageSending,
  type RetryPolicy,
} from '../messaging/outbox/index.ts'
import {
  eventQueue,
  handleEvent,
  merchantOf,
  type RowEvent,
  type WaitingEvents,
  waitingEvents,
} from '../messaging/triggers/index.ts'
import {
  type MailTransport,
  noMailTransport,
  noPushTransport,
  type PushTransport,
} from '../messaging/transports/index.ts'
import { openSenders, type Senders } from '../merchant/index.ts'
import { openPaymentAccounts } from '../payment/index.ts'
import {
  balanceProcessor,
  manualProcessor,
  type PaymentProcessor,
  type ProcessorEndpoints,
  observedProcessor,
  withCircuitBreaker,
} from '../processors/index.ts'
import { startWebhookWorker, type WebhookOptions } from '../events/index.ts'
import { settleUrl } from '../sql/generated/files.ts'
import { expectRuns, type JobRun, jobRuns, recordingRun } from './job-runs.ts'
import {
  type JobQueueName,
  jobQueues,
  type MaintenanceJob,
  maintenanceJobs,
  type MaintenanceOptions,
  queueOf,
  runMaintenance,
} from './maintenance.ts'
import {
  type JobQueue,
  type JobWorker,
  openQueueBackend,
  type QueueBackend,
  type RunJob,
} from './queue-backend.ts'
import { defaultRetention, type Retention } from './retention.ts'
import { type Repeated, repeatedly } from './repeatedly.ts'
import { keepSchedules, type Schedules } from './schedules.ts'
import {
  connectWorkers,
  type WorkerConnections,
  type WorkerConnectionsOptions,
} from './worker-connections.ts'

export interface WorkersOptions extends WorkerConnectionsOptions {
  /** The connection to listen on, which others of this process share; one of its own if absent. */
  readonly listener?: SharedListener | undefined
  /** Everything that payments were or are made with. */
  readonly processors: readonly PaymentProcessor[]
  /** Where the processors are that merchants have accounts of their own at. */
  readonly endpoints?: ProcessorEndpoints
  /** Where uploaded files are. */
  readonly files: FileStorage
  /** Where clients reach the files, without a slash at the end. */
  readonly filesUrl: string
  /** The contract's endpoint, which ends with /graphql: exports read it. */
  readonly graphqlUrl: string
  /** Milliseconds between two runs of a job. */
  readonly intervals?: Readonly<Partial<Record<MaintenanceJob, number>>>
  /** Milliseconds between two looks at whether the schedules are still there; a minute by default. */
  readonly healEveryMs?: number
  /** Seconds in which a processor's answer may still come; by default longer than any call takes. */
  readonly reconcileAfter?: number
  /** The transport of e-mails; without one, every e-mail is SUPPRESSED. */
  readonly mailer?: MailTransport | undefined
  /** The operator's sender address, for which the mail server may send. The default is a reserved address. */
  readonly senderAddress?: string | undefined
  /** The check of merchants' own sender domains. The default uses the machine's DNS, and no DKIM key. */
  readonly senders?: Senders
  /** The operator's page that confirms a request for a shop, with `{token}` in it; without one there are no such requests. */
  readonly signUpUrl?: string | undefined
  /** Where unsubscribe links lead: the actions' /unsubscribe, as the world reaches it. */
  readonly unsubscribeUrl: string
  /** Where webhooks may be sent, and the contract that their payloads are read from. */
  readonly webhooks: WebhookOptions
  /** The transport of pushes; without one, every push is SUPPRESSED. */
  readonly pusher?: PushTransport | undefined
  readonly retryPolicy?: RetryPolicy
  /** How long records are kept; the defaults of Retention if absent. */
  readonly retention?: Retention | undefined
  /** Told what the workers do. */
  readonly observer?: Observer | undefined
  /** Milliseconds that jobs under way may take when the workers stop; 30 seconds by default. */
  readonly graceMs?: number | undefined
  readonly logger: Logger
}

export interface Workers {
  /** When each job last ran, in this process or another one. */
  jobRuns(): Promise<readonly JobRun[]>
  /** Events that were taken from Hasura and are not handled yet. */
  waitingEvents(): Promise<WaitingEvents>
  /** Lets running jobs end, for some time, then stops. */
  stop(): Promise<void>
}

/** Events that are handled at the same time. */
const eventConcurrency = 4
const defaultReconcileAfter = 30

const defaultIntervals: Readonly<Record<MaintenanceJob, number>> = {
  'expire-reservations': 5_000,
  'reconcile-payments': 3_000,
  'remind-of-appointments': 30_000,
  'remind-of-payments': 30_000,
  'expire-points': 60_000,
  'refresh-rollups': 10_000,
  'follow-languages': 30_000,
  'refresh-search': 10_000,
  'tally-large-merchants': 600_000,
  'tell-back-in-stock': 30_000,
  'advance-campaigns': 5_000,
  'deliver-messages': 2_000,
  'purge-expired': 60_000,
  'begin-subscription-periods': 60_000,
  'delete-closed-merchants': 600_000,
  'check-senders': 60_000,
  'rotate-signing-keys': 60 * 60_000,
  'reseal-secrets': 60 * 60_000,
  'prepare-audit-months': 60 * 60_000,
  'purge-engine-logs': 60 * 60_000,
  'process-images': 2_000,
  'purge-files': 60_000,
  'sweep-files': 60 * 60_000,
  'mark-abandoned-carts': 60_000,
  'run-exports': 1_000,
  'sequence-events': 10_000,
  'run-imports': 2_000,
}

const defaultGraceMs = 30_000

/** Starts what runs in the background: BullMQ workers, on Postgres. */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const { databaseUrl, pooler, listener, logger } = options
  const connections = connectWorkers(options)
  const { database } = connections
  const messages = messageSending(options)
  const stopping = new AbortController()
  // Clients may reach the files elsewhere than at the last start.
  await settleUrl(database, { url: options.filesUrl })
  const jobs = runningJobs(maintenanceOptions(options, connections, messages, stopping.signal))
  const delivery = repeatedly(() => deliverAtOnce(database, messages, logger))
  const backend = await openQueueBackend(
    { databaseUrl, pooler, listener, connections: connections.ofQueues },
    logger,
  )
  const queues = openQueues(backend, logger)
  const schedules = await scheduleJobs(database, queues, options)
  const workers = [
    ...queueNames.map((name) => backend.openWorker(name, jobs.run, { concurrency: jobQueues[name] })),
    backend.openWorker(eventQueue, handlingEvents(connections.pool, delivery), {
      concurrency: eventConcurrency,
    }),
  ]
  for (const worker of workers) report(worker, logger)
  const webhookWorker = startWebhookWorker({
    database: connections.webhookDatabase,
    secretBox: options.secretBox,
    tokenIssuer: connections.tokenIssuer,
    webhooks: options.webhooks,
    observer: options.observer,
    logger,
  })
  await Promise.all(workers.map((worker) => worker.waitUntilReady()))
  return {
    jobRuns: () => jobRuns(database),
    waitingEvents: () => waitingEvents(database),
    async stop() {
      stopping.abort()
      const ended = Promise.all([
        schedules.stop(),
        webhookWorker.stop(),
        ...workers.map((worker) => worker.close()),
      ]).then(() => delivery.idle())
      if (!(await endsWithin(options.graceMs ?? defaultGraceMs, ended)))
        logger.warn({ jobs: jobs.underWay() }, 'jobs under way are cut, and begin again in another process')
      await Promise.all([...queues.values()].map((queue) => queue.close()))
      await backend.close()
      messages.mailer.close()
      await connections.close()
    },
  }
}

function maintenanceOptions(
  options: WorkersOptions,
  { database, sessions, tokenIssuer }: WorkerConnections,
  messages: MessageSending,
  signal: AbortSignal,
): MaintenanceOptions {
  const { secretBox, files, filesUrl, graphqlUrl, endpoints = {}, observer, logger } = options
  const guard = (one: PaymentProcessor) => withCircuitBreaker(observedProcessor(one, observer), { observer })
  return {
    database,
    sessions,
    tokenIssuer,
    secretBox,
    files,
    filesUrl,
    graphqlUrl,
    signal,
    processors: [...options.processors, manualProcessor, balanceProcessor].map(guard),
    accounts: openPaymentAccounts({ database, secretBox, endpoints, guard }),
    reconcileAfter: options.reconcileAfter ?? defaultReconcileAfter,
    messages,
    senders: options.senders ?? openSenders(),
    signUpUrl: options.signUpUrl ?? null,
    retention: options.retention ?? defaultRetention,
    observer,
    logger,
  }
}

/** Runs jobs by their name, and knows which are under way. */
function runningJobs(maintenance: MaintenanceOptions): {
  readonly run: RunJob
  underWay(): readonly string[]
} {
  const underWay = new Map<symbol, string>()
  return {
    async run({ name }) {
      const job = maintenanceJobs.find((one) => one === name)
      if (job === undefined) throw new Error(`There is no job ${name}.`)
      const key = Symbol(name)
      underWay.set(key, name)
      try {
        return await recordingRun(maintenance.database, job, () => runMaintenance(job, maintenance))
      } finally {
        underWay.delete(key)
      }
    },
    underWay: () => [...underWay.values()],
  }
}

/** Handles an event of a merchant's row, then has sent what it has given rise to. */
const handlingEvents =
  (pool: Database, delivery: Repeated): RunJob =>
  async ({ data }) => {
    const event = data as RowEvent
    const options = { kind: 'consumer', parent: event.trace ?? null } as const
    await tracer.span(`handle ${event.trigger}`, options, () =>
      handleEvent(forMerchant(pool, merchantOf(event)), event),
    )
    delivery.ask()
  }

async function scheduleJobs(
  database: Database,
  queues: ReadonlyMap<JobQueueName, JobQueue>,
  { intervals, healEveryMs, logger }: Pick<WorkersOptions, 'intervals' | 'healEveryMs' | 'logger'>,
): Promise<Schedules> {
  const every = { ...defaultIntervals, ...intervals }
  const planned = maintenanceJobs.map((job) => ({ job, queue: queueFor(queues, job), every: every[job] }))
  await expectRuns(database, planned)
  return keepSchedules(planned, logger, healEveryMs)
}

async function endsWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  const late = new AbortController()
  const ended = work.then(() => true)
  const timedOut = sleep(milliseconds, false, { signal: late.signal })
  // The loser of the race must not be an unhandled rejection.
  for (const one of [ended, timedOut]) one.catch(() => undefined)
  return Promise.race([ended, timedOut]).finally(() => late.abort())
}

/** For trials: a domain that RFC 2606 reserves. */
const nobodysAddress = 'no-reply@commerce-graph.invalid'

function messageSending(options: WorkersOptions): MessageSending {
  const { senderAddress = nobodysAddress, unsubscribeUrl, secretBox } = options
  const { mailer = noMailTransport, pusher = noPushTransport, retryPolicy = defaultRetryPolicy } = options
  const observe = options.observer?.delivery
  return { mailer, senderAddress, unsubscribeUrl, secretBox, pusher, retryPolicy, observe }
}

/** Sends what an event has given rise to, instead of when the next round comes, which has the last word on what fails here. */
async function deliverAtOnce(database: Database, messages: MessageSending, logger: Logger): Promise<void> {
  try {
    await deliverMessages(database, messages)
  } catch (error) {
    logger.warn({ error }, 'messages could not be sent at once')
  }
}

function report(worker: JobWorker, logger: Logger): void {
  worker.on('failed', (job, error) =>
    logger.error({ job: job?.name, attempt: job?.attemptsMade, error }, 'a job failed'),
  )
  worker.on('error', (error) => logger.error({ error }, 'the worker has lost its queue'))
}

const queueNames = Object.keys(jobQueues) as JobQueueName[]

function openQueues(backend: QueueBackend, logger: Logger): ReadonlyMap<JobQueueName, JobQueue> {
  const queues = new Map(queueNames.map((name) => [name, backend.openQueue(name)]))
  for (const [name, queue] of queues)
    queue.on('error', (error) => logger.error({ error, queue: name }, 'the queue can not be reached'))
  return queues
}

function queueFor(queues: ReadonlyMap<JobQueueName, JobQueue>, job: MaintenanceJob): JobQueue {
  const queue = queues.get(queueOf(job))
  if (queue === undefined) throw new Error(`The queue of ${job} is not open.`)
  return queue
}
