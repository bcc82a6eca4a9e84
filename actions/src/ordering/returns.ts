import { actingAs } from '../action/acting-as.ts'
import { ownerOf, type Session } from '../action/session.ts'
import type { Queryable } from '../database.ts'
import { orderTransitions } from './order-machine.ts'
import { returnTransitions } from './return-machine.ts'
import { linesOf, type Units } from './shipments.ts'
import * as ordering from '../sql/generated/ordering.ts'

type ReturnReason = 'DAMAGED' | 'WRONG_ITEM' | 'NOT_AS_DESCRIBED' | 'DOES_NOT_FIT' | 'CHANGED_MIND' | 'OTHER'

export interface NewReturn {
  readonly orderId: string
  readonly items: readonly (Units & { readonly reason: ReturnReason })[]
  readonly note: string | null
}

/** Of units that have left, each once; a shopper's of its own orders only. */
export const requestReturn = async (
  sql: Queryable,
  session: Session,
  { orderId, items, note }: NewReturn,
): Promise<ordering.RequestReturnAnswer> =>
  ordering.requestReturn(actingAs(sql, session), {
    merchantId: session.merchantId,
    orderId,
    customerId: ownerOf(session),
    lines: linesOf(items),
    note,
  })

/** Why a return stays as it is. */
export type ReturnStays = Extract<
  ordering.DecideReturnAnswer | ordering.RefundReturnAnswer,
  { readonly outcome: 'unknown_return' | 'return_refused' }
>

/** @param reason why it is rejected */
export const decideReturn = async (
  sql: Queryable,
  session: Session,
  returnId: string,
  event: 'approve' | 'reject' | 'cancel',
  reason: string | null = null,
): Promise<ordering.DecideReturnAnswer> =>
  ordering.decideReturn(actingAs(sql, session), {
    merchantId: session.merchantId,
    returnId,
    customerId: ownerOf(session),
    move: returnTransitions[event],
    reason,
  })

export interface Receipt {
  /** The units that are for sale again. */
  readonly restock: readonly Units[]
  /** Where; null for where orders are served from first. */
  readonly warehouseId: string | null
}

export const receiveReturn = async (
  sql: Queryable,
  session: Session,
  returnId: string,
  { restock, warehouseId }: Receipt,
): Promise<ordering.ReceiveReturnAnswer> =>
  ordering.receiveReturn(actingAs(sql, session), {
    merchantId: session.merchantId,
    returnId,
    restock: linesOf(restock),
    warehouseId,
    move: returnTransitions.receive,
    moves: orderTransitions,
  })

/** Puts the refund of what came back on record. @param refundableFrom payment states that hold money */
export const refundReturn = async (
  sql: Queryable,
  session: Session,
  returnId: string,
  { shipping, amount }: { readonly shipping: boolean; readonly amount: number | null },
  refundableFrom: readonly string[],
): Promise<ordering.RefundReturnAnswer> =>
  ordering.refundReturn(actingAs(sql, session), {
    merchantId: session.merchantId,
    returnId,
    shipping,
    amount,
    move: returnTransitions.refund,
    paymentFrom: refundableFrom,
    moves: orderTransitions,
  })
