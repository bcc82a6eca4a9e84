import { actingAs } from '../action/acting-as.ts'
import { ownerOf, type Session } from '../action/session.ts'
import { jsonOf, onlyOutcome, type Queryable } from '../database.ts'
import { orderTransitions } from './order-machine.ts'
import type { OrderRefusal } from './order-refusal.ts'
import type { RefundOutcome } from './order-refunds.ts'
import { returnTransitions } from './return-machine.ts'
import { linesOf, type Units } from './shipments.ts'

export const returnReasons = [
  'DAMAGED',
  'WRONG_ITEM',
  'NOT_AS_DESCRIBED',
  'DOES_NOT_FIT',
  'CHANGED_MIND',
  'OTHER',
] as const

export interface NewReturn {
  readonly orderId: string
  readonly items: readonly (Units & { readonly reason: (typeof returnReasons)[number] })[]
  readonly note: string | null
}

interface Invalid {
  readonly outcome: 'invalid'
  readonly refusals: readonly OrderRefusal[]
}

export type RequestReturnOutcome =
  | { readonly outcome: 'requested'; readonly returnId: string }
  | { readonly outcome: 'unknown_order' }
  | Invalid

/** Of units that have left, each once; a shopper's of its own orders only. */
export async function requestReturn(
  sql: Queryable,
  session: Session,
  { orderId, items, note }: NewReturn,
): Promise<RequestReturnOutcome> {
  return onlyOutcome(
    await sql<{ outcome: RequestReturnOutcome }[]>`
      SELECT ordering.request_return(
        ${session.merchantId}, ${orderId}, ${ownerOf(session)}, ${jsonOf(sql, linesOf(items))}, ${note}
      ) AS outcome FROM ${actingAs(sql, session)}`,
  )
}

/** Why a return stays as it is. */
export type ReturnStays =
  { readonly outcome: 'unknown_return' } | { readonly outcome: 'return_refused'; readonly status: string }

export type AdvanceReturnOutcome =
  ReturnStays | { readonly outcome: 'advanced'; readonly returnId: string } | Invalid

/** @param reason why it is rejected */
export async function decideReturn(
  sql: Queryable,
  session: Session,
  returnId: string,
  event: 'approve' | 'reject' | 'cancel',
  reason: string | null = null,
): Promise<AdvanceReturnOutcome> {
  return onlyOutcome(
    await sql<{ outcome: AdvanceReturnOutcome }[]>`
      SELECT ordering.decide_return(
        ${session.merchantId}, ${returnId}, ${ownerOf(session)}, ${jsonOf(sql, returnTransitions[event])}, ${reason}
      ) AS outcome FROM ${actingAs(sql, session)}`,
  )
}

export interface Receipt {
  /** The units that are for sale again. */
  readonly restock: readonly Units[]
  /** Where; null for where orders are served from first. */
  readonly warehouseId: string | null
}

export async function receiveReturn(
  sql: Queryable,
  session: Session,
  returnId: string,
  { restock, warehouseId }: Receipt,
): Promise<AdvanceReturnOutcome> {
  return onlyOutcome(
    await sql<{ outcome: AdvanceReturnOutcome }[]>`
      SELECT ordering.receive_return(
        ${session.merchantId}, ${returnId}, ${jsonOf(sql, linesOf(restock))}, ${warehouseId},
        ${jsonOf(sql, returnTransitions.receive)}, ${jsonOf(sql, orderTransitions)}
      ) AS outcome FROM ${actingAs(sql, session)}`,
  )
}

export type RefundReturnOutcome = ReturnStays | RefundOutcome

/** Puts the refund of what came back on record. @param refundableFrom payment states that hold money */
export async function refundReturn(
  sql: Queryable,
  session: Session,
  returnId: string,
  { shipping, amount }: { readonly shipping: boolean; readonly amount: number | null },
  refundableFrom: readonly string[],
): Promise<RefundReturnOutcome> {
  return onlyOutcome(
    await sql<{ outcome: RefundReturnOutcome }[]>`
      SELECT ordering.refund_return(
        ${session.merchantId}, ${returnId}, ${shipping}, ${amount}, ${jsonOf(sql, returnTransitions.refund)},
        ${[...refundableFrom]}::text[], ${jsonOf(sql, orderTransitions)}
      ) AS outcome FROM ${actingAs(sql, session)}`,
  )
}
