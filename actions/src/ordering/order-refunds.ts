import { actingAs } from '../action/acting-as.ts'
import type { Session } from '../action/session.ts'
import type { Queryable } from '../database.ts'
import { orderTransitions } from './order-machine.ts'
import { linesOf, type Units } from './shipments.ts'
import * as ordering from '../sql/generated/ordering.ts'

interface RefundedUnits extends Units {
  /** Null: what was never sent is for sale again, what was sent is not. */
  readonly restock: boolean | null
}

export interface LineRefund {
  readonly items: readonly RefundedUnits[]
  /** Whether the rest of the shipping is refunded, too. */
  readonly shipping: boolean
  /** Minor units; null for all that was paid for it. */
  readonly amount: number | null
  readonly reason: string
}

/** Puts a refund of lines on record, which is still to be asked for. @param refundableFrom payment states that hold money */
export const refundOrder = async (
  sql: Queryable,
  session: Session,
  orderId: string,
  refund: LineRefund,
  refundableFrom: readonly string[],
): Promise<ordering.RefundOrderAnswer> =>
  ordering.refundOrder(actingAs(sql, session), {
    merchantId: session.merchantId,
    orderId,
    lines: linesOf(refund.items),
    shipping: refund.shipping,
    amount: refund.amount,
    reason: refund.reason,
    sentOnly: false,
    paymentFrom: refundableFrom,
    moves: orderTransitions,
  })
