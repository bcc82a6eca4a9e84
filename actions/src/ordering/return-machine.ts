import { refused, type StateMachine, transition } from '../state-machine.ts'

export type ReturnStatus = 'REQUESTED' | 'APPROVED' | 'REJECTED' | 'RECEIVED' | 'REFUNDED' | 'CANCELLED'

/** cancel: the customer keeps the goods after all. refund: the money for them is back. */
export type ReturnEvent = 'approve' | 'reject' | 'receive' | 'refund' | 'cancel'

/** See SPEC.md. */
const returnMachine: StateMachine<ReturnStatus, ReturnEvent> = {
  REQUESTED: {
    approve: 'APPROVED',
    reject: 'REJECTED',
    receive: refused,
    refund: refused,
    cancel: 'CANCELLED',
  },
  APPROVED: {
    approve: refused,
    reject: 'REJECTED',
    receive: 'RECEIVED',
    refund: refused,
    cancel: 'CANCELLED',
  },
  REJECTED: { approve: refused, reject: refused, receive: refused, refund: refused, cancel: refused },
  RECEIVED: { approve: refused, reject: refused, receive: refused, refund: 'REFUNDED', cancel: refused },
  REFUNDED: { approve: refused, reject: refused, receive: refused, refund: refused, cancel: refused },
  CANCELLED: { approve: refused, reject: refused, receive: refused, refund: refused, cancel: refused },
}

export const returnTransitions = {
  approve: transition(returnMachine, 'approve'),
  reject: transition(returnMachine, 'reject'),
  receive: transition(returnMachine, 'receive'),
  refund: transition(returnMachine, 'refund'),
  cancel: transition(returnMachine, 'cancel'),
}
