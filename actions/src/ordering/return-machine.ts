import { REFUSED, type StateMachine, transition } from '../state-machine.ts'

export type ReturnStatus = 'REQUESTED' | 'APPROVED' | 'REJECTED' | 'RECEIVED' | 'REFUNDED' | 'CANCELLED'

/** cancel: the customer keeps the goods after all. refund: the money for them is back. */
export type ReturnEvent = 'approve' | 'reject' | 'receive' | 'refund' | 'cancel'

/** See SPEC.md. */
const returnMachine: StateMachine<ReturnStatus, ReturnEvent> = {
  REQUESTED: {
    approve: 'APPROVED',
    reject: 'REJECTED',
    receive: REFUSED,
    refund: REFUSED,
    cancel: 'CANCELLED',
  },
  APPROVED: {
    approve: REFUSED,
    reject: 'REJECTED',
    receive: 'RECEIVED',
    refund: REFUSED,
    cancel: 'CANCELLED',
  },
  REJECTED: { approve: REFUSED, reject: REFUSED, receive: REFUSED, refund: REFUSED, cancel: REFUSED },
  RECEIVED: { approve: REFUSED, reject: REFUSED, receive: REFUSED, refund: 'REFUNDED', cancel: REFUSED },
  REFUNDED: { approve: REFUSED, reject: REFUSED, receive: REFUSED, refund: REFUSED, cancel: REFUSED },
  CANCELLED: { approve: REFUSED, reject: REFUSED, receive: REFUSED, refund: REFUSED, cancel: REFUSED },
}

export const returnTransitions = {
  approve: transition(returnMachine, 'approve'),
  reject: transition(returnMachine, 'reject'),
  receive: transition(returnMachine, 'receive'),
  refund: transition(returnMachine, 'refund'),
  cancel: transition(returnMachine, 'cancel'),
}
