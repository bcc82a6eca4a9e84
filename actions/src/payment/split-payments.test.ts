import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { lapseUnpaidOrders } from '../ordering/index.ts'
import { confirmationMessage } from '../sql/generated/notification.ts'
import { heldByProcessor, reconcileAtOnce } from '../testing/processor-books.ts'
import { expectShopToAddUp } from '../testing/invariants.ts'
import { linesOf, statusOf } from '../testing/paid-order.ts'
import {
  address,
  createShippingMethod,
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
})
afterAll(() => shop.close())
beforeEach(async () => {
  merchant = await shop.createMerchant()
})

const total = 10_825
async function newOrder(): Promise<string> {
  const { id: productId } = await shop.createProduct(merchant, { price: 5000, stock: [2] })
  const input = {
    customerId: merchant.customerId,
    items: [{ productId, quantity: 2 }],
    shippingAddress: address,
  }
  return String(dataOf(await shop.call(merchant, 'createOrder', { input })).orderId)
}

const call = (name: string, input: object) => shop.call(merchant, name, input)
const payPart = (orderId: string, amount: number, more: object = {}) =>
  call('processPayment', {
    input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa', amount, partial: true, ...more },
  })

interface Books {
  readonly promised: number
  readonly captured: number
  readonly refunded: number
}

async function booksOf(orderId: string): Promise<Books> {
  const [row] = await shop.database<Books[]>`
    SELECT
      coalesce(sum(amount) FILTER (WHERE status IN ('PENDING', 'PROCESSING') OR taken), 0)::integer AS promised,
      coalesce(sum(captured_amount), 0)::integer AS captured,
      coalesce(sum(refunded_amount), 0)::integer AS refunded
    FROM payment.payment WHERE order_id = ${orderId}`
  return found(row)
}

const heldFor = (id: string) => heldByProcessor(shop, 'order_id', id)
const reconcile = () => reconcileAtOnce(shop)

