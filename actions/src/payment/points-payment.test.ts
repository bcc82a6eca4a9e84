import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CustomerId } from '@commerce-graph/contract/ids'
import { lapseUnpaidOrders } from '../ordering/index.ts'
import { expectShopToAddUp } from '../testing/invariants.ts'
import { overlap } from '../testing/overlap.ts'
import { statusOf } from '../testing/paid-order.ts'
import { heldByProcessor, reconcileAtOnce } from '../testing/processor-books.ts'
import {
  address,
  createCustomer,
  dataOf,
  found,
  openTestShop,
  shopper,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import { beginPayment } from './payments.ts'
import { beginRefund } from './refunds.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  merchant = await shop.createMerchant()
  await setProgram({ enabled: true, point_value: 3 })
})

const total = 5413
const setProgram = (columns: object) =>
  shop.database`UPDATE crm.loyalty_program SET ${shop.database(columns)} WHERE merchant_id = ${merchant.merchantId}`

const call = (name: string, input: object) => shop.call(merchant, name, input)
const byShopper = (name: string, input: object, customerId: CustomerId = merchant.customerId) =>
  shop.call(merchant, name, input, { session: shopper(merchant, customerId) })

async function newOrder(customerId: CustomerId = merchant.customerId): Promise<string> {
  const { id: productId } = await shop.createProduct(merchant, { price: 5000, stock: [1] })
  const input = { customerId, items: [{ productId, quantity: 1 }], shippingAddress: address }
  return String(dataOf(await call('createOrder', { input })).orderId)
}

const give = async (points: number) =>
  dataOf(
    await call('adjustLoyaltyPoints', {
      input: { customerId: merchant.customerId, points, reason: 'Welcome' },
    }),
  )
const payWithPoints = (orderId: string, more: object = {}) =>
  byShopper('processPayment', { input: { orderId, method: 'LOYALTY_POINTS', ...more } })
const payByCard = (orderId: string, more: object = {}) =>
  byShopper('processPayment', {
    input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa', ...more },
  })

const entries = (orderId: string) => shop.database<{ type: string; points: number }[]>`
  SELECT e.type, e.points FROM crm.loyalty_entry e JOIN payment.payment p ON p.id = e.payment_id
  WHERE p.order_id = ${orderId} ORDER BY e.created_at, e.id`

async function pointsOf(customerId: CustomerId = merchant.customerId): Promise<number> {
  const [row] = await shop.database<{ points: number }[]>`
    SELECT points FROM crm.customer_loyalty WHERE customer_id = ${customerId}`
  return found(row).points
}

async function paymentOf(id: unknown) {
  const [row] = await shop.database<{ status: string; amount: number }[]>`
    SELECT status, amount::integer FROM payment.payment WHERE id = ${String(id)}`
  return found(row)
}

const noPoints = { errors: [{ field: 'method', message: 'The customer has no points to pay with' }] }
const unsupported = { id: 'SVC_BIZ_002', details: { code: 'method_unsupported' } }

