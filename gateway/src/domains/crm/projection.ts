import { ascending } from '../../projection/condition.ts'
import {
  atLeast,
  atMost,
  before,
  equals,
  hasAll,
  idEquals,
  idFilter,
  searchIn,
} from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'

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
    status: equals('status', 'String'),
    email: equals('email', 'citext'),
    marketingOptIn: equals('marketingOptIn', 'Boolean'),
    tags: hasAll('tags'),
    loyaltyTierId: idFilter((id) => ({ loyalty: { tierId: { _eq: id } } })),
    createdAfter: atLeast('createdAt', 'timestamptz'),
    createdBefore: before('createdAt', 'timestamptz'),
  },
}

const segments: ConnectionProjection = {
  projection: 'CustomerSegment',
  sortFields: { NAME: byName, CREATED_AT: byCreation },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: { searchQuery: searchIn({ name: 'String' }) },
}

const contacts: ConnectionProjection = {
  projection: 'Contact',
  sortFields: { NAME: byName, CREATED_AT: byCreation },
  preset: { sortBy: 'NAME', direction: 'asc' },
  filters: { customerId: idEquals('customerId'), searchQuery: searchIn({ name: 'String', email: 'citext' }) },
}

const interactions: ConnectionProjection = {
  projection: 'Interaction',
  sortFields: { OCCURRED_AT: { column: 'occurredAt', type: 'timestamptz' }, CREATED_AT: byCreation },
  preset: { sortBy: 'OCCURRED_AT', direction: 'desc' },
  filters: {
    customerId: idEquals('customerId'),
    contactId: idEquals('contactId'),
    type: equals('type', 'String'),
    startDate: atLeast('occurredAt', 'timestamptz'),
    endDate: atMost('occurredAt', 'timestamptz'),
  },
}

const loyaltyEntries: ConnectionProjection = {
  projection: 'LoyaltyEntry',
  sortFields: { CREATED_AT: byCreation },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {},
}

/** Where a customer has no totals there is no such row, which for a sum means 0. */
const total = (column: string, absent?: number) =>
  ({ kind: 'path', relationship: 'totals', column, ...(absent !== undefined && { absent }) }) as const

export const crm: DomainProjection = {
  queries: {
    customer: { kind: 'lookup', table: 'customers', projection: 'Customer', by: { id: idEquals('id') } },
    customers: { kind: 'connection', table: 'customers', connection: customers },
    contact: { kind: 'lookup', table: 'contacts', projection: 'Contact', by: { id: idEquals('id') } },
    contacts: { kind: 'connection', table: 'contacts', connection: contacts },
    interaction: {
      kind: 'lookup',
      table: 'interactions',
      projection: 'Interaction',
      by: { id: idEquals('id') },
    },
    interactions: { kind: 'connection', table: 'interactions', connection: interactions },
    customerSegment: {
      kind: 'lookup',
      table: 'customerSegments',
      projection: 'CustomerSegment',
      by: { id: idEquals('id') },
    },
    customerSegments: { kind: 'connection', table: 'customerSegments', connection: segments },
    loyaltyProgram: { kind: 'only', table: 'loyaltyPrograms', projection: 'LoyaltyProgram' },
    loyaltyTier: {
      kind: 'lookup',
      table: 'loyaltyTiers',
      projection: 'LoyaltyTier',
      by: { id: idEquals('id') },
    },
    loyaltyReward: {
      kind: 'lookup',
      table: 'loyaltyRewards',
      projection: 'LoyaltyReward',
      by: { id: idEquals('id') },
    },
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
        spentByCurrency: { kind: 'list', relationship: 'spending', orderBy: [ascending('currency')] },
        loyaltyPoints: { kind: 'path', relationship: 'loyalty', column: 'points', absent: 0 },
        loyaltyTier: { kind: 'path', relationship: 'loyalty', column: 'tierName' },
        loyaltyEntries: { kind: 'connection', relationship: 'loyaltyEntries', connection: loyaltyEntries },
        contacts: { kind: 'connection', relationship: 'contacts', connection: contacts },
        interactions: { kind: 'connection', relationship: 'interactions', connection: interactions },
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
    CustomerSpending: { type: 'CustomerSpending', from: 'CustomerSpending' },
    Address: { type: 'Address', from: 'Address' },
    Contact: { type: 'Contact', from: 'Contact' },
    Interaction: { type: 'Interaction', from: 'Interaction' },
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
    LoyaltyProgram: {
      type: 'LoyaltyProgram',
      from: 'LoyaltyProgram',
      fields: {
        tiers: { kind: 'list', relationship: 'tiers', orderBy: [ascending('threshold')] },
        rewards: { kind: 'list', relationship: 'rewards', orderBy: [ascending('points'), ascending('id')] },
      },
    },
    LoyaltyTier: { type: 'LoyaltyTier', from: 'LoyaltyTier' },
    LoyaltyReward: { type: 'LoyaltyReward', from: 'LoyaltyReward' },
    LoyaltyEntry: {
      type: 'LoyaltyEntry',
      from: 'LoyaltyEntry',
      fields: { orderId: { kind: 'path', relationship: 'payment', column: 'orderId' } },
    },
    CustomerSegmentFilter: { type: 'CustomerSegmentFilter', from: 'CustomerSegment' },
  },
  extensions: {
    Order: { customer: { kind: 'object', relationship: 'customer' } },
    Appointment: { customer: { kind: 'object', relationship: 'customer' } },
  },
}
