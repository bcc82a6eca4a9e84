import { type OperationDefinitionNode, parse } from 'graphql'
import { expect, test } from 'vitest'
import { projections } from '../projection/projections.ts'
import { contract } from '../testing/run.ts'
import { customerPrincipal, guestPrincipal, keyPrincipal } from '../testing/shop.ts'
import { bind } from './binding.ts'
import { prepareOperation } from './prepared-operation.ts'
import { QueryPlans } from './query-plans.ts'

const merchant = keyPrincipal(1)

function prepare(text: string) {
  const document = parse(text)
  return prepareOperation(contract.schema, document, document.definitions[0] as OperationDefinitionNode)
}

test('a plan is made once for a role and a structure of variables', () => {
  const plans = new QueryPlans(contract, projections)
  const prepared = prepare(
    'query ($first: Int, $featured: Boolean) { products(first: $first, featured: $featured) { totalCount } }',
  )
  const plan = plans.planFor(prepared, merchant, { first: 1 })
  expect(plans.planFor(prepared, merchant, { first: 2 })).toBe(plan)
  expect(plans.planFor(prepared, customerPrincipal(1), { first: 1 })).not.toBe(plan)
  expect(plans.planFor(prepared, merchant, {})).not.toBe(plan)
  expect(plans.planFor(prepared, merchant, { first: 3 })).toBe(plan)
})

test('a variable that is null has another plan than an absent one, whose argument has its default', () => {
  const plans = new QueryPlans(contract, projections)
  const prepared = prepare(
    `query ($limit: Int) {
      report(metrics: [REVENUE], startDate: "2026-01-01", endDate: "2026-01-10", groupLimit: $limit) { value }
    }`,
  )
  const absent = plans.planFor(prepared, merchant, {})
  const isNull = plans.planFor(prepared, merchant, { limit: null })
  expect(absent.document).toContain('group_limit')
  expect(isNull.document).not.toContain('group_limit')
  expect(plans.planFor(prepared, merchant, {})).toBe(absent)
})

test('plans of all operations together have a bounded length, and the least recently used one gives way', () => {
  const [one, two, three] = ['a', 'b', 'c'].map((key) => prepare(`{ ${key}: products { totalCount } }`))
  if (!one || !two || !three) return expect.unreachable()
  const { document = '' } = new QueryPlans(contract, projections).planFor(one, merchant, {})
  const plans = new QueryPlans(contract, projections, 2.5 * document.length)
  const [first, second] = [plans.planFor(one, merchant, {}), plans.planFor(two, merchant, {})]
  expect(plans.planFor(one, merchant, {})).toBe(first)
  plans.planFor(three, merchant, {})
  expect(plans.planFor(one, merchant, {})).toBe(first)
  expect(plans.planFor(two, merchant, {})).not.toBe(second)
})

test('an operation keeps a bounded number of plans, and drops the least recently used one', () => {
  const plans = new QueryPlans(contract, projections)
  const names = Array.from({ length: 7 }, (_, index) => `b${index}`)
  const fields = names.map((name) => `${name}: products { totalCount @include(if: $${name}) __typename }`)
  const prepared = prepare(
    `query (${names.map((name) => `$${name}: Boolean!`).join()}) { ${fields.join(' ')} }`,
  )
  const variables = (bits: number) =>
    Object.fromEntries(names.map((name, index) => [name, (bits & (1 << index)) !== 0]))
  const first = plans.planFor(prepared, merchant, variables(0))
  const second = plans.planFor(prepared, merchant, variables(1))
  for (let bits = 2; bits < 65; bits += 1) {
    plans.planFor(prepared, merchant, variables(bits))
    expect(plans.planFor(prepared, merchant, variables(0))).toBe(first)
  }
  expect(plans.planFor(prepared, merchant, variables(1))).not.toBe(second)
})

test('what a guest may not have is left out alone, where a rule of the same name lets guests have the rest', () => {
  const plans = new QueryPlans(contract, projections)
  const prepared = prepare(`{
    products { edges { node { name externalId reviews { edges { node { rating customerId } } } } } }
    cart(id: "x") { total customerId }
  }`)
  const plan = plans.planFor(prepared, guestPrincipal(1), {})
  expect(plan.refusals).toEqual([])
  expect(plan.root.map(({ kind }) => kind)).toEqual(['hasura', 'hasura'])
  expect(plan.document).toContain('rating')
  expect(plan.document).not.toMatch(/customer_id|external_id/)
  expect(plans.planFor(prepared, customerPrincipal(1), {}).document).toContain('customer_id')
})

test('a plan is never used for references to types that it was not made for', () => {
  const plans = new QueryPlans(contract, projections)
  const variable = prepare('query ($of: [_Any!]!) { _entities(representations: $of) { __typename } }')
  const plan = plans.planFor(variable, merchant, { of: [{ __typename: 'Product', id: 'x' }] })
  expect(plans.planFor(variable, merchant, { of: [{ __typename: 'Product', id: 'y' }] })).toBe(plan)
  expect(plans.planFor(variable, merchant, { of: [{ __typename: 'Order', id: 'x' }] })).not.toBe(plan)

  // A variable inside a literal reference has no known structure, so it is checked when it is bound.
  const hidden = prepare(
    'query ($t: String!) { _entities(representations: [{ __typename: $t, id: "x" }]) { __typename } }',
  )
  const shared = plans.planFor(hidden, merchant, { t: 'Product' })
  expect(plans.planFor(hidden, merchant, { t: 'Order' })).toBe(shared)
  const request = { variables: { t: 'Order' }, principal: keyPrincipal(1) }
  expect(bind(shared, request).errors).toMatchObject([{ id: 'SVC_VAL_002' }])
})
