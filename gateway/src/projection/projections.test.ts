import { type GraphQLSchema, isNonNullType, isObjectType, parse, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract, planText } from '../testing/run.ts'
import { isVisible, selectEverything } from '../testing/select-everything.ts'
import { openTestShop, type TestShop } from '../testing/shop.ts'
import { combineProjections, projections } from './projections.ts'
import type { ConnectionProjection, Role } from './types.ts'

let shop: TestShop
const hasura = new Map<Role, GraphQLSchema>()
beforeAll(async () => {
  shop = await openTestShop()
  for (const role of ['merchant', 'customer', 'operator'] as const)
    hasura.set(role, await shop.schemaOf(role))
})
afterAll(() => shop[Symbol.asyncDispose]())

const queries = Object.values(contract.schema.getQueryType()?.getFields() ?? {})

/** The arguments that a root field needs. */
const someArguments: Readonly<Record<string, string>> = {
  search:
    '(query: "shoes", filters: { types: [PRODUCT], tags: ["x"], categoryId: "x", priceMin: 1, priceMax: 2, inStock: true })',
  searchSuggestions: '(query: "shoes")',
  inventory: '(skus: ["SKU-1"])',
  merchantPlan: '(merchantId: "x")',
  report: '(metrics: [ORDERS], startDate: "2030-01-01", endDate: "2030-01-31")',
  nodes: '(ids: ["x"])',
  node: '(id: "x")',
  availability: '(serviceId: "x", staffId: "x", from: "2030-01-01T00:00:00Z", to: "2030-01-02T00:00:00Z")',
}
const argumentsFor = (name: string) =>
  someArguments[name] ?? (projections.queries.get(name)?.kind === 'lookup' ? '(id: "x")' : '')

describe.each(['merchant', 'customer', 'operator'] as const)('as a %s', (role) => {
  const isShown = isVisible(contract, role)
  // No field for merchants leads an operator to them.
  test.each(contract.federation.entities.filter((name) => role !== 'operator' && isShown(name, 'id')))(
    'every field of a referenced %s exists in Hasura',
    (name) => {
      const type = contract.schema.getType(name)
      const schema = hasura.get(role)
      if (!isObjectType(type) || !schema) throw new Error(name)
      const selection = selectEverything(type, { depth: 2, include: isShown })
      const references = `[{ __typename: "${name}", id: "x" }]`
      const { plan } = planText(
        `{ _entities(representations: ${references}) { ... on ${name} ${selection} } }`,
        role,
      )
      expect(validate(schema, parse(plan.document ?? '')).map(({ message }) => message)).toEqual([])
    },
  )

  test.each(
    queries.filter(({ name }) => isShown('Query', name) && name !== '_entities').map(({ name }) => name),
  )('every field under %s exists in Hasura', (name) => {
    const field = queries.find((candidate) => candidate.name === name)
    if (!field) throw new Error(name)
    const selection = selectEverything(field.type, { depth: 5, include: isShown })
    const { plan } = planText(`{ ${name}${argumentsFor(name)} ${selection} }`, role)
    const schema = hasura.get(role)
    if (plan.document === undefined || !schema) return
    expect(validate(schema, parse(plan.document)).map(({ message }) => message)).toEqual([])
  })
})

test('every query of the contract has a projection, and every projection a type of the contract', () => {
  expect([...projections.queries.keys()].sort()).toEqual(queries.map(({ name }) => name).sort())
  const subscriptions = contract.schema.getSubscriptionType()?.getFields() ?? {}
  expect([...projections.subscriptions.keys()].sort()).toEqual(Object.keys(subscriptions).sort())
  for (const [name, { type, fields }] of projections.types) {
    const definition = contract.schema.getType(type)
    if (!isObjectType(definition)) throw new Error(`${name} projects ${type}, which is no object type`)
    expect(Object.keys(definition.getFields())).toEqual(expect.arrayContaining(Object.keys(fields ?? {})))
  }
})

function connections(): Map<string, ConnectionProjection> {
  const found = new Map<string, ConnectionProjection>()
  for (const query of projections.queries.values())
    if (query.kind === 'connection') found.set(query.connection.projection, query.connection)
  for (const { fields } of projections.types.values())
    for (const field of Object.values(fields ?? {}))
      if (field.kind === 'connection') found.set(field.connection.projection, field.connection)
  return found
}

/**
 * Postgres doesn't say which of a view's columns are never null. In the tables behind the views, these columns are
 * NOT NULL; of dead letters, the function that reads them fills each.
 */
const keysOfViews = new Set(['AuditEntry', 'DeadLetter', 'Merchant', 'Session'])

test.each([...connections()].filter(([name]) => !keysOfViews.has(name)))(
  'the sort columns of %s have no nulls, and an id beside them',
  (name, connection) => {
    const table = projections.types.get(connection.projection)?.table ?? name
    const type = hasura.get('merchant')?.getType(table)
    if (!isObjectType(type)) throw new Error(`Hasura has no type ${table}`)
    for (const column of ['id', ...Object.values(connection.sortFields).map((field) => field.column)])
      expect([column, isNonNullType(type.getFields()[column]?.type)]).toEqual([column, true])
  },
)

test('two domains can’t define the same field', () => {
  const thing = { types: { Thing: { type: 'Thing', table: 'thing' } } }
  const extension = { extensions: { Thing: { name: { kind: 'constant', value: 1 } } } } as const
  expect(() => combineProjections([thing, thing])).toThrow('Thing is projected twice')
  expect(() => combineProjections([thing, extension, extension])).toThrow('Thing.name is projected twice')
  expect(() => combineProjections([extension])).toThrow('there is no projection Thing to extend')
})