describe('an order', () => {
  test('is paid with points: a point that pays only a part of its value is spent, and nothing is earned', async () => {
    await give(2000)
    const orderId = await newOrder()
    const { paymentId } = dataOf(await payWithPoints(orderId))
    expect(await paymentOf(paymentId)).toEqual({ status: 'SUCCEEDED', amount: total })
    expect(await statusOf(shop, orderId)).toBe('CONFIRMED')
    expect(await entries(orderId)).toEqual([{ type: 'SPENT', points: -1805 }])
    expect(await pointsOf()).toBe(195)
    await expectShopToAddUp(shop.database, merchant)
  })

  test('is paid with all points and a card: only the card’s part earns points', async () => {
    await give(1000)
    const orderId = await newOrder()
    const { paymentId } = dataOf(await payWithPoints(orderId, { partial: true }))
    expect(await paymentOf(paymentId)).toEqual({ status: 'SUCCEEDED', amount: 3000 })
    expect(await statusOf(shop, orderId)).toBe('PENDING')
    dataOf(await payByCard(orderId, { amount: total - 3000 }))
    expect(await statusOf(shop, orderId)).toBe('CONFIRMED')
    expect(await entries(orderId)).toEqual([
      { type: 'SPENT', points: -1000 },
      { type: 'EARNED', points: 24 },
    ])
    expect(await heldByProcessor(shop, 'order_id', orderId)).toBe(total - 3000)
    await expectShopToAddUp(shop.database, merchant)
  })

  test('is not paid with more points than there are, and the refusal says what they pay', async () => {
    await give(100)
    const orderId = await newOrder()
    const message = 'The customer’s points pay 300. Pay a part with them: partial'
    expect(await payWithPoints(orderId)).toMatchObject({ errors: [{ field: 'method', message }] })
    for (const more of [{ amount: total }, { amount: 301, partial: true }])
      expect(await payWithPoints(orderId, more)).toMatchObject({ errors: [{ field: 'amount', message }] })
    dataOf(await payWithPoints(orderId, { amount: 300, partial: true }))
    expect(await payWithPoints(orderId, { amount: 1, partial: true })).toMatchObject(unsupported)
    const input = { orderId, method: 'LOYALTY_POINTS', partial: true }
    expect(await call('processPayment', { input })).toMatchObject(noPoints)
    expect(await pointsOf()).toBe(0)
  })

  test('whose card waits for its customer keeps that payment when the points don’t suffice', async () => {
    await give(100)
    const orderId = await newOrder()
    const card = await payByCard(orderId, { paymentMethodId: 'pm_card_authenticationRequired' })
    const { paymentId } = dataOf(card)
    expect(await payWithPoints(orderId)).toMatchObject({ errors: [{ field: 'method' }] })
    expect((await paymentOf(paymentId)).status).toBe('PROCESSING')
    await give(5000)
    dataOf(await payWithPoints(orderId))
    expect((await paymentOf(paymentId)).status).toBe('CANCELLED')
    expect(await statusOf(shop, orderId)).toBe('CONFIRMED')
  })
})

describe('points pay', () => {
  test('only where the merchant says what they are worth, in its currency, and for accounts', async () => {
    await give(5000)
    const orderId = await newOrder()
    const refusals: [object, object][] = [
      [{ point_value: null }, { point_value: 3 }],
      [{ enabled: false }, { enabled: true }],
    ]
    for (const [off, on] of refusals) {
      await setProgram(off)
      expect(await payWithPoints(orderId)).toMatchObject(unsupported)
      expect(await call('processPayment', { input: { orderId, method: 'LOYALTY_POINTS' } })).toMatchObject(
        noPoints,
      )
      await setProgram(on)
    }
    await shop.database`UPDATE merchant.settings SET currency = 'EUR' WHERE merchant_id = ${merchant.merchantId}`
    expect(await payWithPoints(orderId)).toMatchObject(unsupported)
    await shop.database`UPDATE merchant.settings SET currency = 'USD' WHERE merchant_id = ${merchant.merchantId}`
    await shop.database`UPDATE crm.customer SET has_account = false WHERE id = ${merchant.customerId}`
    expect(await payWithPoints(orderId)).toMatchObject(unsupported)
    expect(await pointsOf()).toBe(5000)
  })

  test('only the order of their own customer', async () => {
    await give(5000)
    const other = await createCustomer(shop.database, merchant.merchantId)
    const input = { orderId: await newOrder(other), method: 'LOYALTY_POINTS' }
    expect(await byShopper('processPayment', { input })).toMatchObject({
      errors: [{ field: 'orderId', code: 'NOT_FOUND' }],
    })
    expect(await byShopper('processPayment', { input }, other)).toMatchObject(unsupported)
    expect(await pointsOf()).toBe(5000)
  })

  test('no appointments, and are no money that a merchant records', async () => {
    await give(5000)
    const input = { method: 'LOYALTY_POINTS' }
    const id = crypto.randomUUID()
    expect(await call('payAppointment', { id, input })).toMatchObject({ errors: [{ field: 'method' }] })
    expect(await call('recordPayment', { input: { ...input, orderId: await newOrder() } })).toMatchObject({
      errors: [{ field: 'method' }],
    })
  })

  test('are offered for a cart of a customer who has some', async () => {
    const { id: productId } = await shop.createProduct(merchant, { price: 5000, stock: [1] })
    const { cartId } = dataOf(await call('createCart', { input: { customerId: merchant.customerId } }))
    dataOf(await call('addCartItem', { cartId, item: { productId, quantity: 1 } }))
    const offered = async () => {
      const rows = await shop.database<{ method: string }[]>`
        SELECT method FROM payment.cart_option WHERE cart_id = ${String(cartId)} ORDER BY position`
      return rows.map(({ method }) => method)
    }
    expect(await offered()).toEqual(['CARD'])
    await give(1)
    expect(await offered()).toEqual(['CARD', 'LOYALTY_POINTS'])
    await shop.database`
      INSERT INTO payment.payment_option (merchant_id, method, name, enabled)
      VALUES (${merchant.merchantId}, 'LOYALTY_POINTS', 'Stars', false)`
    expect(await offered()).toEqual(['CARD'])
    await shop.database`UPDATE payment.payment_option SET enabled = true, position = 4`
    expect(await offered()).toEqual(['CARD', 'LOYALTY_POINTS'])
    await setProgram({ point_value: null })
    expect(await offered()).toEqual(['CARD'])
  })
})

