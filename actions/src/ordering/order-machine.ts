import { refused, type StateMachine, transition } from '../state-machine.ts'

export type OrderStatus =
  | 'PENDING'
  | 'CONFIRMED'
  | 'PROCESSING'
  | 'SHIPPED'
  | 'DELIVERED'
  | 'CANCELLED'
  | 'REFUNDED'

/**
 * lapse: the payment window ends without a payment. fulfill: some of it is packed or shipped; ship: the last of it has
 * left; deliver: the last of it has arrived. refund: the last of its money is back. The others are what a merchant or shopper does.
 */
export type OrderEvent =
  | 'modify'
  | 'pay'
  | 'lapse'
  | 'process'
  | 'fulfill'
  | 'ship'
  | 'deliver'
  | 'cancel'
  | 'refund'

/** See SPEC.md. */
export const orderMachine: StateMachine<OrderStatus, OrderEvent> = {
  PENDING: {
    modify: 'PENDING',
    pay: 'CONFIRMED',
    lapse: 'CANCELLED',
    process: refused,
    fulfill: refused,
    ship: refused,
    deliver: refused,
    cancel: 'CANCELLED',
    refund: refused,
  },
  CONFIRMED: {
    modify: refused,
    pay: refused,
    lapse: refused,
    process: 'PROCESSING',
    fulfill: 'PROCESSING',
    ship: 'SHIPPED',
    deliver: refused,
    cancel: 'CANCELLED',
    refund: 'REFUNDED',
  },
  PROCESSING: {
    modify: refused,
    pay: refused,
    lapse: refused,
    process: refused,
    fulfill: 'PROCESSING',
    ship: 'SHIPPED',
    deliver: refused,
    cancel: 'CANCELLED',
    refund: 'REFUNDED',
  },
  SHIPPED: {
    modify: refused,
    pay: refused,
    lapse: refused,
    process: refused,
    fulfill: refused,
    ship: refused,
    deliver: 'DELIVERED',
    cancel: refused,
    refund: 'REFUNDED',
  },
  DELIVERED: {
    modify: refused,
    pay: refused,
    lapse: refused,
    process: refused,
    fulfill: refused,
    ship: refused,
    deliver: refused,
    cancel: refused,
    refund: 'REFUNDED',
  },
  CANCELLED: {
    modify: refused,
    pay: refused,
    lapse: refused,
    process: refused,
    fulfill: refused,
    ship: refused,
    deliver: refused,
    cancel: refused,
    refund: refused,
  },
  REFUNDED: {
    modify: refused,
    pay: refused,
    lapse: refused,
    process: refused,
    fulfill: refused,
    ship: refused,
    deliver: refused,
    cancel: refused,
    refund: refused,
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
