import { refused, type StateMachine, transition } from '../state-machine.ts'

export type TransferStatus = 'DRAFT' | 'IN_TRANSIT' | 'PARTIALLY_RECEIVED' | 'RECEIVED' | 'CANCELLED'

export type TransferEvent = 'edit' | 'ship' | 'receivePart' | 'receiveAll' | 'cancel'

const over = {
  edit: refused,
  ship: refused,
  receivePart: refused,
  receiveAll: refused,
  cancel: refused,
} as const

/** See SPEC.md. */
export const transferMachine: StateMachine<TransferStatus, TransferEvent> = {
  DRAFT: {
    edit: 'DRAFT',
    ship: 'IN_TRANSIT',
    receivePart: refused,
    receiveAll: refused,
    cancel: 'CANCELLED',
  },
  IN_TRANSIT: {
    edit: refused,
    ship: refused,
    receivePart: 'PARTIALLY_RECEIVED',
    receiveAll: 'RECEIVED',
    cancel: 'CANCELLED',
  },
  PARTIALLY_RECEIVED: {
    edit: refused,
    ship: refused,
    receivePart: 'PARTIALLY_RECEIVED',
    receiveAll: 'RECEIVED',
    cancel: 'CANCELLED',
  },
  RECEIVED: over,
  CANCELLED: over,
}

export const transferTransitions = {
  edit: transition(transferMachine, 'edit'),
  ship: transition(transferMachine, 'ship'),
  receivePart: transition(transferMachine, 'receivePart'),
  receiveAll: transition(transferMachine, 'receiveAll'),
  cancel: transition(transferMachine, 'cancel'),
}
