// Written from sql/ by `npm run generate`. Don't edit.
import type { MerchantId } from '@commerce-graph/contract/ids'
import { type Queryable } from '../../database.ts'
import { answerOf, type Caller, listOf, rowsOf, type Seconds } from '../answer-of.ts'

export type AppointmentStatus =
  | 'SCHEDULED'
  | 'CONFIRMED'
  | 'IN_PROGRESS'
  | 'COMPLETED'
  | 'CANCELLED'
  | 'NO_SHOW'

export type Refusal = { readonly field: 'id' | 'serviceId' | 'staffId' | 'customerId' | 'startTime'; readonly reason: 'unknown_service' | 'service_not_active' | 'nobody_offers_it' | 'unknown_staff' | 'staff_not_active' | 'service_not_offered' | 'unknown_customer' | 'in_the_past' | 'too_far_ahead' | 'not_a_whole_minute' | 'outside_working_hours' | 'taken' | 'too_few_resources' | 'resources_taken' | 'already_begun' | 'not_begun' | 'too_late_to_move' | 'too_many_ahead' }

export interface MerchantsWithRemindersArguments {
  readonly ahead: Seconds
  readonly limit: number
}

export type MerchantsWithRemindersAnswer = { readonly merchantId: MerchantId }

/** `booking.merchants_with_reminders` */
export const merchantsWithReminders = (sql: Queryable, args: MerchantsWithRemindersArguments): Promise<readonly MerchantsWithRemindersAnswer[]> =>
  rowsOf<MerchantsWithRemindersAnswer>(sql`SELECT merchant_id AS "merchantId" FROM booking.merchants_with_reminders(
      p_ahead => make_interval(secs => ${args.ahead}),
      p_limit => ${args.limit}::integer
    )`)

export interface WriteRemindersArguments {
  readonly merchantId: MerchantId
  readonly ahead: Seconds
  readonly limit: number
}

export type WriteRemindersAnswer = number

/** `booking.write_reminders` */
export const writeReminders = (caller: Caller, args: WriteRemindersArguments): Promise<WriteRemindersAnswer> =>
  answerOf<WriteRemindersAnswer>(caller, 'booking.write_reminders', (sql) => sql`booking.write_reminders(
      p_merchant_id => ${args.merchantId}::uuid,
      p_ahead => make_interval(secs => ${args.ahead}),
      p_limit => ${args.limit}::integer
    )`)

export interface BookArguments {
  readonly merchantId: MerchantId
  readonly serviceId: string
  readonly staffId: string | null
  readonly customerId: string
  readonly start: string
  readonly notes: string | null
  readonly mostAhead: number | null
}

export type BookAnswer =
  | { readonly outcome: 'changed'; readonly appointmentId: string }
  | { readonly outcome: 'invalid'; readonly refusals: readonly Refusal[] }

/** `booking.book` */
export const book = (caller: Caller, args: BookArguments): Promise<BookAnswer> =>
  answerOf<BookAnswer>(caller, 'booking.book', (sql) => sql`booking.book(
      p_merchant_id => ${args.merchantId}::uuid,
      p_service_id => ${args.serviceId}::uuid,
      p_staff_id => ${args.staffId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_start => ${args.start}::text::timestamptz,
      p_notes => ${args.notes}::text,
      p_most_ahead => ${args.mostAhead}::integer
    )`)

export interface ChangeStatusArguments {
  readonly merchantId: MerchantId
  readonly appointmentId: string
  readonly ownerId: string | null
  readonly from: readonly string[]
  readonly to: string
  readonly when: string
  readonly fee: string
}

export type ChangeStatusAnswer =
  | { readonly outcome: 'changed'; readonly appointmentId: string; readonly refundIds: readonly string[] }
  | { readonly outcome: 'invalid'; readonly refusals: readonly Refusal[] }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'not_allowed'; readonly status: AppointmentStatus }
  | { readonly outcome: 'payment_open'; readonly paymentId: string }

/** `booking.change_status`: An appointment that is cancelled or missed costs its fee at most: the rest of what was paid goes back. p_fee: as booking.fee_of takes it.  */
export const changeStatus = (caller: Caller, args: ChangeStatusArguments): Promise<ChangeStatusAnswer> =>
  answerOf<ChangeStatusAnswer>(caller, 'booking.change_status', (sql) => sql`booking.change_status(
      p_merchant_id => ${args.merchantId}::uuid,
      p_appointment_id => ${args.appointmentId}::uuid,
      p_owner_id => ${args.ownerId}::uuid,
      p_from => ${listOf(args.from)}::text[],
      p_to => ${args.to}::text,
      p_when => ${args.when}::text,
      p_fee => ${args.fee}::text
    )`)

export interface LapseUnpaidArguments {
  readonly merchantId: MerchantId
  readonly limit: number
  readonly from: readonly string[]
  readonly to: string
}

export type LapseUnpaidAnswer = number

/** `booking.lapse_unpaid`: Cancels appointments whose prepayment hasn't come in time, so that their times are free, and gives back what was paid of it. Those with a payment that a processor has begun wait for its end.  */
export const lapseUnpaid = (caller: Caller, args: LapseUnpaidArguments): Promise<LapseUnpaidAnswer> =>
  answerOf<LapseUnpaidAnswer>(caller, 'booking.lapse_unpaid', (sql) => sql`booking.lapse_unpaid(
      p_merchant_id => ${args.merchantId}::uuid,
      p_limit => ${args.limit}::integer,
      p_from => ${listOf(args.from)}::text[],
      p_to => ${args.to}::text
    )`)

export interface RescheduleArguments {
  readonly merchantId: MerchantId
  readonly appointmentId: string
  readonly ownerId: string | null
  readonly start: string
  readonly staffId: string | null
  readonly from: readonly string[]
  readonly to: string
}

export type RescheduleAnswer =
  | BookAnswer
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'not_allowed'; readonly status: AppointmentStatus }

/** `booking.reschedule` */
export const reschedule = (caller: Caller, args: RescheduleArguments): Promise<RescheduleAnswer> =>
  answerOf<RescheduleAnswer>(caller, 'booking.reschedule', (sql) => sql`booking.reschedule(
      p_merchant_id => ${args.merchantId}::uuid,
      p_appointment_id => ${args.appointmentId}::uuid,
      p_owner_id => ${args.ownerId}::uuid,
      p_start => ${args.start}::text::timestamptz,
      p_staff_id => ${args.staffId}::uuid,
      p_from => ${listOf(args.from)}::text[],
      p_to => ${args.to}::text
    )`)
