import { invalidValue, requiredField, type UserError } from '@commerce-graph/contract/input'
import { action, type MutationDefinition, type Values, type Write } from '../../mutation/definition.ts'
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
import {
  amount,
  currency,
  type Fields,
  integer,
  list,
  matching,
  optionalText,
  phone,
  text,
  timeZone,
} from '../../mutation/rules.ts'
import { toUuid } from '../../projection/filter.ts'

const serviceTable = table('BookingService', 'bookingServices')
const staffTable = table('StaffMember', 'staffMembers', { counter: 'priority' })
const staffServiceTable = table('StaffService', 'staffServices')
const scheduleTable = table('Schedule', 'schedules')
const appointmentTable = table('Appointment', 'appointments')

const minutesInADay = 24 * 60
const serviceRules: Fields = {
  name: text({ max: 200 }),
  description: optionalText({ max: 5000 }),
  duration: integer({ min: 1, max: minutesInADay }),
  price: amount,
  currency,
}
const serviceColumns = ['name', 'description', 'duration', 'price', 'currency', 'active'] as const

const maxServices = 200
const maxPriority = 1_000_000
const staffRules: Fields = {
  name: text({ max: 200 }),
  email: text({ max: 254 }),
  phone,
  timeZone,
  priority: integer({ min: 0, max: maxPriority }),
  serviceIds: list(() => [], { max: maxServices }),
}
const staffColumns = ['name', 'email', 'phone', 'timeZone', 'active', 'priority'] as const

interface StaffInput {
  readonly email?: string | null
  readonly serviceIds?: readonly string[] | null
}

/** Each service once, however often it is named. */
const serviceRows = (serviceIds: readonly string[]): readonly Values[] =>
  [...new Set(serviceIds.map(toUuid))].map((serviceId) => ({ serviceId }))

function updateStaffMember(input: StaffInput, id: unknown): Write {
  const staffId = toUuid(id)
  const set = pick(input as Values, staffColumns)
  if (input.serviceIds == null) return { before: [], record: update(staffTable, byId(id), set) }
  return {
    before: [
      remove(staffServiceTable, { staffId: { _eq: staffId } }),
      ...insertMany(
        staffServiceTable,
        serviceRows(input.serviceIds).map((row) => ({ ...row, staffId })),
      ),
    ],
    record: update(staffTable, byId(id), set, true),
  }
}

const localTime = matching(/^([01]\d|2[0-3]):[0-5]\d$/, 'time of day from 00:00 to 23:59')
const localEndTime = matching(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'time of day from 00:00 to 24:00')
const scheduleRules: Fields = { startTime: localTime, endTime: localEndTime }
const hours = ['weekday', 'startDate', 'endDate', 'startTime', 'endTime'] as const

interface ScheduleInput {
  readonly staffId?: string
  readonly type?: 'WEEKLY' | 'TIME_OFF' | 'EXTRA_HOURS'
  readonly weekday?: string | null
  readonly startDate?: string | null
  readonly endDate?: string | null
  readonly startTime?: string | null
  readonly endTime?: string | null
}

function checkSchedule(input: ScheduleInput): readonly UserError[] {
  const { type, weekday, startDate } = input
  const weekly = type === 'WEEKLY'
  return [
    ...(weekly && weekday == null ? [requiredField('weekday')] : []),
    ...(!weekly && weekday != null ? [invalidValue('weekday', 'Only weekly hours have a weekday')] : []),
    ...(!weekly && startDate == null ? [requiredField('startDate')] : []),
    ...checkOrder(input),
  ]
}

/** What can be told of an update without the rest of the row, which the database compares with. */
function checkOrder({ startDate, endDate, startTime, endTime }: ScheduleInput): readonly UserError[] {
  const reversedDates = startDate != null && endDate != null && startDate > endDate
  const reversedTimes = startTime != null && endTime != null && startTime >= endTime
  return [
    ...(reversedDates ? [invalidValue('endDate', 'The last day is before the first')] : []),
    ...(reversedTimes
      ? [invalidValue('endTime', 'Hours end after they start; over midnight, they are two entries')]
      : []),
  ]
}

const appointment = { record: { relationship: 'appointment', projection: 'Appointment' } } as const

export const bookingMutations: Readonly<Record<string, MutationDefinition>> = {
  createBookingService: creation({
    record: 'BookingService',
    what: 'Service',
    rules: serviceRules,
    write: (input) => insertOne(serviceTable, pick(input as Values, serviceColumns, 'left out')),
  }),
  updateBookingService: change({
    record: 'BookingService',
    what: 'Service',
    rules: serviceRules,
    required: ['name', 'duration', 'price', 'currency', 'active'],
    write: (input, { id }) => update(serviceTable, byId(id), pick(input as Values, serviceColumns)),
  }),
  deleteBookingService: deletion('Service', (id) => remove(serviceTable, byId(id))),
  createStaffMember: creation<StaffInput>({
    record: 'StaffMember',
    what: 'Staff member',
    rules: staffRules,
    lookUps: ({ email, serviceIds }) => [
      absent(staffTable, 'email', valueOf('email', email), 'Staff member'),
      present(serviceTable, valuesOf('serviceIds', serviceIds), 'Service'),
    ],
    write: (input) =>
      insertOne(staffTable, {
        ...pick(input as Values, staffColumns, 'left out'),
        services: { data: serviceRows(input.serviceIds ?? []) },
      }),
  }),
  updateStaffMember: change<StaffInput>({
    record: 'StaffMember',
    what: 'Staff member',
    rules: staffRules,
    required: ['name', 'email', 'active', 'priority', 'serviceIds'],
    lookUps: ({ email, serviceIds }, { id }) => [
      absent(staffTable, 'email', valueOf('email', email), 'Staff member', byId(id)),
      present(serviceTable, valuesOf('serviceIds', serviceIds), 'Service'),
    ],
    write: (input, { id }) => updateStaffMember(input, id),
  }),
  deleteStaffMember: deletion('Staff member', (id) => remove(staffTable, byId(id))),
  createSchedule: creation<ScheduleInput>({
    record: 'Schedule',
    what: 'Schedule',
    rules: scheduleRules,
    check: checkSchedule,
    lookUps: ({ staffId }) => [present(staffTable, valueOf('staffId', staffId), 'Staff member')],
    write: (input) =>
      insertOne(scheduleTable, {
        ...pick(input as Values, ['type', ...hours], 'left out'),
        staffId: toUuid(input.staffId),
      }),
  }),
  updateSchedule: change<ScheduleInput>({
    record: 'Schedule',
    what: 'Schedule',
    rules: scheduleRules,
    required: ['weekday', 'startTime', 'endTime'],
    check: checkOrder,
    write: (input, { id }) => update(scheduleTable, byId(id), pick(input as Values, hours)),
  }),
  deleteSchedule: deletion('Schedule', (id) => remove(scheduleTable, byId(id))),
  createAppointment: action(appointment),
  updateAppointment: change({
    record: 'Appointment',
    what: 'Appointment',
    rules: { notes: optionalText({ max: 5000 }) },
    required: [],
    write: (input, { id }) => update(appointmentTable, byId(id), pick(input as Values, ['notes'])),
  }),
  rescheduleAppointment: action(appointment),
  confirmAppointment: action(appointment),
  startAppointment: action(appointment),
  completeAppointment: action(appointment),
  cancelAppointment: action(appointment),
  markAppointmentNoShow: action(appointment),
}
