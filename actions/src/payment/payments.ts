import type postgres from '@commerce-graph/postgres-driver'
import { z } from 'zod'
import { actingAs } from '../action/acting-as.ts'
import type { CustomerId, MerchantId } from '@commerce-graph/contract/ids'
import { ownerOf, type Session } from '../action/session.ts'
import type { Database, JsonValue, Queryable } from '../database.ts'
import { appointmentTransitions } from '../booking/index.ts'
import { orderTransitions } from '../ordering/index.ts'
import type { ChargeAnswer, PaymentMethod } from '../processors/index.ts'
import type { StoredAccount } from './accounts.ts'
import { type PaymentEvent, type PaymentStatus, paymentTransitions } from './payment-machine.ts'
import * as payment from '../sql/generated/payment.ts'

export interface PaymentRequest {
  readonly orderId: string
  readonly method: PaymentMethod
  /** Minor units that the caller believes to pay; null: the order's total. */
  readonly amount: number | null
  readonly processor: string
  /** The merchant's own account that it is made with; null: the operator's, or none. */
  readonly accountId?: string | null
  readonly paymentMethodId: string | null
  readonly returnUrl: string | null
  readonly captureMethod: CaptureMethod
  /** The money comes outside of the platform, and is still to come. */
  readonly awaited: boolean
  /** The amount is a part of what is left to pay. */
  readonly partial?: boolean
}

/** MANUAL: the money is reserved now, and taken when the merchant captures it. */
type CaptureMethod = 'AUTOMATIC' | 'MANUAL'

/** Puts on record what the processor is about to be asked. */
export const beginPayment = async (
  sql: Queryable,
  session: Session,
  request: PaymentRequest,
): Promise<payment.BeginPaymentAnswer> =>
  payment.beginPayment(actingAs(sql, session), {
    merchantId: session.merchantId,
    orderId: request.orderId,
    customerId: ownerOf(session),
    method: request.method,
    amount: request.amount,
    processor: request.processor,
    accountId: request.accountId ?? null,
    paymentMethodId: request.paymentMethodId,
    returnUrl: request.returnUrl,
    captureMethod: request.captureMethod,
    awaited: request.awaited,
    partial: request.partial ?? false,
    orderFrom: orderTransitions.pay.from,
  })

export interface AppointmentPaymentRequest {
  readonly appointmentId: string
  readonly method: PaymentMethod
  /** Minor units; null: what is due now. */
  readonly amount: number | null
  readonly processor: string
  /** The merchant's own account that it is made with; null: the operator's, or none. */
  readonly accountId: string | null
  readonly paymentMethodId: string | null
  readonly returnUrl: string | null
  /** The money comes outside of the platform, and is still to come. */
  readonly awaited: boolean
}

/** The same for an appointment. */
export const beginAppointmentPayment = async (
  sql: Queryable,
  session: Session,
  request: AppointmentPaymentRequest,
): Promise<payment.BeginAppointmentPaymentAnswer> =>
  payment.beginAppointmentPayment(actingAs(sql, session), {
    merchantId: session.merchantId,
    customerId: ownerOf(session),
    ...request,
  })

export interface Payment {
  readonly id: string
  readonly merchantId: MerchantId
  /** What it pays: one of the two. */
  readonly orderId: string | null
  readonly appointmentId: string | null
  readonly amount: number
  readonly currency: string
  readonly status: PaymentStatus
  readonly method: PaymentMethod
  readonly processor: string
  /** The merchant's own account that it was made with; null: the operator's, or none. */
  readonly accountId: string | null
  readonly intentId: string | null
  readonly paymentMethodId: string | null
  readonly returnUrl: string | null
  readonly captureMethod: CaptureMethod
  /** PENDING until the merchant says that the money is there: no processor is asked for it. */
  readonly awaited: boolean
  /** Whether it is made as the shopper's record at the processor: with a method saved there, or to save its own. */
  readonly savedMethod: 'USED' | 'KEPT' | null
  /** Whether the processor holds the money for us. */
  readonly authorized: boolean
  readonly authorizationIsOver: boolean
  /** Minor units that were taken. */
  readonly capturedAmount: number
  /** Minor units that the processor holds, and that can still be taken. */
  readonly capturableAmount: number
  /** Minor units that are to have been taken in all with the capture that was requested last; null before a capture. */
  readonly captureRequested: number | null
  /** Whether that capture lets the rest go. */
  readonly captureFinal: boolean
  /** Whether what was taken of it is given back, or the order is over: nothing more of it is taken then. */
  readonly isClosed: boolean
  /** The answer was lost too long ago to ask for the same again. */
  readonly isLost: boolean
  readonly failureReason: string | null
  readonly failureCode: string | null
  readonly declineCode: string | null
  /** What it pays can't be paid any more once this payment is over. */
  readonly windowIsOver: boolean
}

