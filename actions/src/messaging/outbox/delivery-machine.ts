import { refused, type StateMachine, transition } from '../../state-machine.ts'

export type DeliveryStatus = 'QUEUED' | 'SENDING' | 'SENT' | 'FAILED' | 'BOUNCED' | 'SUPPRESSED' | 'CANCELLED'

export type DeliveryEvent =
  | 'claim'
  | 'accept'
  | 'discard'
  | 'defer'
  | 'give_up'
  | 'bounce'
  | 'suppress'
  | 'cancel'
  | 'retry'

const settled = {
  claim: refused,
  accept: refused,
  discard: refused,
  defer: refused,
  give_up: refused,
  bounce: refused,
  suppress: refused,
  cancel: refused,
  retry: refused,
} as const

/** See SPEC.md. */
export const deliveryMachine: StateMachine<DeliveryStatus, DeliveryEvent> = {
  QUEUED: { ...settled, claim: 'SENDING', suppress: 'SUPPRESSED', cancel: 'CANCELLED' },
  SENDING: {
    ...settled,
    accept: 'SENT',
    discard: 'SUPPRESSED',
    defer: 'QUEUED',
    give_up: 'FAILED',
    bounce: 'BOUNCED',
  },
  SENT: settled,
  FAILED: { ...settled, retry: 'QUEUED' },
  BOUNCED: { ...settled, retry: 'QUEUED' },
  SUPPRESSED: settled,
  CANCELLED: settled,
}

export const deliveryTransitions = {
  accept: transition(deliveryMachine, 'accept'),
  discard: transition(deliveryMachine, 'discard'),
  defer: transition(deliveryMachine, 'defer'),
  give_up: transition(deliveryMachine, 'give_up'),
  bounce: transition(deliveryMachine, 'bounce'),
  retry: transition(deliveryMachine, 'retry'),
}
