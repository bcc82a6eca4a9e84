import { z } from 'zod'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../../database.ts'
import * as notification from '../../sql/generated/notification.ts'
import type { MessageKind } from '../compose/index.ts'
import { announce } from '../outbox/index.ts'
import type { RowEvent } from './event.ts'

const appointmentRow = z.object({
  merchant_id: z.guid().transform((id) => id as MerchantId),
  id: z.guid(),
  status: z.string(),
  start_time: z.string(),
  staff_id: z.guid(),
  booked_here: z.boolean().optional(),
  /** Not null: its time is only kept for its prepayment. */
  payment_due_at: z.string().nullish(),
})

type AppointmentRow = z.output<typeof appointmentRow>
type CustomerKind = Extract<MessageKind, `APPOINTMENT_${string}`>
type StaffKind = Extract<MessageKind, `STAFF_APPOINTMENT_${string}`>

/** Tells the customer and the staff members what a change of an appointment means for them. */
export async function announceAppointmentChange(database: Database, event: RowEvent): Promise<void> {
  const row = appointmentRow.parse(event.new)
  const before = event.old === null ? null : appointmentRow.parse(event.old)
  // An appointment can come to the same time more than once, and each move is news.
  const move = `${row.id} ${event.id}`
  if (before === null) {
    // An imported appointment sends no messages. One that waits for its prepayment is announced with that.
    if (row.booked_here !== true || row.payment_due_at != null) return
    await announceToCustomer(database, 'APPOINTMENT_BOOKED', row)
    await announceToStaff(database, 'STAFF_APPOINTMENT_BOOKED', row, move)
  } else if (before.payment_due_at != null) {
    await announceAfterPrepayment(database, row, move)
  } else if (row.status === 'CANCELLED' && before.status !== row.status) {
    await announceToCustomer(database, 'APPOINTMENT_CANCELLED', row)
    await announceToStaff(database, 'STAFF_APPOINTMENT_CANCELLED', row, move)
  } else if (before.staff_id !== row.staff_id) {
    await announceToCustomer(database, 'APPOINTMENT_MOVED', row, move)
    await announceToStaff(database, 'STAFF_APPOINTMENT_CANCELLED', before, move)
    await announceToStaff(database, 'STAFF_APPOINTMENT_BOOKED', row, move)
  } else if (Date.parse(before.start_time) !== Date.parse(row.start_time)) {
    await announceToCustomer(database, 'APPOINTMENT_MOVED', row, move)
    await announceToStaff(database, 'STAFF_APPOINTMENT_MOVED', row, move)
  }
}

/** An appointment whose time was only kept so far: the shop hears of it once it is certain, the customer also if it never is. */
async function announceAfterPrepayment(database: Database, row: AppointmentRow, move: string): Promise<void> {
  if (row.payment_due_at != null) return
  if (row.status === 'CANCELLED') {
    await announceToCustomer(database, 'APPOINTMENT_CANCELLED', row)
    return
  }
  await announceToCustomer(database, 'APPOINTMENT_BOOKED', row)
  await announceToStaff(database, 'STAFF_APPOINTMENT_BOOKED', row, move)
}

/** The states in which the customer gets the mail. */
const announcedWhile: Readonly<Record<CustomerKind, readonly string[]>> = {
  APPOINTMENT_BOOKED: ['SCHEDULED', 'CONFIRMED'],
  APPOINTMENT_MOVED: ['SCHEDULED', 'CONFIRMED'],
  APPOINTMENT_CANCELLED: ['CANCELLED'],
  APPOINTMENT_REMINDER: ['SCHEDULED', 'CONFIRMED'],
}

/**
 * Announces an appointment that is still ahead. One that has been moved since is announced at its new time only.
 *
 * @param appointment with its start when it happened
 * @param subjectKey what makes it one message; the appointment at its time unless given
 */
export async function announceToCustomer(
  database: Database,
  kind: CustomerKind,
  appointment: Pick<AppointmentRow, 'merchant_id' | 'id' | 'start_time'>,
  subjectKey = `${appointment.id} ${new Date(appointment.start_time).toISOString()}`,
): Promise<void> {
  const { merchant_id: merchantId, id, start_time: startTime } = appointment
  const message = await notification.appointmentMessage(database, {
    merchantId,
    appointmentId: id,
    startTime,
    statuses: announcedWhile[kind],
  })
  await announce(database, { merchantId, kind, subjectKey, message })
}

/** Tells the staff member of the row, by e-mail, and the shop, by its other channels, if it is still so. */
async function announceToStaff(
  database: Database,
  kind: StaffKind,
  { merchant_id: merchantId, id, staff_id: staffId, start_time: startTime }: AppointmentRow,
  subjectKey: string,
): Promise<void> {
  const message = await notification.staffAppointmentMessage(database, {
    merchantId,
    appointmentId: id,
    staffId,
    startTime,
    inCalendar: kind !== 'STAFF_APPOINTMENT_CANCELLED',
  })
  await announce(database, { merchantId, kind, subjectKey, message })
}
