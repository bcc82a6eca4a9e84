import type { AddressInput, Filled } from '@commerce-graph/contract'
import type { Shortage } from '../action/answer.ts'
import { actingAs } from '../action/acting-as.ts'
import { ownerOf, type Session } from '../action/session.ts'
import { type Database, jsonOf, onlyOutcome, type Queryable } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import { orderTransitions } from './order-machine.ts'
import type { OrderRefusal } from './order-refusal.ts'

export type Address = Filled<AddressInput>

export interface OrderLine {
  readonly productId: string
  readonly variantId: string | null
  readonly quantity: number
}

/** What the order gets besides its lines, whether it comes from a cart or not. */
export interface OrderTerms {
  readonly shippingAddress: Address
  readonly billingAddress: Address | null
  readonly shippingMethodId: string | null
  /** An ACTIVE reservation to take over. */
  readonly reservationId: string | null
  /** The coupon to place it with; null for the cart's, if it comes from one that has one. */
  readonly couponCode: string | null
  readonly notes: string | null
}

export type PlaceOutcome =
  | { readonly outcome: 'placed'; readonly orderId: string }
  | { readonly outcome: 'invalid'; readonly refusals: readonly OrderRefusal[] }
  | {
      readonly outcome: 'insufficient'
      readonly shortages: readonly (Shortage & { readonly position: number })[]
    }

/** Places an order in one round trip: checks, prices, reserves and writes it, or changes nothing. */
export async function placeOrder(
  sql: Queryable,
  session: Session,
  customerId: string,
  lines: readonly OrderLine[],
  terms: OrderTerms,
): Promise<PlaceOutcome> {
  return onlyOutcome(
    await sql<{ outcome: PlaceOutcome }[]>`
      SELECT ordering.place_order(
        ${session.merchantId}, ${customerId}, ${jsonOf(sql, lines)}, NULL, ${jsonOf(sql, terms.shippingAddress)},
        ${jsonOf(sql, terms.billingAddress)}, ${terms.shippingMethodId}, ${terms.reservationId}, ${terms.couponCode},
        ${terms.notes}, NULL, ${session.role === 'customer'}, ${jsonOf(sql, orderTransitions.pay)}
      ) AS outcome FROM ${actingAs(sql, session)}`,
  )
}

export type CheckoutOutcome = PlaceOutcome | { readonly outcome: 'unknown_cart' | 'expired' | 'empty' }

/** Null for what the cart says already. */
export interface CheckoutTerms extends Omit<OrderTerms, 'shippingAddress'> {
  readonly shippingAddress: Address | null
  /** What the customer was shown; an order that costs anything else isn't placed. */
  readonly expectedTotal: number | null
}

/**
 * Turns a cart into an order, once; asked again it answers with the same order.
 *
 * @param cart.customerId whose order a guest's cart becomes
 */
export async function checkOutCart(
  sql: Queryable,
  session: Session,
  cart: { readonly id: string; readonly customerId: string | null },
  terms: CheckoutTerms,
): Promise<CheckoutOutcome> {
  return onlyOutcome(
    await sql<{ outcome: CheckoutOutcome }[]>`
      SELECT ordering.check_out_cart(
        ${session.merchantId}, ${cart.id}, ${ownerOf(session)}, ${cart.customerId}, ${jsonOf(sql, terms.shippingAddress)},
        ${jsonOf(sql, terms.billingAddress)}, ${terms.shippingMethodId}, ${terms.reservationId}, ${terms.couponCode},
        ${terms.expectedTotal}, ${terms.notes}, ${jsonOf(sql, orderTransitions.pay)}
      ) AS outcome FROM ${actingAs(sql, session)}`,
  )
}

/** Why an order stays as it is, whatever was tried. */
export type OrderStays =
  | { readonly outcome: 'unknown_order' }
  | {
      readonly outcome: 'order_refused'
      readonly status: string
      readonly reason?: 'partly_shipped' | 'nothing_paid'
    }
  | { readonly outcome: 'payment_open'; readonly paymentId: string; readonly status: string }

export interface OrderChanges {
  readonly addItems: readonly OrderLine[]
  readonly updateItems: readonly { readonly id: string; readonly quantity: number }[]
  readonly removeItemIds: readonly string[]
  readonly shippingAddress: Address | null
  readonly billingAddress: Address | null
  readonly notes: string | null
}