describe('an order', () => {
  test('is paid with two cards: it is CONFIRMED with the last part, and not before', async () => {
    const orderId = await newOrder()
    dataOf(await payPart(orderId, 4000))
    expect(await statusOf(shop, orderId)).toBe('PENDING')
    expect(await call('modifyOrder', { id: orderId, modifications: { notes: 'x' } })).toMatchObject({
      id: 'SVC_BIZ_003',
    })
    // What is left is the amount of a whole payment now.
    const rest = { orderId, method: 'CARD', paymentMethodId: 'pm_card_mastercard' }
    expect(await call('processPayment', { input: { ...rest, amount: total } })).toMatchObject({
      errors: [{ field: 'amount' }],
    })
    dataOf(await call('processPayment', { input: { ...rest, amount: total - 4000 } }))
    expect(await statusOf(shop, orderId)).toBe('CONFIRMED')
    expect(await heldFor(orderId)).toBe(total)
    expect(await payPart(orderId, 1)).toMatchObject({ id: 'SVC_BIZ_003' })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('is paid with a card and cash, and a part that is declined leaves the rest to pay', async () => {
    const orderId = await newOrder()
    dataOf(await call('recordPayment', { input: { orderId, method: 'CASH', amount: 5000 } }))
    expect(
      dataOf(await payPart(orderId, 5000, { paymentMethodId: 'pm_card_chargeDeclined' })).error,
    ).toMatchObject({ code: 'card_declined' })
    dataOf(await payPart(orderId, 5000))
    expect(await statusOf(shop, orderId)).toBe('PENDING')
    dataOf(await call('recordPayment', { input: { orderId, method: 'CASH' } }))
    expect(await statusOf(shop, orderId)).toBe('CONFIRMED')
    expect(await booksOf(orderId)).toEqual({ promised: total, captured: total, refunded: 0 })
  })

  test('is never paid beyond its total, however many parts are paid at once', async () => {
    for (let round = 0; round < 3; round += 1) {
      const orderId = await newOrder()
      const answers = await Promise.all([3000, 3000, 3000, 3000, 3000].map((part) => payPart(orderId, part)))
      expect(answers.filter(({ kind }) => kind === 'done')).toHaveLength(3)
      expect(await heldFor(orderId)).toBe(9000)
      expect(await statusOf(shop, orderId)).toBe('PENDING')
    }
    await expectShopToAddUp(shop.database, merchant)
  })

  test('that lapses or is cancelled with a part paid gives that part back', async () => {
    const [lapsed, cancelled] = [await newOrder(), await newOrder()]
    for (const orderId of [lapsed, cancelled]) {
      dataOf(await payPart(orderId, 4000))
      dataOf(await payPart(orderId, 1000))
    }
    await shop.database`UPDATE inventory.reservation SET expires_at = now() WHERE order_id = ${lapsed}`
    await lapseUnpaidOrders(shop.database)
    await reconcile()
    expect(dataOf(await call('cancelOrder', { id: cancelled, reason: 'Test' })).refund).toMatchObject({
      amount: 5000,
      status: 'SUCCEEDED',
    })
    for (const orderId of [lapsed, cancelled]) {
      expect(await statusOf(shop, orderId)).toBe('CANCELLED')
      expect(await heldFor(orderId)).toBe(0)
    }
    await expectShopToAddUp(shop.database, merchant)
  })

  test('gives lines back from several payments, and is REFUNDED with the last of the money', async () => {
    const orderId = await newOrder()
    for (const part of [4000, 4000, total - 8000]) dataOf(await payPart(orderId, part))
    const [line] = await linesOf(shop, orderId)
    const back = { items: [{ orderItemId: line, quantity: 1 }], reason: 'Test' }
    dataOf(await call('refundOrder', { id: orderId, input: back }))
    expect(await statusOf(shop, orderId)).toBe('CONFIRMED')
    expect(await heldFor(orderId)).toBe(total - 5413)
    dataOf(await call('refundOrder', { id: orderId, input: back }))
    expect(await heldFor(orderId)).toBe(0)
    expect(await statusOf(shop, orderId)).toBe('REFUNDED')
    await expectShopToAddUp(shop.database, merchant)
  })
})

describe('shipping of an order with several payments', () => {
  test.each([
    ['two', 2],
    ['four', 4],
  ])('is given back once, and no more than it cost, when %s parts paid it', async (_, count) => {
    const { id: productId } = await shop.createProduct(merchant, { price: 1000, stock: [3] })
    const input = {
      customerId: merchant.customerId,
      items: [{ productId, quantity: 3 }],
      shippingAddress: address,
      shippingMethodId: await createShippingMethod(shop.database, merchant, 2495),
    }
    const orderId = String(dataOf(await shop.call(merchant, 'createOrder', { input })).orderId)
    const [order] = await shop.database<{ total: number }[]>`
      SELECT total::integer FROM ordering.order WHERE id = ${orderId}`
    const part = Math.floor(found(order).total / count)
    for (let n = 1; n < count; n += 1)
      dataOf(await call('recordPayment', { input: { orderId, method: 'CASH', amount: part } }))
    dataOf(await call('recordPayment', { input: { orderId, method: 'CASH' } }))
    const [orderItemId] = await linesOf(shop, orderId)
    const refundUnit = async () => {
      const items = [{ orderItemId, quantity: 1 }]
      dataOf(await call('refundOrder', { id: orderId, input: { items, shipping: true, reason: 'Test' } }))
      const [refunds] = await shop.database<{ amount: number; shipping: number }[]>`
        SELECT sum(r.amount)::integer AS amount, sum(r.shipping_amount)::integer AS shipping
        FROM payment.refund r JOIN payment.payment p ON p.id = r.payment_id WHERE p.order_id = ${orderId}`
      return found(refunds)
    }
    const lines = found(order).total - 2495
    expect(await refundUnit()).toEqual({ amount: 2495 + Math.round(lines / 3), shipping: 2495 })
    expect(await refundUnit()).toEqual({ amount: 2495 + Math.round((lines * 2) / 3), shipping: 2495 })
    expect(await refundUnit()).toEqual({ amount: found(order).total, shipping: 2495 })
    expect(await statusOf(shop, orderId)).toBe('REFUNDED')
    await expectShopToAddUp(shop.database, merchant)
  })
})

describe('a part that went back before the order was paid', () => {
  const refundPart = async (orderId: string) => {
    const [part] = await shop.database<{ id: string }[]>`
      SELECT id FROM payment.payment WHERE order_id = ${orderId}`
    dataOf(await call('refundPayment', { id: found(part).id, input: { reason: 'Test' } }))
  }
  const salesOf = async () => {
    const [row] = await shop.database<{ total: number; refunded: number }[]>`
      SELECT sum(total)::integer AS total, sum(refunded)::integer AS refunded
      FROM analytics.sales_facts(${merchant.merchantId}, '-infinity', 'infinity')`
    return found(row)
  }

  test('is no money of the sale in reports, refunds and the mail, of which a part was never captured', async () => {
    const orderId = await newOrder()
    dataOf(await payPart(orderId, 4000))
    await refundPart(orderId)
    const { paymentId } = dataOf(
      await call('processPayment', {
        input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa', captureMethod: 'MANUAL' },
      }),
    )
    dataOf(await call('capturePayment', { id: paymentId, amount: 6000, final: true }))
    expect(await salesOf()).toEqual({ total: 6000, refunded: 0 })
    const message = await confirmationMessage(shop.database, { merchantId: merchant.merchantId, orderId })
    expect(message).toMatchObject({ facts: { order: { paid: 6000 } } })
    const items = [{ orderItemId: (await linesOf(shop, orderId))[0], quantity: 2 }]
    dataOf(await call('refundOrder', { id: orderId, input: { items, reason: 'Test' } }))
    expect(await heldFor(orderId)).toBe(0)
    await expectShopToAddUp(shop.database, merchant)
  })

  test('is no refund of the sale, though the processor gives it back after that', async () => {
    const orderId = await newOrder()
    dataOf(await payPart(orderId, 4000, { paymentMethodId: 'pm_card_pendingRefund' }))
    await refundPart(orderId)
    const rest = { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa' }
    dataOf(await call('processPayment', { input: rest }))
    await shop.database`
      UPDATE sandbox_processor.refund SET body = body || '{"status": "succeeded"}'
      WHERE body ->> 'payment_intent' IN (
        SELECT processor_payment_intent_id FROM payment.payment WHERE order_id = ${orderId})`
    await reconcile()
    expect((await booksOf(orderId)).refunded).toBe(4000)
    expect(await salesOf()).toEqual({ total, refunded: 0 })
  })

  test('leaves an order that can be modified as if it had never been paid', async () => {
    const { id: dear } = await shop.createProduct(merchant, { price: 10_000, stock: [1] })
    const { id: cheap } = await shop.createProduct(merchant, { price: 500, stock: [1] })
    const input = {
      customerId: merchant.customerId,
      items: [dear, cheap].map((productId) => ({ productId, quantity: 1 })),
      shippingAddress: address,
    }
    const orderId = String(dataOf(await shop.call(merchant, 'createOrder', { input })).orderId)
    dataOf(await payPart(orderId, 1000))
    await refundPart(orderId)
    const [line] = await linesOf(shop, orderId)
    dataOf(await call('modifyOrder', { id: orderId, modifications: { removeItemIds: [line] } }))
    await expectShopToAddUp(shop.database, merchant)
  })
})

test('awaited money that comes in parts is awaited for the rest, under the same reference', async () => {
  const orderId = await newOrder()
  const { paymentId } = dataOf(
    await call('processPayment', { input: { orderId, method: 'BANK_TRANSFER', received: false } }),
  )
  expect(await call('markPaymentReceived', { id: paymentId, amount: total + 1 })).toMatchObject({
    errors: [{ field: 'amount' }],
  })
  dataOf(await call('markPaymentReceived', { id: paymentId, amount: 4000 }))
  expect(await statusOf(shop, orderId)).toBe('PENDING')
  const rows = await shop.database<{ id: string; status: string; amount: number; reference: string }[]>`
    SELECT id, status, amount::integer, reference FROM payment.payment WHERE order_id = ${orderId} ORDER BY created_at, id`
  expect(rows).toMatchObject([
    { status: 'SUCCEEDED', amount: 4000 },
    { status: 'PENDING', amount: total - 4000 },
  ])
  expect(rows[0]?.reference).toBe(rows[1]?.reference)
  dataOf(await call('markPaymentReceived', { id: found(rows[1]).id }))
  expect(await statusOf(shop, orderId)).toBe('CONFIRMED')
  await expectShopToAddUp(shop.database, merchant)
})

const step = fc.record({
  kind: fc.constantFrom('card', 'card', 'cash', 'await', 'receive', 'whole', 'refund', 'cancel', 'reconcile'),
  amount: fc.integer({ min: 1, max: 6000 }),
})

test('the parts of an order never exceed it, and books and processor agree, over any history', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const orderId = await newOrder()
      const paymentWith = async (status: string) => {
        const [row] = await shop.database<{ id: string }[]>`
          SELECT id FROM payment.payment WHERE order_id = ${orderId} AND status = ${status} LIMIT 1`
        return row?.id ?? crypto.randomUUID()
      }
      for (const { kind, amount } of steps) {
        if (kind === 'card') await payPart(orderId, amount)
        else if (kind === 'cash') await call('recordPayment', { input: { orderId, method: 'CASH', amount } })
        else if (kind === 'await')
          await payPart(orderId, amount, { method: 'BANK_TRANSFER', paymentMethodId: null, received: false })
        else if (kind === 'receive')
          await call('markPaymentReceived', { id: await paymentWith('PENDING'), amount })
        else if (kind === 'whole')
          await call('processPayment', {
            input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa' },
          })
        else if (kind === 'refund')
          await call('refundPayment', {
            id: await paymentWith('SUCCEEDED'),
            input: { amount, reason: 'Test' },
          })
        else if (kind === 'cancel') await call('cancelOrder', { id: orderId, reason: 'Test' })
        else await reconcile()
        const { promised, captured, refunded } = await booksOf(orderId)
        expect(promised - refunded).toBeLessThanOrEqual(total)
        const status = await statusOf(shop, orderId)
        if (status === 'CONFIRMED') expect(captured).toBeGreaterThanOrEqual(total)
      }
      const [row] = await shop.database<{ held: number }[]>`
        SELECT coalesce(sum(captured_amount - refunded_amount), 0)::integer AS held
        FROM payment.payment WHERE order_id = ${orderId} AND processor = 'sandbox'`
      expect(await heldFor(orderId)).toBe(found(row).held)
      await expectShopToAddUp(shop.database, merchant)
    }),
    { numRuns: 20 },
  )
}, 120_000)