/** Processors forget idempotency keys after a day; from then on the same request would be another charge or refund. */
export const idempotencyHours = 23

/** A payment of an appointment that is certain waits no longer for its customer. */
const appointmentPaymentHours = 24

/** What a payment moves when it succeeds. */
const moves = { ...orderTransitions, confirmAppointment: appointmentTransitions.confirm }

/** @param owner only this customer's payments exist */
export async function findPayment(
  sql: Queryable,
  merchantId: MerchantId,
  paymentId: string,
  owner: CustomerId | null,
): Promise<Payment | null> {
  const [row] = await sql<{ payment: Payment }[]>`
    SELECT json_build_object(
      'id', p.id, 'merchantId', p.merchant_id, 'orderId', p.order_id, 'appointmentId', p.appointment_id, 'amount', p.amount, 'currency', p.currency,
      'status', p.status, 'method', p.method, 'processor', p.processor, 'accountId', p.account_id, 'intentId', p.processor_payment_intent_id,
      'paymentMethodId', p.processor_payment_method_id, 'returnUrl', p.return_url, 'failureReason', p.failure_reason,
      'savedMethod', p.saved_method, 'captureMethod', p.capture_method, 'awaited', p.awaited, 'authorized', p.authorized_at IS NOT NULL,
      'authorizationIsOver', coalesce(p.capture_before <= now(), false), 'captureRequested', p.capture_requested,
      'captureFinal', p.capture_final, 'capturedAmount', p.captured_amount, 'capturableAmount', p.capturable_amount,
      'isClosed', payment.is_closed(p),
      'isLost', p.status = 'PENDING' AND p.created_at <= now() - make_interval(hours => ${idempotencyHours}),
      'failureCode', p.failure_code, 'declineCode', p.decline_code,
      'windowIsOver', CASE
        WHEN p.appointment_id IS NULL THEN ordering.payment_window_is_over(p.merchant_id, p.order_id)
        ELSE coalesce(a.payment_due_at, p.created_at + make_interval(hours => ${appointmentPaymentHours})) <= now()
      END
    ) AS payment
    FROM payment.payment p
    LEFT JOIN ordering.order o ON o.merchant_id = p.merchant_id AND o.id = p.order_id
    LEFT JOIN booking.appointment a ON a.merchant_id = p.merchant_id AND a.id = p.appointment_id
    WHERE p.merchant_id = ${merchantId} AND p.id = ${paymentId}
      AND (${owner}::uuid IS NULL OR coalesce(o.customer_id, a.customer_id) = ${owner}::uuid)`
  return row?.payment ?? null
}

