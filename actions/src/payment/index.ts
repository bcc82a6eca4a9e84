import { byMerchant, merchantsOfRun, type OfMerchant } from '../by-merchant.ts'
import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import type { OrderPayments } from '../ordering/index.ts'
import type { Cashier } from './cashier.ts'
import { paymentTransitions } from './payment-machine.ts'
import * as paymentSql from '../sql/generated/payment.ts'
import type { CompleteRefund } from './refunds.ts'

export { accountActions } from './account-actions.ts'
export { openPaymentAccounts, type PaymentAccounts, resealAccounts } from './accounts.ts'
export { paymentActions } from './actions.ts'
export { createCashier, findProcessor } from './cashier.ts'
export { reconcilePayments } from './reconciliation.ts'
export { createMethodKeeper } from './saved-methods/method-keeper.ts'
export { createRefunder } from './refunds.ts'
export { paymentWebhooks } from './webhooks.ts'

/** The functions of this domain that the ordering domain needs. */
export const orderPayments = (cashier: Cashier, completeRefund: CompleteRefund): OrderPayments => ({
  refundableFrom: paymentTransitions.refund.from,
  abandon: (merchantId, paymentId) => cashier.abandon(merchantId, paymentId),
  completeRefund,
})

/** Whether the operator takes the payments of merchants without an account: only then are such methods offered. */
export const noteOperatorAccount = (database: Database, connected: boolean): Promise<void> =>
  paymentSql.noteOperatorAccount(database, { connected })

const purgeBatch = 500

/** Forgets webhooks of a month ago: no processor sends one for so long. Returns how many those were. */
export const purgeWebhookEvents = (database: Database): Promise<number> =>
  byMerchant(
    database,
    database<OfMerchant[]>`
      SELECT DISTINCT e.merchant_id AS "merchantId" FROM payment.webhook_event e
      WHERE e.received_at <= now() - interval '30 days' LIMIT ${merchantsOfRun}`,
    (own, merchantId) =>
      inBatches(purgeBatch, () => paymentSql.purgeWebhookEvents(own, { merchantId, limit: purgeBatch })),
  )
