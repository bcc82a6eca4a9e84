import type {
  CreateScheduleInput,
  ResourceRequirementInput,
  UpdateBookingServiceInput,
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
  externalIdTaken,
  insertMany,
  insertOne,
  keptFields,
  pick,
  present,
  remove,
  table,
  update,
  valueOf,
  valuesOf,
} from '../../mutation/rows.ts'
import { toUuid } from '../../projection/filter.ts'

const serviceTable = table('booking_service', { counter: 'duration' })
const requirementTable = table('booking_resource_requirement')
const resourceTable = table('booking_resource')
const staffTable = table('booking_staff_member', { counter: 'priority' })
const staffServiceTable = table('booking_staff_service')
const scheduleTable = table('booking_schedule')
const appointmentTable = table('booking_appointment')

const serviceColumns = [
  'name',
  'description',
  'duration',
  'price',
  'currency',
  'active',
  'paymentPolicy',
  'depositAmount',
  'depositPercent',
  'noShowFee',
  'cancellationMinutes',
] as const

const resourceColumns = ['name', 'kind', 'active', 'priority'] as const

const staffColumns = ['name', 'email', 'phone', 'timeZone', 'active', 'priority'] as const

/** Each service once, however often it is named. */
const serviceRows = (serviceIds: readonly string[]): readonly Values[] =>
  [...new Set(serviceIds.map(toUuid))].map((serviceId) => ({ service_id: serviceId }))

type Requirements = readonly ResourceRequirementInput[] | null | undefined

const requirementRows = (requirements: Requirements): readonly Values[] =>
  (requirements ?? []).map((requirement) => pick(requirement, ['kind', 'quantity'], 'left out'))

/** A kind that is named twice. Kinds are the same in any case. */
function checkRequirements({ resources }: { readonly resources?: Requirements }): readonly UserError[] {
  const kinds = (resources ?? []).map(({ kind }) => kind.toLowerCase())
  return kinds.flatMap((kind, index) =>
    kinds.indexOf(kind) < index
      ? [invalidValue(`resources.${index}.kind`, 'The kind is named twice: say how many in its quantity')]
      : [],
  )
}

function updateService(input: UpdateBookingServiceInput, id: string): Write {
  const serviceId = toUuid(id)
  const set = pick(input, serviceColumns)
  if (input.resources == null) return { before: [], record: update(serviceTable, byId(id), set) }
  return {
    before: [
      remove(requirementTable, { service_id: { _eq: serviceId } }),
      ...insertMany(
        requirementTable,
        requirementRows(input.resources).map((row) => ({ ...row, service_id: serviceId })),
      ),
    ],
    record: update(serviceTable, byId(id), set, true),
  }
}

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

/** The checks of an update that don't need the rest of the row. The database compares with the row. */
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
    check: checkRequirements,
    write: (input) =>
      insertOne(serviceTable, {
        ...pick(input, serviceColumns, 'left out'),
        resources: { data: requirementRows(input.resources) },
      }),
  }),
  updateBookingService: change<'updateBookingService'>({
    record: 'BookingService',
    what: 'Service',
    check: checkRequirements,
    write: (input, { id }) => updateService(input, id),
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
  createResource: creation<'createResource'>({
    record: 'Resource',
    what: 'Resource',
    write: (input) => insertOne(resourceTable, pick(input, resourceColumns, 'left out')),
  }),
  updateResource: change<'updateResource'>({
    record: 'Resource',
    what: 'Resource',
    write: (input, { id }) => update(resourceTable, byId(id), pick(input, resourceColumns)),
  }),
  deleteResource: deletion('Resource', (id) => remove(resourceTable, byId(id))),
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
    lookUps: ({ externalId }, { id }) => [externalIdTaken(appointmentTable, 'Appointment', externalId, id)],
    write: (input, { id }) => update(appointmentTable, byId(id), pick(input, ['notes', ...keptFields])),
  }),
}
