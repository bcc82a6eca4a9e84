import { REFUSED, type StateMachine, transition } from '../state-machine.ts'

export type SubscriptionStatus = 'ACTIVE' | 'TRIALING' | 'PAST_DUE' | 'CANCELLED' | 'UNPAID'

export type SubscriptionEvent = 'choose' | 'renew' | 'end' | 'fail' | 'settle' | 'giveUp'

/** See SPEC.md. */
const subscriptionMachine: StateMachine<SubscriptionStatus, SubscriptionEvent> = {
  ACTIVE: {
    choose: 'ACTIVE',
    renew: 'ACTIVE',
    end: 'CANCELLED',
    fail: 'PAST_DUE',
    settle: REFUSED,
    giveUp: REFUSED,
  },
  TRIALING: {
    choose: 'ACTIVE',
    renew: 'ACTIVE',
    end: 'CANCELLED',
    fail: 'PAST_DUE',
    settle: REFUSED,
    giveUp: REFUSED,
  },
  PAST_DUE: {
    choose: REFUSED,
    renew: REFUSED,
    end: REFUSED,
    fail: REFUSED,
    settle: 'ACTIVE',
    giveUp: 'UNPAID',
  },
  UNPAID: {
    choose: REFUSED,
    renew: REFUSED,
    end: REFUSED,
    fail: REFUSED,
    settle: 'ACTIVE',
    giveUp: REFUSED,
  },
  CANCELLED: {
    choose: 'ACTIVE',
    renew: REFUSED,
    end: REFUSED,
    fail: REFUSED,
    settle: REFUSED,
    giveUp: REFUSED,
  },
}

export const subscriptionTransitions = {
  choose: transition(subscriptionMachine, 'choose'),
  renew: transition(subscriptionMachine, 'renew'),
  end: transition(subscriptionMachine, 'end'),
}
