import type { CustomerId, MerchantId } from '@commerce-graph/contract/ids'
import { type Database, onlyOutcome, type Queryable } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import { type AppointmentStatus, appointmentTransitions } from './appointment-machine.ts'

/** Why SQL refused an appointment or a change of one. */
export interface AppointmentRefusal {
  readonly field: 'id' | 'serviceId' | 'staffId' | 'customerId' | 'startTime'
  readonly reason:
    | 'unknown_service'
    | 'service_not_active'
    | 'nobody_offers_it'
    | 'unknown_staff'
    | 'staff_not_active'
    | 'service_not_offered'
    | 'unknown_customer'
    | 'in_the_past'
    | 'too_far_ahead'
    | 'not_a_whole_minute'
    | 'outside_working_hours'
    | 'taken'
    | 'already_begun'
    | 'not_begun'
}

export type AppointmentOutcome =
  | { readonly outcome: 'changed'; readonly appointmentId: string }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'not_allowed'; readonly status: AppointmentStatus }
  | { readonly outcome: 'invalid'; readonly refusals: readonly AppointmentRefusal[] }

/** An appointment as a caller may name it. `owner`: only this customer's appointments exist. */
export interface AppointmentReference {
  readonly merchantId: MerchantId
  readonly id: string
  readonly owner: CustomerId | null
}

/** Makes an appointment in one round trip, or changes nothing. */
export async function bookAppointment(
  sql: Queryable,
  merchantId: MerchantId,
  appointment: {
    readonly serviceId: string
    /** null: with anybody who is free */
    readonly staffId: string | null
    readonly customerId: string
    readonly startTime: string
    readonly notes: string | null
  },
): Promise<AppointmentOutcome> {
  const { serviceId, staffId, customerId, startTime, notes } = appointment
  return onlyOutcome(
    await sql<{ outcome: AppointmentOutcome }[]>`
      SELECT booking.book(
        ${merchantId}, ${serviceId}, ${staffId}, ${customerId}, ${startTime}::text::timestamptz, ${notes}
      ) AS outcome`,
  )
}

/** @param staffId null: with whom it was */
export async function rescheduleAppointment(
  sql: Queryable,
  { merchantId, id, owner }: AppointmentReference,
  { startTime, staffId }: { readonly startTime: string; readonly staffId: string | null },
): Promise<AppointmentOutcome> {
  const { from, to } = appointmentTransitions.reschedule
  return onlyOutcome(
    await sql<{ outcome: AppointmentOutcome }[]>`
      SELECT booking.reschedule(
        ${merchantId}, ${id}, ${owner}, ${startTime}::text::timestamptz, ${staffId}, ${from as string[]}, ${to}
      ) AS outcome`,
  )
}

/** Lets one of the events happen that change nothing but the state. */
export async function changeStatus(
  database: Database,
  { merchantId, id, owner }: AppointmentReference,
  event: 'confirm' | 'start' | 'complete' | 'cancel' | 'miss',
): Promise<AppointmentOutcome> {
  const { from, to } = appointmentTransitions[event]
  // The shop may still call off what should have begun: nobody may have been there to open.
  const when = event === 'miss' ? 'begun' : event === 'cancel' && owner !== null ? 'ahead' : 'any'
  return onlyOutcome(
    await database<{ outcome: AppointmentOutcome }[]>`
      SELECT booking.change_status(${merchantId}, ${id}, ${owner}, ${from as string[]}, ${to}, ${when}) AS outcome`,
  )
}

/** Seconds before an appointment at which its customer is to be reminded. */
const REMINDER_AHEAD = 24 * 60 * 60
const REMINDER_BATCH = 500

/** Writes the reminders that are due, each once. Returns how many. */
export async function writeReminders(database: Database): Promise<number> {
  return inBatches(REMINDER_BATCH, async () =>
    onlyOutcome(
      await database<{ outcome: number }[]>`
        SELECT booking.write_reminders(make_interval(secs => ${REMINDER_AHEAD}), ${REMINDER_BATCH}) AS outcome`,
    ),
  )
}