describe('points come back', () => {
  test('with each refund in proportion, and all with the last', async () => {
    await give(2000)
    const orderId = await newOrder()
    const { paymentId } = dataOf(await payWithPoints(orderId))
    for (const amount of [1, 2000, 3411, 1]) {
      dataOf(await call('refundPayment', { id: paymentId, input: { amount, reason: 'Test' } }))
      await expectShopToAddUp(shop.database, merchant)
    }
    expect(await pointsOf()).toBe(2000)
    expect(await statusOf(shop, orderId)).toBe('REFUNDED')
  })

  test('when the order is cancelled or lapses, once, however often that is tried', async () => {
    await give(1000)
    const [lapsed, cancelled] = [await newOrder(), await newOrder()]
    dataOf(await payWithPoints(lapsed, { amount: 1000, partial: true }))
    dataOf(await payWithPoints(cancelled, { partial: true }))
    expect(await pointsOf()).toBe(0)
    await shop.database`UPDATE inventory.reservation SET expires_at = now() WHERE order_id = ${lapsed}`
    for (let round = 0; round < 2; round += 1) {
      await lapseUnpaidOrders(shop.database)
      await reconcileAtOnce(shop)
      await call('cancelOrder', { id: cancelled, reason: 'Test' })
    }
    for (const orderId of [lapsed, cancelled]) expect(await statusOf(shop, orderId)).toBe('CANCELLED')
    expect(await pointsOf()).toBe(1000)
    await expectShopToAddUp(shop.database, merchant)
  })

  test('from a process that died: what it began is completed once', async () => {
    await give(2000)
    const orderId = await newOrder()
    const session = shopper(merchant, merchant.customerId)
    const begun = await beginPayment(shop.database, session, {
      orderId,
      method: 'LOYALTY_POINTS',
      amount: null,
      processor: 'balance',
      paymentMethodId: null,
      returnUrl: null,
      captureMethod: 'AUTOMATIC',
      awaited: false,
    })
    if (begun.outcome !== 'begun') throw new Error(begun.outcome)
    expect(await pointsOf()).toBe(195)
    // While its answer is missing, the points are spent, and nothing else pays the order.
    expect(await payByCard(orderId)).toMatchObject({ id: 'SVC_BIZ_003' })
    await reconcileAtOnce(shop)
    await reconcileAtOnce(shop)
    expect(await statusOf(shop, orderId)).toBe('CONFIRMED')
    expect(await pointsOf()).toBe(195)
    await beginRefund(shop.database, session, begun.paymentId, { amount: null, reason: 'Test' })
    expect(await pointsOf()).toBe(195)
    await reconcileAtOnce(shop)
    await reconcileAtOnce(shop)
    expect(await pointsOf()).toBe(2000)
    await expectShopToAddUp(shop.database, merchant)
  })
})

