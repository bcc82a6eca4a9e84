import { REFUSED, type StateMachine, transition } from '../state-machine.ts'

export type ShipmentStatus = 'PACKED' | 'SHIPPED' | 'DELIVERED' | 'CANCELLED'

/** update: its carrier, tracking number or expected arrival change. */
export type ShipmentEvent = 'update' | 'ship' | 'deliver' | 'cancel'

/** See SPEC.md. */
const shipmentMachine: StateMachine<ShipmentStatus, Exclude<ShipmentEvent, 'update'>> = {
  PACKED: { ship: 'SHIPPED', deliver: REFUSED, cancel: 'CANCELLED' },
  SHIPPED: { ship: REFUSED, deliver: 'DELIVERED', cancel: REFUSED },
  DELIVERED: { ship: REFUSED, deliver: REFUSED, cancel: REFUSED },
  CANCELLED: { ship: REFUSED, deliver: REFUSED, cancel: REFUSED },
}

export const shipmentTransitions = {
  /** It leaves the state as it is. */
  update: { from: ['PACKED', 'SHIPPED'] },
  ship: transition(shipmentMachine, 'ship'),
  deliver: transition(shipmentMachine, 'deliver'),
  cancel: transition(shipmentMachine, 'cancel'),
} as const
