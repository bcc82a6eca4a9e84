import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../../database.ts'
import type { CustomerAnswer, MethodVault } from '../../processors/index.ts'

/** Our row of a shopper's record at a processor. */
export interface Holder {
  readonly merchantId: MerchantId
  readonly holderId: string
  /** Null: it may not be made yet. */
  readonly processorCustomerId: string | null
  /** Calls for it without an answer. */
  readonly unansweredCalls: number
}

/**
 * The shopper's record at the processor, which is made if there is none. The processor learns no more than our ids. An answer that is
 * lost leaves an empty record there.
 */
export async function ensureCustomer(
  database: Database,
  vault: MethodVault,
  { merchantId, holderId, processorCustomerId, unansweredCalls }: Holder,
): Promise<CustomerAnswer> {
  if (processorCustomerId !== null) return { status: 'made', customerId: processorCustomerId }
  const answer = await vault.createCustomer({
    // A processor may repeat an error of its own for the same key.
    idempotencyKey: `${holderId}:${unansweredCalls}`,
    metadata: { merchant_id: merchantId, record_id: holderId },
  })
  if (answer.status !== 'made') return answer
  const [row] = await database<{ customerId: string }[]>`
    UPDATE payment.processor_customer
    SET processor_customer_id = coalesce(processor_customer_id, ${answer.customerId})
    WHERE merchant_id = ${merchantId} AND id = ${holderId}
    RETURNING processor_customer_id AS "customerId"`
  if (row !== undefined) return { status: 'made', customerId: row.customerId }
  // The shopper was forgotten meanwhile.
  await vault.deleteCustomer(answer.customerId)
  return { status: 'refused', decline: forgotten }
}

const forgotten = {
  code: 'customer_missing',
  message: 'The customer does not exist any more.',
  declineCode: null,
} as const

/** The record that a payment is made with; null: it is made with none. */
export async function holderOfPayment(
  database: Database,
  merchantId: MerchantId,
  paymentId: string,
): Promise<Holder | null> {
  const [row] = await database<Holder[]>`
    SELECT h.merchant_id AS "merchantId", h.id AS "holderId", h.processor_customer_id AS "processorCustomerId",
      p.unanswered_calls AS "unansweredCalls"
    FROM payment.payment p
    JOIN ordering.order o ON o.merchant_id = p.merchant_id AND o.id = p.order_id
    JOIN payment.processor_customer h ON h.merchant_id = o.merchant_id AND h.customer_id = o.customer_id
      AND h.processor = p.processor AND h.account_id IS NOT DISTINCT FROM p.account_id
    WHERE p.merchant_id = ${merchantId} AND p.id = ${paymentId} AND p.saved_method IS NOT NULL`
  return row ?? null
}
