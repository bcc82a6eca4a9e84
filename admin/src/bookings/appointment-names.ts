import type { AppointmentPartsFragment, AppointmentStatus } from '../generated/operations.ts'
import type { StatusName } from '../orders/order-names.ts'

export type Appointment = AppointmentPartsFragment

export const appointmentStatuses = {
  SCHEDULED: { tone: 'wait', name: 'appointmentScheduled' },
  CONFIRMED: { tone: 'info', name: 'appointmentConfirmed' },
  IN_PROGRESS: { tone: 'info', name: 'appointmentRunning' },
  COMPLETED: { tone: 'good', name: 'appointmentDone' },
  CANCELLED: { tone: 'calm', name: 'appointmentCancelled' },
  NO_SHOW: { tone: 'bad', name: 'appointmentNoShow' },
} as const satisfies Record<AppointmentStatus, StatusName>

/** Whether it can be moved: it has not begun. */
export const isOpen = ({ status }: Appointment): boolean => status === 'SCHEDULED' || status === 'CONFIRMED'