export type ModifyOutcome =
  | OrderStays
  | { readonly outcome: 'modified'; readonly orderId: string }
  | Exclude<PlaceOutcome, { readonly outcome: 'placed' | 'insufficient' }>
  | { readonly outcome: 'insufficient'; readonly shortages: readonly Shortage[] }

/** Changes an unpaid order, its totals and its reservation in one transaction. */
export async function modifyOrder(
  sql: Queryable,
  session: Session,
  orderId: string,
  changes: OrderChanges,
): Promise<ModifyOutcome> {
  return onlyOutcome(
    await sql<{ outcome: ModifyOutcome }[]>`
      SELECT ordering.modify_order(
        ${session.merchantId}, ${orderId}, ${jsonOf(sql, changes.addItems)}, ${jsonOf(sql, changes.updateItems)},
        ${[...changes.removeItemIds]}::uuid[], ${jsonOf(sql, changes.shippingAddress)}, ${jsonOf(sql, changes.billingAddress)},
        ${changes.notes}, ${[...orderTransitions.modify.from]}::text[], ${jsonOf(sql, orderTransitions.pay)}
      ) AS outcome FROM ${actingAs(sql, session)}`,
  )
}

export type CancelOutcome =
  OrderStays | { readonly outcome: 'cancelled'; readonly orderId: string; readonly refundId: string | null }

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
): Promise<CancelOutcome> {
  const { from, to } = orderTransitions.cancel
  return onlyOutcome(
    await sql<{ outcome: CancelOutcome }[]>`
      SELECT ordering.cancel_order(
        ${session.merchantId}, ${order.id}, ${ownerOf(session)}, ${order.reason}, ${[...from]}::text[], ${to},
        ${[...refundableFrom]}::text[]
      ) AS outcome FROM ${actingAs(sql, session)}`,
  )
}

export type AdvanceOutcome =
  | { readonly outcome: 'advanced'; readonly orderId: string }
  | Exclude<OrderStays, { readonly outcome: 'payment_open' }>

export async function processOrder(
  sql: Queryable,
  session: Session,
  orderId: string,
): Promise<AdvanceOutcome> {
  return onlyOutcome(
    await sql<{ outcome: AdvanceOutcome }[]>`
      SELECT ordering.process_order(${session.merchantId}, ${orderId}, ${jsonOf(sql, orderTransitions)}) AS outcome
      FROM ${actingAs(sql, session)}`,
  )
}

export type NoteOutcome =
  { readonly outcome: 'noted'; readonly orderId: string } | { readonly outcome: 'unknown_order' }

/** Adds a remark to an order's history, where nobody changes it any more. */
export async function addNote(
  sql: Queryable,
  session: Session,
  orderId: string,
  note: { readonly text: string; readonly visibleToCustomer: boolean },
): Promise<NoteOutcome> {
  return onlyOutcome(
    await sql<{ outcome: NoteOutcome }[]>`
      SELECT ordering.add_note(${session.merchantId}, ${orderId}, ${note.text}, ${!note.visibleToCustomer}) AS outcome
      FROM ${actingAs(sql, session)}`,
  )
}

/** Orders that one statement cancels at most: short transactions, few locks. */
const LAPSE_BATCH = 100

/** Cancels unpaid orders whose payment window is over, of every merchant. Returns how many. */
export async function lapseUnpaidOrders(database: Database): Promise<number> {
  const { from, to } = orderTransitions.lapse
  const merchants = await database<{ merchant_id: string }[]>`
    SELECT DISTINCT r.merchant_id FROM inventory.reservation r
    WHERE r.status = 'ACTIVE' AND r.order_id IS NOT NULL AND r.expires_at <= now()`
  let lapsed = 0
  for (const { merchant_id: merchantId } of merchants) {
    lapsed += await inBatches(LAPSE_BATCH, async () =>
      onlyOutcome(
        await database<{ outcome: number }[]>`
          SELECT ordering.lapse_unpaid_orders(${merchantId}, ${LAPSE_BATCH}, ${[...from]}::text[], ${to}) AS outcome`,
      ),
    )
  }
  return lapsed
}
