import { REFUSED, type StateMachine, transition } from '../state-machine.ts'

export type FulfillmentStatus = 'UNFULFILLED' | 'PARTIAL' | 'FULFILLED' | 'SHIPPED' | 'DELIVERED' | 'RETURNED'

export type FulfillmentEvent = 'ship' | 'deliver'

/** See SPEC.md. Nothing leads to PARTIAL, FULFILLED and RETURNED yet, and nothing away from them. */
export const fulfillmentMachine: StateMachine<FulfillmentStatus, FulfillmentEvent> = {
  UNFULFILLED: { ship: 'SHIPPED', deliver: REFUSED },
  PARTIAL: { ship: REFUSED, deliver: REFUSED },
  FULFILLED: { ship: REFUSED, deliver: REFUSED },
  SHIPPED: { ship: REFUSED, deliver: 'DELIVERED' },
  DELIVERED: { ship: REFUSED, deliver: REFUSED },
  RETURNED: { ship: REFUSED, deliver: REFUSED },
}

export const fulfillmentTransitions = {
  ship: transition(fulfillmentMachine, 'ship'),
  deliver: transition(fulfillmentMachine, 'deliver'),
}
