import type { OrderPayments } from '../ordering/index.ts'
import type { Cashier } from './cashier.ts'
import { paymentTransitions } from './payment-machine.ts'
import type { CompleteRefund } from './refunds.ts'

export { paymentActions } from './actions.ts'
export { createCashier } from './cashier.ts'
export { reconcilePayments } from './reconciliation.ts'
export { createRefunder } from './refunds.ts'

/** What the ordering domain needs of this one. */
export const orderPayments = (cashier: Cashier, completeRefund: CompleteRefund): OrderPayments => ({
  refundableFrom: paymentTransitions.refund.from,
  abandon: (merchantId, paymentId) => cashier.abandon(merchantId, paymentId),
  completeRefund,
})
