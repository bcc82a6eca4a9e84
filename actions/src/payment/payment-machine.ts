import { REFUSED, type StateMachine, transition } from '../state-machine.ts'

export type PaymentStatus =
  'PENDING' | 'PROCESSING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'REFUNDED' | 'PARTIALLY_REFUNDED'

/** wait: the processor waits for the customer or a bank. refund: all that is left goes back. */
export type PaymentEvent = 'wait' | 'succeed' | 'fail' | 'cancel' | 'refund'

/** See SPEC.md. */
export const paymentMachine: StateMachine<PaymentStatus, PaymentEvent> = {
  PENDING: { wait: 'PROCESSING', succeed: 'SUCCEEDED', fail: 'FAILED', cancel: 'CANCELLED', refund: REFUSED },
  PROCESSING: {
    wait: 'PROCESSING',
    succeed: 'SUCCEEDED',
    fail: 'FAILED',
    cancel: 'CANCELLED',
    refund: REFUSED,
  },
  SUCCEEDED: { wait: REFUSED, succeed: REFUSED, fail: REFUSED, cancel: REFUSED, refund: 'REFUNDED' },
  FAILED: { wait: REFUSED, succeed: REFUSED, fail: REFUSED, cancel: REFUSED, refund: REFUSED },
  CANCELLED: { wait: REFUSED, succeed: REFUSED, fail: REFUSED, cancel: REFUSED, refund: REFUSED },
  REFUNDED: { wait: REFUSED, succeed: REFUSED, fail: REFUSED, cancel: REFUSED, refund: REFUSED },
  PARTIALLY_REFUNDED: { wait: REFUSED, succeed: REFUSED, fail: REFUSED, cancel: REFUSED, refund: 'REFUNDED' },
}

export const paymentTransitions = {
  wait: transition(paymentMachine, 'wait'),
  succeed: transition(paymentMachine, 'succeed'),
  fail: transition(paymentMachine, 'fail'),
  cancel: transition(paymentMachine, 'cancel'),
  refund: transition(paymentMachine, 'refund'),
}