test('two orders at once share the points: the second waits for the first, and finds what is left', async () => {
  await give(1000)
  const [first, second] = [await newOrder(), await newOrder()]
  const begin = (orderId: string) => (sql: Parameters<typeof beginPayment>[0]) =>
    beginPayment(sql, shopper(merchant, merchant.customerId), {
      orderId,
      method: 'LOYALTY_POINTS',
      amount: 2000,
      partial: true,
      processor: 'balance',
      paymentMethodId: null,
      returnUrl: null,
      captureMethod: 'AUTOMATIC',
      awaited: false,
    })
  const answers = await overlap(shop.database, begin(first), () => begin(second)(shop.database))
  expect(answers).toMatchObject([{ outcome: 'begun' }, { outcome: 'balance_too_low', covers: 999 }])
})

const step = fc.record({
  kind: fc.constantFrom('points', 'points', 'all', 'card', 'refund', 'cancel', 'lapse', 'value', 'both'),
  amount: fc.integer({ min: 1, max: 3000 }),
  nth: fc.nat({ max: 1 }),
})

test('the points that are missing from a balance are those that its payments hold, over any history', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      merchant = await shop.createMerchant()
      await setProgram({ enabled: true, point_value: 3, earn_amount: 1_000_000 })
      await give(1500)
      const orders = [await newOrder(), await newOrder()]
      for (const { kind, amount, nth } of steps) {
        const orderId = found(orders[nth])
        if (kind === 'points') await payWithPoints(orderId, { amount, partial: true })
        else if (kind === 'all') await payWithPoints(orderId, { partial: true })
        else if (kind === 'card') await payByCard(orderId, { amount, partial: true })
        else if (kind === 'cancel') await call('cancelOrder', { id: orderId, reason: 'Test' })
        else if (kind === 'value') await setProgram({ point_value: 1 + (amount % 7) })
        else if (kind === 'both')
          await Promise.all(orders.map((id) => payWithPoints(id, { amount, partial: true })))
        else if (kind === 'lapse') {
          await shop.database`UPDATE inventory.reservation SET expires_at = now() WHERE order_id = ${orderId}`
          await lapseUnpaidOrders(shop.database)
          await reconcileAtOnce(shop)
        } else await refundSome(orderId, amount)
        await expectPointsToAgree(orders)
      }
    }),
    { numRuns: 4 },
  )
}, 120_000)

async function refundSome(orderId: string, amount: number): Promise<void> {
  const [payment] = await shop.database<{ id: string; left: number }[]>`
    SELECT id, (captured_amount - refund_requested_amount)::integer AS left FROM payment.payment
    WHERE order_id = ${orderId} AND method = 'LOYALTY_POINTS' ORDER BY random() LIMIT 1`
  if (payment !== undefined)
    await call('refundPayment', {
      id: payment.id,
      input: { amount: Math.max(1, Math.min(amount, payment.left)), reason: 'Test' },
    })
}

/** The model: a payment that holds all of its amount holds all that it cost, one that holds a part that part, rounded. */
async function expectPointsToAgree(orders: readonly string[]): Promise<void> {
  const payments = await shop.database<{ cost: number; held: number; amount: number; kept: number }[]>`
    SELECT p.amount::integer, (p.amount - p.refunded_amount)::integer AS kept, (
        SELECT -e.points FROM crm.loyalty_entry e WHERE e.payment_id = p.id AND e.type = 'SPENT'
      ) AS cost, (SELECT -sum(e.points)::integer FROM crm.loyalty_entry e WHERE e.payment_id = p.id) AS held
    FROM payment.payment p WHERE p.order_id IN ${shop.database(orders)} AND p.method = 'LOYALTY_POINTS'`
  for (const { cost, held, amount, kept } of payments)
    expect(Math.abs(held - (cost * kept) / amount)).toBeLessThanOrEqual(0.5)
  expect(await pointsOf()).toBe(1500 - payments.reduce((sum, { held }) => sum + held, 0))
  const [over] = await shop.database`
    SELECT id FROM ordering.order o WHERE id IN ${shop.database(orders)}
      AND payment.promised(o.merchant_id, o.id, false) > o.total`
  expect(over).toBeUndefined()
  await expectShopToAddUp(shop.database, merchant)
}
