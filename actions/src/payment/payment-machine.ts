import { refused, type StateMachine, transition } from '../state-machine.ts'

export type PaymentStatus =
  | 'PENDING'
  | 'PROCESSING'
  | 'SUCCEEDED'
  | 'FAILED'
  | 'CANCELLED'
  | 'REFUNDED'
  | 'PARTIALLY_REFUNDED'

/** wait: the processor waits for the customer, a bank or a capture. refundPart, refund: some, or the last, of it is back. */
export type PaymentEvent = 'wait' | 'succeed' | 'fail' | 'cancel' | 'refundPart' | 'refund'

/** See SPEC.md. */
export const paymentMachine: StateMachine<PaymentStatus, PaymentEvent> = {
  PENDING: {
    wait: 'PROCESSING',
    succeed: 'SUCCEEDED',
    fail: 'FAILED',
    cancel: 'CANCELLED',
    refundPart: refused,
    refund: refused,
  },
  PROCESSING: {
    wait: 'PROCESSING',
    succeed: 'SUCCEEDED',
    fail: 'FAILED',
    cancel: 'CANCELLED',
    refundPart: refused,
    refund: refused,
  },
  SUCCEEDED: {
    wait: refused,
    succeed: refused,
    fail: refused,
    cancel: refused,
    refundPart: 'PARTIALLY_REFUNDED',
    refund: 'REFUNDED',
  },
  FAILED: {
    wait: refused,
    succeed: refused,
    fail: refused,
    cancel: refused,
    refundPart: refused,
    refund: refused,
  },
  CANCELLED: {
    wait: refused,
    succeed: refused,
    fail: refused,
    cancel: refused,
    refundPart: refused,
    refund: refused,
  },
  REFUNDED: {
    wait: refused,
    succeed: refused,
    fail: refused,
    cancel: refused,
    refundPart: refused,
    refund: refused,
  },
  PARTIALLY_REFUNDED: {
    wait: refused,
    succeed: refused,
    fail: refused,
    cancel: refused,
    refundPart: 'PARTIALLY_REFUNDED',
    refund: 'REFUNDED',
  },
}

export const paymentTransitions = {
  wait: transition(paymentMachine, 'wait'),
  succeed: transition(paymentMachine, 'succeed'),
  fail: transition(paymentMachine, 'fail'),
  cancel: transition(paymentMachine, 'cancel'),
  refundPart: transition(paymentMachine, 'refundPart'),
  refund: transition(paymentMachine, 'refund'),
}
