import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventHandlers } from './event-handlers.ts'
import { lapseUnpaidOrders } from '../../ordering/index.ts'
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
  test('is told of to whoever waits for it, once', async () => {
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

describe('an order that nobody pays', () => {
  async function order(): Promise<string> {
    const { id: productId } = await shop.createProduct(merchant, { stock: [5] })
    const input = {
      customerId: merchant.customerId,
      items: [{ productId, quantity: 1 }],
      shippingAddress: address,
    }
    return String(dataOf(await shop.call(merchant, 'createOrder', { input })).orderId)
  }
  /** The order was placed so long ago, and is to be paid so soon. */
  const at = (orderId: string, minutesAgo: number, minutesLeft: number) => shop.database`
    WITH placed AS (
      UPDATE ordering.order SET created_at = now() - make_interval(mins => ${minutesAgo}) WHERE id = ${orderId}
    )
    UPDATE inventory.reservation SET expires_at = now() + make_interval(mins => ${minutesLeft}) WHERE order_id = ${orderId}`

  test('is told of a quarter of its window before the end, at most a day, and once', async () => {
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

  test('is not told of once it is paid', async () => {
    const orderId = await order()
    dataOf(await shop.call(merchant, 'processPayment', { input: { orderId, method: 'CASH' } }))
    await at(orderId, 50, 10)
    expect(await remindOfPayments(shop.database)).toBe(0)
  })

  test('is told to be cancelled, and why, in words of its own', async () => {
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
})

describe('an appointment', () => {
  async function book(startsIn: string): Promise<{ readonly id: string; readonly start_time: string }> {
    const { merchantId, customerId } = merchant
    const [row] = await shop.database<{ id: string; start_time: string }[]>`
      WITH service AS (
        INSERT INTO booking.service (merchant_id, name, duration, price, currency)
        VALUES (${merchantId}, 'Boot fitting', 30, 0, 'USD') RETURNING id
      ), staff AS (
        INSERT INTO booking.staff_member (merchant_id, name, email, time_zone)
        VALUES (${merchantId}, 'Ruth', 'ruth@example.com', 'Asia/Tokyo') RETURNING id
      )
      INSERT INTO booking.appointment (merchant_id, service_id, staff_id, customer_id, start_time, end_time)
      SELECT ${merchantId}, service.id, staff.id, ${customerId}, x.at, x.at + interval '30 minutes'
      FROM service, staff, (SELECT now() + ${startsIn}::text::interval AS at) x
      RETURNING id, start_time::text`
    return found(row)
  }

  test('is told of when it is booked, moved and cancelled, once each, by the clock of who keeps it', async () => {
    const { id, start_time } = await book('2 days')
    const booked = { id, status: 'SCHEDULED', start_time, booked_here: true }
    await happens('appointment_changed', null, { ...booked, booked_here: false })
    await happens('appointment_changed', null, booked)
    await happens('appointment_changed', null, booked)
    const [moved] = await shop.database<{ start_time: string }[]>`
      UPDATE booking.appointment SET start_time = start_time + interval '1 day', end_time = end_time + interval '1 day'
      WHERE id = ${id} RETURNING start_time::text`
    await happens('appointment_changed', booked, { ...booked, ...found(moved) })
    // Told late of the time before: there is nothing to tell any more.
    await happens('appointment_reminder_due', null, { appointment_id: id, start_time })
    await shop.database`UPDATE booking.appointment SET status = 'CANCELLED' WHERE id = ${id}`
    const cancelled = { id, status: 'CANCELLED', ...found(moved) }
    await happens('appointment_changed', { ...booked, ...found(moved) }, cancelled)
    expect((await mails()).map(({ kind }) => kind)).toEqual([
      'APPOINTMENT_BOOKED',
      'APPOINTMENT_MOVED',
      'APPOINTMENT_CANCELLED',
    ])
    expect((await mails())[0]?.facts['appointment']).toMatchObject({ timeZone: 'Asia/Tokyo', staff: 'Ruth' })
  })

  test('that is over, or is booked afterwards, is nobody’s news', async () => {
    const { id, start_time } = await book('-1 hour')
    await happens('appointment_changed', null, { id, status: 'SCHEDULED', start_time, booked_here: true })
    expect(await mails()).toEqual([])
  })
})
