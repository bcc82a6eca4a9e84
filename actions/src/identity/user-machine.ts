import { refused, type StateMachine, transition } from '../state-machine.ts'

export type UserStatus = 'INACTIVE' | 'ACTIVE' | 'SUSPENDED' | 'DELETED'

export type UserEvent = 'join' | 'suspend' | 'reactivate' | 'delete'

/** See SPEC.md. */
export const userMachine: StateMachine<UserStatus, UserEvent> = {
  INACTIVE: { join: 'ACTIVE', suspend: 'SUSPENDED', reactivate: refused, delete: 'DELETED' },
  ACTIVE: { join: refused, suspend: 'SUSPENDED', reactivate: refused, delete: 'DELETED' },
  SUSPENDED: { join: refused, suspend: refused, reactivate: 'ACTIVE', delete: 'DELETED' },
  DELETED: { join: refused, suspend: refused, reactivate: refused, delete: refused },
}

export const userTransitions = {
  join: transition(userMachine, 'join'),
  suspend: transition(userMachine, 'suspend'),
  reactivate: transition(userMachine, 'reactivate'),
  delete: transition(userMachine, 'delete'),
}
