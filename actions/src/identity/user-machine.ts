import { REFUSED, type StateMachine, transition } from '../state-machine.ts'

export type UserStatus = 'INACTIVE' | 'ACTIVE' | 'SUSPENDED' | 'DELETED'

export type UserEvent = 'join' | 'suspend' | 'reactivate' | 'delete'

/** See SPEC.md. */
export const userMachine: StateMachine<UserStatus, UserEvent> = {
  INACTIVE: { join: 'ACTIVE', suspend: 'SUSPENDED', reactivate: REFUSED, delete: 'DELETED' },
  ACTIVE: { join: REFUSED, suspend: 'SUSPENDED', reactivate: REFUSED, delete: 'DELETED' },
  SUSPENDED: { join: REFUSED, suspend: REFUSED, reactivate: 'ACTIVE', delete: 'DELETED' },
  DELETED: { join: REFUSED, suspend: REFUSED, reactivate: REFUSED, delete: REFUSED },
}

export const userTransitions = {
  join: transition(userMachine, 'join'),
  suspend: transition(userMachine, 'suspend'),
  reactivate: transition(userMachine, 'reactivate'),
  delete: transition(userMachine, 'delete'),
}
