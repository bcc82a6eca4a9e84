import { REFUSED, type StateMachine, transition } from '../state-machine.ts'

export type OrderStatus =
  'PENDING' | 'CONFIRMED' | 'PROCESSING' | 'SHIPPED' | 'DELIVERED' | 'CANCELLED' | 'REFUNDED'

/**
 * lapse: the payment window ends without a payment. fulfill: some of it is packed or shipped; ship: the last of it has
 * left; deliver: the last of it has arrived. refund: the last of its money is back. The others are what a merchant or shopper does.
 */
export type OrderEvent =
  'modify' | 'pay' | 'lapse' | 'process' | 'fulfill' | 'ship' | 'deliver' | 'cancel' | 'refund'

/** See SPEC.md. */
export const orderMachine: StateMachine<OrderStatus, OrderEvent> = {
  PENDING: {
    modify: 'PENDING',
    pay: 'CONFIRMED',
    lapse: 'CANCELLED',
    process: REFUSED,
    fulfill: REFUSED,
    ship: REFUSED,
    deliver: REFUSED,
    cancel: 'CANCELLED',
    refund: REFUSED,
  },
  CONFIRMED: {
    modify: REFUSED,
    pay: REFUSED,
    lapse: REFUSED,
    process: 'PROCESSING',
    fulfill: 'PROCESSING',
    ship: 'SHIPPED',
    deliver: REFUSED,
    cancel: 'CANCELLED',
    refund: 'REFUNDED',
  },
  PROCESSING: {
    modify: REFUSED,
    pay: REFUSED,
    lapse: REFUSED,
    process: REFUSED,
    fulfill: 'PROCESSING',
    ship: 'SHIPPED',
    deliver: REFUSED,
    cancel: 'CANCELLED',
    refund: 'REFUNDED',
  },
  SHIPPED: {
    modify: REFUSED,
    pay: REFUSED,
    lapse: REFUSED,
    process: REFUSED,
    fulfill: REFUSED,
    ship: REFUSED,
    deliver: 'DELIVERED',
    cancel: REFUSED,
    refund: 'REFUNDED',
  },
  DELIVERED: {
    modify: REFUSED,
    pay: REFUSED,
    lapse: REFUSED,
    process: REFUSED,
    fulfill: REFUSED,
    ship: REFUSED,
    deliver: REFUSED,
    cancel: REFUSED,
    refund: 'REFUNDED',
  },
  CANCELLED: {
    modify: REFUSED,
    pay: REFUSED,
    lapse: REFUSED,
    process: REFUSED,
    fulfill: REFUSED,
    ship: REFUSED,
    deliver: REFUSED,
    cancel: REFUSED,
    refund: REFUSED,
  },
  REFUNDED: {
    modify: REFUSED,
    pay: REFUSED,
    lapse: REFUSED,
    process: REFUSED,
    fulfill: REFUSED,
    ship: REFUSED,
    deliver: REFUSED,
    cancel: REFUSED,
    refund: REFUSED,
  },
}

export const orderTransitions = {
  modify: transition(orderMachine, 'modify'),
  pay: transition(orderMachine, 'pay'),
  lapse: transition(orderMachine, 'lapse'),
  process: transition(orderMachine, 'process'),
  fulfill: transition(orderMachine, 'fulfill'),
  ship: transition(orderMachine, 'ship'),
  deliver: transition(orderMachine, 'deliver'),
  cancel: transition(orderMachine, 'cancel'),
  refund: transition(orderMachine, 'refund'),
}
