import { type Action, defineAction } from '../action/action.ts'
import type { Database } from '../database.ts'
import { advancedAnswer, shipmentAnswer } from './order-answer.ts'
import { repeatedUnits } from './named-twice.ts'
import type { ShipmentEvent } from './shipment-machine.ts'
import { advanceShipment, deliverOrder, fulfillOrder } from './shipments.ts'

/** The actions on shipments, by the name of the mutation. */
export const shipmentActions = (database: Database): Readonly<Record<string, Action>> => ({
  fulfillOrder: defineAction('fulfillOrder', {
    check: ({ input }) => repeatedUnits('items', input.items ?? []),
    async handle({ session }, { id, input }) {
      const shipment = { ...input, shipped: input.shipped ?? true }
      return advancedAnswer(session.merchantId, id, await fulfillOrder(database, session, id, shipment))
    },
  }),
  markOrderDelivered: defineAction('markOrderDelivered', {
    async handle({ session }, { id }) {
      return advancedAnswer(session.merchantId, id, await deliverOrder(database, session, id))
    },
  }),
  updateShipment: travelling('updateShipment', database, 'update'),
  markShipmentShipped: travelling('markShipmentShipped', database, 'ship'),
  markShipmentDelivered: moved('markShipmentDelivered', database, 'deliver'),
  cancelShipment: moved('cancelShipment', database, 'cancel'),
})

const travelling = (
  name: 'updateShipment' | 'markShipmentShipped',
  database: Database,
  event: ShipmentEvent,
): Action =>
  defineAction(name, {
    async handle({ session }, { id, input }) {
      return shipmentAnswer(session.merchantId, await advanceShipment(database, session, id, event, input))
    },
  })

const moved = (
  name: 'markShipmentDelivered' | 'cancelShipment',
  database: Database,
  event: ShipmentEvent,
): Action =>
  defineAction(name, {
    async handle({ session }, { id }) {
      return shipmentAnswer(session.merchantId, await advanceShipment(database, session, id, event))
    },
  })
