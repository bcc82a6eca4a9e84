import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import { type DeliveryStatus, deliveryTransitions } from '../messaging/outbox/delivery-machine.ts'

export type RetryOutcome =
  | { readonly outcome: 'changed'; readonly deliveryId: string }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'not_allowed'; readonly status: DeliveryStatus }

/** Puts a dead letter back into the queue, as if it had never been tried. */
export async function retryDelivery(
  database: Database,
  merchantId: MerchantId,
  id: string,
): Promise<RetryOutcome> {
  const { from, to } = deliveryTransitions.retry
  const retried = await database`
    UPDATE email.delivery SET status = ${to}, attempts = 0, next_attempt_at = now(), reason = NULL
    WHERE merchant_id = ${merchantId} AND id = ${id} AND status = ANY (${from as string[]})
    RETURNING id`
  if (retried.length > 0) return { outcome: 'changed', deliveryId: id }
  const [delivery] = await database<{ status: DeliveryStatus }[]>`
    SELECT status FROM email.delivery WHERE merchant_id = ${merchantId} AND id = ${id}`
  return delivery === undefined ? { outcome: 'unknown' } : { outcome: 'not_allowed', status: delivery.status }
}
