import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectShopToAddUp, stockEverSeen } from '../testing/invariants.ts'
import { fulfillmentOf, linesOf, paidOrder, statusOf } from '../testing/paid-order.ts'
import {
  createCustomer,
  dataOf,
  found,
  openTestShop,
  staff,
  shopper,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import type { Queryable } from '../database.ts'
import { overlap } from '../testing/overlap.ts'
import { refundOrder } from './order-refunds.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const call = (name: string, input: object, options: object = {}) => shop.call(merchant, name, input, options)

async function refund(orderId: string, quantities: readonly number[], more: object = {}) {
  const ids = await linesOf(shop, orderId)
  const items = quantities
    .map((quantity, index) => ({ orderItemId: ids[index], quantity }))
    .filter(({ quantity }) => quantity > 0)
  return call('refundOrder', { id: orderId, input: { items, reason: 'Test', ...more } })
}

async function refundsOf(orderId: string) {
  const rows = await shop.database<{ amount: string }[]>`
    SELECT r.amount FROM payment.refund r JOIN payment.payment p ON p.id = r.payment_id
    WHERE p.order_id = ${orderId} ORDER BY r.created_at, r.id`
  return rows.map(({ amount }) => Number(amount))
}

async function spent(customerId: string) {
  const [row] = await shop.database<{ total_spent: string }[]>`
    SELECT total_spent FROM crm.customer_total WHERE customer_id = ${customerId}`
  return Number(found(row).total_spent)
}

describe('refundOrder', () => {
  test('in any number of parts returns exactly the paid amount, and the last part makes the order REFUNDED', async () => {
    const { code } = await shop.createPromotion(merchant, { type: 'PERCENTAGE', value: 7 })
    const { orderId, total } = await paidOrder(shop, merchant, [3, 7], {
      prices: [333, 101],
      shipping: 499,
      couponCode: code,
    })
    const before = await spent(merchant.customerId)
    dataOf(await refund(orderId, [1, 2]))
    dataOf(await refund(orderId, [1, 0]))
    dataOf(await refund(orderId, [0, 4]))
    expect(await statusOf(shop, orderId)).toBe('CONFIRMED')
    const sum = (await refundsOf(orderId)).reduce((a, b) => a + b, 0)
    expect(await spent(merchant.customerId)).toBe(before - sum)
    dataOf(await refund(orderId, [1, 1], { shipping: true }))
    expect((await refundsOf(orderId)).reduce((a, b) => a + b, 0)).toBe(total)
    expect(await statusOf(shop, orderId)).toBe('REFUNDED')
    expect(await spent(merchant.customerId)).toBe(before - total)
    await expectShopToAddUp(shop.database, merchant)
  })

  test('returns nothing for free shipping', async () => {
    const { code } = await shop.createPromotion(merchant, { type: 'FREE_SHIPPING', value: 0 })
    const { orderId, total } = await paidOrder(shop, merchant, [2], {
      prices: [1000],
      shipping: 499,
      couponCode: code,
    })
    expect(total).toBe(2165)
    dataOf(await refund(orderId, [1], { shipping: true }))
    expect(await refundsOf(orderId)).toEqual([1083])
    dataOf(await refund(orderId, [1], { shipping: true }))
    expect(await refundsOf(orderId)).toEqual([1083, 1082])
    const [row] = await shop.database<{ shipping: number }[]>`
      SELECT sum(r.shipping_amount)::integer AS shipping FROM payment.refund r JOIN payment.payment p ON p.id = r.payment_id
      WHERE p.order_id = ${orderId}`
    expect(found(row).shipping).toBe(0)
    expect(await statusOf(shop, orderId)).toBe('REFUNDED')
  })

  test('of the same line twice at once is made once', async () => {
    const { orderId } = await paidOrder(shop, merchant, [1, 1])
    const answers = await Promise.all(Array.from({ length: 6 }, () => refund(orderId, [1, 0])))
    expect(answers.filter(({ kind }) => kind === 'done')).toHaveLength(1)
    expect(await refundsOf(orderId)).toHaveLength(1)
    await expectShopToAddUp(shop.database, merchant)
  })

  test('counts the units of a refund in progress', async () => {
    const { orderId } = await paidOrder(shop, merchant, [4])
    const [id = ''] = await linesOf(shop, orderId)
    const threeUnits = (sql: Queryable) =>
      refundOrder(
        sql,
        staff(merchant),
        orderId,
        {
          items: [{ orderItemId: id, quantity: 3, restock: null }],
          shipping: false,
          amount: 1,
          reason: 'Test',
        },
        ['SUCCEEDED', 'PARTIALLY_REFUNDED'],
      )
    expect(await overlap(shop.database, threeUnits, () => threeUnits(shop.database))).toMatchObject([
      { outcome: 'begun' },
      { outcome: 'invalid', refusals: [{ field: 'items.0.quantity', reason: 'more_than_left', left: 1 }] },
    ])
  })

  test('is made once by a repeated request with its Idempotency-Key', async () => {
    const { orderId } = await paidOrder(shop, merchant, [4])
    const [line] = await linesOf(shop, orderId)
    const input = { items: [{ orderItemId: line, quantity: 1 }], reason: 'Test' }
    const options = { idempotencyKey: crypto.randomUUID() }
    const first = await call('refundOrder', { id: orderId, input }, options)
    expect(await call('refundOrder', { id: orderId, input }, options)).toEqual(first)
    expect(await refundsOf(orderId)).toHaveLength(1)
  })

  test('never returns more than was paid for a line, or than is left of the payment', async () => {
    const { orderId, paymentId, total } = await paidOrder(shop, merchant, [2])
    expect(await refund(orderId, [3])).toMatchObject({
      errors: [{ field: 'items.0.quantity', code: 'OUT_OF_RANGE' }],
    })
    expect(await refund(orderId, [1], { amount: total })).toMatchObject({
      errors: [{ field: 'amount', code: 'OUT_OF_RANGE' }],
    })
    dataOf(await call('refundPayment', { id: paymentId, input: { amount: total - 10, reason: 'Sorry' } }))
    expect(await refund(orderId, [1])).toMatchObject({ errors: [{ field: 'amount', code: 'OUT_OF_RANGE' }] })
    dataOf(await refund(orderId, [1], { amount: 4 }))
    expect(await call('refundPayment', { id: paymentId, input: { amount: 7, reason: 'x' } })).toMatchObject({
      errors: [{ field: 'amount', code: 'OUT_OF_RANGE' }],
    })
    dataOf(await call('refundPayment', { id: paymentId, input: { reason: 'The rest' } }))
    expect(await statusOf(shop, orderId)).toBe('REFUNDED')
    expect(await call('refundPayment', { id: paymentId, input: { reason: 'x' } })).toMatchObject({
      errors: [{ field: 'id' }],
    })
    await expectShopToAddUp(shop.database, merchant)
  })

  test.each([
    ['that were not sent makes them available again', false, null, 2],
    ['that were not sent can write them off', false, false, 0],
    ['that were sent does not change stock', true, null, 0],
    ['that were sent can return them to stock', true, true, 2],
  ] as const)('of units %s', async (_, sent, restock, back) => {
    const { orderId } = await paidOrder(shop, merchant, [2, 1])
    const [line] = await linesOf(shop, orderId)
    const items = [{ orderItemId: line, quantity: 2 }]
    if (sent) dataOf(await call('fulfillOrder', { id: orderId, input: { items } }))
    const available = async () => {
      const [row] = await shop.database<{ available: number }[]>`
        SELECT s.available FROM inventory.sku_inventory s JOIN ordering.order_item i ON i.product_id = s.product_id
        WHERE i.id = ${line ?? ''}`
      return found(row).available
    }
    const [before, seen] = [await available(), await stockEverSeen(shop.database, merchant)]
    dataOf(
      await call('refundOrder', {
        id: orderId,
        input: { items: items.map((item) => ({ ...item, restock })), reason: 'Test' },
      }),
    )
    expect((await available()) - before).toBe(back)
    expect(await stockEverSeen(shop.database, merchant)).toBe(seen)
    await expectShopToAddUp(shop.database, merchant)
  })

  test('of units that are written off says so in the ledger, and sells nothing', async () => {
    const { orderId } = await paidOrder(shop, merchant, [3])
    const [line] = await linesOf(shop, orderId)
    const items = [{ orderItemId: line, quantity: 2, restock: false }]
    dataOf(await call('refundOrder', { id: orderId, input: { items, reason: 'Test' } }))
    const rows = await shop.database`
      SELECT m.kind, m.reason, m.on_hand_delta, m.reserved_delta, m.reference_id, l.last_sold_at
      FROM inventory.stock_movement m
      JOIN inventory.stock_level l USING (merchant_id, stock_item_id, warehouse_id)
      JOIN ordering.order_item i ON i.merchant_id = m.merchant_id AND i.product_id = m.product_id
      WHERE i.id = ${line ?? ''} ORDER BY m.created_at DESC, m.id DESC LIMIT 1`
    expect([...rows]).toEqual([
      {
        kind: 'ADJUSTMENT',
        reason: expect.stringMatching(/^Refund of /) as string,
        on_hand_delta: -2,
        reserved_delta: -2,
        reference_id: orderId,
        last_sold_at: null,
      },
    ])
  })
})

describe('a return', () => {
  const sentOrder = async (quantities: readonly number[]) => {
    const order = await paidOrder(shop, merchant, quantities, { shipping: 500 })
    dataOf(await call('fulfillOrder', { id: order.orderId, input: {} }))
    dataOf(await call('markOrderDelivered', { id: order.orderId }))
    return { ...order, lines: await linesOf(shop, order.orderId) }
  }
  const request = (
    orderId: string,
    lines: readonly (string | undefined)[],
    quantity: number,
    session?: object,
  ) =>
    call(
      'requestReturn',
      {
        input: {
          orderId,
          items: lines.map((orderItemId) => ({ orderItemId, quantity, reason: 'DOES_NOT_FIT' })),
        },
      },
      session,
    )

  test('goes from the request to the refund, and the order follows', async () => {
    const { orderId, lines, total } = await sentOrder([2])
    const session = { session: shopper(merchant, merchant.customerId) }
    const seen = await stockEverSeen(shop.database, merchant)
    const id = dataOf(await request(orderId, lines, 2, session)).returnId
    expect(await call('receiveReturn', { id, input: {} })).toMatchObject({ errors: [{ field: 'id' }] })
    expect(await call('approveReturn', { id }, session)).toMatchObject({ id: 'SVC_AUTH_003' })
    dataOf(await call('approveReturn', { id }))
    expect(await call('refundReturn', { id, input: {} })).toMatchObject({ errors: [{ field: 'id' }] })
    dataOf(await call('receiveReturn', { id, input: { restock: [{ orderItemId: lines[0], quantity: 1 }] } }))
    expect(await fulfillmentOf(shop, orderId)).toBe('RETURNED')
    expect(await stockEverSeen(shop.database, merchant)).toBe(seen)
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => call('refundReturn', { id, input: { shipping: true } })),
    )
    expect(answers.filter(({ kind }) => kind === 'done')).toHaveLength(1)
    expect(await refundsOf(orderId)).toEqual([total])
    expect(await statusOf(shop, orderId)).toBe('REFUNDED')
    const [row] = await shop.database`SELECT status FROM ordering.order_return WHERE id = ${String(id)}`
    expect(row).toEqual({ status: 'REFUNDED' })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('of units that are not sent, or in another return already, is refused; a rejected return frees them', async () => {
    const { orderId, lines } = await sentOrder([2])
    const id = dataOf(await request(orderId, lines, 2)).returnId
    expect(await request(orderId, lines, 1)).toMatchObject({ errors: [{ field: 'items.0.quantity' }] })
    dataOf(await call('rejectReturn', { id, reason: 'Worn' }))
    dataOf(await request(orderId, lines, 1))
    const unsent = await paidOrder(shop, merchant, [1])
    expect(await request(unsent.orderId, await linesOf(shop, unsent.orderId), 1)).toMatchObject({
      errors: [{ field: 'items.0.quantity', code: 'OUT_OF_RANGE' }],
    })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('of units that refundOrder has refunded is refused: they come back into stock once', async () => {
    const { orderId, lines } = await sentOrder([3])
    dataOf(
      await call('refundOrder', {
        id: orderId,
        input: { items: [{ orderItemId: lines[0], quantity: 1, restock: true }], reason: 'Damaged' },
      }),
    )
    dataOf(await refund(orderId, [1]))
    expect(await request(orderId, lines, 2)).toMatchObject({
      errors: [
        {
          field: 'items.0.quantity',
          code: 'OUT_OF_RANGE',
          message: expect.stringContaining(
            '1 units of the line were sent and are neither refunded nor in a return',
          ) as string,
        },
      ],
    })
    const id = dataOf(await request(orderId, lines, 1)).returnId
    dataOf(await call('approveReturn', { id }))
    dataOf(await call('receiveReturn', { id, input: { restock: [{ orderItemId: lines[0], quantity: 1 }] } }))
    dataOf(await call('refundReturn', { id, input: {} }))
    expect(await request(orderId, lines, 1)).toMatchObject({ kind: 'invalid' })
    await expectShopToAddUp(shop.database, merchant)
  })

  test.each(['requested', 'received'])(
    'that is %s is the way in which its units are refunded',
    async (state) => {
      const { orderId, lines } = await sentOrder([2])
      const id = dataOf(await request(orderId, lines, 1)).returnId
      if (state === 'received') {
        dataOf(await call('approveReturn', { id }))
        dataOf(
          await call('receiveReturn', { id, input: { restock: [{ orderItemId: lines[0], quantity: 1 }] } }),
        )
      }
      expect(await refund(orderId, [2])).toMatchObject({
        errors: [{ field: 'items.0.quantity', code: 'OUT_OF_RANGE' }],
      })
      dataOf(await refund(orderId, [1]))
      dataOf(await call(state === 'received' ? 'refundReturn' : 'cancelReturn', { id, input: {} }))
      expect((await refund(orderId, [1])).kind).toBe(state === 'received' ? 'invalid' : 'done')
      await expectShopToAddUp(shop.database, merchant)
    },
  )

  test('of another customer’s order is not found for a shopper', async () => {
    const { orderId, lines } = await sentOrder([1])
    const other = { session: shopper(merchant, await createCustomer(shop.database, merchant.merchantId)) }
    expect(await request(orderId, lines, 1, other)).toMatchObject({
      errors: [{ field: 'orderId', code: 'NOT_FOUND' }],
    })
    const id = dataOf(await request(orderId, lines, 1)).returnId
    expect(await call('cancelReturn', { id }, other)).toMatchObject({
      errors: [{ field: 'id', code: 'NOT_FOUND' }],
    })
  })
})
