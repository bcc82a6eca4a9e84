import { afterAll, beforeAll, expect, test } from 'vitest'
import { lapseUnpaidOrders } from '../ordering/index.ts'
import { expectShopToAddUp } from '../testing/invariants.ts'
import {
  address,
  createCustomer,
  dataOf,
  found,
  openTestShop,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

test('of 100 carts with a coupon for 7 uses exactly 7 check out with it, and the others get the reason', async () => {
  const product = await shop.createProduct(merchant, { stock: [200] })
  const { code } = await shop.createPromotion(merchant, { usage_limit: 7 })
  const carts = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const input = { customerId: merchant.customerId, items: [{ productId: product.id, quantity: 1 }] }
      const { cartId } = dataOf(await shop.call(merchant, 'createCart', { input }))
      dataOf(await shop.call(merchant, 'applyCoupon', { cartId, code }))
      return cartId
    }),
  )
  const answers = await Promise.all(
    carts.map((id) => shop.call(merchant, 'checkoutCart', { id, input: { shippingAddress: address } })),
  )
  expect(answers.filter(({ kind }) => kind === 'done')).toHaveLength(7)
  const refused = answers.filter((answer) => answer.kind === 'invalid')
  expect(refused).toHaveLength(93)
  expect(new Set(refused.flatMap(({ errors }) => errors.map(({ message }) => message)))).toEqual(
    new Set(['The coupon has been used as often as it can be']),
  )
  const [sums] = await shop.database`
    SELECT p.usage_count, (SELECT sum(o.discount)::integer FROM ordering.order o WHERE o.promotion_id = p.id) AS discount
    FROM promotion.promotion p WHERE p.code = ${code}`
  expect(sums).toEqual({ usage_count: 7, discount: 700 })
  const [stock] = await shop.database`
    SELECT available, reserved FROM inventory.sku_inventory WHERE sku = ${product.sku}`
  expect(stock).toEqual({ available: 193, reserved: 7 })
  await expectShopToAddUp(shop.database, merchant)
})

test('of 60 carts with a promotion for 7 uses exactly 7 get it, and all 60 are placed', async () => {
  const product = await shop.createProduct(merchant, { stock: [200] })
  const { id: promotionId } = await shop.createPromotion(merchant, { code: null, value: 50, usage_limit: 7 })
  const next = await shop.createPromotion(merchant, { code: null, value: 5 })
  const carts = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const input = { customerId: merchant.customerId, items: [{ productId: product.id, quantity: 1 }] }
      return dataOf(await shop.call(merchant, 'createCart', { input })).cartId
    }),
  )
  const orders = await Promise.all(
    carts.map(async (id) =>
      dataOf(await shop.call(merchant, 'checkoutCart', { id, input: { shippingAddress: address } })),
    ),
  )
  const sums = () => shop.database`
    SELECT o.promotion_id, p.usage_count, count(*)::integer AS orders, sum(o.discount)::integer AS discount
    FROM ordering.order o JOIN promotion.promotion p ON p.merchant_id = o.merchant_id AND p.id = o.promotion_id
    WHERE o.promotion_id IN (${promotionId}, ${next.id}) AND o.status <> 'CANCELLED' GROUP BY 1, 2 ORDER BY 2`
  expect(await sums()).toEqual([
    { promotion_id: promotionId, usage_count: 7, orders: 7, discount: 3500 },
    { promotion_id: next.id, usage_count: 53, orders: 53, discount: 2650 },
  ])
  await Promise.all(
    orders.map(({ orderId }) =>
      shop.call(merchant, 'cancelOrder', { id: orderId, reason: 'Changed my mind' }),
    ),
  )
  const uses = await shop.database`
    SELECT usage_count FROM promotion.promotion WHERE id IN (${promotionId}, ${next.id})`
  expect(uses).toEqual([{ usage_count: 0 }, { usage_count: 0 }])
  await shop.database`UPDATE promotion.promotion SET disabled = true WHERE code IS NULL`
  await expectShopToAddUp(shop.database, merchant)
})

test('of concurrent first orders of a customer one gets the coupon for a first order', async () => {
  const product = await shop.createProduct(merchant, { stock: [50] })
  const { code } = await shop.createPromotion(merchant, { first_order_only: true })
  const customerId = await createCustomer(shop.database, merchant.merchantId)
  const input = {
    customerId,
    items: [{ productId: product.id, quantity: 1 }],
    shippingAddress: address,
    couponCode: code,
  }
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => shop.call(merchant, 'createOrder', { input })),
  )
  expect(answers.filter(({ kind }) => kind === 'done')).toHaveLength(1)
})

test('orders, cancellations and lapsing with several coupons and promotions over the same SKUs never deadlock', async () => {
  const products = await Promise.all([1, 2, 3].map(() => shop.createProduct(merchant, { stock: [500, 500] })))
  for (const usageLimit of [3, 5, 1000]) {
    await shop.createPromotion(merchant, { code: null, value: 12, usage_limit: usageLimit })
  }
  const coupons = await Promise.all(
    [1, 2, 3].map(() => shop.createPromotion(merchant, { usage_limit: 1000 })),
  )
  const work = Array.from({ length: 90 }, async (_, index) => {
    const items = products
      .map(({ id }) => ({ productId: id, quantity: 1 }))
      .slice(index % 2)
      .sort(() => (index % 3) - 1)
    const { code } = found(coupons[index % 3])
    const input = { customerId: merchant.customerId, items, shippingAddress: address, couponCode: code }
    const { orderId } = dataOf(await shop.call(merchant, 'createOrder', { input }))
    const modifications = { addItems: items.slice(0, 1) }
    if (index % 3 === 0) dataOf(await shop.call(merchant, 'modifyOrder', { id: orderId, modifications }))
    if (index % 4 === 0) dataOf(await shop.call(merchant, 'cancelOrder', { id: orderId, reason: 'x' }))
    if (index % 4 === 1) {
      await shop.database`
        UPDATE inventory.reservation SET expires_at = now() - interval '1 second' WHERE order_id = ${String(orderId)}`
    }
    if (index % 10 === 9) await lapseUnpaidOrders(shop.database)
  })
  await Promise.all(work)
  await lapseUnpaidOrders(shop.database)
  await expectShopToAddUp(shop.database, merchant)
})
