import { REFUSED, type StateMachine, transition } from '../state-machine.ts'

export type AppointmentStatus =
  'SCHEDULED' | 'CONFIRMED' | 'IN_PROGRESS' | 'COMPLETED' | 'CANCELLED' | 'NO_SHOW'

export type AppointmentEvent = 'confirm' | 'reschedule' | 'start' | 'complete' | 'cancel' | 'miss'

const over = {
  confirm: REFUSED,
  reschedule: REFUSED,
  start: REFUSED,
  complete: REFUSED,
  cancel: REFUSED,
  miss: REFUSED,
} as const

/** See SPEC.md. */
export const appointmentMachine: StateMachine<AppointmentStatus, AppointmentEvent> = {
  SCHEDULED: {
    confirm: 'CONFIRMED',
    reschedule: 'SCHEDULED',
    start: 'IN_PROGRESS',
    complete: REFUSED,
    cancel: 'CANCELLED',
    miss: 'NO_SHOW',
  },
  CONFIRMED: {
    confirm: REFUSED,
    reschedule: 'SCHEDULED',
    start: 'IN_PROGRESS',
    complete: REFUSED,
    cancel: 'CANCELLED',
    miss: 'NO_SHOW',
  },
  IN_PROGRESS: {
    confirm: REFUSED,
    reschedule: REFUSED,
    start: REFUSED,
    complete: 'COMPLETED',
    cancel: REFUSED,
    miss: REFUSED,
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
