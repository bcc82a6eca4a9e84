import { refused, type StateMachine, transition } from '../state-machine.ts'

export type MerchantStatus = 'ACTIVE' | 'SUSPENDED' | 'CLOSED'

export type MerchantEvent = 'suspend' | 'reinstate' | 'close'

/** See SPEC.md. */
const merchantMachine: StateMachine<MerchantStatus, MerchantEvent> = {
  ACTIVE: { suspend: 'SUSPENDED', reinstate: refused, close: 'CLOSED' },
  SUSPENDED: { suspend: refused, reinstate: 'ACTIVE', close: 'CLOSED' },
  CLOSED: { suspend: refused, reinstate: 'ACTIVE', close: refused },
}

export const merchantTransitions = {
  suspend: transition(merchantMachine, 'suspend'),
  reinstate: transition(merchantMachine, 'reinstate'),
  close: transition(merchantMachine, 'close'),
}
