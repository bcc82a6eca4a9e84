import {
  columnName,
  type CustomerSegmentFilterInput,
  type CustomerSegmentInput,
  type UpdateCustomerSegmentInput,
} from '@commerce-graph/contract'
import { invalidValue, type UserError } from '@commerce-graph/contract/input'
import type { MutationDefinition, Statement, Values, Write } from '../../mutation/definition.ts'
import {
  absent,
  byId,
  change,
  creation,
  deletion,
  insertMany,
  pick,
  present,
  remove,
  table,
  update,
  valueOf,
  valuesOf,
} from '../../mutation/rows.ts'
import { toUuid } from '../../projection/filter.ts'

const segmentTable = table('crm_segment')
const tierTable = table('crm_loyalty_tier')

const filterFields = [
  'totalSpentMin',
  'totalSpentMax',
  'orderCountMin',
  'orderCountMax',
  'lastOrderAfter',
  'lastOrderBefore',
  'lastOrderWithinDays',
  'noOrderForDays',
  'tags',
  'cities',
  'countries',
  'loyaltyTierIds',
  'marketingOptIn',
  'emailVerified',
  'createdAfter',
  'createdBefore',
] as const

const columns = ['name', 'description'] as const

/** A filter is saved as a whole: what it doesn't ask, it asks no longer. */
const filterValues = (filter: CustomerSegmentFilterInput | null | undefined): Values =>
  filter === undefined
    ? {}
    : {
        ...Object.fromEntries(filterFields.map((field) => [columnName(field), filter?.[field] ?? null])),
        ...(filter?.countries && { countries: [...new Set(filter.countries)] }),
        ...(filter?.loyaltyTierIds && { loyalty_tier_ids: [...new Set(filter.loyaltyTierIds.map(toUuid))] }),
      }

const number = (value: unknown): number | null => (typeof value === 'number' ? value : null)
const time = (value: unknown): number | null => (typeof value === 'string' ? Date.parse(value) : null)

/** Filters that no customer can meet. */
function contradictions({ filter }: CustomerSegmentInput | UpdateCustomerSegmentInput): readonly UserError[] {
  if (filter == null) return []
  const ranges = [
    ['totalSpentMax', number(filter.totalSpentMin), number(filter.totalSpentMax), true],
    ['orderCountMax', number(filter.orderCountMin), number(filter.orderCountMax), true],
    ['lastOrderBefore', time(filter.lastOrderAfter), time(filter.lastOrderBefore), false],
    ['createdBefore', time(filter.createdAfter), time(filter.createdBefore), false],
  ] as const
  return ranges
    .filter(
      ([, from, to, mayBeEqual]) => from !== null && to !== null && (mayBeEqual ? from > to : from >= to),
    )
    .map(([field]) => invalidValue(`filter.${field}`, 'The end of the range is before its start'))
}

/**
 * A statement sees other tables as they were before it, and who is in a segment is read through the segment's own row. So
 * what is answered comes from a second statement, which writes the same values again.
 */
const seenAfterwards = (before: readonly Statement[], where: Values, set: Values): Write => ({
  before: Object.keys(set).length > 0 ? before : [],
  record: update(segmentTable, where, set),
})

export const segmentMutations: Readonly<Record<string, MutationDefinition>> = {
  createCustomerSegment: creation<'createCustomerSegment'>({
    record: 'CustomerSegment',
    what: 'Segment',
    check: contradictions,
    lookUps: ({ name, filter }) => [
      absent(segmentTable, 'name', valueOf('name', name), 'Segment'),
      present(tierTable, valuesOf('filter.loyaltyTierIds', filter?.loyaltyTierIds), 'Loyalty tier'),
    ],
    write: (input) => {
      const values = { ...pick(input, columns, 'left out'), ...filterValues(input.filter) }
      return seenAfterwards(insertMany(segmentTable, [values]), { name: { _eq: input.name } }, values)
    },
  }),
  updateCustomerSegment: change<'updateCustomerSegment'>({
    record: 'CustomerSegment',
    what: 'Segment',
    check: contradictions,
    lookUps: ({ name, filter }, { id }) => [
      absent(segmentTable, 'name', valueOf('name', name), 'Segment', byId(id)),
      present(tierTable, valuesOf('filter.loyaltyTierIds', filter?.loyaltyTierIds), 'Loyalty tier'),
    ],
    write: (input, { id }) => {
      const values = { ...pick(input, columns), ...filterValues(input.filter) }
      return seenAfterwards([update(segmentTable, byId(id), values)], byId(id), values)
    },
  }),
  deleteCustomerSegment: deletion('Segment', (id) => remove(segmentTable, byId(id))),
}
