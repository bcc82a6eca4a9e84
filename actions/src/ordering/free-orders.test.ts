import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { announceConfirmedOrder } from '../testing/announce-confirmed-order.ts'
import { expectShopToAddUp } from '../testing/invariants.ts'
import { linesOf, statusOf } from '../testing/paid-order.ts'
import {
  address,
  dataOf,
  found,
  openTestShop,
  type TestMerchant,
  type TestProduct,
  type TestShop,
} from '../testing/test-shop.ts'
import { lapseUnpaidOrders } from './orders.ts'

let shop: TestShop
let merchant: TestMerchant
let product: TestProduct
let freeCode: string
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
  product = await shop.createProduct(merchant, { stock: [500] })
  freeCode = (await shop.createPromotion(merchant, { value: 100 })).code
})
afterAll(() => shop.close())

const call = (name: string, input: object) => shop.call(merchant, name, input)
const terms = () => ({
  customerId: merchant.customerId,
  items: [{ productId: product.id, quantity: 2 }],
  shippingAddress: address,
})
const orderOf = async (answer: ReturnType<typeof call>) => String(dataOf(await answer).orderId)
const freeOrder = () => orderOf(call('createOrder', { input: { ...terms(), couponCode: freeCode } }))

async function rowOf(orderId: string) {
  const [row] = await shop.database<
    { status: string; total: string; paid: boolean; held: string; payments: number }[]
  >`
    SELECT o.status, o.total, o.paid_at IS NOT NULL AS paid,
      (SELECT string_agg(r.status, ',') FROM inventory.reservation r WHERE r.order_id = o.id) AS held,
      (SELECT count(*)::integer FROM payment.payment p WHERE p.order_id = o.id) AS payments
    FROM ordering.order o WHERE o.id = ${orderId}`
  return found(row)
}

const confirmed = { status: 'CONFIRMED', total: '0', paid: true, held: 'COMMITTED', payments: 0 }

