import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectShopToAddUp } from '../testing/invariants.ts'
import { address, openTestShop, type TestMerchant, type TestShop, dataOf } from '../testing/test-shop.ts'
import { fulfillmentOf, linesOf, paidOrder, statusOf } from '../testing/paid-order.ts'
import { lapseUnpaidOrders } from './orders.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const call = (name: string, input: object) => shop.call(merchant, name, input)

async function latestShipment(orderId: string): Promise<string> {
  const [row] = await shop.database<{ id: string }[]>`
    SELECT id FROM ordering.shipment WHERE order_id = ${orderId} ORDER BY created_at DESC, id DESC LIMIT 1`
  return row?.id ?? ''
}

describe('an order that is sent in parts', () => {
  test('is PARTIAL, FULFILLED, SHIPPED and DELIVERED as its shipments are packed, leave and arrive', async () => {
    const { orderId } = await paidOrder(shop, merchant, [2, 3])
    const [first, second] = await linesOf(shop, orderId)
    const stages: unknown[] = []
    const note = async () => stages.push([await statusOf(shop, orderId), await fulfillmentOf(shop, orderId)])
    await note()
    dataOf(
      await call('fulfillOrder', {
        id: orderId,
        input: { items: [{ orderItemId: first, quantity: 1 }], carrier: 'DHL', trackingNumber: '1' },
      }),
    )
    const one = await latestShipment(orderId)
    await note()
    dataOf(
      await call('fulfillOrder', {
        id: orderId,
        input: { items: [{ orderItemId: second, quantity: 3 }], shipped: false },
      }),
    )
    const two = await latestShipment(orderId)
    await note()
    dataOf(await call('fulfillOrder', { id: orderId, input: { shipped: false } }))
    const three = await latestShipment(orderId)
    await note()
    dataOf(await call('markShipmentDelivered', { id: one }))
    dataOf(await call('markShipmentShipped', { id: two, input: { carrier: 'UPS', trackingNumber: '2' } }))
    await note()
    dataOf(await call('markShipmentShipped', { id: three, input: {} }))
    await note()
    dataOf(await call('markShipmentDelivered', { id: two }))
    await note()
    dataOf(await call('markOrderDelivered', { id: orderId }))
    await note()
    expect(stages).toEqual([
      ['CONFIRMED', 'UNFULFILLED'],
      ['PROCESSING', 'PARTIAL'],
      ['PROCESSING', 'PARTIAL'],
      ['PROCESSING', 'FULFILLED'],
      ['PROCESSING', 'FULFILLED'],
      ['SHIPPED', 'SHIPPED'],
      ['SHIPPED', 'SHIPPED'],
      ['DELIVERED', 'DELIVERED'],
    ])
    await expectShopToAddUp(shop.database, merchant)
  })

  test('never sends a unit twice, also with concurrent requests', async () => {
    const { orderId } = await paidOrder(shop, merchant, [5])
    const [line] = await linesOf(shop, orderId)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        call('fulfillOrder', { id: orderId, input: { items: [{ orderItemId: line, quantity: 2 }] } }),
      ),
    )
    expect(answers.filter(({ kind }) => kind === 'done')).toHaveLength(2)
    expect(answers.find(({ kind }) => kind === 'invalid')).toMatchObject({
      errors: [{ field: 'items.0.quantity', code: 'OUT_OF_RANGE' }],
    })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('leaves out units that were refunded before they were packed', async () => {
    const { orderId } = await paidOrder(shop, merchant, [3])
    const [orderItemId] = await linesOf(shop, orderId)
    const units = (quantity: number) => ({ items: [{ orderItemId, quantity }] })
    dataOf(await call('refundOrder', { id: orderId, input: { ...units(1), reason: 'Test' } }))
    expect(await call('fulfillOrder', { id: orderId, input: units(3) })).toMatchObject({
      errors: [
        {
          field: 'items.0.quantity',
          code: 'OUT_OF_RANGE',
          message: expect.stringContaining('1-2') as string,
        },
      ],
    })
    dataOf(await call('fulfillOrder', { id: orderId, input: {} }))
    const [sent] = await shop.database`
      SELECT packed_quantity, fulfilled_quantity, cancelled_quantity FROM ordering.order_item WHERE order_id = ${orderId}`
    expect(sent).toEqual({ packed_quantity: 2, fulfilled_quantity: 2, cancelled_quantity: 1 })
    expect(await statusOf(shop, orderId)).toBe('SHIPPED')
    await expectShopToAddUp(shop.database, merchant)
  })

  test('names every wrong line, and sends nothing then', async () => {
    const { orderId } = await paidOrder(shop, merchant, [1])
    const [line] = await linesOf(shop, orderId)
    const items = [
      { orderItemId: line, quantity: 2 },
      { orderItemId: crypto.randomUUID(), quantity: 1 },
      { orderItemId: line, quantity: 1 },
    ]
    expect(await call('fulfillOrder', { id: orderId, input: { items } })).toMatchObject({
      errors: [{ field: 'items.2.orderItemId', code: 'INVALID_VALUE' }],
    })
    expect(await call('fulfillOrder', { id: orderId, input: { items: items.slice(0, 2) } })).toMatchObject({
      errors: [
        { field: 'items.0.quantity', code: 'OUT_OF_RANGE' },
        { field: 'items.1.orderItemId', code: 'NOT_FOUND' },
      ],
    })
    expect(await fulfillmentOf(shop, orderId)).toBe('UNFULFILLED')
  })

  test('can be unpacked before it leaves, but not cancelled after', async () => {
    const { orderId } = await paidOrder(shop, merchant, [2])
    const [line] = await linesOf(shop, orderId)
    dataOf(await call('fulfillOrder', { id: orderId, input: { shipped: false } }))
    const packed = await latestShipment(orderId)
    dataOf(await call('cancelShipment', { id: packed }))
    expect(await fulfillmentOf(shop, orderId)).toBe('UNFULFILLED')
    for (const name of ['cancelShipment', 'markShipmentDelivered'])
      expect(await call(name, { id: packed })).toMatchObject({ errors: [{ field: 'id' }] })
    dataOf(
      await call('fulfillOrder', {
        id: orderId,
        input: { items: [{ orderItemId: line, quantity: 1 }] },
      }),
    )
    expect(await call('cancelOrder', { id: orderId, reason: 'x' })).toMatchObject({
      id: 'SVC_BIZ_003',
      details: { reason: 'A part of it has been shipped; the rest can be refunded' },
    })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('that is packed before it is paid does not lapse, and gives its packages up when it is cancelled', async () => {
    await shop.database`
      INSERT INTO payment.payment_option ${shop.database({ merchant_id: merchant.merchantId, method: 'INVOICE', name: 'Invoice' })}`
    const { id: productId } = await shop.createProduct(merchant, { stock: [2] })
    const input = {
      customerId: merchant.customerId,
      items: [{ productId, quantity: 2 }],
      shippingAddress: address,
    }
    const orderId = String(dataOf(await call('createOrder', { input })).orderId)
    dataOf(await call('processPayment', { input: { orderId, method: 'INVOICE', received: false } }))
    dataOf(await call('fulfillOrder', { id: orderId, input: { shipped: false } }))
    await shop.database`UPDATE inventory.reservation SET expires_at = now() WHERE order_id = ${orderId}`
    await lapseUnpaidOrders(shop.database)
    expect(await statusOf(shop, orderId)).toBe('PENDING')
    dataOf(await call('cancelOrder', { id: orderId, reason: 'x' }))
    expect(await call('markShipmentShipped', { id: await latestShipment(orderId), input: {} })).toMatchObject(
      {
        errors: [{ field: 'id', message: 'The shipment is CANCELLED' }],
      },
    )
    const [left] = await shop.database`
      SELECT s.status, i.packed_quantity
      FROM ordering.shipment s
      JOIN ordering.order_item i ON i.merchant_id = s.merchant_id AND i.order_id = s.order_id
      WHERE s.order_id = ${orderId}`
    expect(left).toEqual({ status: 'CANCELLED', packed_quantity: 0 })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('is SHIPPED when the units that were not sent are refunded', async () => {
    const { orderId } = await paidOrder(shop, merchant, [2])
    const [line] = await linesOf(shop, orderId)
    const items = [{ orderItemId: line, quantity: 1 }]
    dataOf(await call('fulfillOrder', { id: orderId, input: { items } }))
    dataOf(await call('refundOrder', { id: orderId, input: { items, reason: 'None left' } }))
    expect([await statusOf(shop, orderId), await fulfillmentOf(shop, orderId)]).toEqual([
      'SHIPPED',
      'SHIPPED',
    ])
    await expectShopToAddUp(shop.database, merchant)
  })
})
