import { refused, type StateMachine, transition } from '../state-machine.ts'

export type SubscriptionStatus = 'ACTIVE' | 'TRIALING' | 'PAST_DUE' | 'CANCELLED' | 'UNPAID'

export type SubscriptionEvent = 'choose' | 'renew' | 'end' | 'fail' | 'settle' | 'giveUp'

/** See SPEC.md. */
const subscriptionMachine: StateMachine<SubscriptionStatus, SubscriptionEvent> = {
  ACTIVE: {
    choose: 'ACTIVE',
    renew: 'ACTIVE',
    end: 'CANCELLED',
    fail: 'PAST_DUE',
    settle: refused,
    giveUp: refused,
  },
  TRIALING: {
    choose: 'ACTIVE',
    renew: 'ACTIVE',
    end: 'CANCELLED',
    fail: 'PAST_DUE',
    settle: refused,
    giveUp: refused,
  },
  PAST_DUE: {
    choose: refused,
    renew: refused,
    end: refused,
    fail: refused,
    settle: 'ACTIVE',
    giveUp: 'UNPAID',
  },
  UNPAID: {
    choose: refused,
    renew: refused,
    end: refused,
    fail: refused,
    settle: 'ACTIVE',
    giveUp: refused,
  },
  CANCELLED: {
    choose: 'ACTIVE',
    renew: refused,
    end: refused,
    fail: refused,
    settle: refused,
    giveUp: refused,
  },
}

export const subscriptionTransitions = {
  choose: transition(subscriptionMachine, 'choose'),
  renew: transition(subscriptionMachine, 'renew'),
  end: transition(subscriptionMachine, 'end'),
  fail: transition(subscriptionMachine, 'fail'),
  settle: transition(subscriptionMachine, 'settle'),
  giveUp: transition(subscriptionMachine, 'giveUp'),
}
