import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { address, dataOf, openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

describe('the link tables behind long lists', () => {
  test('agree with their products and orders after any writes', async () => {
    const products = await Promise.all([1, 2, 3].map(() => shop.createProduct(merchant, { stock: [9] })))
    await shop.database`
      WITH c AS (INSERT INTO catalog.category (merchant_id, name) VALUES (${merchant.merchantId}, 'All') RETURNING id)
      INSERT INTO catalog.product_category (merchant_id, product_id, category_id)
      SELECT p.merchant_id, p.id, c.id FROM catalog.product p, c WHERE p.merchant_id = ${merchant.merchantId}`
    const items = products.map(({ id: productId }) => ({ productId, quantity: 1 }))
    const input = { customerId: merchant.customerId, items, shippingAddress: address }
    const { orderId } = dataOf(await shop.call(merchant, 'createOrder', { input }))
    const [line] = await shop.database<{ id: string }[]>`
      SELECT id FROM ordering.order_item WHERE order_id = ${String(orderId)} ORDER BY position LIMIT 1`
    const modifications = { removeItemIds: [line?.id] }
    dataOf(await shop.call(merchant, 'modifyOrder', { id: orderId, modifications }))
    await shop.database`UPDATE catalog.product SET created_at = created_at - interval '1 day' WHERE id = ${products[0]?.id ?? ''}`
    await shop.database`UPDATE ordering.order SET created_at = created_at - interval '1 day' WHERE id = ${String(orderId)}`

    expect(
      await shop.database`
        SELECT FROM catalog.category_product l
        JOIN catalog.product p ON p.merchant_id = l.merchant_id AND p.id = l.product_id
        WHERE l.created_at <> p.created_at`,
    ).toEqual([])
    const links = await shop.database`
      SELECT product_id, order_id, created_at FROM ordering.product_order ORDER BY product_id`
    expect(links).toHaveLength(2)
    expect(links).toEqual(
      await shop.database`
        SELECT DISTINCT i.product_id, i.order_id, o.created_at FROM ordering.order_item i
        JOIN ordering.order o ON o.merchant_id = i.merchant_id AND o.id = i.order_id ORDER BY i.product_id`,
    )
  })

  test('allow an ordered product to be deleted, and the order keeps its line', async () => {
    const { id: productId } = await shop.createProduct(merchant, { stock: [9] })
    const input = {
      customerId: merchant.customerId,
      items: [{ productId, quantity: 2 }],
      shippingAddress: address,
    }
    const { orderId } = dataOf(await shop.call(merchant, 'createOrder', { input }))
    await shop.database`UPDATE catalog.product SET deleted_at = now() WHERE id = ${productId}`
    expect(
      await shop.database`SELECT product_id, quantity FROM ordering.order_item WHERE order_id = ${String(orderId)}`,
    ).toEqual([{ product_id: productId, quantity: 2 }])
  })
})
