import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queryData, runQuery } from '../testing/run.ts'
import {
  customerPrincipal,
  fixtureId,
  guestPrincipal,
  keyPrincipal,
  openTestShop,
  type TestShop,
} from '../testing/shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop[Symbol.asyncDispose]())

const merchant = keyPrincipal(1)
const guest = guestPrincipal(1)
const product = fixtureId('product', 1, 1)
const order = fixtureId('order', 1, 1)
const unknown = '01a1f000-0000-7000-8000-00000000ffff'
const list = (...ids: readonly string[]) => JSON.stringify(ids)

describe('node', () => {
  test('finds a record of a type that a fragment names, also a fragment within another', async () => {
    const text = `{ node(id: "${order}") { id ...Any } } fragment Any on Node { ...Of } fragment Of on Order { orderNumber }`
    expect(await queryData(shop, merchant, text)).toEqual({ node: { id: order, orderNumber: '1001' } })
  })

  test('without a fragment that names a type tells the type of any record', async () => {
    const text = `{ o: node(id: "${order}") { __typename id } p: node(id: "${product}") { __typename } x: node(id: "no id") { id } }`
    expect(await queryData(shop, merchant, text)).toEqual({
      o: { __typename: 'Order', id: order },
      p: { __typename: 'Product' },
      x: null,
    })
  })

  test('finds no record of another type than its fragments name', async () => {
    expect(
      await queryData(shop, merchant, `{ node(id: "${order}") { id ... on Product { name } } }`),
    ).toEqual({
      node: null,
    })
  })
})

describe('nodes', () => {
  test('keep the order of the ids, with null for unknown ones, in one operation', async () => {
    shop.takeCount()
    const text = `{ nodes(ids: ${list(product, unknown, order, product)}) { __typename ... on Product { name } ... on Order { orderNumber } } }`
    expect(await queryData(shop, merchant, text)).toEqual({
      nodes: [
        { __typename: 'Product', name: 'Product 01' },
        null,
        { __typename: 'Order', orderNumber: '1001' },
        { __typename: 'Product', name: 'Product 01' },
      ],
    })
    expect(shop.takeCount()).toBe(1)
  })

  test.each([[0], [101]])('of %i ids are refused', async (count) => {
    const ids = Array.from({ length: count }, () => product)
    expect(await runQuery(shop, merchant, `{ nodes(ids: ${list(...ids)}) { id } }`)).toMatchObject({
      kind: 'refused',
      errors: [{ id: 'SVC_VAL_003', details: { field: 'ids' } }],
    })
  })

  test('leave out what the caller may not see: another merchant’s, types without a permission, deleted products', async () => {
    const all = `{ nodes(ids: ${list(product, order, fixtureId('product', 2, 1))}) { id } }`
    const seen = async (principal: Parameters<typeof queryData>[1]) =>
      ((await queryData(shop, principal, all))['nodes'] as readonly ({ readonly id: string } | null)[]).map(
        (node) => node?.id ?? null,
      )
    expect(await seen(merchant)).toEqual([product, order, null])
    expect(await seen(keyPrincipal(1, ['products:read']))).toEqual([product, null, null])
    expect(await seen(keyPrincipal(1, []))).toEqual([null, null, null])
    expect(await seen(guest)).toEqual([product, null, null])
    expect(await seen(customerPrincipal(1))).toEqual([product, order, null])
    expect(await seen(customerPrincipal(1, 2))).toEqual([product, null, null])
    await shop.sql(
      `UPDATE catalog.product SET deleted_at = now() WHERE merchant_id = '${fixtureId('merchant', 1, 0)}' AND id = '${product}'`,
    )
    expect(await seen(merchant)).toEqual([null, order, null])
  })
})
