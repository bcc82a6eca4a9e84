import type { Logger } from 'pino'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import type { Database } from '../database.ts'
import { inParallel } from '../in-parallel.ts'
import type { PaymentProcessor } from '../processors/index.ts'
import type { PaymentAccounts } from './accounts.ts'
import { type Cashier, createCashier, findProcessor } from './cashier.ts'
import { getPayment, postpone, unsettledPayments } from './payments.ts'
import { reconcileSavedMethods } from './saved-methods/reconcile-saved-methods.ts'
import { createRefunder, postponeRefund, unsettledRefunds } from './refunds.ts'

export interface ReconcileOptions {
  readonly database: Database
  /** Connections to Postgres itself, for the run's lock; those of `database` when no pooler is in between. */
  readonly sessions?: Database
  readonly processors: readonly PaymentProcessor[]
  /** Merchants' own; none when absent. */
  readonly accounts?: PaymentAccounts | undefined
  /** Seconds in which a call may still be answered; what waits for longer is looked into. */
  readonly after: number
  readonly logger: Logger
}

/** Payments, and refunds, that one run looks into at most; the rest is the next run's. */
const batch = 50
/** Calls to processors at the same time. */
const atOnce = 10
/** Of the advisory lock that a run holds; any number that nothing else locks. */
const runLock = 7_267_481_002

/**
 * Settles what a crash or a lost answer left between asking a processor and recording its answer, and gives up what
 * waits for a customer who never came back. Of all processes, one does so at a time; in the others it returns at once.
 * Returns how many payments and refunds it looked into.
 */
export async function reconcilePayments(options: ReconcileOptions): Promise<number> {
  const session = await (options.sessions ?? options.database).reserve()
  try {
    const [lock] = await session<{ taken: boolean }[]>`SELECT pg_try_advisory_lock(${runLock}) AS taken`
    if (lock?.taken !== true) return 0
    try {
      return await reconcileAll(options)
    } finally {
      await session`SELECT pg_advisory_unlock(${runLock})`
    }
  } finally {
    session.release()
  }
}

async function reconcileAll({
  database,
  processors,
  accounts,
  after,
  logger,
}: ReconcileOptions): Promise<number> {
  const payments = await unsettledPayments(database, after, batch)
  await inParallel(atOnce, payments, async (payment) => {
    const own = forMerchant(database, payment.merchantId)
    const cashier = createCashier(own, processors, accounts)
    const answered = await reconcile(own, cashier, payment).catch((error: unknown) => {
      logger.error({ error, ...payment }, 'a payment could not be reconciled')
      return true
    })
    await postpone(own, payment, answered)
  })

  const refunds = await unsettledRefunds(database, after, batch)
  await inParallel(atOnce, refunds, async (refund) => {
    const own = forMerchant(database, refund.merchantId)
    const completeRefund = createRefunder(own, processors, accounts)
    await completeRefund(refund.merchantId, refund.id).catch((error: unknown) =>
      logger.error({ error, ...refund }, 'a refund could not be reconciled'),
    )
    await postponeRefund(own, refund.merchantId, refund.id)
  })
  const processorOf = findProcessor(processors, accounts)
  const methods = await reconcileSavedMethods({ database, processorOf, after, logger })
  return payments.length + refunds.length + methods
}

/** Returns whether the processor has answered. */
async function reconcile(
  database: Database,
  cashier: Cashier,
  { merchantId, id }: { readonly merchantId: MerchantId; readonly id: string },
): Promise<boolean> {
  const { payment: settled, answered } = await cashier.collect(
    await getPayment(database, merchantId, id),
    'maybe',
  )
  if (settled.capturableAmount > 0 && settled.capturedAmount > 0) {
    const isUnderWay = (settled.captureRequested ?? 0) > settled.capturedAmount
    const releases = settled.isClosed || (settled.authorizationIsOver && !isUnderWay)
    return releases ? cashier.release(settled) : answered
  }
  if (settled.status !== 'PROCESSING') return answered
  // A customer who authorised the payment keeps the order as long as the processor holds the money.
  const isOver = settled.authorized ? settled.authorizationIsOver : settled.windowIsOver
  if (isOver) await cashier.abandon(merchantId, id)
  return answered
}
