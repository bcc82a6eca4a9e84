import type {
  CreateScheduleInput,
  UpdateScheduleInput,
  UpdateStaffMemberInput,
} from '@commerce-graph/contract'
import { invalidValue, requiredField, type UserError } from '@commerce-graph/contract/input'
import type { MutationDefinition, Values, Write } from '../../mutation/definition.ts'
import {
  absent,
  byId,
  change,
  creation,
  deletion,
  insertMany,
  insertOne,
  pick,
  present,
  remove,
  table,
  update,
  valueOf,
  valuesOf,
} from '../../mutation/rows.ts'
import { toUuid } from '../../projection/filter.ts'

const serviceTable = table('booking_service')
const staffTable = table('booking_staff_member', { counter: 'priority' })
const staffServiceTable = table('booking_staff_service')
const scheduleTable = table('booking_schedule')
const appointmentTable = table('booking_appointment')

const serviceColumns = ['name', 'description', 'duration', 'price', 'currency', 'active'] as const

const staffColumns = ['name', 'email', 'phone', 'timeZone', 'active', 'priority'] as const

/** Each service once, however often it is named. */
const serviceRows = (serviceIds: readonly string[]): readonly Values[] =>
  [...new Set(serviceIds.map(toUuid))].map((serviceId) => ({ service_id: serviceId }))

function updateStaffMember(input: UpdateStaffMemberInput, id: string): Write {
  const staffId = toUuid(id)
  const set = pick(input, staffColumns)
  if (input.serviceIds == null) return { before: [], record: update(staffTable, byId(id), set) }
  return {
    before: [
      remove(staffServiceTable, { staff_id: { _eq: staffId } }),
      ...insertMany(
        staffServiceTable,
        serviceRows(input.serviceIds).map((row) => ({ ...row, staff_id: staffId })),
      ),
    ],
    record: update(staffTable, byId(id), set, true),
  }
}

const hours = ['weekday', 'startDate', 'endDate', 'startTime', 'endTime'] as const

function checkSchedule(input: CreateScheduleInput): readonly UserError[] {
  const { type, weekday, startDate } = input
  const weekly = type === 'WEEKLY'
  return [
    ...(weekly && weekday == null ? [requiredField('weekday')] : []),
    ...(!weekly && weekday != null ? [invalidValue('weekday', 'Only weekly hours have a weekday')] : []),
    ...(!weekly && startDate == null ? [requiredField('startDate')] : []),
    ...checkOrder(input),
  ]
}

/** What can be checked of an update without the rest of the row, which the database compares with. */
function checkOrder({
  startDate,
  endDate,
  startTime,
  endTime,
}: UpdateScheduleInput | CreateScheduleInput): readonly UserError[] {
  const reversedDates = startDate != null && endDate != null && startDate > endDate
  const reversedTimes = startTime != null && endTime != null && startTime >= endTime
  return [
    ...(reversedDates ? [invalidValue('endDate', 'The last day is before the first')] : []),
    ...(reversedTimes
      ? [invalidValue('endTime', 'Hours end after they start; over midnight, they are two entries')]
      : []),
  ]
}

export const bookingMutations: Readonly<Record<string, MutationDefinition>> = {
  createBookingService: creation<'createBookingService'>({
    record: 'BookingService',
    what: 'Service',
    write: (input) => insertOne(serviceTable, pick(input, serviceColumns, 'left out')),
  }),
  updateBookingService: change<'updateBookingService'>({
    record: 'BookingService',
    what: 'Service',
    write: (input, { id }) => update(serviceTable, byId(id), pick(input, serviceColumns)),
  }),
  deleteBookingService: deletion('Service', (id) => remove(serviceTable, byId(id))),
  createStaffMember: creation<'createStaffMember'>({
    record: 'StaffMember',
    what: 'Staff member',
    lookUps: ({ email, serviceIds }) => [
      absent(staffTable, 'email', valueOf('email', email), 'Staff member'),
      present(serviceTable, valuesOf('serviceIds', serviceIds), 'Service'),
    ],
    write: (input) =>
      insertOne(staffTable, {
        ...pick(input, staffColumns, 'left out'),
        services: { data: serviceRows(input.serviceIds ?? []) },
      }),
  }),
  updateStaffMember: change<'updateStaffMember'>({
    record: 'StaffMember',
    what: 'Staff member',
    lookUps: ({ email, serviceIds }, { id }) => [
      absent(staffTable, 'email', valueOf('email', email), 'Staff member', byId(id)),
      present(serviceTable, valuesOf('serviceIds', serviceIds), 'Service'),
    ],
    write: (input, { id }) => updateStaffMember(input, id),
  }),
  deleteStaffMember: deletion('Staff member', (id) => remove(staffTable, byId(id))),
  createSchedule: creation<'createSchedule'>({
    record: 'Schedule',
    what: 'Schedule',
    check: checkSchedule,
    lookUps: ({ staffId }) => [present(staffTable, valueOf('staffId', staffId), 'Staff member')],
    write: (input) =>
      insertOne(scheduleTable, {
        ...pick(input, ['type', ...hours], 'left out'),
        staff_id: toUuid(input.staffId),
      }),
  }),
  updateSchedule: change<'updateSchedule'>({
    record: 'Schedule',
    what: 'Schedule',
    check: checkOrder,
    write: (input, { id }) => update(scheduleTable, byId(id), pick(input, hours)),
  }),
  deleteSchedule: deletion('Schedule', (id) => remove(scheduleTable, byId(id))),
  updateAppointment: change<'updateAppointment'>({
    record: 'Appointment',
    what: 'Appointment',
    write: (input, { id }) => update(appointmentTable, byId(id), pick(input, ['notes'])),
  }),
}
