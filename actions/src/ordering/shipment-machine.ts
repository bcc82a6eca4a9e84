import { refused, type StateMachine, transition } from '../state-machine.ts'

export type ShipmentStatus = 'PACKED' | 'SHIPPED' | 'DELIVERED' | 'CANCELLED'

/** update: its carrier, tracking number or expected arrival change. */
export type ShipmentEvent = 'update' | 'ship' | 'deliver' | 'cancel'

/** See SPEC.md. */
const shipmentMachine: StateMachine<ShipmentStatus, Exclude<ShipmentEvent, 'update'>> = {
  PACKED: { ship: 'SHIPPED', deliver: refused, cancel: 'CANCELLED' },
  SHIPPED: { ship: refused, deliver: 'DELIVERED', cancel: refused },
  DELIVERED: { ship: refused, deliver: refused, cancel: refused },
  CANCELLED: { ship: refused, deliver: refused, cancel: refused },
}

export const shipmentTransitions = {
  /** It leaves the state as it is. */
  update: { from: ['PACKED', 'SHIPPED'] },
  ship: transition(shipmentMachine, 'ship'),
  deliver: transition(shipmentMachine, 'deliver'),
  cancel: transition(shipmentMachine, 'cancel'),
} as const
