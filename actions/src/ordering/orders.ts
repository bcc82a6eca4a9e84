import type { z } from 'zod'
import type { address } from '../action/input.ts'
import type { Shortage } from '../action/answer.ts'
import type { CustomerId, MerchantId } from '../action/session.ts'
import { type Database, jsonOrNull, type JsonValue, onlyOutcome, type Queryable } from '../database.ts'
import { fulfillmentTransitions } from './fulfillment-machine.ts'
import { orderTransitions } from './order-machine.ts'
import type { OrderRefusal } from './order-refusal.ts'

export type Address = z.output<typeof address>

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
  /** Seconds in which the order is to be paid. */
  readonly paymentWindow: number
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
  merchantId: MerchantId,
  customerId: string,
  lines: readonly OrderLine[],
  terms: OrderTerms,
): Promise<PlaceOutcome> {
  return onlyOutcome(
    await sql<{ outcome: PlaceOutcome }[]>`
      SELECT ordering.place_order(
        ${merchantId}, ${customerId}, ${json(sql, lines)}, NULL, ${json(sql, terms.shippingAddress)},
        ${json(sql, terms.billingAddress)}, ${terms.shippingMethodId}, ${terms.reservationId}, ${terms.couponCode},
        ${terms.notes}, NULL, make_interval(secs => ${terms.paymentWindow})
      ) AS outcome`,
  )
}

export type CheckoutOutcome = PlaceOutcome | { readonly outcome: 'unknown_cart' | 'expired' | 'empty' }

/**
 * Turns a cart into an order, once; asked again it answers with the same order.
 *
 * @param owner only this customer's carts exist
 * @param customerId whose order a guest's cart becomes
 */
export async function checkOutCart(
  sql: Queryable,
  merchantId: MerchantId,
  cart: { readonly id: string; readonly owner: CustomerId | null; readonly customerId: string | null },
  terms: OrderTerms,
): Promise<CheckoutOutcome> {
  return onlyOutcome(
    await sql<{ outcome: CheckoutOutcome }[]>`
      SELECT ordering.check_out_cart(
        ${merchantId}, ${cart.id}, ${cart.owner}, ${cart.customerId}, ${json(sql, terms.shippingAddress)},
        ${json(sql, terms.billingAddress)}, ${terms.shippingMethodId}, ${terms.reservationId}, ${terms.couponCode},
        ${terms.notes}, make_interval(secs => ${terms.paymentWindow})
      ) AS outcome`,
  )
}

/** Why an order stays as it is, whatever was tried. */
export type OrderStays =
  | { readonly outcome: 'unknown_order' }
  | { readonly outcome: 'order_refused'; readonly status: string }
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
  merchantId: MerchantId,
  orderId: string,
  changes: OrderChanges,
): Promise<ModifyOutcome> {
  return onlyOutcome(
    await sql<{ outcome: ModifyOutcome }[]>`
      SELECT ordering.modify_order(
        ${merchantId}, ${orderId}, ${json(sql, changes.addItems)}, ${json(sql, changes.updateItems)},
        ${[...changes.removeItemIds]}::uuid[], ${json(sql, changes.shippingAddress)}, ${json(sql, changes.billingAddress)},
        ${changes.notes}, ${[...orderTransitions.modify.from]}::text[]
      ) AS outcome`,
  )
}

export type CancelOutcome =
  OrderStays | { readonly outcome: 'cancelled'; readonly orderId: string; readonly refundId: string | null }

/**
 * Cancels an order, gives its stock back and records the refund that is due, which is still to be asked for.
 *
 * @param owner only this customer's orders exist
 * @param refundableFrom payment states that hold money
 */
export async function cancelOrder(
  sql: Queryable,
  merchantId: MerchantId,
  order: { readonly id: string; readonly owner: CustomerId | null; readonly reason: string },
  refundableFrom: readonly string[],
): Promise<CancelOutcome> {
  const { from, to } = orderTransitions.cancel
  return onlyOutcome(
    await sql<{ outcome: CancelOutcome }[]>`
      SELECT ordering.cancel_order(
        ${merchantId}, ${order.id}, ${order.owner}, ${order.reason}, ${[...from]}::text[], ${to},
        ${[...refundableFrom]}::text[]
      ) AS outcome`,
  )
}

export type AdvanceOutcome =
  | { readonly outcome: 'advanced'; readonly orderId: string }
  | Exclude<OrderStays, { readonly outcome: 'payment_open' }>

export interface Shipment {
  readonly carrier: string | null
  readonly trackingNumber: string | null
  readonly estimatedDeliveryAt: string | null
}

/** A paid order's way to its customer. */
export type Advance =
  { readonly event: 'process' | 'deliver' } | { readonly event: 'ship'; readonly shipment: Shipment }

export async function advanceOrder(
  sql: Queryable,
  merchantId: MerchantId,
  orderId: string,
  advance: Advance,
): Promise<AdvanceOutcome> {
  const { from, to } = orderTransitions[advance.event]
  return onlyOutcome(
    await sql<{ outcome: AdvanceOutcome }[]>`
      SELECT ordering.advance_order(
        ${merchantId}, ${orderId}, ${[...from]}::text[], ${to}, ${json(sql, fulfillmentOf(advance))}
      ) AS outcome`,
  )
}

function fulfillmentOf(advance: Advance): object | null {
  switch (advance.event) {
    case 'process':
      return null
    case 'ship':
      return { ...fulfillmentTransitions.ship, ...advance.shipment }
    case 'deliver':
      return fulfillmentTransitions.deliver
    default:
      return advance satisfies never
  }
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
    let batch: number
    do {
      batch = onlyOutcome(
        await database<{ outcome: number }[]>`
          SELECT ordering.lapse_unpaid_orders(${merchantId}, ${LAPSE_BATCH}, ${[...from]}::text[], ${to}) AS outcome`,
      )
      lapsed += batch
    } while (batch === LAPSE_BATCH)
  }
  return lapsed
}

const json = (sql: Queryable, value: object | null) => jsonOrNull(sql, value as JsonValue | null)
