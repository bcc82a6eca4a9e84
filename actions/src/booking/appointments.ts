import { byMerchant, merchantsOfRun, type OfMerchant } from '../by-merchant.ts'
import type { CustomerId, MerchantId } from '@commerce-graph/contract/ids'
import type { Database, Queryable } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import { appointmentTransitions } from './appointment-machine.ts'
import * as booking from '../sql/generated/booking.ts'

/** Why SQL refused an appointment or a change of one. */
export type AppointmentRefusal = booking.Refusal

export type AppointmentOutcome = booking.RescheduleAnswer
export type StatusOutcome = booking.ChangeStatusAnswer

/** An appointment as a caller may name it. `owner`: only this customer's appointments exist. */
export interface AppointmentReference {
  readonly merchantId: MerchantId
  readonly id: string
  readonly owner: CustomerId | null
}

/** A shopper, and guests of one address or network together, may have as many ahead: a few must not fill a calendar. */
export const mostAppointmentsAhead = 20

/** Makes an appointment in one round trip, or changes nothing. */
export async function bookAppointment(
  sql: Queryable,
  merchantId: MerchantId,
  appointment: {
    readonly serviceId: string
    /** null: with any staff member who is free */
    readonly staffId: string | null
    readonly customerId: string
    readonly startTime: string
    readonly notes: string | null
  },
  { byShopper }: { readonly byShopper: boolean },
): Promise<AppointmentOutcome> {
  const { serviceId, staffId, customerId, startTime, notes } = appointment
  const mostAhead = byShopper ? mostAppointmentsAhead : null
  return booking.book(sql, { merchantId, serviceId, staffId, customerId, start: startTime, notes, mostAhead })
}

/** @param staffId null: with whom it was */
export async function rescheduleAppointment(
  sql: Queryable,
  { merchantId, id, owner }: AppointmentReference,
  { startTime, staffId }: { readonly startTime: string; readonly staffId: string | null },
): Promise<AppointmentOutcome> {
  const { from, to } = appointmentTransitions.reschedule
  return booking.reschedule(sql, {
    merchantId,
    appointmentId: id,
    ownerId: owner,
    start: startTime,
    staffId,
    from,
    to,
  })
}

/** Lets one of the events happen that change nothing but the state. An end costs the fee at most: refunds are put on record. */
export async function changeStatus(
  sql: Queryable,
  { merchantId, id, owner }: AppointmentReference,
  event: 'confirm' | 'start' | 'complete' | 'cancel' | 'miss',
): Promise<StatusOutcome> {
  const { from, to } = appointmentTransitions[event]
  const byShopper = owner !== null
  // The shop may still call off what should have begun: its staff may have been absent.
  const when = event === 'miss' ? 'begun' : event === 'cancel' && byShopper ? 'ahead' : 'any'
  // A shop that calls off an appointment gives back everything.
  const fee = event === 'miss' ? 'ALWAYS' : event === 'cancel' && byShopper ? 'LATE' : 'NONE'
  return booking.changeStatus(sql, { merchantId, appointmentId: id, ownerId: owner, from, to, when, fee })
}

const lapseBatch = 100

/** Cancels appointments whose prepayment hasn't come in time. Returns how many. */
export async function lapseUnpaidAppointments(database: Database): Promise<number> {
  const { from, to } = appointmentTransitions.cancel
  const due = database<OfMerchant[]>`
    SELECT DISTINCT a.merchant_id AS "merchantId" FROM booking.appointment a
    WHERE a.payment_due_at <= now() AND a.status = ANY (${from as string[]})`
  return byMerchant(database, due, (own, merchantId) =>
    inBatches(lapseBatch, () => booking.lapseUnpaid(own, { merchantId, limit: lapseBatch, from, to })),
  )
}

/** Seconds before an appointment at which its customer is to be reminded. */
const reminderAhead = 24 * 60 * 60
const reminderBatch = 500

/** Writes the reminders that are due, each once. Returns how many. */
export const writeReminders = async (database: Database): Promise<number> =>
  byMerchant(
    database,
    booking.merchantsWithReminders(database, { ahead: reminderAhead, limit: merchantsOfRun }),
    (own, merchantId) =>
      inBatches(reminderBatch, () =>
        booking.writeReminders(own, { merchantId, ahead: reminderAhead, limit: reminderBatch }),
      ),
  )
