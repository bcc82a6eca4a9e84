import { actingAs } from '../action/acting-as.ts'
import type { Session } from '../action/session.ts'
import { jsonOf, onlyOutcome, type Queryable } from '../database.ts'
import { orderTransitions } from './order-machine.ts'
import type { OrderRefusal } from './order-refusal.ts'
import type { OrderStays } from './orders.ts'
import { linesOf, type Units } from './shipments.ts'

export interface RefundedUnits extends Units {
  /** Null: what was never sent is for sale again, what was sent is not. */
  readonly restock: boolean | null
}

export interface LineRefund {
  readonly items: readonly RefundedUnits[]
  /** What is left of the shipping, too. */
  readonly shipping: boolean
  /** Minor units; null for all that was paid for it. */
  readonly amount: number | null
  readonly reason: string
}

export type RefundOutcome =
  | Exclude<OrderStays, { readonly outcome: 'payment_open' }>
  | { readonly outcome: 'begun'; readonly orderId: string; readonly refundId: string }
  | { readonly outcome: 'invalid'; readonly refusals: readonly OrderRefusal[] }

/** Puts a refund of lines on record, which is still to be asked for. @param refundableFrom payment states that hold money */
export async function refundOrder(
  sql: Queryable,
  session: Session,
  orderId: string,
  refund: LineRefund,
  refundableFrom: readonly string[],
): Promise<RefundOutcome> {
  return onlyOutcome(
    await sql<{ outcome: RefundOutcome }[]>`
      SELECT ordering.refund_order(
        ${session.merchantId}, ${orderId}, ${jsonOf(sql, linesOf(refund.items))}, ${refund.shipping}, ${refund.amount},
        ${refund.reason}, false, ${[...refundableFrom]}::text[], ${jsonOf(sql, orderTransitions)}
      ) AS outcome FROM ${actingAs(sql, session)}`,
  )
}
