import type { Logger } from 'pino'
import type { Database } from '../database.ts'
import type { PaymentProcessor } from '../processors/index.ts'
import { type Cashier, createCashier } from './cashier.ts'
import { getPayment, type Payment, postpone, unsettledPayments } from './payments.ts'
import { createRefunder, postponeRefund, unsettledRefunds } from './refunds.ts'

export interface ReconcileOptions {
  readonly database: Database
  readonly processors: readonly PaymentProcessor[]
  /** Seconds without an answer after which a payment or refund is looked into: longer than a call may take. */
  readonly after: number
  readonly logger: Logger
}

/** Payments, and refunds, that one run looks into at most; the rest is the next run's. */
const BATCH = 50

/**
 * Settles what a crash or a lost answer left between asking a processor and recording its answer, and gives up what
 * waits for a customer who never came back. Returns how many payments and refunds it looked into.
 */
export async function reconcilePayments(options: ReconcileOptions): Promise<number> {
  const { database, processors, after, logger } = options
  const cashier = createCashier(database, processors)
  const completeRefund = createRefunder(database, processors)

  const payments = await unsettledPayments(database, after, BATCH)
  for (const { merchantId, id } of payments) {
    const payment = await getPayment(database, merchantId, id)
    try {
      await reconcile(cashier, payment)
    } catch (error) {
      logger.error({ error, merchantId, paymentId: id }, 'a payment could not be reconciled')
    }
    await postpone(database, payment)
  }

  const refunds = await unsettledRefunds(database, after, BATCH)
  for (const { merchantId, id } of refunds) {
    try {
      await completeRefund(merchantId, id)
    } catch (error) {
      logger.error({ error, merchantId, refundId: id }, 'a refund could not be reconciled')
    }
    await postponeRefund(database, merchantId, id)
  }
  return payments.length + refunds.length
}

async function reconcile(cashier: Cashier, payment: Payment): Promise<void> {
  const { payment: settled } = await cashier.collect(payment)
  if (settled.status !== 'PROCESSING') return
  // Who reserved the money holds the order, as long as the processor holds the money.
  const isOver = settled.authorized ? settled.authorizationIsOver : settled.windowIsOver
  if (isOver) await cashier.abandon(payment.merchantId, payment.id)
}
