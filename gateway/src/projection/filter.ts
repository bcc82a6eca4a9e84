import { type CatalogueError, invalidFormat, outOfRange } from '@commerce-graph/contract/errors'
import { metadataFaults } from '@commerce-graph/contract/input'
import type { Condition, VariableReference } from './condition.ts'

/** A filter argument: the condition that it adds to the rows. */
export interface Filter {
  readonly condition: (value: TypedVariable) => Condition
  /**
   * Relationships that lead back to the row, by which a list with this filter is sorted. A statement's plan doesn't know the value, so
   * Postgres would walk the index of the sort in search of few rows; this leaves it the filter's index alone.
   */
  readonly sortThrough?: readonly [string, ...string[]]
  /** The contract's value as Hasura's; the same when absent. */
  readonly toVariable?: (value: unknown) => unknown
  /** The error of a value that the contract's type accepts. */
  readonly check?: (value: unknown, field: string) => CatalogueError | undefined
}

/** The variable that carries the value, declared with the type that its place in the condition has in Hasura. */
type TypedVariable = (type: string) => VariableReference

/** An id that no record has: ids are UUIDs of version 7. What is no UUID at all is looked up as this one. */
export const noRecord = '00000000-0000-0000-0000-000000000000'
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && uuidPattern.test(value)

/** The contract's ids are opaque strings, so one that no record can have is simply not found, and no error. */
export const toUuid = (value: unknown): string => (isUuid(value) ? value.toLowerCase() : noRecord)

/** @param condition what holds for the given id */
export const idFilter = (condition: (id: VariableReference) => Condition): Filter => ({
  condition: (value) => condition(value('uuid!')),
  toVariable: toUuid,
})

export const equals = (column: string, type: string): Filter => ({
  condition: (value) => ({ [column]: { _eq: value(`${type}!`) } }),
})

export const idEquals = (column: string): Filter => idFilter((value) => ({ [column]: { _eq: value } }))

/** One page has no more records than these name. */
const maxExternalIds = 100

/** The record has one of the ids in another system. */
const externalIds: Filter = {
  condition: (value) => ({ external_id: { _in: value('[String!]!') } }),
  check: (value, field) => {
    const count = Array.isArray(value) ? value.length : 0
    return count > maxExternalIds ? outOfRange(field, count, 0, maxExternalIds) : undefined
  },
}

/** One condition of a metadata filter, as the contract has it. */
interface MetadataCondition {
  readonly namespace: string
  readonly key: string
  readonly value: unknown
}

const maxMetadataConditions = 20

const metadataConditions = (value: unknown): readonly MetadataCondition[] =>
  Array.isArray(value) ? (value as MetadataCondition[]) : []

/** Namespaces of keys that a record's metadata has to contain. */
function containedMetadata(value: unknown): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const contained: Record<string, Record<string, unknown>> = Object.create(null) as object as never
  for (const { namespace, key, value: wanted } of metadataConditions(value))
    (contained[namespace] ??= Object.create(null) as Record<string, unknown>)[key] = wanted
  return contained
}

/** The metadata in a column has all of the given values. One look-up in an index, however many values there are. */
const metadataIn = (column: 'metadata' | 'private_metadata'): Filter => ({
  condition: (value) => ({ [column]: { _contains: value('jsonb!') } }),
  toVariable: containedMetadata,
  check(value, field) {
    const conditions = metadataConditions(value)
    if (conditions.length > maxMetadataConditions)
      return outOfRange(field, conditions.length, 0, maxMetadataConditions)
    const places = conditions.map(({ namespace, key }) => `${namespace}.${key}`)
    for (const [index, { namespace, key, value: wanted }] of conditions.entries()) {
      const [fault] = metadataFaults({ [namespace]: { [key]: wanted } })
      if (fault !== undefined)
        return invalidFormat(
          `${field}.${index}`,
          fault.fault.kind === 'format' ? fault.fault.expected : 'shorter value',
        )
      if (places.indexOf(places[index] ?? '') < index)
        return invalidFormat(`${field}.${index}.key`, 'another key than the entries before')
    }
    return undefined
  },
})

/** The filters of every list whose records have an external id and metadata. */
export const keptFilters: Readonly<Record<string, Filter>> = {
  externalIds,
  metadata: metadataIn('metadata'),
  privateMetadata: metadataIn('private_metadata'),
}

export const atLeast = (column: string, type: string): Filter => ({
  condition: (value) => ({ [column]: { _gte: value(`${type}!`) } }),
})

export const atMost = (column: string, type: string): Filter => ({
  condition: (value) => ({ [column]: { _lte: value(`${type}!`) } }),
})

export const before = (column: string, type: string): Filter => ({
  condition: (value) => ({ [column]: { _lt: value(`${type}!`) } }),
})

export const after = (column: string, type: string): Filter => ({
  condition: (value) => ({ [column]: { _gt: value(`${type}!`) } }),
})

/** Refuses no alternatives as well: a list of no status is a mistake more often than a question. */
const alternatives =
  (max: number): NonNullable<Filter['check']> =>
  (value, field) => {
    const count = Array.isArray(value) ? value.length : 0
    return count < 1 || count > max ? outOfRange(field, count, 1, max) : undefined
  }

/** The column has one of the values, of which there are 1 to `max`. */
export const anyOf = (column: string, type: string, max: number): Filter => ({
  condition: (value) => ({ [column]: { _in: value(`[${type}!]!`) } }),
  check: alternatives(max),
})

/** More than any enum of the contract has. */
const maxStatuses = 20

/** The `status` of a list, and the `statuses` of which a record has any. @param at where the column is; the row's own when absent */
export const statusFilters = (
  at: (condition: Condition) => Condition = (condition) => condition,
): Readonly<Record<'status' | 'statuses', Filter>> => ({
  status: { condition: (value) => at({ status: { _eq: value('String!') } }) },
  statuses: {
    condition: (value) => at({ status: { _in: value('[String!]!') } }),
    check: alternatives(maxStatuses),
  },
})

/** All of the given labels are among the column's. */
export const hasAll = (column: string): Filter => ({
  condition: (value) => ({ [column]: { _contains: value('[String!]!') } }),
})

/** The specification's sample validators name these bounds (docs/open-points.md). */
const searchLength = { min: 2, max: 100 }

/** The error of a search text that is too short or too long. */
export function searchLengthError(text: unknown, field: string): CatalogueError | undefined {
  const length = Array.from(String(text)).length
  return length < searchLength.min || length > searchLength.max
    ? outOfRange(field, length, searchLength.min, searchLength.max)
    : undefined
}

/**
 * Any of the columns contains the text, in any case.
 *
 * @param columns Hasura's type of each
 */
export const searchIn = (columns: Readonly<Record<string, 'String' | 'citext'>>): Filter => ({
  condition: (value) => ({
    _or: Object.entries(columns).map(([column, type]) => ({ [column]: { _ilike: value(`${type}!`) } })),
  }),
  toVariable: (text) => `%${String(text).replaceAll(/[\\%_]/g, String.raw`\$&`)}%`,
  check: searchLengthError,
})
