import { ascending } from '../../projection/condition.ts'
import {
  atLeast,
  atMost,
  before,
  equals,
  keptFilters,
  type Filter,
  hasAll,
  idEquals,
  idFilter,
  searchIn,
  statusFilters,
} from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'
import { updatedAtFilters, updatedAtSort } from '../../projection/updated-at.ts'

const byName = { column: 'name', type: 'String' } as const
const byCreation = { column: 'created_at', type: 'timestamptz' } as const

const customers: ConnectionProjection = {
  projection: 'Customer',
  sortFields: {
    NAME: byName,
    EMAIL: { column: 'email', type: 'citext' },
    CREATED_AT: byCreation,
    ...updatedAtSort,
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    searchQuery: searchIn({ name: 'String', email: 'citext' }),
    ...statusFilters(),
    email: equals('email', 'citext'),
    hasAccount: equals('has_account', 'Boolean'),
    marketingOptIn: equals('marketing_opt_in', 'Boolean'),
    tags: hasAll('tags'),
    loyaltyTierId: idFilter((id) => ({ loyalty: { tier_id: { _eq: id } } })),
    createdAfter: atLeast('created_at', 'timestamptz'),
    createdBefore: before('created_at', 'timestamptz'),
    ...keptFilters,
    ...updatedAtFilters,
  },
}

const segments: ConnectionProjection = {
  projection: 'CustomerSegment',
  sortFields: { NAME: byName, CREATED_AT: byCreation, ...updatedAtSort },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: { searchQuery: searchIn({ name: 'String' }), ...updatedAtFilters },
}

const contacts: ConnectionProjection = {
  projection: 'Contact',
  sortFields: { NAME: byName, CREATED_AT: byCreation, ...updatedAtSort },
  preset: { sortBy: 'NAME', direction: 'asc' },
  filters: {
    customerId: idEquals('customer_id'),
    searchQuery: searchIn({ name: 'String', email: 'citext' }),
    ...updatedAtFilters,
  },
}

const interactions: ConnectionProjection = {
  projection: 'Interaction',
  sortFields: {
    OCCURRED_AT: { column: 'occurred_at', type: 'timestamptz' },
    CREATED_AT: byCreation,
    ...updatedAtSort,
  },
  preset: { sortBy: 'OCCURRED_AT', direction: 'desc' },
  filters: {
    customerId: idEquals('customer_id'),
    contactId: idEquals('contact_id'),
    type: equals('type', 'String'),
    startDate: atLeast('occurred_at', 'timestamptz'),
    endDate: atMost('occurred_at', 'timestamptz'),
    ...updatedAtFilters,
  },
}

const loyaltyEntries: ConnectionProjection = {
  projection: 'LoyaltyEntry',
  sortFields: { CREATED_AT: byCreation },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {},
}

/** An e-mail address belongs to one account at most, and to any number of guests. */
const ofAccount: Filter = {
  condition: (email) => ({ email: { _eq: email('citext!') }, has_account: { _eq: true } }),
}

/** Where a customer has no totals there is no such row, which for a sum means 0. */
const total = (column: string, absent?: number) =>
  ({ kind: 'path', relationship: 'totals', column, ...(absent !== undefined && { absent }) }) as const

export const crm: DomainProjection = {
  queries: {
    customer: {
      kind: 'lookup',
      projection: 'Customer',
      by: { id: idEquals('id'), email: ofAccount, externalId: equals('external_id', 'String') },
    },
    customers: { kind: 'connection', connection: customers },
    contact: { kind: 'lookup', projection: 'Contact', by: { id: idEquals('id') } },
    contacts: { kind: 'connection', connection: contacts },
    interaction: {
      kind: 'lookup',
      projection: 'Interaction',
      by: { id: idEquals('id') },
    },
    interactions: { kind: 'connection', connection: interactions },
    customerSegment: {
      kind: 'lookup',
      projection: 'CustomerSegment',
      by: { id: idEquals('id') },
    },
    customerSegments: { kind: 'connection', connection: segments },
    loyaltyProgram: { kind: 'only', projection: 'LoyaltyProgram' },
    loyaltyTier: {
      kind: 'lookup',
      projection: 'LoyaltyTier',
      by: { id: idEquals('id') },
    },
    loyaltyReward: {
      kind: 'lookup',
      projection: 'LoyaltyReward',
      by: { id: idEquals('id') },
    },
  },
  types: {
    Customer: {
      type: 'Customer',
      table: 'crm_customer',
      fields: {
        totalSpent: total('total_spent', 0),
        orderCount: total('order_count', 0),
        averageOrderValue: total('average_order_value', 0),
        lastOrderDate: total('last_order_date'),
        spentByCurrency: { kind: 'list', relationship: 'spending', orderBy: [ascending('currency')] },
        loyaltyPoints: { kind: 'path', relationship: 'loyalty', column: 'points', absent: 0 },
        loyaltyTier: { kind: 'path', relationship: 'loyalty', column: 'tier_name' },
        loyaltyEntries: { kind: 'connection', relationship: 'loyalty_entries', connection: loyaltyEntries },
        contacts: { kind: 'connection', relationship: 'contacts', connection: contacts },
        interactions: { kind: 'connection', relationship: 'interactions', connection: interactions },
        addresses: {
          kind: 'list',
          relationship: 'addresses',
          orderBy: [ascending('created_at'), ascending('id')],
        },
        defaultAddress: {
          kind: 'first',
          relationship: 'addresses',
          where: { is_default: { _eq: true } },
          orderBy: [ascending('id')],
        },
      },
    },
    CustomerSpending: { type: 'CustomerSpending', table: 'crm_customer_spending' },
    Address: { type: 'Address', table: 'crm_address' },
    Contact: { type: 'Contact', table: 'crm_contact' },
    Interaction: { type: 'Interaction', table: 'crm_interaction' },
    CustomerSegment: {
      type: 'CustomerSegment',
      table: 'crm_segment',
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
      table: 'crm_loyalty_program',
      fields: {
        tiers: { kind: 'list', relationship: 'tiers', orderBy: [ascending('threshold')] },
        rewards: { kind: 'list', relationship: 'rewards', orderBy: [ascending('points'), ascending('id')] },
      },
    },
    LoyaltyTier: { type: 'LoyaltyTier', table: 'crm_loyalty_tier' },
    LoyaltyReward: { type: 'LoyaltyReward', table: 'crm_loyalty_reward' },
    LoyaltyEntry: {
      type: 'LoyaltyEntry',
      table: 'crm_loyalty_entry',
      fields: { orderId: { kind: 'path', relationship: 'payment', column: 'order_id' } },
    },
    CustomerSegmentFilter: { type: 'CustomerSegmentFilter', table: 'crm_segment' },
  },
  extensions: {
    Order: { customer: { kind: 'object', relationship: 'customer' } },
    Appointment: { customer: { kind: 'object', relationship: 'customer' } },
  },
}
