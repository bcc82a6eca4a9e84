import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { lapseUnpaidOrders } from '../ordering/index.ts'
import { manualProcessor } from '../processors/index.ts'
import { expectShopToAddUp } from '../testing/invariants.ts'
import { linesOf, statusOf } from '../testing/paid-order.ts'
import {
  address,
  dataOf,
  found,
  openTestShop,
  shopper,
  silent,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import { reconcilePayments } from './reconciliation.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  merchant = await shop.createMerchant()
  await shop.database`
    UPDATE merchant.settings SET accepts_bank_transfer = true, accepts_cash = true
    WHERE merchant_id = ${merchant.merchantId}`
})

const call = (name: string, input: object) => shop.call(merchant, name, input)
const byShopper = (name: string, input: object) =>
  shop.call(merchant, name, input, { session: shopper(merchant, merchant.customerId) })

async function order(quantity = 1): Promise<string> {
  const { id: productId } = await shop.createProduct(merchant, { stock: [2] })
  const input = {
    customerId: merchant.customerId,
    items: [{ productId, quantity }],
    shippingAddress: address,
  }
  return String(dataOf(await byShopper('createOrder', { input })).orderId)
}

const choose = async (orderId: string, method: string): Promise<string> =>
  String(dataOf(await byShopper('processPayment', { input: { orderId, method } })).paymentId)

/** Packs one unit, which isn't sent yet. */
async function pack(orderId: string): Promise<string> {
  const [orderItemId] = await linesOf(shop, orderId)
  const input = { items: [{ orderItemId, quantity: 1 }], shipped: false }
  dataOf(await call('fulfillOrder', { id: orderId, input }))
  const [shipment] = await shop.database<{ id: string }[]>`
    SELECT id FROM ordering.shipment WHERE order_id = ${orderId} ORDER BY created_at DESC LIMIT 1`
  return found(shipment).id
}

async function paymentOf(id: string) {
  const [row] = await shop.database<{ status: string; captured: number }[]>`
    SELECT status, captured_amount::int AS captured FROM payment.payment WHERE id = ${id}`
  return found(row)
}

/** Minutes from the order's placement to the end of its payment window; null: no end. */
async function windowOf(orderId: string): Promise<number | null> {
  const [row] = await shop.database<{ minutes: number | null }[]>`
    SELECT round(extract(epoch FROM ordering.payment_due_at(o) - o.created_at) / 60)::int AS minutes
    FROM ordering.order o WHERE id = ${orderId}`
  return found(row).minutes
}

async function lapse(orderId: string) {
  await shop.database`UPDATE inventory.reservation SET expires_at = now() WHERE order_id = ${orderId} AND status = 'ACTIVE'`
  await lapseUnpaidOrders(shop.database)
}

