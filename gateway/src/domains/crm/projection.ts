import { ascending } from '../../projection/condition.ts'
import { equals, hasAll, idEquals, searchIn } from '../../projection/filter.ts'
import { type ConnectionProjection, type DomainProjection } from '../../projection/types.ts'

const byName = { column: 'name', type: 'String' } as const
const byCreation = { column: 'createdAt', type: 'timestamptz' } as const

const customers: ConnectionProjection = {
  projection: 'Customer',
  sortFields: {
    NAME: byName,
    EMAIL: { column: 'email', type: 'citext' },
    CREATED_AT: byCreation,
    UPDATED_AT: { column: 'updatedAt', type: 'timestamptz' },
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    searchQuery: searchIn({ name: 'String', email: 'citext' }),
    email: equals('email', 'citext'),
    marketingOptIn: equals('marketingOptIn', 'Boolean'),
    tags: hasAll('tags'),
  },
}

const segments: ConnectionProjection = {
  projection: 'CustomerSegment',
  sortFields: { NAME: byName, CREATED_AT: byCreation },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: { searchQuery: searchIn({ name: 'String' }) },
}

/** Where a customer has no totals there is no such row, which for a sum means 0. */
const total = (column: string, absent?: number) =>
  ({ kind: 'path', relationship: 'totals', column, ...(absent !== undefined && { absent }) }) as const

export const crm: DomainProjection = {
  queries: {
    customer: { kind: 'lookup', table: 'customers', projection: 'Customer', by: { id: idEquals('id') } },
    customers: { kind: 'connection', table: 'customers', connection: customers },
    customerSegment: {
      kind: 'lookup',
      table: 'customerSegments',
      projection: 'CustomerSegment',
      by: { id: idEquals('id') },
    },
    customerSegments: { kind: 'connection', table: 'customerSegments', connection: segments },
  },
  types: {
    Customer: {
      type: 'Customer',
      from: 'Customer',
      fields: {
        totalSpent: total('totalSpent', 0),
        orderCount: total('orderCount', 0),
        averageOrderValue: total('averageOrderValue', 0),
        lastOrderDate: total('lastOrderDate'),
        addresses: {
          kind: 'list',
          relationship: 'addresses',
          orderBy: [ascending('createdAt'), ascending('id')],
        },
        defaultAddress: {
          kind: 'first',
          relationship: 'addresses',
          where: { isDefault: { _eq: true } },
          orderBy: [ascending('id')],
        },
      },
    },
    Address: { type: 'Address', from: 'Address' },
    CustomerSegment: {
      type: 'CustomerSegment',
      from: 'CustomerSegment',
      fields: {
        filter: { kind: 'embedded', projection: 'CustomerSegmentFilter', absentWhen: ['filtered'] },
        memberCount: { kind: 'aggregate', relationship: 'members', aggregate: { function: 'count' } },
        members: {
          kind: 'connection',
          relationship: 'members',
          through: 'customer',
          connection: { ...customers, filters: {} },
        },
      },
    },
    CustomerSegmentFilter: { type: 'CustomerSegmentFilter', from: 'CustomerSegment' },
  },
  extensions: {
    Order: { customer: { kind: 'object', relationship: 'customer' } },
    Appointment: { customer: { kind: 'object', relationship: 'customer' } },
  },
}
