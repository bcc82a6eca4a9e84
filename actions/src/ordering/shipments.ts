import { actingAs } from '../action/acting-as.ts'
import type { Session } from '../action/session.ts'
import { jsonOf, onlyOutcome, type Queryable } from '../database.ts'
import { orderTransitions } from './order-machine.ts'
import type { OrderRefusal } from './order-refusal.ts'
import type { AdvanceOutcome } from './orders.ts'
import { type ShipmentEvent, shipmentTransitions } from './shipment-machine.ts'

/** How a shipment travels. */
export interface Journey {
  readonly carrier: string | null
  readonly trackingNumber: string | null
  readonly estimatedDeliveryAt: string | null
}

export interface Units {
  readonly orderItemId: string
  readonly quantity: number
}

export interface NewShipment extends Journey {
  /** Null for all that isn't packed yet. */
  readonly items: readonly Units[] | null
  /** Whether it leaves at once. */
  readonly shipped: boolean
}

export type FulfillOutcome =
  AdvanceOutcome | { readonly outcome: 'invalid'; readonly refusals: readonly OrderRefusal[] }

/** Packs units of a paid order and, unless they wait, ships them: their stock leaves the shelf. */
export async function fulfillOrder(
  sql: Queryable,
  session: Session,
  orderId: string,
  { items, shipped, ...journey }: NewShipment,
): Promise<FulfillOutcome> {
  return onlyOutcome(
    await sql<{ outcome: FulfillOutcome }[]>`
      SELECT ordering.fulfill_order(
        ${session.merchantId}, ${orderId}, ${jsonOf(sql, items && linesOf(items))}, ${jsonOf(sql, journey)},
        ${jsonOf(sql, shipped ? shipmentTransitions.ship : null)}, ${jsonOf(sql, orderTransitions)}
      ) AS outcome FROM ${actingAs(sql, session)}`,
  )
}

export const linesOf = <Line extends Units>(items: readonly Line[]) =>
  items.map(({ orderItemId, ...rest }) => ({ id: orderItemId, ...rest }))

export async function deliverOrder(
  sql: Queryable,
  session: Session,
  orderId: string,
): Promise<AdvanceOutcome> {
  return onlyOutcome(
    await sql<{ outcome: AdvanceOutcome }[]>`
      SELECT ordering.deliver_order(
        ${session.merchantId}, ${orderId}, ${jsonOf(sql, shipmentTransitions.deliver)}, ${jsonOf(sql, orderTransitions)}
      ) AS outcome FROM ${actingAs(sql, session)}`,
  )
}

export type ShipmentOutcome =
  | { readonly outcome: 'advanced'; readonly shipmentId: string }
  | { readonly outcome: 'unknown_shipment' }
  | { readonly outcome: 'shipment_refused'; readonly status: string }

const sameJourney: Journey = { carrier: null, trackingNumber: null, estimatedDeliveryAt: null }

export async function advanceShipment(
  sql: Queryable,
  session: Session,
  shipmentId: string,
  event: ShipmentEvent,
  journey: Journey = sameJourney,
): Promise<ShipmentOutcome> {
  return onlyOutcome(
    await sql<{ outcome: ShipmentOutcome }[]>`
      SELECT ordering.advance_shipment(
        ${session.merchantId}, ${shipmentId}, ${event}, ${jsonOf(sql, shipmentTransitions[event])},
        ${jsonOf(sql, journey)}, ${jsonOf(sql, orderTransitions)}
      ) AS outcome FROM ${actingAs(sql, session)}`,
  )
}
