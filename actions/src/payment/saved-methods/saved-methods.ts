import { byMerchant, merchantsOfRun, type OfMerchant } from '../../by-merchant.ts'
import type { CustomerId, MerchantId } from '@commerce-graph/contract/ids'
import type { Database, JsonValue, Queryable } from '../../database.ts'
import type { Decline, SetupAnswer } from '../../processors/index.ts'
import * as payment from '../../sql/generated/payment.ts'
import { idempotencyHours, mostUnansweredCalls, patience } from '../payments.ts'

export interface SavedMethod {
  readonly merchantId: MerchantId
  readonly id: string
  readonly status: 'PENDING' | 'ACTIVE' | 'FAILED' | 'REMOVING'
  readonly processor: string
  /** The merchant's own account that it is saved at; null: the operator's. */
  readonly accountId: string | null
  /** Our row of the shopper's record at the processor, and the processor's id of it, once that is known. */
  readonly holderId: string
  readonly processorCustomerId: string | null
  readonly unansweredCalls: number
  readonly requestedMethodId: string
  readonly returnUrl: string | null
  readonly setupId: string | null
  readonly methodId: string | null
  /** Whether a payment saves it, and has the answer. */
  readonly isOfPayment: boolean
  /** The answer was lost too long ago to ask for the same again. */
  readonly isLost: boolean
  readonly failureReason: string | null
  readonly failureCode: string | null
  readonly declineCode: string | null
}

/** @param owner only this customer's methods exist */
export async function findSavedMethod(
  sql: Queryable,
  merchantId: MerchantId,
  id: string,
  owner: CustomerId | null,
): Promise<SavedMethod | null> {
  const [row] = await sql<SavedMethod[]>`
    SELECT
      s.merchant_id AS "merchantId", s.id, s.status, h.processor, h.account_id AS "accountId", h.id AS "holderId",
      h.processor_customer_id AS "processorCustomerId", s.unanswered_calls AS "unansweredCalls", s.requested_method_id AS "requestedMethodId",
      s.return_url AS "returnUrl", s.processor_setup_id AS "setupId", s.processor_method_id AS "methodId",
      s.payment_id IS NOT NULL AS "isOfPayment",
      s.created_at <= now() - make_interval(hours => ${idempotencyHours}) AS "isLost",
      s.failure_reason AS "failureReason", s.failure_code AS "failureCode", s.decline_code AS "declineCode"
    FROM payment.saved_method s
    JOIN payment.processor_customer h ON h.merchant_id = s.merchant_id AND h.id = s.processor_customer_id
    WHERE s.merchant_id = ${merchantId} AND s.id = ${id} AND (${owner}::uuid IS NULL OR s.customer_id = ${owner}::uuid)`
  return row ?? null
}

/** The processor's token of a saved method with which an order may be paid at an account; null: there is no such method. */
export async function findMethodToCharge(
  sql: Queryable,
  order: { readonly merchantId: MerchantId; readonly id: string; readonly owner: CustomerId | null },
  saved: { readonly id: string; readonly processor: string; readonly accountId: string | null },
): Promise<string | null> {
  const [row] = await sql<{ methodId: string }[]>`
    SELECT s.processor_method_id AS "methodId"
    FROM payment.saved_method s
    JOIN payment.processor_customer h ON h.merchant_id = s.merchant_id AND h.id = s.processor_customer_id
    JOIN ordering.order o ON o.merchant_id = s.merchant_id AND o.customer_id = s.customer_id
    WHERE s.merchant_id = ${order.merchantId} AND s.id = ${saved.id} AND s.status = 'ACTIVE' AND o.id = ${order.id}
      AND (${order.owner}::uuid IS NULL OR s.customer_id = ${order.owner}::uuid)
      AND h.processor = ${saved.processor} AND h.account_id IS NOT DISTINCT FROM ${saved.accountId}::uuid`
  return row?.methodId ?? null
}

/** Puts the processor's answer on record. Without one, the method stays PENDING and is asked about again. */
export async function settleSetup(
  database: Database,
  { merchantId, id }: SavedMethod,
  answer: SetupAnswer,
): Promise<void> {
  const settle = (status: SavedMethod['status'], record: Record<string, JsonValue>) =>
    payment.settleSavedMethod(database, { merchantId, id, status, answer: record })
  switch (answer.status) {
    case 'succeeded': {
      const { setupId, methodId, card } = answer
      return settle('ACTIVE', { setupId, methodId, ...card })
    }
    case 'requires_action':
    case 'processing':
      return settle('PENDING', { setupId: answer.setupId })
    case 'declined':
      return settle('FAILED', { setupId: answer.setupId, ...failureOf(answer.decline) })
    case 'cancelled':
      return settle('FAILED', { setupId: answer.setupId, ...failureOf(givenUp) })
    case 'unknown':
    case 'unauthorized':
      await database`
        UPDATE payment.saved_method SET unanswered_calls = least(unanswered_calls + 1, ${mostUnansweredCalls})
        WHERE merchant_id = ${merchantId} AND id = ${id} AND status = 'PENDING'`
      return
    default:
      return answer satisfies never
  }
}

const failureOf = ({ code, message, declineCode }: Decline) => ({
  failureCode: code,
  failureReason: message,
  declineCode,
})

const givenUp: Decline = {
  code: 'setup_given_up',
  message: 'The card was not saved: its owner did not confirm it.',
  declineCode: null,
}

/** The processor has answered that it is gone there. */
export async function forgetRemoved(database: Database, { merchantId, id }: SavedMethod): Promise<void> {
  await database`
    DELETE FROM payment.saved_method WHERE merchant_id = ${merchantId} AND id = ${id} AND status = 'REMOVING'`
}

/** Methods that have waited for the processor's answer for `seconds`, or have just missed one, longest first. */
export const unsettledMethods = async (
  database: Database,
  seconds: number,
  limit: number,
): Promise<readonly Pick<SavedMethod, 'merchantId' | 'id'>[]> => database<
  Pick<SavedMethod, 'merchantId' | 'id'>[]
>`
    SELECT merchant_id AS "merchantId", id FROM payment.saved_method
    WHERE (status = 'PENDING' AND payment_id IS NULL OR status = 'REMOVING') AND updated_at <= now() - ${patience(database, seconds)}
    ORDER BY updated_at LIMIT ${limit}`

/** Sends a method to the end of the reconciler's queue. */
export async function postponeMethod(
  database: Database,
  { merchantId, id }: Pick<SavedMethod, 'merchantId' | 'id'>,
): Promise<void> {
  await database`
    UPDATE payment.saved_method SET unanswered_calls = unanswered_calls
    WHERE merchant_id = ${merchantId} AND id = ${id} AND status <> 'ACTIVE'`
}

/** Forgets failed attempts, which count towards the bound for a day. */
export async function purgeFailedMethods(database: Database, limit: number): Promise<void> {
  await byMerchant(
    database,
    database<OfMerchant[]>`
      SELECT DISTINCT merchant_id AS "merchantId" FROM payment.saved_method
      WHERE status = 'FAILED' AND updated_at <= now() - interval '1 day' LIMIT ${merchantsOfRun}`,
    async (own, merchantId) => {
      const gone = await own`
        DELETE FROM payment.saved_method WHERE merchant_id = ${merchantId} AND id IN (
          SELECT id FROM payment.saved_method
          WHERE merchant_id = ${merchantId} AND status = 'FAILED' AND updated_at <= now() - interval '1 day'
          ORDER BY updated_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        )`
      return gone.count
    },
  )
}
