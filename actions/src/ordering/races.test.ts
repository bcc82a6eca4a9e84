import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { actingAs } from '../action/acting-as.ts'
import type { Answer } from '../action/answer.ts'
import { expectShopToAddUp, stockEverSeen } from '../testing/invariants.ts'
import {
  address,
  dataOf,
  found,
  openTestShop,
  staff,
  type TestMerchant,
  type TestProduct,
  type TestShop,
} from '../testing/test-shop.ts'
import type { Queryable } from '../database.ts'
import { overlap } from '../testing/overlap.ts'
import * as ordering from '../sql/generated/ordering.ts'
import { orderTransitions } from './order-machine.ts'
import { lapseUnpaidOrders } from './orders.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const order = (...products: readonly TestProduct[]) =>
  shop.call(merchant, 'createOrder', {
    input: {
      customerId: merchant.customerId,
      items: products.map(({ id }) => ({ productId: id, quantity: 1 })),
      shippingAddress: address,
    },
  })

const count = (answers: readonly Answer[], kind: Answer['kind']) =>
  answers.filter((answer) => answer.kind === kind).length

test('of 200 buyers of a SKU with 50 in two warehouses exactly 50 get one, and the others get an error', async () => {
  const product = await shop.createProduct(merchant, { stock: [20, 30] })
  const answers = await Promise.all(Array.from({ length: 200 }, () => order(product)))
  expect(count(answers, 'done')).toBe(50)
  const refused = answers.filter((answer) => answer.kind === 'refused')
  expect(refused).toHaveLength(150)
  expect(new Set(refused.map(({ message }) => message))).toEqual(
    new Set(['Insufficient inventory. Available: 0, Requested: 1']),
  )
  const [stock] = await shop.database`
    SELECT available, reserved FROM inventory.sku_inventory WHERE sku = ${product.sku}`
  expect(stock).toEqual({ available: 0, reserved: 50 })
  await expectShopToAddUp(shop.database, merchant)
})

test('orders, reservations, cancellations and expiry over the same SKUs in any order never deadlock', async () => {
  const a = await shop.createProduct(merchant, { stock: [500, 500] })
  const b = await shop.createProduct(merchant, { stock: [500, 500] })
  const c = await shop.createProduct(merchant, { stock: [500, 500] })
  const before = await stockEverSeen(shop.database, merchant)
  const lines = [
    [a, b, c],
    [c, b, a],
    [b, a],
    [c, a],
  ]
  const work = Array.from({ length: 80 }, async (_, index) => {
    const chosen = lines[index % lines.length] ?? []
    if (index % 8 === 7) {
      const items = chosen.map(({ sku }) => ({ sku, quantity: 1 }))
      await shop.call(merchant, 'reserveInventory', { items, expiresInSeconds: 1 })
      return shop.database`UPDATE inventory.reservation SET expires_at = now() WHERE status = 'ACTIVE' AND order_id IS NULL`
    }
    const { orderId } = dataOf(await order(...chosen))
    if (index % 3 === 0)
      dataOf(await shop.call(merchant, 'cancelOrder', { id: orderId, reason: 'Changed my mind' }))
    return orderId
  })
  await Promise.all(work)
  await expectShopToAddUp(shop.database, merchant)
  expect(await stockEverSeen(shop.database, merchant)).toBe(before)
})

test('of a concurrent shipment and cancellation one succeeds, and the stock matches it', async () => {
  const product = await shop.createProduct(merchant, { stock: [100] })
  for (let round = 0; round < 10; round++) {
    const { orderId } = dataOf(await order(product))
    dataOf(await shop.call(merchant, 'processPayment', { input: { orderId, method: 'CASH' } }))
    const answers = await Promise.all([
      shop.call(merchant, 'fulfillOrder', { id: orderId, input: {} }),
      shop.call(merchant, 'cancelOrder', { id: orderId, reason: 'x' }),
    ])
    expect(count(answers, 'done')).toBe(1)
    expect(answers.find((answer) => answer.kind === 'refused')).toMatchObject({ id: 'SVC_BIZ_003' })
  }
  await expectShopToAddUp(shop.database, merchant)
})

/** Every statement that looks for an order's payment waits for this lock after it has read its rows. */
const looking = 4711