/** The payment of an account that a processor's event is about; null: none of ours. */
export async function findPaymentOfIntent(
  sql: Queryable,
  { merchantId, id: accountId }: Pick<StoredAccount, 'merchantId' | 'id'>,
  { intentId, paymentId }: { readonly intentId: string | null; readonly paymentId: string | null },
): Promise<Payment | null> {
  const id = z.guid().safeParse(paymentId).data ?? null
  // Each half has an index of its own.
  const [row] = await sql<{ id: string }[]>`
    SELECT p.id FROM payment.payment p
    WHERE p.merchant_id = ${merchantId} AND p.account_id = ${accountId}
      AND p.processor_payment_intent_id = ${intentId}
    UNION ALL
    SELECT p.id FROM payment.payment p
    WHERE p.merchant_id = ${merchantId} AND p.id = ${id} AND p.account_id = ${accountId}
    LIMIT 1`
  return row === undefined ? null : findPayment(sql, merchantId, row.id, null)
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
 * Puts a processor's answer on record. That there was none is counted, so that it is asked for again soon; an answer that comes
 * after the payment was settled otherwise changes nothing. Returns the payment as it is then.
 */
export async function settle(database: Database, open: Payment, answer: ChargeAnswer): Promise<Payment> {
  const event = eventOf(answer)
  if (event === null) {
    await countUnanswered(database, open)
  } else {
    const { from, to } = paymentTransitions[event]
    await payment.settlePayment(database, {
      merchantId: open.merchantId,
      paymentId: open.id,
      from,
      to,
      answer: recordOf(answer, open),
      moves,
    })
  }
  return getPayment(database, open.merchantId, open.id)
}

/** Counts a call that the processor did not answer, so that it is asked again soon. */
export async function countUnanswered(database: Database, { merchantId, id }: Payment): Promise<void> {
  await database`
    UPDATE payment.payment SET unanswered_calls = least(unanswered_calls + 1, ${mostUnansweredCalls})
    WHERE merchant_id = ${merchantId} AND id = ${id} AND (status IN ('PENDING', 'PROCESSING') OR capturable_amount > 0)`
}

export type ReceivedPayment =
  | { readonly outcome: 'settled'; readonly payment: Payment }
  | { readonly outcome: 'more_than_awaited'; readonly amount: number }

/**
 * Puts on record that awaited money is there, as the caller says. A payment that awaits none any more stays as it is.
 * @param amount minor units; null for all of it. What is missing is awaited with another payment.
 */
export async function receivePayment(
  database: Database,
  session: Session,
  paymentId: string,
  amount: number | null,
): Promise<ReceivedPayment> {
  const { from, to } = paymentTransitions.succeed
  const split = await payment.splitAwaited(actingAs(database, session), {
    merchantId: session.merchantId,
    paymentId,
    amount,
  })
  if (split.outcome === 'more_than_awaited') return split
  await payment.settlePayment(actingAs(database, session), {
    merchantId: session.merchantId,
    paymentId,
    from,
    to,
    answer: {},
    moves,
  })
  return { outcome: 'settled', payment: await getPayment(database, session.merchantId, paymentId) }
}

function eventOf(answer: ChargeAnswer): PaymentEvent | null {
  switch (answer.status) {
    case 'succeeded':
      return 'succeed'
    case 'declined':
      return 'fail'
    case 'requires_action':
    case 'processing':
    case 'authorized':
    case 'approved':
      return 'wait'
    case 'cancelled':
    case 'untaken':
      return 'cancel'
    case 'unknown':
    case 'unauthorized':
      return null
    default:
      return answer satisfies never
  }
}

function recordOf(answer: ChargeAnswer, open: Payment): Record<string, JsonValue> {
  if (!('intentId' in answer)) return {}
  const card = 'card' in answer && answer.card !== null ? { ...answer.card } : {}
  const failure =
    answer.status === 'declined'
      ? {
          failureReason: answer.decline.message,
          failureCode: answer.decline.code,
          declineCode: answer.decline.declineCode,
        }
      : {}
  const taken =
    answer.status === 'succeeded'
      ? { capturedAmount: answer.captured, capturableAmount: answer.capturable }
      : {}
  const held =
    answer.status === 'authorized'
      ? { captureBefore: answer.captureBefore, capturableAmount: open.amount }
      : {}
  return {
    intentId: answer.intentId,
    methodId: 'methodId' in answer ? (answer.methodId ?? null) : null,
    ...card,
    ...failure,
    ...taken,
    ...held,
    approved: answer.status === 'approved',
    untaken: answer.status === 'untaken',
  }
}

/** Of calls without an answer, no more are counted: the time to the next call doesn't grow any more. */
export const mostUnansweredCalls = 10

/**
 * SQL for how long ago a row has to be untouched before the reconciler takes it: `seconds`, in which a call may still be answered. A
 * call that has ended without an answer is repeated after two seconds, then after twice as long each time.
 */
export const patience = (sql: Queryable, seconds: number): postgres.Fragment => sql`
  make_interval(secs => CASE WHEN unanswered_calls = 0 THEN ${seconds}::integer ELSE least(${seconds}::integer, 2 ^ unanswered_calls) END)`

/**
 * Payments that have waited for an answer for `seconds`, or have just missed one, longest first: those that are open, and those of which
 * a further capture is under way, or the rest is to be let go.
 */
export const unsettledPayments = async (
  database: Database,
  seconds: number,
  limit: number,
): Promise<readonly { readonly merchantId: MerchantId; readonly id: string }[]> => database<
  { merchantId: MerchantId; id: string }[]
>`
    SELECT p.merchant_id AS "merchantId", p.id
    FROM payment.payment p
    WHERE (p.status IN ('PENDING', 'PROCESSING') AND NOT p.awaited
        OR p.capturable_amount > 0 AND p.taken AND (
          p.capture_requested > p.captured_amount OR p.capture_before <= now() OR payment.is_closed(p)))
      AND p.updated_at <= now() - ${patience(database, seconds)}
    ORDER BY p.updated_at
    LIMIT ${limit}`

/** Seconds without an answer after which a payment needs attention. */
const attentionAfter = 60 * 60

/**
 * Sends a payment to the end of the reconciler's queue; one that goes there again and again is shown to the merchant.
 *
 * @param answered whether the processor has said something about it
 */
export async function postpone(
  database: Database,
  { merchantId, id }: Pick<Payment, 'merchantId' | 'id'>,
  answered: boolean,
): Promise<void> {
  await database`
    UPDATE payment.payment
    SET unanswered_calls = CASE WHEN ${answered} THEN 0 ELSE unanswered_calls END, attention = CASE
      WHEN status = 'PENDING' AND created_at <= now() - make_interval(secs => ${attentionAfter}) THEN 'UNANSWERED'
      ELSE attention
    END
    WHERE merchant_id = ${merchantId} AND id = ${id}`
}
