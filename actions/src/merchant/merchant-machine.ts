import { refused, type StateMachine, transition } from '../state-machine.ts'

export type MerchantStatus = 'ACTIVE' | 'SUSPENDED'

export type MerchantEvent = 'suspend' | 'reinstate'

/** See SPEC.md. */
const merchantMachine: StateMachine<MerchantStatus, MerchantEvent> = {
  ACTIVE: { suspend: 'SUSPENDED', reinstate: refused },
  SUSPENDED: { suspend: refused, reinstate: 'ACTIVE' },
}

export const merchantTransitions = {
  suspend: transition(merchantMachine, 'suspend'),
  reinstate: transition(merchantMachine, 'reinstate'),
}
