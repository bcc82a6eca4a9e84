import type { CustomerId, MerchantId } from '../action/session.ts'
import { type Database, type JsonValue, onlyOutcome, type Queryable } from '../database.ts'
import { orderTransitions } from '../ordering/index.ts'
import type { ChargeAnswer } from '../payments/index.ts'
import { type PaymentEvent, type PaymentStatus, paymentTransitions } from './payment-machine.ts'

export type PaymentMethod = 'CARD' | 'BANK_TRANSFER' | 'CASH' | 'PAYPAL' | 'APPLE_PAY' | 'GOOGLE_PAY'

export interface PaymentRequest {
  readonly orderId: string
  /** Only this customer's orders exist. */
  readonly owner: CustomerId | null
  readonly method: PaymentMethod
  /** Minor units that the caller believes to pay; null: the order's total. */
  readonly amount: number | null
  readonly processor: string
  readonly paymentMethodId: string | null
  readonly returnUrl: string | null
}

export type BeginOutcome =
  | { readonly outcome: 'begun'; readonly paymentId: string }
  | { readonly outcome: 'unknown_order' }
  | { readonly outcome: 'order_refused'; readonly status: string }
  | { readonly outcome: 'amount_mismatch'; readonly total: number }
  | { readonly outcome: 'payment_open'; readonly paymentId: string; readonly status: PaymentStatus }

/** Puts on record what the processor is about to be asked. */
export async function beginPayment(
  sql: Queryable,
  merchantId: MerchantId,
  request: PaymentRequest,
): Promise<BeginOutcome> {
  return onlyOutcome(
    await sql<{ outcome: BeginOutcome }[]>`
      SELECT payment.begin_payment(
        ${merchantId}, ${request.orderId}, ${request.owner}, ${request.method}, ${request.amount}, ${request.processor},
        ${request.paymentMethodId}, ${request.returnUrl}, ${[...orderTransitions.pay.from]}::text[]
      ) AS outcome`,
  )
}

export interface Payment {
  readonly id: string
  readonly merchantId: MerchantId
  readonly orderId: string
  readonly amount: number
  readonly currency: string
  readonly status: PaymentStatus
  readonly processor: string
  readonly intentId: string | null
  readonly paymentMethodId: string | null
  readonly returnUrl: string | null
  readonly failureReason: string | null
  readonly failureCode: string | null
  readonly declineCode: string | null
  /** Nobody can pay the order any more once this payment is over. */
  readonly windowIsOver: boolean
}

/** @param owner only this customer's payments exist */
export async function findPayment(
  database: Database,
  merchantId: MerchantId,
  paymentId: string,
  owner: CustomerId | null,
): Promise<Payment | null> {
  const [row] = await database<{ payment: Payment }[]>`
    SELECT json_build_object(
      'id', p.id, 'merchantId', p.merchant_id, 'orderId', p.order_id, 'amount', p.amount, 'currency', p.currency,
      'status', p.status, 'processor', p.processor, 'intentId', p.processor_payment_intent_id,
      'paymentMethodId', p.processor_payment_method_id, 'returnUrl', p.return_url, 'failureReason', p.failure_reason,
      'failureCode', p.failure_code, 'declineCode', p.decline_code,
      'windowIsOver', ordering.payment_window_is_over(p.merchant_id, p.order_id)
    ) AS payment
    FROM payment.payment p
    JOIN ordering.order o ON o.merchant_id = p.merchant_id AND o.id = p.order_id
    WHERE p.merchant_id = ${merchantId} AND p.id = ${paymentId}
      AND (${owner}::uuid IS NULL OR o.customer_id = ${owner}::uuid)`
  return row?.payment ?? null
}

/** A payment that is known to be there. */
export async function getPayment(
  database: Database,
  merchantId: MerchantId,
  paymentId: string,
): Promise<Payment> {
  const payment = await findPayment(database, merchantId, paymentId, null)
  if (payment === null) throw new Error(`Payment ${paymentId} has disappeared.`)
  return payment
}

/**
 * Puts a processor's answer on record. No answer changes nothing, and neither does one that comes after the payment
 * was settled otherwise. Returns the payment as it is then.
 */
export async function settle(database: Database, payment: Payment, answer: ChargeAnswer): Promise<Payment> {
  const event = eventOf(answer)
  if (event !== null) {
    const { from, to } = paymentTransitions[event]
    const { pay } = orderTransitions
    await database`
      SELECT payment.settle_payment(
        ${payment.merchantId}, ${payment.id}, ${[...from]}::text[], ${to}, ${database.json(recordOf(answer))},
        ${[...pay.from]}::text[], ${pay.to}
      )`
  }
  return getPayment(database, payment.merchantId, payment.id)
}

function eventOf(answer: ChargeAnswer): PaymentEvent | null {
  switch (answer.status) {
    case 'succeeded':
      return 'succeed'
    case 'declined':
      return 'fail'
    case 'requires_action':
    case 'processing':
      return 'wait'
    case 'cancelled':
      return 'cancel'
    case 'unknown':
      return null
    default:
      return answer satisfies never
  }
}

function recordOf(answer: ChargeAnswer): Record<string, JsonValue> {
  if (answer.status === 'unknown') return {}
  const card = 'card' in answer && answer.card !== null ? { ...answer.card } : {}
  const failure =
    answer.status === 'declined'
      ? {
          failureReason: answer.decline.message,
          failureCode: answer.decline.code,
          declineCode: answer.decline.declineCode,
        }
      : {}
  return { intentId: answer.intentId, ...card, ...failure }
}

/** Payments that have waited for an answer for `seconds`, longest first. */
export async function unsettledPayments(
  database: Database,
  seconds: number,
  limit: number,
): Promise<readonly { readonly merchantId: MerchantId; readonly id: string }[]> {
  return database<{ merchantId: MerchantId; id: string }[]>`
    SELECT p.merchant_id AS "merchantId", p.id
    FROM payment.payment p
    WHERE p.status IN ('PENDING', 'PROCESSING') AND p.updated_at <= now() - make_interval(secs => ${seconds})
      AND (p.status = 'PROCESSING' OR p.created_at > now() - interval '23 hours')
    ORDER BY p.updated_at
    LIMIT ${limit}`
}

/** Sends a payment to the end of the reconciler's queue. */
export async function postpone(database: Database, { merchantId, id }: Payment): Promise<void> {
  await database`UPDATE payment.payment SET status = status WHERE merchant_id = ${merchantId} AND id = ${id}`
}

/** Payments whose answer was lost too long ago to ask again. */
export async function lostPayments(database: Database): Promise<number> {
  return onlyOutcome(
    await database<{ outcome: number }[]>`
      SELECT count(*)::integer AS outcome FROM payment.payment p
      WHERE p.status = 'PENDING' AND p.created_at <= now() - interval '23 hours'`,
  )
}
