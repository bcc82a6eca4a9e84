import { actingAs } from '../action/acting-as.ts'
import type { Session } from '../action/session.ts'
import type { Queryable } from '../database.ts'
import { orderTransitions } from './order-machine.ts'
import { type ShipmentEvent, shipmentTransitions } from './shipment-machine.ts'
import * as ordering from '../sql/generated/ordering.ts'

/** The carrier and tracking of a shipment. */
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

/** Packs units of a paid order and, unless they wait, ships them: their stock leaves the shelf. */
export const fulfillOrder = async (
  sql: Queryable,
  session: Session,
  orderId: string,
  { items, shipped, ...journey }: NewShipment,
): Promise<ordering.FulfillOrderAnswer> =>
  ordering.fulfillOrder(actingAs(sql, session), {
    merchantId: session.merchantId,
    orderId,
    lines: items && linesOf(items),
    shipment: journey,
    ship: shipped ? shipmentTransitions.ship : null,
    moves: orderTransitions,
  })

export const linesOf = <Line extends Units>(items: readonly Line[]) =>
  items.map(({ orderItemId, ...rest }) => ({ id: orderItemId, ...rest }))

export const deliverOrder = async (
  sql: Queryable,
  session: Session,
  orderId: string,
): Promise<ordering.DeliverOrderAnswer> =>
  ordering.deliverOrder(actingAs(sql, session), {
    merchantId: session.merchantId,
    orderId,
    deliver: shipmentTransitions.deliver,
    moves: orderTransitions,
  })

const sameJourney: Journey = { carrier: null, trackingNumber: null, estimatedDeliveryAt: null }

export const advanceShipment = async (
  sql: Queryable,
  session: Session,
  shipmentId: string,
  event: ShipmentEvent,
  journey: Journey = sameJourney,
): Promise<ordering.AdvanceShipmentAnswer> =>
  ordering.advanceShipment(actingAs(sql, session), {
    merchantId: session.merchantId,
    shipmentId,
    event,
    move: shipmentTransitions[event],
    shipment: journey,
    moves: orderTransitions,
  })
