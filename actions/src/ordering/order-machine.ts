import { REFUSED, type StateMachine, transition } from '../state-machine.ts'

export type OrderStatus =
  'PENDING' | 'CONFIRMED' | 'PROCESSING' | 'SHIPPED' | 'DELIVERED' | 'CANCELLED' | 'REFUNDED'

/** lapse: the payment window ends without a payment. The others are what a merchant or shopper does. */
export type OrderEvent = 'modify' | 'pay' | 'lapse' | 'process' | 'ship' | 'deliver' | 'cancel'

/** See SPEC.md. */
export const orderMachine: StateMachine<OrderStatus, OrderEvent> = {
  PENDING: {
    modify: 'PENDING',
    pay: 'CONFIRMED',
    lapse: 'CANCELLED',
    process: REFUSED,
    ship: REFUSED,
    deliver: REFUSED,
    cancel: 'CANCELLED',
  },
  CONFIRMED: {
    modify: REFUSED,
    pay: REFUSED,
    lapse: REFUSED,
    process: 'PROCESSING',
    ship: 'SHIPPED',
    deliver: REFUSED,
    cancel: 'CANCELLED',
  },
  PROCESSING: {
    modify: REFUSED,
    pay: REFUSED,
    lapse: REFUSED,
    process: REFUSED,
    ship: 'SHIPPED',
    deliver: REFUSED,
    cancel: 'CANCELLED',
  },
  SHIPPED: {
    modify: REFUSED,
    pay: REFUSED,
    lapse: REFUSED,
    process: REFUSED,
    ship: REFUSED,
    deliver: 'DELIVERED',
    cancel: REFUSED,
  },
  DELIVERED: {
    modify: REFUSED,
    pay: REFUSED,
    lapse: REFUSED,
    process: REFUSED,
    ship: REFUSED,
    deliver: REFUSED,
    cancel: REFUSED,
  },
  CANCELLED: {
    modify: REFUSED,
    pay: REFUSED,
    lapse: REFUSED,
    process: REFUSED,
    ship: REFUSED,
    deliver: REFUSED,
    cancel: REFUSED,
  },
  REFUNDED: {
    modify: REFUSED,
    pay: REFUSED,
    lapse: REFUSED,
    process: REFUSED,
    ship: REFUSED,
    deliver: REFUSED,
    cancel: REFUSED,
  },
}

export const orderTransitions = {
  modify: transition(orderMachine, 'modify'),
  pay: transition(orderMachine, 'pay'),
  lapse: transition(orderMachine, 'lapse'),
  process: transition(orderMachine, 'process'),
  ship: transition(orderMachine, 'ship'),
  deliver: transition(orderMachine, 'deliver'),
  cancel: transition(orderMachine, 'cancel'),
}
