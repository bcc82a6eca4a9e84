import { type Answer, done, idempotencyKeyReused } from '../action/answer.ts'
import type { ActionCall } from '../action/action.ts'
import type { IdempotencyKeys } from '../action/idempotency-keys.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { staysAnswer } from './order-answer.ts'
import { cancelOrder } from './orders.ts'

/**
 * The functions of the payment domain that a cancellation needs. They are passed in, so that the domains don't import
 * each other.
 */
export interface OrderPayments {
  /** Payment states that hold money. */
  readonly refundableFrom: readonly string[]
  /**
   * Ends a payment that waits for its customer (3-D Secure), if the processor lets it.
   * @returns whether the payment is over now
   */
  abandon(merchantId: MerchantId, paymentId: string): Promise<boolean>
  /** Asks the processor for a refund that is on record, unless it has answered already. */
  completeRefund(merchantId: MerchantId, refundId: string): Promise<CancellationRefund>
}

export interface CancellationRefund {
  /** Minor units. */
  readonly amount: number
  readonly status: string
  /** When the money is expected to be with the customer, ISO 8601 date; null when that is unknown. */
  readonly estimatedDate: string | null
}

/** Open payments of an order that are given up for its cancellation. */
const mostOpenPayments = 20

/** Asks for the refunds of an order's payments, one after the other. What fails to be asked is the reconciler's. */
export async function completeRefunds(
  payments: OrderPayments,
  merchantId: MerchantId,
  refundIds: readonly string[],
): Promise<readonly CancellationRefund[]> {
  const refunds = []
  for (const refundId of refundIds) refunds.push(await payments.completeRefund(merchantId, refundId))
  return refunds
}

/** The refunds of several payments as one, with the state of the slowest. Null: there is none. */
function asOne(refunds: readonly CancellationRefund[]): CancellationRefund | null {
  const [first] = refunds
  if (first === undefined) return null
  const worst = ['FAILED', 'PENDING'].find((status) => refunds.some((refund) => refund.status === status))
  const dates = refunds.map(({ estimatedDate }) => estimatedDate).filter((date) => date !== null)
  return {
    amount: refunds.reduce((sum, { amount }) => sum + amount, 0),
    status: worst ?? first.status,
    estimatedDate: worst === 'FAILED' ? null : (dates.sort().at(-1) ?? null),
  }
}

/**
 * cancelOrder: the cancellation and the refund's intent are one transaction; the processor is asked after it. What a
 * crash leaves between the two is the reconciler's.
 */
export async function cancelAndRefund(
  keys: IdempotencyKeys,
  payments: OrderPayments,
  call: ActionCall,
  order: { readonly id: string; readonly reason: string },
): Promise<Answer> {
  const { merchantId } = call.session
  const attempt = () =>
    keys.once(
      call,
      (sql) => cancelOrder(sql, call.session, order, payments.refundableFrom),
      ({ outcome }) => outcome === 'cancelled',
    )
  let outcome = await attempt()
  for (let given = 0; given < mostOpenPayments && outcome.outcome === 'payment_open'; given += 1) {
    if (!(await payments.abandon(merchantId, outcome.paymentId))) break
    outcome = await attempt()
  }
  switch (outcome.outcome) {
    case 'cancelled': {
      const { orderId, refundIds } = outcome
      const refunds = await completeRefunds(payments, merchantId, refundIds)
      return done({ merchantId, orderId, refund: asOne(refunds) })
    }
    case 'unknown_order':
    case 'order_refused':
    case 'payment_open':
      return staysAnswer(order.id, outcome)
    case 'key_reused':
      return idempotencyKeyReused(outcome.key)
    default:
      return outcome satisfies never
  }
}
