import { type Action, defineAction } from '../action/action.ts'
import type { Database } from '../database.ts'
import { advancedAnswer, shipmentAnswer } from './order-answer.ts'
import { fulfillOrderInput, orderIdInput, shipmentInput } from './order-input.ts'
import type { ShipmentEvent } from './shipment-machine.ts'
import { advanceShipment, deliverOrder, fulfillOrder } from './shipments.ts'

const access = { roles: ['merchant'], permission: 'orders:write' } as const

/** What moves goods to their customer. */
export const shipmentActions = (database: Database): Readonly<Record<string, Action>> => ({
  fulfillOrder: defineAction({
    ...access,
    input: fulfillOrderInput,
    async handle({ session }, { id, input }) {
      return advancedAnswer(session.merchantId, id, await fulfillOrder(database, session, id, input))
    },
  }),
  markOrderDelivered: defineAction({
    ...access,
    input: orderIdInput,
    async handle({ session }, { id }) {
      return advancedAnswer(session.merchantId, id, await deliverOrder(database, session, id))
    },
  }),
  updateShipment: travelling(database, 'update'),
  markShipmentShipped: travelling(database, 'ship'),
  markShipmentDelivered: moved(database, 'deliver'),
  cancelShipment: moved(database, 'cancel'),
})

const travelling = (database: Database, event: ShipmentEvent): Action =>
  defineAction({
    ...access,
    input: shipmentInput,
    async handle({ session }, { id, input }) {
      return shipmentAnswer(session.merchantId, await advanceShipment(database, session, id, event, input))
    },
  })

const moved = (database: Database, event: ShipmentEvent): Action =>
  defineAction({
    ...access,
    input: orderIdInput,
    async handle({ session }, { id }) {
      return shipmentAnswer(session.merchantId, await advanceShipment(database, session, id, event))
    },
  })
