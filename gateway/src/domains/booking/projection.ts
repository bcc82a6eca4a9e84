import { type CatalogueError, outOfRange } from '@commerce-graph/contract/errors'
import { ascending } from '../../projection/condition.ts'
import {
  atLeast,
  atMost,
  equals,
  keptFilters,
  idEquals,
  idFilter,
  searchIn,
  toUuid,
  statusFilters,
} from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'
import { updatedAtFilters, updatedAtSort } from '../../projection/updated-at.ts'

const active = { active: { _eq: true } } as const
const onlyActiveForShoppers = { merchant: {}, customer: active, guest: active } as const

const nameSort = {
  NAME: { column: 'name', type: 'String' },
  CREATED_AT: { column: 'created_at', type: 'timestamptz' },
} as const

const services: ConnectionProjection = {
  projection: 'BookingService',
  sortFields: { NAME: nameSort.NAME, ...updatedAtSort },
  preset: { sortBy: 'NAME', direction: 'asc' },
  filters: {
    active: equals('active', 'Boolean'),
    searchQuery: searchIn({ name: 'String' }),
    staffId: idFilter((id) => ({ staff: { staff_id: { _eq: id } } })),
    ...updatedAtFilters,
  },
  visible: onlyActiveForShoppers,
}

const staff: ConnectionProjection = {
  projection: 'StaffMember',
  sortFields: { NAME: nameSort.NAME, ...updatedAtSort },
  preset: { sortBy: 'NAME', direction: 'asc' },
  filters: {
    active: equals('active', 'Boolean'),
    serviceId: idFilter((id) => ({ services: { service_id: { _eq: id } } })),
    ...updatedAtFilters,
  },
  visible: onlyActiveForShoppers,
}

const resources: ConnectionProjection = {
  projection: 'Resource',
  sortFields: { NAME: nameSort.NAME, ...updatedAtSort },
  preset: { sortBy: 'NAME', direction: 'asc' },
  filters: {
    active: equals('active', 'Boolean'),
    kind: equals('kind', 'citext'),
    searchQuery: searchIn({ name: 'String' }),
    ...updatedAtFilters,
  },
}

const appointments: ConnectionProjection = {
  projection: 'Appointment',
  sortFields: {
    START_TIME: { column: 'start_time', type: 'timestamptz' },
    CREATED_AT: nameSort.CREATED_AT,
    ...updatedAtSort,
  },
  preset: { sortBy: 'START_TIME', direction: 'asc' },
  filters: {
    customerId: idEquals('customer_id'),
    staffId: idEquals('staff_id'),
    serviceId: idEquals('service_id'),
    resourceId: idFilter((id) => ({ resources: { resource_id: { _eq: id } } })),
    ...statusFilters(),
    startDate: atLeast('start_time', 'timestamptz'),
    endDate: atMost('start_time', 'timestamptz'),
    ...keptFilters,
    ...updatedAtFilters,
  },
}

/** The same bound as booking.availability's, which would cut the rest off without a word. */
const maxDays = 31
/** A month of one person's quarter hours is below it; `from` of the next question is where this one ends. */
const maxSlots = 1000
const dayInMilliseconds = 24 * 60 * 60 * 1000

function checkRange({ from, to }: Readonly<Record<string, unknown>>): readonly CatalogueError[] {
  const days = (Date.parse(String(to)) - Date.parse(String(from))) / dayInMilliseconds
  if (days > 0 && days <= maxDays) return []
  return [outOfRange('to', `${String(to)}, ${Math.round(days * 100) / 100} days after from,`, 0, maxDays)]
}

export const booking: DomainProjection = {
  queries: {
    bookingService: {
      kind: 'lookup',
      projection: 'BookingService',
      by: { id: idEquals('id') },
    },
    bookingServices: { kind: 'connection', connection: services },
    staffMember: {
      kind: 'lookup',
      projection: 'StaffMember',
      by: { id: idEquals('id') },
    },
    staffMembers: { kind: 'connection', connection: staff },
    resource: {
      kind: 'lookup',
      projection: 'Resource',
      by: { id: idEquals('id') },
    },
    resources: { kind: 'connection', connection: resources },
    appointment: {
      kind: 'lookup',
      projection: 'Appointment',
      by: { id: idEquals('id'), externalId: equals('external_id', 'String') },
    },
    appointments: { kind: 'connection', connection: appointments },
    availability: {
      kind: 'function',
      function: 'booking_availability',
      projection: 'AvailableSlot',
      args: {
        serviceId: { type: 'uuid!', toVariable: toUuid },
        staffId: { type: 'uuid!', toVariable: toUuid },
        from: { type: 'timestamptz!' },
        to: { type: 'timestamptz!' },
      },
      check: checkRange,
      orderBy: [ascending('start_time'), ascending('staff_id')],
      limit: maxSlots,
    },
  },
  types: {
    BookingService: {
      type: 'BookingService',
      table: 'booking_service',
      fields: { resources: { kind: 'list', relationship: 'resources', orderBy: [ascending('kind')] } },
    },
    ResourceRequirement: { type: 'ResourceRequirement', table: 'booking_resource_requirement' },
    Resource: { type: 'Resource', table: 'booking_resource' },
    StaffMember: {
      type: 'StaffMember',
      table: 'booking_staff_member',
      fields: {
        services: {
          kind: 'list',
          relationship: 'services',
          through: 'service',
          orderBy: [ascending('service.name'), ascending('service_id')],
        },
        schedule: {
          kind: 'list',
          relationship: 'schedules',
          orderBy: [ascending('created_at'), ascending('id')],
        },
      },
    },
    Schedule: { type: 'Schedule', table: 'booking_schedule' },
    Appointment: {
      type: 'Appointment',
      table: 'booking_appointment',
      fields: {
        reminderSent: { kind: 'exists', relationship: 'reminders' },
        resources: {
          kind: 'list',
          relationship: 'resources',
          through: 'resource',
          orderBy: [ascending('resource.kind'), ascending('resource.name'), ascending('resource_id')],
        },
      },
    },
    AvailableSlot: { type: 'AvailableSlot', table: 'booking_available_slot' },
  },
  extensions: {
    Customer: {
      appointments: { kind: 'connection', relationship: 'appointments', connection: appointments },
    },
  },
}