describe('an order that costs nothing', () => {
  test('is confirmed without a payment, however it is created', async () => {
    expect(await rowOf(await freeOrder())).toEqual(confirmed)

    const cart = String(
      dataOf(
        await call('createCart', {
          input: { currency: 'USD', customerId: merchant.customerId, items: terms().items },
        }),
      ).cartId,
    )
    dataOf(await call('applyCoupon', { cartId: cart, code: freeCode }))
    const checkout = { id: cart, input: { shippingAddress: address, expectedTotal: 0 } }
    const fromCart = await orderOf(call('checkoutCart', checkout))
    expect(await rowOf(fromCart)).toEqual(confirmed)
    expect(await orderOf(call('checkoutCart', checkout))).toBe(fromCart)

    const draft = dataOf(await call('createDraftOrder', { input: { ...terms(), couponCode: freeCode } }))
    expect(await rowOf(await orderOf(call('completeDraftOrder', { id: draft.draftOrderId })))).toEqual(
      confirmed,
    )

    const gift = await shop.createProduct(merchant, { stock: [5] })
    const { code: couponCode } = await shop.createPromotion(merchant, { value: 100, product_ids: [gift.id] })
    const items = [...terms().items, { productId: gift.id, quantity: 1 }]
    const modified = await orderOf(call('createOrder', { input: { ...terms(), items, couponCode } }))
    expect(await statusOf(shop, modified)).toBe('PENDING')
    const removeItemIds = (await linesOf(shop, modified)).slice(0, 1)
    dataOf(await call('modifyOrder', { id: modified, modifications: { removeItemIds } }))
    expect(await rowOf(modified)).toEqual(confirmed)
    await expectShopToAddUp(shop.database, merchant)
  })

  test('is confirmed when a reward covers its total', async () => {
    const { merchantId, customerId } = merchant
    await shop.database`UPDATE crm.loyalty_program SET enabled = true WHERE merchant_id = ${merchantId}`
    const [reward] = await shop.database<{ id: string }[]>`
      INSERT INTO crm.loyalty_reward (merchant_id, name, points, discount_amount)
      VALUES (${merchantId}, 'Two for nothing', 10, 5000) RETURNING id`
    dataOf(await call('adjustLoyaltyPoints', { input: { customerId, points: 10, reason: 'Welcome' } }))
    const { entryId } = dataOf(
      await call('redeemLoyaltyReward', { input: { customerId, rewardId: found(reward).id } }),
    )
    const [entry] = await shop.database<{ coupon_code: string }[]>`
      SELECT coupon_code FROM crm.loyalty_entry WHERE id = ${String(entryId)}`
    const couponCode = found(entry).coupon_code
    expect(await rowOf(await orderOf(call('createOrder', { input: { ...terms(), couponCode } })))).toEqual(
      confirmed,
    )
    await shop.database`UPDATE crm.loyalty_program SET enabled = false WHERE merchant_id = ${merchantId}`
  })

  test('can’t be paid, refunded or modified, and the error says why', async () => {
    const orderId = await freeOrder()
    const [line] = await linesOf(shop, orderId)
    for (const method of ['CARD', 'CASH'])
      expect(
        await call('processPayment', {
          input: { orderId, method, paymentMethodId: 'pm_card_visa', amount: 0 },
        }),
      ).toMatchObject({
        id: 'SVC_BIZ_003',
        details: { field: 'orderId', reason: 'It costs nothing, so there is nothing to pay' },
      })
    expect(
      await call('refundOrder', {
        id: orderId,
        input: { items: [{ orderItemId: line, quantity: 1 }], reason: 'Test' },
      }),
    ).toMatchObject({
      id: 'SVC_BIZ_003',
      details: { field: 'id', reason: 'It costs nothing, so there is nothing to refund' },
    })
    expect(
      await call('modifyOrder', {
        id: orderId,
        modifications: { addItems: [{ productId: product.id, quantity: 1 }] },
      }),
    ).toMatchObject({ id: 'SVC_BIZ_003', details: { status: 'CONFIRMED' } })
    expect(await rowOf(orderId)).toEqual(confirmed)
  })

  test('does not lapse, counts its units as sold, and is a sale of 0 in reports', async () => {
    const other = await shop.createMerchant()
    const { id: productId } = await shop.createProduct(other, { stock: [3] })
    const { code: couponCode } = await shop.createPromotion(other, { value: 100 })
    const input = {
      ...terms(),
      couponCode,
      customerId: other.customerId,
      items: [{ productId, quantity: 3 }],
    }
    const { orderId } = dataOf(await shop.call(other, 'createOrder', { input }))
    await shop.database`UPDATE inventory.reservation SET expires_at = now() WHERE order_id = ${String(orderId)}`
    await lapseUnpaidOrders(shop.database)
    expect(await statusOf(shop, String(orderId))).toBe('CONFIRMED')
    const [counted] = await shop.database`
      SELECT p.popularity::integer, t.order_count, t.total_spent::integer, t.average_order_value::integer
      FROM catalog.product p JOIN crm.customer_total t ON t.customer_id = ${other.customerId} WHERE p.id = ${productId}`
    expect(counted).toEqual({ popularity: 3, order_count: 1, total_spent: 0, average_order_value: 0 })
    const report = await shop.database<{ metric: string; value: number }[]>`
      SELECT metric, value::integer FROM analytics.report_of(
        ${other.merchantId}, '{ORDERS,UNITS,TOTAL_SALES,AVERAGE_ORDER_VALUE,CUSTOMERS}', current_date - 1, current_date + 1,
        NULL, 'UTC', NULL, 10, NULL, false
      )`
    expect(Object.fromEntries(report.map(({ metric, value }) => [metric, value]))).toEqual({
      ORDERS: 1,
      UNITS: 3,
      TOTAL_SALES: 0,
      AVERAGE_ORDER_VALUE: 0,
      CUSTOMERS: 1,
    })
  })

  test('is confirmed by a mail that mentions no payment', async () => {
    const orderId = await freeOrder()
    await announceConfirmedOrder(shop.database, merchant.merchantId, orderId)
    const [sent] = await shop.database`
      SELECT body FROM notification.notification WHERE subject_key = ${orderId} AND kind = 'ORDER_CONFIRMATION'`
    expect(found(sent)).toEqual({ body: 'Test has received it. There is nothing to pay.' })
  })

  test('returns its stock and its coupon when it is cancelled, packed or not, and refunds nothing', async () => {
    for (const packed of [false, true]) {
      const { code } = await shop.createPromotion(merchant, { value: 100, usage_limit: 1 })
      const before = await available()
      const orderId = await orderOf(call('createOrder', { input: { ...terms(), couponCode: code } }))
      expect(await available()).toBe(before - 2)
      if (packed) dataOf(await call('fulfillOrder', { id: orderId, input: { shipped: false } }))
      expect(dataOf(await call('cancelOrder', { id: orderId, reason: 'Test' }))).toMatchObject({
        refund: null,
      })
      expect(await rowOf(orderId)).toMatchObject({ status: 'CANCELLED', held: 'RELEASED' })
      expect(await available()).toBe(before)
      await expectShopToAddUp(shop.database, merchant)
      const again = await orderOf(call('createOrder', { input: { ...terms(), couponCode: code } }))
      expect(await statusOf(shop, again)).toBe('CONFIRMED')
    }
  })

  test('can be sent and returned, but not refunded', async () => {
    const orderId = await freeOrder()
    dataOf(await call('fulfillOrder', { id: orderId, input: { carrier: 'UPS' } }))
    dataOf(await call('markOrderDelivered', { id: orderId }))
    expect(await statusOf(shop, orderId)).toBe('DELIVERED')
    const [line] = await linesOf(shop, orderId)
    const items = [{ orderItemId: line, quantity: 1, reason: 'CHANGED_MIND' }]
    const { returnId: id } = dataOf(await call('requestReturn', { input: { orderId, items } }))
    dataOf(await call('approveReturn', { id }))
    dataOf(await call('receiveReturn', { id, input: {} }))
    expect(await call('refundReturn', { id, input: {} })).toMatchObject({
      id: 'SVC_BIZ_003',
      details: { reason: 'It costs nothing, so there is nothing to refund' },
    })
    await expectShopToAddUp(shop.database, merchant)
  })

  async function available(): Promise<number> {
    const [row] = await shop.database<{ available: number }[]>`
      SELECT available FROM inventory.sku_inventory WHERE merchant_id = ${merchant.merchantId} AND sku = ${product.sku}`
    return found(row).available
  }
})
