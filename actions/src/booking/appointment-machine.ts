import { refused, type StateMachine, transition } from '../state-machine.ts'

export type AppointmentStatus =
  | 'SCHEDULED'
  | 'CONFIRMED'
  | 'IN_PROGRESS'
  | 'COMPLETED'
  | 'CANCELLED'
  | 'NO_SHOW'

export type AppointmentEvent = 'confirm' | 'reschedule' | 'start' | 'complete' | 'cancel' | 'miss'

const over = {
  confirm: refused,
  reschedule: refused,
  start: refused,
  complete: refused,
  cancel: refused,
  miss: refused,
} as const

/** See SPEC.md. */
export const appointmentMachine: StateMachine<AppointmentStatus, AppointmentEvent> = {
  SCHEDULED: {
    confirm: 'CONFIRMED',
    reschedule: 'SCHEDULED',
    start: 'IN_PROGRESS',
    complete: refused,
    cancel: 'CANCELLED',
    miss: 'NO_SHOW',
  },
  CONFIRMED: {
    confirm: refused,
    reschedule: 'SCHEDULED',
    start: 'IN_PROGRESS',
    complete: refused,
    cancel: 'CANCELLED',
    miss: 'NO_SHOW',
  },
  IN_PROGRESS: {
    confirm: refused,
    reschedule: refused,
    start: refused,
    complete: 'COMPLETED',
    cancel: refused,
    miss: refused,
  },
  COMPLETED: over,
  CANCELLED: over,
  NO_SHOW: over,
}

export const appointmentTransitions = {
  confirm: transition(appointmentMachine, 'confirm'),
  reschedule: transition(appointmentMachine, 'reschedule'),
  start: transition(appointmentMachine, 'start'),
  complete: transition(appointmentMachine, 'complete'),
  cancel: transition(appointmentMachine, 'cancel'),
  miss: transition(appointmentMachine, 'miss'),
}
