import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queryData, runQuery } from '../testing/run.ts'
import { customerPrincipal, fixtureId, keyPrincipal, openTestShop, type TestShop } from '../testing/shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop[Symbol.asyncDispose]())

const product = (number: number, merchant: 1 | 2 = 1) => ({
  __typename: 'Product',
  id: fixtureId('product', merchant, number),
})
const order = (number: number) => ({ __typename: 'Order', id: fixtureId('order', 1, number) })

const query = `query ($of: [_Any!]!) { _entities(representations: $of) {
  __typename
  ... on Product { id name inventory { available } }
  ... on Order { orderNumber }
} }`

const entities = async (of: unknown, principal = keyPrincipal(1)) =>
  (await queryData(shop, principal, query, { of }))['_entities']

describe('a federation router’s references', () => {
  test('are answered in their order, for several types and repetitions, in one operation', async () => {
    shop.takeCount()
    const found = await entities([product(2), order(1), product(1), product(2)])
    expect(shop.takeCount()).toBe(1)
    expect(found).toMatchObject([
      { __typename: 'Product', id: product(2).id, name: 'Product 02' },
      { __typename: 'Order', orderNumber: '1001' },
      { __typename: 'Product', name: 'Product 01', inventory: { available: 40 } },
      { __typename: 'Product', name: 'Product 02' },
    ])
  })

  test('give null for another merchant’s, unknown and invalid ids', async () => {
    expect(await entities([product(1, 2), product(1), { __typename: 'Order', id: 'x' }])).toMatchObject([
      null,
      { name: 'Product 01' },
      null,
    ])
    expect(await entities([{ ...product(1), id: product(1).id.toUpperCase() }])).toMatchObject([
      { name: 'Product 01' },
    ])
  })

  test('may be an empty list, which needs no operation', async () => {
    shop.takeCount()
    expect(await entities([])).toEqual([])
    expect(shop.takeCount()).toBe(0)
  })

  test('need the permissions of their types, and no others', async () => {
    const reader = keyPrincipal(1, ['products:read', 'inventory:read'])
    expect(await entities([product(1)], reader)).toMatchObject([{ name: 'Product 01' }])
    expect(await runQuery(shop, reader, query, { of: [product(1), order(1)] })).toMatchObject({
      data: { _entities: [{ name: 'Product 01' }, null] },
      errors: [
        {
          id: 'SVC_AUTH_003',
          path: ['_entities', 1],
          details: { field: 'Order', permission: 'orders:read' },
        },
      ],
    })
  })

  test('give shoppers only their own records', async () => {
    expect(await entities([order(1)], customerPrincipal(1, 1))).toMatchObject([{ orderNumber: '1001' }])
    expect(await entities([order(1)], customerPrincipal(1, 2))).toEqual([null])
  })

  test('that are invalid are refused with all errors', async () => {
    const refusals = async (of: unknown) => {
      const result = await runQuery(shop, keyPrincipal(1), query, { of })
      return result.errors.map(({ id, details }) => [id, details.field])
    }
    expect(
      await refusals([
        { id: 'x' },
        { __typename: 'Nothing', id: 'x' },
        { __typename: 'Product' },
        { __typename: 'Product', id: 7 },
        { __typename: 'Money', id: 'x' },
      ]),
    ).toEqual([
      ['SVC_VAL_001', 'representations.0.__typename'],
      ['SVC_VAL_002', 'representations.1.__typename'],
      ['SVC_VAL_001', 'representations.2.id'],
      ['SVC_VAL_002', 'representations.3.id'],
      ['SVC_VAL_002', 'representations.4.__typename'],
    ])
    expect(await refusals(Array.from({ length: 1001 }, () => product(1)))).toEqual([
      ['SVC_VAL_003', 'representations'],
    ])
  })

  test('get a new plan for other types in the same document', async () => {
    expect(await entities([order(1)])).toEqual([{ __typename: 'Order', orderNumber: '1001' }])
    expect(await entities([product(1)])).toMatchObject([{ __typename: 'Product' }])
  })
})

test('_service returns the schema, whole and by domain', async () => {
  const { _service } = (await queryData(
    shop,
    keyPrincipal(1, []),
    '{ _service { __typename sdl subgraphs { name sdl } } }',
  )) as { _service: { sdl: string; subgraphs: { name: string; sdl: string }[] } }
  expect(_service.sdl).toContain('type Product implements Node & Timestamped @key(fields: "id")')
  expect(_service.subgraphs.find(({ name }) => name === 'inventory')?.sdl).toContain(
    'extend type Product @key(fields: "id")',
  )
})
