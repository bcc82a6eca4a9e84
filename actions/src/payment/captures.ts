import { actingAs } from '../action/acting-as.ts'
import type { Session } from '../action/session.ts'
import type { Database, Queryable } from '../database.ts'
import type { ChargeAnswer } from '../processors/index.ts'
import * as payment from '../sql/generated/payment.ts'
import { paymentTransitions } from './payment-machine.ts'
import { countUnanswered, getPayment, type Payment } from './payments.ts'

/**
 * Puts on record what the processor says of a payment that money was taken of: how much was captured by now, and can still be. No
 * answer is counted, as `settle` does.
 *
 * @param refused whether the processor refused the capture that was requested: it is over then
 */
export async function settleCapture(
  database: Database,
  taken: Payment,
  answer: ChargeAnswer,
  refused = false,
): Promise<Payment> {
  const { merchantId, id: paymentId } = taken
  const said = capturedOf(taken, answer)
  if (said === null) await countUnanswered(database, taken)
  else await payment.settleCapture(database, { merchantId, paymentId, ...said, refused })
  return getPayment(database, merchantId, paymentId)
}

/** Minor units that were captured in all, and that are still held; null when the answer doesn't tell. */
function capturedOf(
  taken: Payment,
  answer: ChargeAnswer,
): { readonly captured: number; readonly capturable: number } | null {
  switch (answer.status) {
    case 'succeeded':
      return { captured: answer.captured ?? taken.amount, capturable: answer.capturable }
    case 'declined':
    case 'cancelled':
    case 'untaken':
      return { captured: taken.capturedAmount, capturable: 0 }
    case 'authorized':
    case 'requires_action':
    case 'processing':
    case 'approved':
    case 'unknown':
    case 'unauthorized':
      return null
    default:
      return answer satisfies never
  }
}

/** What is about to be taken of reserved money. */
export interface Capture {
  readonly paymentId: string
  /** Minor units; null for all of it. */
  readonly amount: number | null
  /** Whether the rest is let go in any case. */
  readonly final: boolean
}

/** Puts on record what is about to be taken of reserved money. */
export const beginCapture = async (
  sql: Queryable,
  session: Session,
  capture: Capture,
): Promise<payment.BeginCaptureAnswer> =>
  payment.beginCapture(actingAs(sql, session), {
    merchantId: session.merchantId,
    ...capture,
    from: [...paymentTransitions.succeed.from, ...paymentTransitions.refundPart.from],
  })
