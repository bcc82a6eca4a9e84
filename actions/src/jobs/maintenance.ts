import { byMerchant, merchantsOfRun, type OfMerchant } from '../by-merchant.ts'
import type { FileStorage } from '@commerce-graph/file-storage'
import type { SecretBox } from '@commerce-graph/secret-box'
import type { Observer } from '@commerce-graph/telemetry'
import type { TokenIssuer } from '@commerce-graph/access-tokens'
import type { Logger } from 'pino'
import { refreshRollups } from '../analytics/index.ts'
import { lapseUnpaidAppointments, writeReminders } from '../booking/index.ts'
import { purgeExports, purgeImports, runExports, runImports } from '../bulk/index.ts'
import { markAbandonedCarts, purgeExpiredCarts } from '../cart/index.ts'
import { expirePoints } from '../crm/index.ts'
import type { Database } from '../database.ts'
import {
  purgeDeletions,
  purgeDeliveries,
  purgeEvents,
  resealEndpoints,
  sequenceEvents,
} from '../events/index.ts'
import { processImages, purgeFiles } from '../files/index.ts'
import { eachApart } from '../each-apart.ts'
import { inBatches } from '../in-batches.ts'
import { advanceCampaigns, purgeRenderedEmails } from '../email/index.ts'
import { answerPasswordResets, purgeExpiredIdentities, resealAuthenticators } from '../identity/index.ts'
import { expireReservations, settleProducts } from '../inventory/index.ts'
import { remindOfPayments, tellEverythingBackInStock } from '../messaging/triggers/index.ts'
import {
  beginPeriods,
  checkSenders,
  deleteClosedMerchants,
  mailSignUps,
  purgeSignUps,
  type Senders,
} from '../merchant/index.ts'
import { lapseUnpaidOrders, purgeExpiredDrafts } from '../ordering/index.ts'
import {
  type PaymentAccounts,
  purgeWebhookEvents,
  reconcilePayments,
  resealAccounts,
} from '../payment/index.ts'
import { type Retention, secondsOf } from './retention.ts'
import {
  followAttributes,
  followLanguages,
  followTallies,
  refreshSearch,
  tallyCommonWords,
  tallyLargeMerchants,
} from '../search/index.ts'
import type { PaymentProcessor } from '../processors/index.ts'
import { deliverMessages, type MessageSending } from '../messaging/outbox/index.ts'
import * as audit from '../sql/generated/audit.ts'
import * as platform from '../sql/generated/platform.ts'

/**
 * The jobs that keep the data consistent without requests. Each can run at any time and twice at once, and can be
 * killed at any point.
 */
export const maintenanceJobs = [
  'expire-reservations',
  'reconcile-payments',
  'remind-of-appointments',
  'remind-of-payments',
  'expire-points',
  'refresh-rollups',
  'follow-languages',
  'refresh-search',
  'tally-large-merchants',
  'tell-back-in-stock',
  'advance-campaigns',
  'deliver-messages',
  'purge-expired',
  'begin-subscription-periods',
  'delete-closed-merchants',
  'check-senders',
  'rotate-signing-keys',
  'reseal-secrets',
  'prepare-audit-months',
  'purge-engine-logs',
  'process-images',
  'purge-files',
  'sweep-files',
  'mark-abandoned-carts',
  'sequence-events',
  'run-imports',
  'run-exports',
] as const

export type MaintenanceJob = (typeof maintenanceJobs)[number]

/**
 * The queues, with the runs of each at the same time. What waits for others' servers has slots of its own, so that it keeps no
 * reservation from expiring.
 */
export const jobQueues = {
  maintenance: 4,
  reconciliation: 1,
  messages: 2,
  domains: 1,
  files: 1,
  imports: 2,
  exports: 2,
} as const
export type JobQueueName = keyof typeof jobQueues

export function queueOf(job: MaintenanceJob): JobQueueName {
  switch (job) {
    case 'reconcile-payments':
      return 'reconciliation'
    case 'deliver-messages':
      return 'messages'
    case 'check-senders':
      return 'domains'
    case 'process-images':
    case 'purge-files':
    case 'sweep-files':
      return 'files'
    case 'run-imports':
      return 'imports'
    case 'run-exports':
      return 'exports'
    default:
      return 'maintenance'
  }
}

export interface MaintenanceOptions {
  readonly database: Database
  /** Connections to Postgres itself, for locks that outlive a transaction. */
  readonly sessions: Database
  readonly tokenIssuer: TokenIssuer
  readonly secretBox: SecretBox
  readonly files: FileStorage
  /** Where clients reach the files. */
  readonly filesUrl: string
  readonly processors: readonly PaymentProcessor[]
  /** Merchants' own. */
  readonly accounts: PaymentAccounts
  /** Seconds in which a processor's answer may still come. */
  readonly reconcileAfter: number
  readonly messages: MessageSending
  readonly senders: Senders
  /** The operator's page for shops that were asked for; null: none can be. */
  readonly signUpUrl: string | null
  /** The contract's endpoint, which ends with /graphql: exports read it. */
  readonly graphqlUrl: string
  readonly observer?: Observer | undefined
  readonly logger: Logger
  /** How long records are kept. */
  readonly retention: Retention
  /** Aborts when the process stops: what takes long ends at its next step. */
  readonly signal: AbortSignal
}

/** The steps of a job, one after the other: each is tried, whatever becomes of those before it. */
const inTurn = (...steps: readonly (() => Promise<number>)[]): Promise<number> =>
  eachApart(steps, (step) => step())

