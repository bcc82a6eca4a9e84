import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queryData, runQuery } from '../testing/run.ts'
import { customerPrincipal, fixtureId, keyPrincipal, openTestShop, type TestShop } from '../testing/shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop[Symbol.asyncDispose]())

const merchant = keyPrincipal(1)
const merchantId = fixtureId('merchant', 1, 0)
const orderId = fixtureId('order', 1, 1)

async function found(filters: string): Promise<readonly string[]> {
  const text = `{ orders(first: 100, sortBy: ORDER_NUMBER, sortOrder: ASC, filters: { ${filters} }) { nodes { orderNumber } } }`
  const orders = (await queryData(shop, merchant, text))['orders'] as {
    readonly nodes: readonly { readonly orderNumber: string }[]
  }
  return orders.nodes.map(({ orderNumber }) => orderNumber)
}

const change = (table: string, set: string, where: string) =>
  shop.sql(`UPDATE ${table} SET ${set} WHERE merchant_id = '${merchantId}' AND ${where}`)

describe('searchQuery of orders', () => {
  test('finds an order by its number, tags, external id and SKUs, in any case', async () => {
    await change('ordering.order', "tags = '{Wholesale}', external_id = 'shop-42'", `id = '${orderId}'`)
    for (const text of ['1001', 'wholesale', 'SHOP-4'])
      expect(await found(`searchQuery: "${text}"`)).toEqual(['1001'])
    const [line] = await shop.sql(
      `SELECT sku FROM ordering.order_item WHERE merchant_id = '${merchantId}' AND order_id = '${orderId}' LIMIT 1`,
    )
    expect(await found(`searchQuery: "${String(line?.['sku'])}"`)).toContain('1001')
    expect(await found('searchQuery: "no such thing"')).toEqual([])
  })

  test('follows the customer’s name and e-mail address', async () => {
    await change(
      'crm.customer',
      "name = 'Grace Hopper', email = 'grace@navy.example'",
      `id = '${fixtureId('customer', 1, 1)}'`,
    )
    expect(await found('searchQuery: "hopper"')).toEqual(['1001', '1002', '1003'])
    expect(await found('searchQuery: "grace@navy"')).toEqual(['1001', '1002', '1003'])
  })

  test('and the filters for tags, number and shipping hold together', async () => {
    await change('ordering.order', "tags = '{a,b}'", `id = '${orderId}'`)
    expect(await found('tags: ["b"]')).toEqual(['1001'])
    expect(await found('tags: ["b", "c"]')).toEqual([])
    expect(await found('orderNumber: "1002"')).toEqual(['1002'])
    expect(await found('orderNumber: "1002", searchQuery: "1001"')).toEqual([])
    expect(await found('fulfillmentStatus: UNFULFILLED, orderNumber: "1002"')).toEqual(['1002'])
    expect(await found('fulfillmentStatus: SHIPPED')).toEqual([])
  })

  test('is for staff: a shopper could find out what an order is tagged with', async () => {
    const text = '{ orders(filters: { searchQuery: "wholesale" }) { totalCount } }'
    expect(await runQuery(shop, customerPrincipal(1), text)).toMatchObject({
      errors: [{ id: 'SVC_AUTH_003' }],
    })
  })
})
