import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Session } from '../action/session.ts'
import { actingAs } from '../action/acting-as.ts'
import type { Database, Queryable } from '../database.ts'
import { type CancellationRefund, orderTransitions } from '../ordering/index.ts'
import type { PaymentProcessor, RefundAnswer, RefundRequest } from '../processors/index.ts'
import type { PaymentAccounts } from './accounts.ts'
import { findProcessor } from './cashier.ts'
import { paymentTransitions } from './payment-machine.ts'
import { idempotencyHours, mostUnansweredCalls, patience } from './payments.ts'
import * as payment from '../sql/generated/payment.ts'

interface Refund {
  readonly attempt: number
  readonly amount: number
  readonly currency: string
  readonly status: 'PENDING' | 'SUCCEEDED' | 'FAILED'
  readonly createdAt: string
  readonly processorRefundId: string | null
  readonly processor: string
  readonly merchantId: MerchantId
  /** The merchant's own account that gives it back; null: the operator's, or none. */
  readonly accountId: string | null
  readonly intentId: string | null
  /** The answer was lost too long ago to ask for the same again. */
  readonly isLost: boolean
  readonly wasUnanswered: boolean
}

export type CompleteRefund = (merchantId: MerchantId, refundId: string) => Promise<CancellationRefund>

/** Asks the processor for a refund that is on record, unless it has answered; repeated it gives nothing back twice. */
export function createRefunder(
  database: Database,
  processors: readonly PaymentProcessor[],
  accounts?: PaymentAccounts,
): CompleteRefund {
  const processorOf = findProcessor(processors, accounts)
  return async (merchantId, refundId) => {
    const refund = await getRefund(database, merchantId, refundId)
    const processor = await processorOf(refund)
    const status =
      refund.status === 'PENDING' ? await ask(merchantId, refundId, refund, processor) : refund.status
    return {
      amount: refund.amount,
      status,
      estimatedDate: status === 'FAILED' ? null : dateAfter(refund.createdAt, processor.refundDays),
    }
  }

  async function ask(merchantId: MerchantId, refundId: string, refund: Refund, processor: PaymentProcessor) {
    const answer =
      refund.processorRefundId === null
        ? await refundOnce(processor, requestOf(refundId, refund), refund)
        : await processor.retrieveRefund(refund.processorRefundId)
    return settleRefund(database, merchantId, refundId, answer)
  }
}

const requestOf = (refundId: string, { attempt, intentId, amount, currency }: Refund): RefundRequest => ({
  // A refund that was refused is asked for anew, and not for the same answer again.
  idempotencyKey: attempt === 1 ? refundId : `${refundId}:${attempt}`,
  intentId,
  amount,
  currency,
})

/**
 * Asks for the refund, or, when that may be too late to be the same request, whether it was made. One that was not has failed: it is the
 * merchant's to decide whether it is asked for anew. A refund that got no answer before is looked for, too, like a charge.
 */
async function refundOnce(
  processor: PaymentProcessor,
  request: RefundRequest,
  { isLost, wasUnanswered }: Pick<Refund, 'isLost' | 'wasUnanswered'>,
): Promise<RefundAnswer> {
  if (!isLost) {
    const answer = await processor.refund(request)
    if (answer.status !== 'unknown' || !wasUnanswered) return answer
    return (await processor.findRefund(request)) ?? answer
  }
  const found = await processor.findRefund(request)
  return (
    found ?? {
      status: 'failed',
      refundId: null,
      reason: 'The processor did not answer for a day, and has no such refund',
    }
  )
}

/** Puts a refund of a part of a payment on record. @param amount minor units; null for all that is left */
export const beginRefund = async (
  sql: Queryable,
  session: Session,
  paymentId: string,
  { amount, reason }: { readonly amount: number | null; readonly reason: string },
): Promise<payment.BeginRefundAnswer> =>
  payment.beginRefund(actingAs(sql, session), {
    merchantId: session.merchantId,
    paymentId,
    amount,
    reason,
    from: paymentTransitions.refund.from,
  })

/** Has a refund that failed asked for once more. @param manually the merchant has given the money back by other means */
export const retryRefund = async (
  sql: Queryable,
  session: Session,
  refundId: string,
  manually: boolean,
): Promise<payment.RetryRefundAnswer> =>
  payment.retryRefund(actingAs(sql, session), { merchantId: session.merchantId, refundId, manually })

async function settleRefund(
  database: Database,
  merchantId: MerchantId,
  refundId: string,
  answer: RefundAnswer,
): Promise<Refund['status']> {
  if (answer.status === 'unknown') {
    await database`
      UPDATE payment.refund SET unanswered_calls = least(unanswered_calls + 1, ${mostUnansweredCalls})
      WHERE merchant_id = ${merchantId} AND id = ${refundId} AND status = 'PENDING'`
    return 'PENDING'
  }
  const to = { succeeded: 'SUCCEEDED', pending: 'PENDING', failed: 'FAILED' }[answer.status]
  const reason = answer.status === 'failed' ? answer.reason : null
  return payment.settleRefund(database, {
    merchantId,
    refundId,
    to,
    processorRefundId: answer.refundId,
    failureReason: reason,
    part: paymentTransitions.refundPart,
    full: paymentTransitions.refund,
    moves: orderTransitions,
  })
}

async function getRefund(database: Database, merchantId: MerchantId, refundId: string): Promise<Refund> {
  const [row] = await database<{ refund: Refund }[]>`
    SELECT json_build_object(
      'merchantId', r.merchant_id, 'amount', r.amount, 'currency', p.currency, 'status', r.status, 'createdAt', r.created_at, 'processorRefundId', r.processor_refund_id,
      'processor', coalesce(r.processor, p.processor),
      'accountId', CASE WHEN r.processor IS NULL THEN p.account_id END, 'intentId', p.processor_payment_intent_id, 'attempt', r.attempt,
      'wasUnanswered', r.unanswered_calls > 0, 'isLost', r.attempted_at <= now() - make_interval(hours => ${idempotencyHours})
    ) AS refund
    FROM payment.refund r
    JOIN payment.payment p ON p.merchant_id = r.merchant_id AND p.id = r.payment_id
    WHERE r.merchant_id = ${merchantId} AND r.id = ${refundId}`
  if (row === undefined) throw new Error(`Refund ${refundId} has disappeared.`)
  return row.refund
}

/** Refunds that have waited for an answer for `seconds`, or have just missed one, longest first. */
export const unsettledRefunds = async (
  database: Database,
  seconds: number,
  limit: number,
): Promise<readonly { readonly merchantId: MerchantId; readonly id: string }[]> => database<
  { merchantId: MerchantId; id: string }[]
>`
    SELECT r.merchant_id AS "merchantId", r.id
    FROM payment.refund r
    WHERE r.status = 'PENDING' AND r.updated_at <= now() - ${patience(database, seconds)}
    ORDER BY r.updated_at
    LIMIT ${limit}`

/** Sends a refund to the end of the reconciler's queue. */
export async function postponeRefund(database: Database, merchantId: MerchantId, id: string): Promise<void> {
  await database`UPDATE payment.refund SET status = status WHERE merchant_id = ${merchantId} AND id = ${id}`
}

function dateAfter(timestamp: string, days: number | null): string | null {
  if (days === null) return null
  const date = new Date(timestamp)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}