/** Runs one job. Returns how many rows it dealt with. */
export async function runMaintenance(
  job: MaintenanceJob,
  {
    database,
    tokenIssuer,
    secretBox,
    reconcileAfter,
    messages,
    senders,
    files,
    retention,
    ...options
  }: MaintenanceOptions,
): Promise<number> {
  switch (job) {
    case 'expire-reservations':
      return inTurn(
        () => lapseUnpaidOrders(database),
        () => lapseUnpaidAppointments(database),
        () => expireReservations(database),
        () => settleProducts(database),
      )
    case 'reconcile-payments':
      return reconcilePayments({ database, after: reconcileAfter, ...options })
    case 'remind-of-appointments':
      return writeReminders(database)
    case 'remind-of-payments':
      return remindOfPayments(database)
    case 'expire-points':
      return expirePoints(database)
    case 'refresh-rollups':
      return refreshRollups(database)
    case 'follow-languages':
      return followLanguages(database)
    case 'refresh-search':
      return inTurn(
        () => refreshSearch(database),
        () => followAttributes(database),
        () => followTallies(database),
      )
    case 'tally-large-merchants':
      return inTurn(
        () => tallyLargeMerchants(database),
        () => tallyCommonWords(database),
      )
    case 'tell-back-in-stock':
      return tellEverythingBackInStock(database)
    case 'advance-campaigns':
      return advanceCampaigns(database)
    case 'deliver-messages':
      return inTurn(
        () => deliverMessages(database, messages),
        () => answerPasswordResets({ database, secretBox }),
        () => mailSignUps(database, { ...messages, signUpUrl: options.signUpUrl }),
      )
    case 'purge-expired':
      return inTurn(
        () => purgeExpiredCarts(database),
        () => purgeExpiredDrafts(database),
        () => purgeIdempotencyRecords(database),
        () => purgeExpiredIdentities(database, secondsOf(retention.sessions)),
        () => purgeRenderedEmails(database, secondsOf(retention.messages)),
        () => purgeWebhookEvents(database),
        () => purgeEvents(database, secondsOf(retention.events)),
        () => purgeDeliveries(database, secondsOf(retention.deliveries)),
        () => purgeDeletions(database, secondsOf(retention.deletions)),
        () => purgeSignUps(database),
        () => purgeImports(database, files),
        () => purgeExports(database, files),
      )
    case 'begin-subscription-periods':
      return beginPeriods(database)
    case 'delete-closed-merchants':
      return deleteClosedMerchants(database, files)
    case 'check-senders':
      return checkSenders(database, senders)
    case 'rotate-signing-keys':
      return (await tokenIssuer.rotateKeys(signingKeyLifetime)) ? 1 : 0
    case 'reseal-secrets':
      return inTurn(
        () => tokenIssuer.resealKeys(),
        () => resealAuthenticators({ database, secretBox }),
        () => resealAccounts({ database, secretBox }),
        () => resealEndpoints({ database, secretBox }),
      )
    case 'prepare-audit-months':
      return inTurn(
        () => audit.prepareMonths(database),
        () => dropAuditMonths(database, retention.audit),
      )
    case 'purge-engine-logs':
      return purgeEngineLogs(database, retention)
    case 'process-images':
      return processImages({ database, storage: files, url: options.filesUrl })
    case 'purge-files':
      return purgeFiles(database, files)
    case 'sweep-files':
      return files.sweep()
    case 'mark-abandoned-carts':
      return markAbandonedCarts(database)
    case 'sequence-events':
      return sequenceEvents(database, options.observer?.events)
    case 'run-imports':
      return runImports({ database, files, logger: options.logger, signal: options.signal })
    case 'run-exports': {
      const { graphqlUrl, signal } = options
      return runExports({ database, files, tokenIssuer, graphqlUrl, signal })
    }
    default:
      return job satisfies never
  }
}

/** Seconds for which a key pair signs tokens. */
const signingKeyLifetime = 30 * 24 * 60 * 60
const purgeBatch = 500

const purgeIdempotencyRecords = async (database: Database): Promise<number> =>
  byMerchant(
    database,
    // Operators have records of their own, as a merchant with the nil id.
    database<OfMerchant[]>`
      SELECT r.merchant_id AS "merchantId" FROM platform.idempotency_record r WHERE r.expires_at <= now()
      UNION SELECT r.merchant_id FROM platform.idempotency_record r WHERE r.sealed IS NOT NULL AND r.sealed_until <= now()
      LIMIT ${merchantsOfRun}`,
    (own, merchantId) =>
      inBatches(purgeBatch, () => platform.purgeIdempotencyRecords(own, { merchantId, limit: purgeBatch })),
  )

/** Of each table at once. */
const logBatch = 5_000

function purgeEngineLogs(
  database: Database,
  { eventLog, invocations }: Pick<Retention, 'eventLog' | 'invocations'>,
): Promise<number> {
  const kept = { eventsKept: secondsOf(eventLog), invocationsKept: secondsOf(invocations) }
  return inBatches(logBatch, () => platform.purgeEngineLogs(database, { ...kept, limit: logBatch }))
}

/** Drops months of the audit log that ended as many days ago. @param days null: none */
const dropAuditMonths = async (database: Database, days: number | null): Promise<number> =>
  days === null ? 0 : audit.dropMonthsOlderThan(database, { days })
