import {
  getNamedType,
  type GraphQLField,
  isEnumType,
  isInputObjectType,
  isObjectType,
  type GraphQLObjectType,
} from 'graphql'
import { expect, test } from 'vitest'
import { loadContract } from '@commerce-graph/contract'
import { projections } from './projections.ts'

const { schema } = loadContract()

/**
 * Lists whose items don't know when they were last changed, with the reason and what an integrator follows instead. A new list
 * has UPDATED_AT in its sort and `updatedAtFilters` in its filters (updated-at.ts), or stands here.
 */
const exceptions: Readonly<Record<string, string>> = {
  auditEntries: 'entries never change: sort by CREATED_AT',
  events: 'events never change: read on from a position',
  deletedRecords: 'what is deleted never changes: sort by DELETED_AT',
  stockMovements: 'entries of the ledger never change: sort by CREATED_AT',
  webhookDeliveries: 'a log of requests, which no integrator copies: follow events',
  lowStock: 'rows are the stock as it is now: follow stockMovements',
  sessions: 'the sessions of the caller that are open now',
  merchants: 'an operator’s list, which no integrator copies',
  deadLetters: 'an operator’s list, which no integrator copies',
}

type Field = GraphQLField<unknown, unknown>

function nodeOf(field: Field): GraphQLObjectType | undefined {
  const connection = getNamedType(field.type)
  const edges = isObjectType(connection) ? connection.getFields()['edges'] : undefined
  const edge = edges && getNamedType(edges.type)
  const node = isObjectType(edge) ? edge.getFields()['node'] : undefined
  const named = node && getNamedType(node.type)
  return isObjectType(named) ? named : undefined
}

const lists = Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap((field) => {
  const node = nodeOf(field)
  return node ? [[field.name, field, node] as const] : []
})

function argument(field: Field, name: string) {
  const found = field.args.find((one) => one.name === name)
  return found && getNamedType(found.type)
}

function filtersOf(field: Field): readonly string[] {
  const filters = argument(field, 'filters')
  return isInputObjectType(filters) ? Object.keys(filters.getFields()) : []
}

test.each(lists.filter(([name]) => !(name in exceptions)))(
  '%s is sorted and filtered by the time of the last change',
  (name, field, node) => {
    expect([name, 'updatedAt' in node.getFields()]).toEqual([name, true])
    const sort = argument(field, 'sortBy')
    expect(isEnumType(sort) && sort.getValues().map((value) => value.name)).toContain('UPDATED_AT')
    expect(filtersOf(field)).toEqual(expect.arrayContaining(['updatedAfter', 'updatedBefore']))
  },
)

test.each(lists.filter(([, field]) => filtersOf(field).includes('status')))(
  '%s has several statuses beside one',
  (_name, field) => {
    expect(filtersOf(field)).toContain('statuses')
  },
)

test('only lists of the contract are excepted', () => {
  expect(lists.map(([name]) => name)).toEqual(expect.arrayContaining(Object.keys(exceptions)))
})

test('what the contract sorts and filters by has a place in Hasura', () => {
  for (const [name, field] of lists) {
    const projection = projections.queries.get(name)
    if (projection?.kind !== 'connection') throw new Error(`${name} is no connection`)
    const sort = argument(field, 'sortBy')
    if (!isEnumType(sort)) throw new Error(`${name} has no sort`)
    expect(Object.keys(projection.connection.sortFields).sort()).toEqual(
      sort
        .getValues()
        .map((value) => value.name)
        .sort(),
    )
    expect(Object.keys(projection.connection.filters)).toEqual(expect.arrayContaining([...filtersOf(field)]))
  }
})
