import { type Action, defineAction } from '../action/action.ts'
import { type Answer, forbidden, invalid, done, notFound, type UserError } from '../action/answer.ts'
import { userError } from '../action/input.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { ownerOf, type Session } from '../action/session.ts'
import type { Database } from '../database.ts'
import {
  type AppointmentOutcome,
  type AppointmentReference,
  type AppointmentRefusal,
  bookAppointment,
  changeStatus,
  rescheduleAppointment,
} from './appointments.ts'

type StatusChange =
  | 'confirmAppointment'
  | 'startAppointment'
  | 'completeAppointment'
  | 'cancelAppointment'
  | 'markAppointmentNoShow'

/** What the domain serves, by the name of the mutation. */
export function bookingActions(database: Database): Readonly<Record<string, Action>> {
  const statusChange = (name: StatusChange, event: Parameters<typeof changeStatus>[2]) =>
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
    cancelAppointment: statusChange('cancelAppointment', 'cancel'),
    markAppointmentNoShow: statusChange('markAppointmentNoShow', 'miss'),
  }
}

const create = (database: Database): Action =>
  defineAction('createAppointment', {
    async handle({ session }, { input }) {
      const owner = ownerOf(session)
      if (owner !== null && owner !== input.customerId) return forbidden('A shopper books for no one else')
      return answer(session.merchantId, await bookAppointment(database, session.merchantId, input))
    },
  })

const reference = (session: Session, id: string): AppointmentReference => ({
  merchantId: session.merchantId,
  id,
  owner: ownerOf(session),
})

function answer(merchantId: MerchantId, outcome: AppointmentOutcome): Answer {
  switch (outcome.outcome) {
    case 'changed':
      return done({ merchantId, appointmentId: outcome.appointmentId })
    case 'unknown':
      return invalid(notFound('id', 'Appointment'))
    case 'not_allowed':
      return invalid(wrong('id', `This can not be done to an appointment in status ${outcome.status}`))
    case 'invalid':
      return invalid(...outcome.refusals.map(appointmentError))
    default:
      return outcome satisfies never
  }
}

const wrong = (field: string, message: string): UserError => userError(field, { kind: 'value', message })

function appointmentError({ field, reason }: AppointmentRefusal): UserError {
  switch (reason) {
    case 'unknown_service':
      return notFound(field, 'Service')
    case 'service_not_active':
      return wrong(field, 'The service can not be booked')
    case 'nobody_offers_it':
      return wrong(field, 'Nobody offers the service')
    case 'unknown_staff':
      return notFound(field, 'Staff member')
    case 'staff_not_active':
      return wrong(field, 'The staff member takes no appointments')
    case 'service_not_offered':
      return wrong(field, 'The staff member does not offer the service')
    case 'unknown_customer':
      return notFound(field, 'Customer')
    case 'in_the_past':
      return { field, message: 'The time is in the past', code: 'OUT_OF_RANGE' }
    case 'too_far_ahead':
      return { field, message: 'Appointments can be made for the next 366 days', code: 'OUT_OF_RANGE' }
    case 'not_a_whole_minute':
      return wrong(field, 'Appointments start on a whole minute')
    case 'outside_working_hours':
      return wrong(field, 'The time is outside working hours')
    case 'taken':
      return wrong(field, 'The time is taken')
    case 'already_begun':
      return wrong(field, 'The time of the appointment has come already')
    case 'not_begun':
      return wrong(field, 'The time of the appointment has not come yet')
    default:
      return reason satisfies never
  }
}
