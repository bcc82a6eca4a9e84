import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventHandlers } from './event-handlers.ts'
import { lapseUnpaidOrders } from '../../ordering/index.ts'
import { announceConfirmedOrder } from '../../testing/announce-confirmed-order.ts'
import {
  address,
  dataOf,
  found,
  openTestShop,
  type TestMerchant,
  type TestShop,
} from '../../testing/test-shop.ts'
import { remindOfPayments } from './payment-reminders.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  merchant = await shop.createMerchant()
  await shop.database`DELETE FROM email.delivery`
})

const mails = () => shop.database<{ kind: string; recipient: string; facts: Record<string, unknown> }[]>`
  SELECT kind, recipient, facts FROM email.delivery WHERE merchant_id = ${merchant.merchantId} ORDER BY created_at`

const happens = (trigger: string, before: object | null, after: object) =>
  found(eventHandlers[trigger])(shop.database, {
    id: '01a1f000-0000-7000-8000-0000000000ee',
    trigger,
    old: before && { merchant_id: merchant.merchantId, ...before },
    new: { merchant_id: merchant.merchantId, ...after },
  })

describe('stock that is back', () => {
  test('causes one mail to each subscriber', async () => {
    const { sku } = await shop.createProduct(merchant, {})
    for (const email of ['ada@example.com', 'bob@example.com'])
      dataOf(await shop.call(merchant, 'subscribeStockAlert', { sku, email }))
    dataOf(await shop.call(merchant, 'setInventoryLevel', { input: { sku, available: 1 } }))
    const [item] = await shop.database<{ id: string }[]>`
      SELECT id FROM inventory.stock_item WHERE merchant_id = ${merchant.merchantId} AND sku = ${sku}`
    const row = { id: found(item).id, stock_item_id: found(item).id, crossing: 'BACK' }
    await happens('stock_crossed', null, row)
    await happens('stock_crossed', null, row)
    expect((await mails()).map(({ kind, recipient }) => [kind, recipient]).sort()).toEqual([
      ['STOCK_ALERT', 'ada@example.com'],
      ['STOCK_ALERT', 'bob@example.com'],
    ])
  })
})

describe('a dispute', () => {
  test('causes one mail to the merchant, with the amount and the day until which evidence is taken', async () => {
    const [payment] = await shop.database<{ id: string }[]>`
      INSERT INTO payment.payment (merchant_id, amount, currency, status, method, processor)
      VALUES (${merchant.merchantId}, 500, 'EUR', 'SUCCEEDED', 'CARD', 'sandbox') RETURNING id`
    const paymentId = found(payment).id
    const dispute = {
      merchant_id: merchant.merchantId,
      payment_id: paymentId,
      processor_dispute_id: 'dp_1',
      amount: 400,
      currency: 'EUR',
      reason: 'fraudulent',
      status: 'NEEDS_RESPONSE',
      evidence_due_at: '2026-03-28T15:09:26Z',
      created_at: new Date(),
    }
    const [row] = await shop.database<{ id: string }[]>`
      INSERT INTO payment.dispute ${shop.database(dispute)} RETURNING id`
    await happens('payment_disputed', null, found(row))
    await happens('payment_disputed', null, found(row))
    expect(await mails()).toMatchObject([
      {
        kind: 'PAYMENT_DISPUTED',
        facts: {
          dispute: { paymentId, orderNumber: null, amount: 400, currency: 'EUR', reason: 'fraudulent' },
        },
      },
    ])
  })
})

describe('an unpaid order', () => {
  async function order(): Promise<string> {
    const { id: productId } = await shop.createProduct(merchant, { stock: [5] })
    const input = {
      customerId: merchant.customerId,
      items: [{ productId, quantity: 1 }],
      shippingAddress: address,
    }
    return String(dataOf(await shop.call(merchant, 'createOrder', { input })).orderId)
  }
  /** Sets how many minutes ago the order was placed, and how many are left to pay it. */
  const at = (orderId: string, minutesAgo: number, minutesLeft: number) => shop.database`
    WITH placed AS (
      UPDATE ordering.order SET created_at = now() - make_interval(mins => ${minutesAgo}) WHERE id = ${orderId}
    )
    UPDATE inventory.reservation SET expires_at = now() + make_interval(mins => ${minutesLeft}) WHERE order_id = ${orderId}`

  test('causes one reminder, a quarter of its payment window before the end, at most a day', async () => {
    const card = await order()
    await at(card, 40, 20)
    const transfer = await order()
    const asked = { input: { orderId: transfer, method: 'BANK_TRANSFER', received: false } }
    dataOf(await shop.call(merchant, 'processPayment', asked))
    await at(transfer, 5 * 24 * 60, 2 * 24 * 60)
    expect(await remindOfPayments(shop.database)).toBe(0)

    await at(card, 46, 14)
    await at(transfer, 6 * 24 * 60 + 10, 24 * 60 - 10)
    await Promise.all([remindOfPayments(shop.database), remindOfPayments(shop.database)])
    await remindOfPayments(shop.database)
    expect(
      (await mails()).map(({ kind, facts }) => [kind, (facts['payment'] as { method: string }).method]),
    ).toEqual(
      expect.arrayContaining([
        ['ORDER_PAYMENT_REMINDER', null],
        ['ORDER_PAYMENT_REMINDER', 'BANK_TRANSFER'],
      ]),
    )
    expect(await mails()).toHaveLength(2)
  })

  test('causes no reminder once it is paid', async () => {
    const orderId = await order()
    dataOf(await shop.call(merchant, 'processPayment', { input: { orderId, method: 'CASH' } }))
    await at(orderId, 50, 10)
    expect(await remindOfPayments(shop.database)).toBe(0)
  })

  test('causes a cancellation mail with the reason, worded for lapsed or for cancelled orders', async () => {
    const [lapsed, called] = [await order(), await order()]
    await shop.database`UPDATE inventory.reservation SET expires_at = now() WHERE order_id = ${lapsed}`
    await lapseUnpaidOrders(shop.database)
    dataOf(await shop.call(merchant, 'cancelOrder', { id: called, reason: 'Too late' }))
    for (const id of [lapsed, called, lapsed])
      await happens('order_status_changed', { id, status: 'PENDING' }, { id, status: 'CANCELLED' })
    expect((await mails()).map(({ facts }) => facts['cancellation'])).toEqual([
      { reason: 'The payment window has ended', unpaid: true },
      { reason: 'Too late', unpaid: false },
    ])
  })

  test('causes no mail that thanks for an order, once the order is cancelled', async () => {
    const orderId = await order()
    dataOf(await shop.call(merchant, 'cancelOrder', { id: orderId, reason: 'Changed my mind' }))
    await announceConfirmedOrder(shop.database, merchant.merchantId, orderId)
    expect(await mails()).toEqual([])
  })
})
