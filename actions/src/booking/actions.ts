import { type Action, defineAction } from '../action/action.ts'
import {
  type Answer,
  done,
  forbidden,
  idempotencyKeyReused,
  invalid,
  notFound,
  type UserError,
} from '../action/answer.ts'
import type { IdempotencyKeys, Once } from '../action/idempotency-keys.ts'
import { invalidValue } from '../action/input.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { ownerOf, type Session } from '../action/session.ts'
import type { Database } from '../database.ts'
import { keepingWith, merchantsFieldErrors } from '../metadata/index.ts'
import {
  type AppointmentOutcome,
  type AppointmentReference,
  type AppointmentRefusal,
  bookAppointment,
  changeStatus,
  mostAppointmentsAhead,
  rescheduleAppointment,
  type StatusOutcome,
} from './appointments.ts'
import { type AppointmentPayments, endAppointment } from './ending.ts'

export interface BookingOptions {
  readonly database: Database
  readonly keys: IdempotencyKeys
  readonly payments: AppointmentPayments
}

/** The domain's actions, by the name of the mutation. */
export function bookingActions(options: BookingOptions): Readonly<Record<string, Action>> {
  const { database } = options
  const statusChange = (
    name: 'confirmAppointment' | 'startAppointment' | 'completeAppointment',
    event: 'confirm' | 'start' | 'complete',
  ) =>
    defineAction(name, {
      async handle({ session }, { id }) {
        return answer(session.merchantId, await changeStatus(database, reference(session, id), event))
      },
    })
  return {
    createAppointment: create(database),
    rescheduleAppointment: defineAction('rescheduleAppointment', {
      async handle({ session }, { id, input }) {
        return answer(
          session.merchantId,
          await rescheduleAppointment(database, reference(session, id), input),
        )
      },
    }),
    confirmAppointment: statusChange('confirmAppointment', 'confirm'),
    startAppointment: statusChange('startAppointment', 'start'),
    completeAppointment: statusChange('completeAppointment', 'complete'),
    cancelAppointment: ending(options, 'cancelAppointment', 'cancel'),
    markAppointmentNoShow: ending(options, 'markAppointmentNoShow', 'miss'),
  }
}

const ending = (
  { keys, payments }: BookingOptions,
  name: 'cancelAppointment' | 'markAppointmentNoShow',
  event: 'cancel' | 'miss',
): Action =>
  defineAction(name, {
    keeping: 'in steps',
    async handle(call, { id }) {
      return answer(call.session.merchantId, await endAppointment(keys, payments, call, { id, event }))
    },
  })

const create = (database: Database): Action =>
  defineAction('createAppointment', {
    async handle({ session }, { input }) {
      const owner = ownerOf(session)
      if (owner !== null && owner !== input.customerId) return forbidden('A shopper books for no one else')
      const faults = merchantsFieldErrors(session, input)
      if (faults.length > 0) return invalid(...faults)
      const outcome = await keepingWith(
        database,
        { merchantId: session.merchantId, ownerType: 'APPOINTMENT', fields: input },
        async (sql) => bookAppointment(sql, session.merchantId, input, { byShopper: owner !== null }),
        (made) => (made.outcome === 'changed' ? made.appointmentId : null),
      )
      return answer(session.merchantId, outcome)
    },
  })

const reference = (session: Session, id: string): AppointmentReference => ({
  merchantId: session.merchantId,
  id,
  owner: ownerOf(session),
})

function answer(merchantId: MerchantId, outcome: AppointmentOutcome | Once<StatusOutcome>): Answer {
  switch (outcome.outcome) {
    case 'changed':
      return done({ merchantId, appointmentId: outcome.appointmentId })
    case 'unknown':
      return invalid(notFound('id', 'Appointment'))
    case 'not_allowed':
      return invalid(invalidValue('id', `This can not be done to an appointment in status ${outcome.status}`))
    case 'payment_open':
      return invalid(
        invalidValue('id', `Payment ${outcome.paymentId} is under way: try again when it is settled`),
      )
    case 'key_reused':
      return idempotencyKeyReused(outcome.key)
    case 'invalid':
      return invalid(...outcome.refusals.map(appointmentError))
    default:
      return outcome satisfies never
  }
}

function appointmentError({ field, reason }: AppointmentRefusal): UserError {
  switch (reason) {
    case 'unknown_service':
      return notFound(field, 'Service')
    case 'service_not_active':
      return invalidValue(field, 'The service can not be booked')
    case 'nobody_offers_it':
      return invalidValue(field, 'No staff member offers the service')
    case 'unknown_staff':
      return notFound(field, 'Staff member')
    case 'staff_not_active':
      return invalidValue(field, 'The staff member takes no appointments')
    case 'service_not_offered':
      return invalidValue(field, 'The staff member does not offer the service')
    case 'unknown_customer':
      return notFound(field, 'Customer')
    case 'in_the_past':
      return { field, message: 'The time is in the past', code: 'OUT_OF_RANGE' }
    case 'too_far_ahead':
      return { field, message: 'Appointments can be made for the next 366 days', code: 'OUT_OF_RANGE' }
    case 'not_a_whole_minute':
      return invalidValue(field, 'Appointments start on a whole minute')
    case 'outside_working_hours':
      return invalidValue(field, 'The time is outside working hours')
    case 'taken':
      return invalidValue(field, 'The time is taken')
    case 'too_few_resources':
      return invalidValue(field, 'The shop has too few of the resources that the service needs')
    case 'resources_taken':
      return invalidValue(field, 'The resources that the service needs are taken at this time')
    case 'already_begun':
      return invalidValue(field, 'The time of the appointment has come already')
    case 'too_late_to_move':
      return invalidValue(
        field,
        'Cancelling the appointment would cost its fee already, so only the shop can move it',
      )
    case 'too_many_ahead':
      return {
        field,
        message: `A customer may book ${mostAppointmentsAhead} appointments ahead; the shop can book more`,
        code: 'OUT_OF_RANGE',
      }
    case 'not_begun':
      return invalidValue(field, 'The time of the appointment has not come yet')
    default:
      return reason satisfies never
  }
}