describe('money from outside the platform', () => {
  test('is awaited for its method’s window, until the merchant records it', async () => {
    const orderId = await order()
    expect(await windowOf(orderId)).toBe(60)
    const paymentId = await choose(orderId, 'BANK_TRANSFER')
    expect(await windowOf(orderId)).toBe(7 * 24 * 60)
    expect(await paymentOf(paymentId)).toEqual({ status: 'PENDING', captured: 0 })
    await reconcilePayments({
      database: shop.database,
      processors: [shop.cardProcessor, manualProcessor],
      after: 0,
      logger: silent,
    })
    expect(await paymentOf(paymentId)).toEqual({ status: 'PENDING', captured: 0 })
    expect(await statusOf(shop, orderId)).toBe('PENDING')

    dataOf(await call('markPaymentReceived', { id: paymentId }))
    dataOf(await call('markPaymentReceived', { id: paymentId }))
    expect(await paymentOf(paymentId)).toEqual({ status: 'SUCCEEDED', captured: 1083 })
    expect(await statusOf(shop, orderId)).toBe('CONFIRMED')
    const history = await shop.database`
      SELECT actor FROM ordering.history_entry WHERE order_id = ${orderId} AND type = 'PAYMENT_SUCCEEDED'`
    expect(history).toEqual([{ actor: 'MERCHANT' }])
    await expectShopToAddUp(shop.database, merchant)
  })

  test('that never comes ends with the order, whose stock is for sale again', async () => {
    const orderId = await order()
    const paymentId = await choose(orderId, 'BANK_TRANSFER')
    await lapse(orderId)
    expect(await statusOf(shop, orderId)).toBe('CANCELLED')
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'CANCELLED' })
    expect(await call('markPaymentReceived', { id: paymentId })).toMatchObject({ errors: [{ field: 'id' }] })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('without a window is awaited until the order is cancelled', async () => {
    const orderId = await order()
    const paymentId = await choose(orderId, 'CASH')
    expect(await windowOf(orderId)).toBeNull()
    await lapse(orderId)
    expect(await statusOf(shop, orderId)).toBe('PENDING')
    await expectShopToAddUp(shop.database, merchant)
    dataOf(await byShopper('cancelOrder', { id: orderId, reason: 'Changed my mind' }))
    expect(await statusOf(shop, orderId)).toBe('CANCELLED')
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'CANCELLED' })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('is no longer awaited once another method is chosen, and the order has that method’s window then', async () => {
    const orderId = await order()
    const cash = await choose(orderId, 'CASH')
    const transfer = await choose(orderId, 'BANK_TRANSFER')
    expect(await paymentOf(cash)).toMatchObject({ status: 'CANCELLED' })
    const card = { orderId, method: 'CARD', paymentMethodId: 'pm_card_chargeDeclined' }
    expect(dataOf(await byShopper('processPayment', { input: card })).error).toMatchObject({
      declineCode: 'generic_decline',
    })
    expect(await paymentOf(transfer)).toMatchObject({ status: 'CANCELLED' })
    expect(await windowOf(orderId)).toBe(60)
    dataOf(await byShopper('processPayment', { input: { ...card, paymentMethodId: 'pm_card_visa' } }))
    expect(await statusOf(shop, orderId)).toBe('CONFIRMED')
    await expectShopToAddUp(shop.database, merchant)
  })

  test('can come after the goods, for cash on delivery and invoices', async () => {
    const orderId = await order()
    expect(await call('fulfillOrder', { id: orderId, input: {} })).toMatchObject({ id: 'SVC_BIZ_003' })
    const paymentId = await choose(orderId, 'BANK_TRANSFER')
    dataOf(await call('fulfillOrder', { id: orderId, input: {} }))
    expect(await statusOf(shop, orderId)).toBe('PENDING')
    await lapse(orderId)
    expect(await statusOf(shop, orderId)).toBe('PENDING')
    const add = { id: orderId, modifications: { notes: 'x' } }
    dataOf(await call('voidPayment', { id: paymentId }))
    expect(await call('modifyOrder', add)).toMatchObject({ id: 'SVC_BIZ_003' })
    expect(await byShopper('cancelOrder', { id: orderId, reason: 'x' })).toMatchObject({ id: 'SVC_BIZ_003' })
    dataOf(await call('markOrderDelivered', { id: orderId }))
    expect(await statusOf(shop, orderId)).toBe('PENDING')
    dataOf(await call('processPayment', { input: { orderId, method: 'CASH' } }))
    expect(await statusOf(shop, orderId)).toBe('DELIVERED')
    await expectShopToAddUp(shop.database, merchant)
  })

  test('is awaited again once the last of the goods is unpacked, and ends with the order if it never comes', async () => {
    const orderId = await order(2)
    await choose(orderId, 'BANK_TRANSFER')
    const [one, other] = [await pack(orderId), await pack(orderId)]
    expect(await windowOf(orderId)).toBeNull()
    await expectShopToAddUp(shop.database, merchant)
    dataOf(await call('cancelShipment', { id: one }))
    expect(await windowOf(orderId)).toBeNull()
    dataOf(await call('cancelShipment', { id: other }))
    expect(await windowOf(orderId)).toBe(7 * 24 * 60)
    await expectShopToAddUp(shop.database, merchant)
    await lapse(orderId)
    expect(await statusOf(shop, orderId)).toBe('CANCELLED')
    await expectShopToAddUp(shop.database, merchant)
  })

  test('that is given up while goods are packed leaves the order a card’s window from when they are unpacked', async () => {
    const orderId = await order()
    const paymentId = await choose(orderId, 'BANK_TRANSFER')
    const shipmentId = await pack(orderId)
    dataOf(await call('voidPayment', { id: paymentId }))
    await shop.database`UPDATE ordering.order SET created_at = now() - INTERVAL '10 days' WHERE id = ${orderId}`
    dataOf(await call('cancelShipment', { id: shipmentId }))
    expect(await windowOf(orderId)).toBe(10 * 24 * 60 + 60)
    await lapse(orderId)
    expect(await statusOf(shop, orderId)).toBe('CANCELLED')
  })

  test('without a window is awaited without one when the goods are unpacked, too', async () => {
    const orderId = await order()
    await choose(orderId, 'CASH')
    dataOf(await call('cancelShipment', { id: await pack(orderId) }))
    expect(await windowOf(orderId)).toBeNull()
    await expectShopToAddUp(shop.database, merchant)
  })

  test('must be accepted by the shop, and a shopper can’t record it as received', async () => {
    await shop.database`
      UPDATE merchant.settings SET accepts_bank_transfer = false WHERE merchant_id = ${merchant.merchantId}`
    const orderId = await order()
    const transfer = { orderId, method: 'BANK_TRANSFER' }
    expect(await byShopper('processPayment', { input: transfer })).toMatchObject({ id: 'SVC_BIZ_002' })
    expect(
      await byShopper('processPayment', { input: { orderId, method: 'CASH', received: true } }),
    ).toMatchObject({ errors: [{ field: 'received' }] })
    expect(
      await call('processPayment', {
        input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa', received: false },
      }),
    ).toMatchObject({ errors: [{ field: 'received' }] })
    const { paymentId } = dataOf(await call('processPayment', { input: { ...transfer, received: false } }))
    expect(await paymentOf(String(paymentId))).toMatchObject({ status: 'PENDING' })
    const other = { ...transfer, method: 'CASH', amount: 1 }
    expect(await byShopper('processPayment', { input: other })).toMatchObject({
      errors: [{ field: 'amount' }],
    })
    expect(await paymentOf(String(paymentId))).toMatchObject({ status: 'PENDING' })
    // A payment that the merchant records replaces the awaited one.
    dataOf(await call('processPayment', { input: transfer }))
    expect(await statusOf(shop, orderId)).toBe('CONFIRMED')
  })

  test('is recorded once by concurrent receipt, void and lapse', async () => {
    for (let round = 0; round < 8; round++) {
      const orderId = await order()
      const paymentId = await choose(orderId, 'BANK_TRANSFER')
      const [row] = await shop.database<{ total: number }[]>`
        SELECT total::int FROM ordering.order WHERE id = ${orderId}`
      await Promise.all([
        call('markPaymentReceived', { id: paymentId }),
        lapse(orderId),
        call('markPaymentReceived', { id: paymentId }),
        byShopper('cancelOrder', { id: orderId, reason: 'x' }),
      ])
      const status = await statusOf(shop, orderId)
      const payment = await paymentOf(paymentId)
      expect([status, payment]).toEqual(
        payment.status === 'CANCELLED'
          ? ['CANCELLED', { status: 'CANCELLED', captured: 0 }]
          : payment.status === 'REFUNDED'
            ? ['CANCELLED', { status: 'REFUNDED', captured: row?.total }]
            : ['CONFIRMED', { status: 'SUCCEEDED', captured: row?.total }],
      )
    }
    await expectShopToAddUp(shop.database, merchant)
  })
})
