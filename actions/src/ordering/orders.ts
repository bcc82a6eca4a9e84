import { byMerchant, merchantsOfRun, type OfMerchant } from '../by-merchant.ts'
import type { AddressInput, Filled } from '@commerce-graph/contract'
import { actingAs } from '../action/acting-as.ts'
import { ownerOf, type Session } from '../action/session.ts'
import type { LineTerms } from '../catalog/index.ts'
import type { Database, Queryable } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import { orderTransitions } from './order-machine.ts'
import * as ordering from '../sql/generated/ordering.ts'

export type Address = Filled<AddressInput>

export interface OrderLine extends LineTerms {
  readonly productId: string
  readonly variantId: string | null
  readonly quantity: number
}

/** Why an order stays as it is, whatever was tried. */
export type OrderStays = Extract<
  ordering.ModifyOrderAnswer | ordering.CancelOrderAnswer | ordering.RefundOrderAnswer,
  { readonly outcome: 'unknown_order' | 'order_refused' | 'payment_open' }
>

export interface OrderChanges {
  readonly addItems: readonly OrderLine[]
  readonly updateItems: readonly { readonly id: string; readonly quantity: number }[]
  readonly removeItemIds: readonly string[]
  readonly shippingAddress: Address | null
  readonly billingAddress: Address | null
  readonly notes: string | null
}

/** Changes an unpaid order, its totals and its reservation in one transaction. */
export const modifyOrder = async (
  sql: Queryable,
  session: Session,
  orderId: string,
  changes: OrderChanges,
): Promise<ordering.ModifyOrderAnswer> =>
  ordering.modifyOrder(actingAs(sql, session), {
    merchantId: session.merchantId,
    orderId,
    add: changes.addItems,
    update: changes.updateItems,
    remove: changes.removeItemIds,
    shippingAddress: changes.shippingAddress,
    billingAddress: changes.billingAddress,
    notes: changes.notes,
    from: orderTransitions.modify.from,
    pay: orderTransitions.pay,
  })

/**
 * Cancels an order, gives its stock back and records the refund that is due, which is still to be asked for.
 *
 * @param refundableFrom payment states that hold money
 */
export async function cancelOrder(
  sql: Queryable,
  session: Session,
  order: { readonly id: string; readonly reason: string },
  refundableFrom: readonly string[],
): Promise<ordering.CancelOrderAnswer> {
  const { from, to } = orderTransitions.cancel
  return ordering.cancelOrder(actingAs(sql, session), {
    merchantId: session.merchantId,
    orderId: order.id,
    customerId: ownerOf(session),
    reason: order.reason,
    from,
    to,
    paymentFrom: refundableFrom,
  })
}

export const processOrder = async (
  sql: Queryable,
  session: Session,
  orderId: string,
): Promise<ordering.ProcessOrderAnswer> =>
  ordering.processOrder(actingAs(sql, session), {
    merchantId: session.merchantId,
    orderId,
    moves: orderTransitions,
  })

/** Adds a remark to an order's history, where it can't be changed any more. */
export const addNote = async (
  sql: Queryable,
  session: Session,
  orderId: string,
  note: { readonly text: string; readonly visibleToCustomer: boolean },
): Promise<ordering.AddNoteAnswer> =>
  ordering.addNote(actingAs(sql, session), {
    merchantId: session.merchantId,
    orderId,
    text: note.text,
    staffOnly: !note.visibleToCustomer,
  })

/** Orders that one statement cancels at most: short transactions, few locks. */
const lapseBatch = 100

/** Cancels unpaid orders whose payment window is over, of every merchant. Returns how many. */
export async function lapseUnpaidOrders(database: Database): Promise<number> {
  const { from, to } = orderTransitions.lapse
  const due = database<OfMerchant[]>`
    SELECT DISTINCT r.merchant_id AS "merchantId" FROM inventory.reservation r
    WHERE r.status = 'ACTIVE' AND r.order_id IS NOT NULL AND r.expires_at <= now()
    LIMIT ${merchantsOfRun}`
  return byMerchant(database, due, (own, merchantId) =>
    inBatches(lapseBatch, () => ordering.lapseUnpaidOrders(own, { merchantId, limit: lapseBatch, from, to })),
  )
}
