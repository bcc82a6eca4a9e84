import { type Answer, done, idempotencyKeyReused } from '../action/answer.ts'
import type { ActionCall } from '../action/action.ts'
import type { IdempotencyKeys } from '../action/idempotency-keys.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { staysAnswer } from './order-answer.ts'
import { cancelOrder } from './orders.ts'

/** What a cancellation needs of the payment domain; the composition hands it in, so that neither imports the other. */
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
  if (outcome.outcome === 'payment_open' && (await payments.abandon(merchantId, outcome.paymentId))) {
    outcome = await attempt()
  }
  switch (outcome.outcome) {
    case 'cancelled': {
      const { orderId, refundId } = outcome
      const refund = refundId === null ? null : await payments.completeRefund(merchantId, refundId)
      return done({ merchantId, orderId, refund })
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
