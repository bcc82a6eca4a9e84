import { refused, type StateMachine, transition } from '../state-machine.ts'

export type ReservationStatus = 'ACTIVE' | 'COMMITTED' | 'CONSUMED' | 'RELEASED' | 'EXPIRED'

/**
 * takeOver: an order takes the stock over. commit: the order is paid. consume: the goods leave the shelf.
 * release: a caller gives the stock back. expire: its time is over.
 */
export type ReservationEvent = 'takeOver' | 'commit' | 'consume' | 'release' | 'expire'

/** See SPEC.md. `release` of an order's reservation is the order's to say (ordering.cancel_order). */
export const reservationMachine: StateMachine<ReservationStatus, ReservationEvent> = {
  ACTIVE: {
    takeOver: 'ACTIVE',
    commit: 'COMMITTED',
    consume: refused,
    release: 'RELEASED',
    expire: 'EXPIRED',
  },
  COMMITTED: {
    takeOver: refused,
    commit: refused,
    consume: 'CONSUMED',
    release: 'RELEASED',
    expire: refused,
  },
  CONSUMED: { takeOver: refused, commit: refused, consume: refused, release: refused, expire: refused },
  RELEASED: { takeOver: refused, commit: refused, consume: refused, release: refused, expire: refused },
  EXPIRED: { takeOver: refused, commit: refused, consume: refused, release: refused, expire: refused },
}

export const release = transition(reservationMachine, 'release')