describe('an unpaid order', () => {
  test('does not lapse while a payment is in progress that began after the job had looked for one', async () => {
    const { orderId } = dataOf(await order(await shop.createProduct(merchant, { stock: [1] })))
    const { merchantId } = merchant
    await shop.database`UPDATE inventory.reservation SET expires_at = now() WHERE order_id = ${String(orderId)}`
    const [original] = await shop.database<{ definition: string }[]>`
      SELECT pg_get_functiondef('payment.open_payment'::regproc) AS definition`
    await shop.database.unsafe(`
      CREATE OR REPLACE FUNCTION payment.open_payment(p_merchant_id uuid, p_order_id uuid) RETURNS payment.payment
      LANGUAGE plpgsql STABLE AS $$
      DECLARE v payment.payment;
      BEGIN
        SELECT p.* INTO v FROM payment.payment p
        WHERE p.merchant_id = p_merchant_id AND p.order_id = p_order_id AND p.status IN ('PENDING', 'PROCESSING');
        PERFORM pg_advisory_xact_lock_shared(${looking});
        RETURN v;
      END $$`)
    const waiting = async () => {
      const rows = await shop.database`
        SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${looking} AND NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
      return rows.length
    }
    let lapse: Promise<number> | undefined
    await shop.database.begin(async (sql) => {
      await sql`SELECT pg_advisory_xact_lock(${looking})`
      lapse = lapseUnpaidOrders(shop.database)
      await expect.poll(waiting, { timeout: 20_000 }).toBe(1)
      await shop.database`
        INSERT INTO payment.payment (merchant_id, order_id, amount, currency, method, processor)
        SELECT ${merchantId}, id, total, currency, 'CARD', 'sandbox' FROM ordering.order WHERE id = ${String(orderId)}`
    })
    await lapse
    await shop.database.unsafe(found(original).definition)
    const [row] = await shop.database`
      SELECT o.status, r.status AS held FROM ordering.order o JOIN inventory.reservation r ON r.order_id = o.id
      WHERE o.id = ${String(orderId)}`
    expect(row).toEqual({ status: 'PENDING', held: 'ACTIVE' })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('is cancelled after its payment window, and its stock is for sale again', async () => {
    const product = await shop.createProduct(merchant, { stock: [1] })
    const { orderId } = dataOf(await order(product))
    await shop.database`
      UPDATE inventory.reservation SET expires_at = now() - interval '1 second' WHERE order_id = ${String(orderId)}`
    expect(await shop.call(merchant, 'processPayment', { input: { orderId, method: 'CASH' } })).toMatchObject(
      { id: 'SVC_BIZ_003' },
    )
    await Promise.all([lapseUnpaidOrders(shop.database), lapseUnpaidOrders(shop.database)])
    const [row] = await shop.database`SELECT status FROM ordering.order WHERE id = ${String(orderId)}`
    expect(row).toEqual({ status: 'CANCELLED' })
    dataOf(await order(product))
    await expectShopToAddUp(shop.database, merchant)
  })
})

test('a reservation that one order is taking over can’t be taken over by another', async () => {
  const product = await shop.createProduct(merchant, { stock: [5] })
  const items = [{ sku: product.sku, quantity: 1 }]
  const { reservationId } = dataOf(await shop.call(merchant, 'reserveInventory', { items }))
  const place = (sql: Queryable) =>
    ordering.placeOrder(actingAs(sql, staff(merchant)), {
      merchantId: merchant.merchantId,
      customerId: merchant.customerId,
      lines: [{ productId: product.id, quantity: 1 }],
      currency: null,
      shippingAddress: address,
      billingAddress: null,
      shippingMethodId: null,
      reservationId: String(reservationId),
      couponCode: null,
      notes: null,
      cartId: null,
      kept: null,
      byShopper: false,
      pay: orderTransitions.pay,
    })
  const [one, other] = await overlap(shop.database, place, () => place(shop.database))
  expect([one.outcome, other]).toMatchObject([
    'placed',
    { outcome: 'invalid', refusals: [{ field: 'reservationId', reason: 'reservation_not_active' }] },
  ])
  await expectShopToAddUp(shop.database, merchant)
})
