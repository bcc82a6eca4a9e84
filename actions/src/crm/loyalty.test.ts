import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CustomerId } from '@commerce-graph/contract/ids'
import { expectShopToAddUp } from '../testing/invariants.ts'
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
import { overlap } from '../testing/overlap.ts'
import { expirePoints } from './index.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
  await shop.database`UPDATE crm.loyalty_program SET enabled = true WHERE merchant_id = ${merchant.merchantId}`
  // Points follow payments of any amount; the orders here are the smallest that there are.
  await shop.database`ALTER TABLE payment.payment DISABLE TRIGGER keep_within_total`
})
afterAll(() => shop.close())

const newCustomer = () => createCustomer(shop.database, merchant.merchantId)

async function createReward(points: number, discountAmount = 500): Promise<string> {
  const [reward] = await shop.database<{ id: string }[]>`
    INSERT INTO crm.loyalty_reward (merchant_id, name, points, discount_amount)
    VALUES (${merchant.merchantId}, gen_random_uuid()::text, ${points}, ${discountAmount}) RETURNING id`
  return found(reward).id
}

async function order(customerId: CustomerId, price: number, couponCode?: string): Promise<string> {
  const product = await shop.createProduct(merchant, { price, stock: [5] })
  const items = [{ productId: product.id, quantity: 1 }]
  const input = { customerId, items, shippingAddress: address, couponCode }
  return String(dataOf(await shop.call(merchant, 'createOrder', { input })).orderId)
}

/** A payment for an order of this amount, as the row is after the processor has accepted it. */
async function pay(customerId: CustomerId, amount: number, currency = 'USD'): Promise<string> {
  const orderId = await order(customerId, 1)
  const [payment] = await shop.database<{ id: string }[]>`
    INSERT INTO payment.payment (merchant_id, order_id, amount, currency, status, method, processor)
    VALUES (${merchant.merchantId}, ${orderId}, ${amount}, ${currency}, 'SUCCEEDED', 'CASH', 'manual') RETURNING id`
  return found(payment).id
}

const refund = (paymentId: string, amount: number) => shop.database`
  WITH refund AS (
    INSERT INTO payment.refund (merchant_id, payment_id, amount, status)
    SELECT merchant_id, id, ${amount}, 'SUCCEEDED' FROM payment.payment WHERE id = ${paymentId} AND ${amount} > 0
  )
  UPDATE payment.payment
  SET
    refund_requested_amount = refund_requested_amount + ${amount}, refunded_amount = refunded_amount + ${amount},
    status = CASE refunded_amount + ${amount} WHEN 0 THEN 'SUCCEEDED' WHEN amount THEN 'REFUNDED' ELSE 'PARTIALLY_REFUNDED' END
  WHERE id = ${paymentId}`

const adjust = (customerId: CustomerId, points: number, reason = 'Goodwill') =>
  shop.call(merchant, 'adjustLoyaltyPoints', { input: { customerId, points, reason } })

const redeem = (customerId: CustomerId, rewardId: string, idempotencyKey?: string) =>
  shop.call(
    merchant,
    'redeemLoyaltyReward',
    { input: { customerId, rewardId } },
    idempotencyKey === undefined ? {} : { idempotencyKey },
  )

const entriesOf = (customerId: CustomerId) => shop.database<{ type: string; points: number }[]>`
  SELECT type, points FROM crm.loyalty_entry WHERE customer_id = ${customerId} ORDER BY created_at, id`

async function pointsOf(customerId: CustomerId): Promise<number> {
  const [row] = await shop.database<{ points: number }[]>`
    SELECT points FROM crm.customer_loyalty WHERE customer_id = ${customerId}`
  return found(row).points
}

describe('points', () => {
  test('are earned when an order is paid, and taken back when it is cancelled', async () => {
    const customerId = await newCustomer()
    const orderId = await order(customerId, 1999)
    const [total] = await shop.database<
      { total: string }[]
    >`SELECT total FROM ordering.order WHERE id = ${orderId}`
    const input = { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa' }
    dataOf(await shop.call(merchant, 'processPayment', { input }))
    const earned = Math.floor(Number(total?.total) / 100)
    expect(await pointsOf(customerId)).toBe(earned)
    dataOf(await shop.call(merchant, 'cancelOrder', { id: orderId, reason: 'Too late' }))
    expect(await entriesOf(customerId)).toEqual([
      { type: 'EARNED', points: earned },
      { type: 'TAKEN_BACK', points: -earned },
    ])
    await expectShopToAddUp(shop.database, merchant)
  })

  test('are not earned by failed payments, in another currency, or without a programme', async () => {
    const customerId = await newCustomer()
    const orderId = await order(customerId, 5000)
    const input = { orderId, method: 'CARD', paymentMethodId: 'pm_card_chargeDeclined' }
    await shop.call(merchant, 'processPayment', { input })
    await pay(customerId, 5000, 'EUR')
    await shop.database`UPDATE crm.loyalty_program SET enabled = false WHERE merchant_id = ${merchant.merchantId}`
    const before = await pay(customerId, 5000)
    await shop.database`UPDATE crm.loyalty_program SET enabled = true WHERE merchant_id = ${merchant.merchantId}`
    await refund(before, 100)
    expect(await entriesOf(customerId)).toEqual([])
  })

  test('that refunds take back have the same sum for any number of partial refunds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt({ min: 1n, max: 2_000_000n }),
        fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 6 }),
        async (amount, weights) => {
          const customerId = await newCustomer()
          const paymentId = await pay(customerId, Number(amount))
          const earned = Math.floor(Number(amount) / 100)
          expect(await pointsOf(customerId)).toBe(earned)
          let left = Number(amount)
          for (const [index, weight] of weights.entries()) {
            const part = index === weights.length - 1 ? left : Math.floor((left * weight) / 1000)
            await refund(paymentId, part)
            left -= part
            // Each part differs from the exact value by one point at most, and the total is exact.
            expect(
              Math.abs((await pointsOf(customerId)) - (earned * left) / Number(amount)),
            ).toBeLessThanOrEqual(0.5)
          }
          expect(await pointsOf(customerId)).toBe(0)
        },
      ),
      { numRuns: 15 },
    )
    await expectShopToAddUp(shop.database, merchant)
  })

  test('that were spent before a refund are taken of newer ones by a later refund: the balance stops at zero', async () => {
    const customerId = await newCustomer()
    const paymentId = await pay(customerId, 10_000)
    dataOf(await redeem(customerId, await createReward(90)))
    await refund(paymentId, 5_000)
    expect(await pointsOf(customerId)).toBe(0)
    dataOf(await adjust(customerId, 200))
    await refund(paymentId, 5_000)
    expect(await pointsOf(customerId)).toBe(110)
    await expectShopToAddUp(shop.database, merchant)
  })

  test('that were spent before a refund are owed: what orders earn pays them off first, and what staff give does not', async () => {
    const customerId = await newCustomer()
    const rewardId = await createReward(90)
    const paymentId = await pay(customerId, 10_000)
    dataOf(await redeem(customerId, rewardId))
    await refund(paymentId, 10_000)
    dataOf(await adjust(customerId, 5))
    expect(await pointsOf(customerId)).toBe(5)
    await pay(customerId, 6_000)
    expect(await pointsOf(customerId)).toBe(0)
    await pay(customerId, 6_000)
    expect(await pointsOf(customerId)).toBe(35)
    await pay(customerId, 1_000)
    expect(await pointsOf(customerId)).toBe(45)
    await expectShopToAddUp(shop.database, merchant)
  })

  test('that were spent and come back pay off what a refund of their purchase left owed', async () => {
    const customerId = await newCustomer()
    await shop.database`UPDATE crm.loyalty_program SET point_value = 1 WHERE merchant_id = ${merchant.merchantId}`
    const bought = await order(customerId, 20_000)
    const card = { orderId: bought, method: 'CARD', paymentMethodId: 'pm_card_visa' }
    dataOf(await shop.call(merchant, 'processPayment', { input: card }))
    expect(await pointsOf(customerId)).toBeGreaterThan(0)
    const paidWithPoints = await order(customerId, 20_000)
    const points = { orderId: paidWithPoints, method: 'LOYALTY_POINTS', partial: true }
    dataOf(await shop.call(merchant, 'processPayment', { input: points }))
    expect(await pointsOf(customerId)).toBe(0)
    for (const id of [bought, paidWithPoints])
      dataOf(await shop.call(merchant, 'cancelOrder', { id, reason: 'Regret' }))
    expect((await entriesOf(customerId)).map(({ type }) => type)).toEqual([
      'EARNED',
      'SPENT',
      'RETURNED',
      'TAKEN_BACK',
    ])
    expect(await pointsOf(customerId)).toBe(0)
    await expectShopToAddUp(shop.database, merchant)
  })

  test('never block a payment, whatever its amount', async () => {
    const customerId = await newCustomer()
    await pay(customerId, Number.MAX_SAFE_INTEGER)
    expect(await pointsOf(customerId)).toBe(2_147_483_647)
    await pay(customerId, 5_000)
    expect(await pointsOf(customerId)).toBe(2_147_483_647)
    expect(await adjust(customerId, 1)).toMatchObject({ kind: 'invalid', errors: [{ field: 'points' }] })
  })

  test('are earned once, however often a payment is settled, also concurrently', async () => {
    const customerId = await newCustomer()
    const paymentId = await pay(customerId, 10_000)
    await Promise.all(
      Array.from(
        { length: 8 },
        () => shop.database`UPDATE payment.payment SET status = 'SUCCEEDED' WHERE id = ${paymentId}`,
      ),
    )
    await Promise.all(Array.from({ length: 10 }, () => refund(paymentId, 333)))
    expect(await pointsOf(customerId)).toBe(67)
    await expectShopToAddUp(shop.database, merchant)
  })

  test('can be adjusted with a reason, but not below zero', async () => {
    const customerId = await newCustomer()
    dataOf(await adjust(customerId, 30))
    expect(await adjust(customerId, -31)).toMatchObject({
      errors: [{ field: 'points', message: 'The customer has 30 points', code: 'INVALID_VALUE' }],
    })
    dataOf(await adjust(customerId, -30))
    expect(await adjust(customerId, 0, ' ')).toMatchObject({
      errors: [{ field: 'reason' }, { field: 'points' }],
    })
    const stranger = '01a1f000-0000-7000-8000-00000000dead' as CustomerId
    expect(await adjust(stranger, 1)).toMatchObject({ errors: [{ field: 'customerId', code: 'NOT_FOUND' }] })
  })

  test('are recorded in a ledger that can’t be changed', async () => {
    const customerId = await newCustomer()
    dataOf(await adjust(customerId, 5))
    await expect(
      shop.database`UPDATE crm.loyalty_entry SET points = 6 WHERE customer_id = ${customerId}`,
    ).rejects.toThrow('only grows')
    await expect(
      shop.database`DELETE FROM crm.loyalty_entry WHERE customer_id = ${customerId}`,
    ).rejects.toThrow('only grows')
    await shop.database`DELETE FROM crm.customer WHERE id = ${customerId}`
    expect(await entriesOf(customerId)).toEqual([])
  })
})

describe('a reward', () => {
  test('is a coupon that this customer can use once', async () => {
    const customerId = await newCustomer()
    dataOf(await adjust(customerId, 100))
    const { entryId } = dataOf(await redeem(customerId, await createReward(60, 500)))
    const [entry] = await shop.database<{ coupon_code: string }[]>`
      SELECT coupon_code FROM crm.loyalty_entry WHERE id = ${String(entryId)}`
    const code = found(entry).coupon_code
    // A code with digits can look like a card number, which no column takes.
    expect(code).toMatch(/^REWARD-[A-Z]{16}$/)
    await expect(order(await newCustomer(), 2000, code)).rejects.toThrow('INVALID_COUPON')
    const [placed] = await shop.database`
      SELECT discount FROM ordering.order WHERE id = ${await order(customerId, 2000, code)}`
    expect(placed).toEqual({ discount: '500' })
    await expect(order(customerId, 2000, code)).rejects.toThrow('used as often')
    expect(await pointsOf(customerId)).toBe(40)
  })

  test('can use all points of a customer who has exactly enough', async () => {
    const customerId = await newCustomer()
    dataOf(await adjust(customerId, 60))
    dataOf(await redeem(customerId, await createReward(60)))
    expect(await pointsOf(customerId)).toBe(0)
  })

  test('is redeemed exactly as often as the points allow, also by concurrent requests', async () => {
    const customerId = await newCustomer()
    dataOf(await adjust(customerId, 100))
    const rewardId = await createReward(30)
    const answers = await Promise.all(Array.from({ length: 12 }, () => redeem(customerId, rewardId)))
    expect(answers.filter(({ kind }) => kind === 'done')).toHaveLength(3)
    expect(answers.find(({ kind }) => kind === 'invalid')).toMatchObject({
      errors: [{ field: 'rewardId', message: 'The customer has 10 points' }],
    })
    expect(await pointsOf(customerId)).toBe(10)
    await expectShopToAddUp(shop.database, merchant)
  })

  test('can’t be paid with points that another request is spending', async () => {
    const customerId = await newCustomer()
    dataOf(await adjust(customerId, 60))
    const rewardId = await createReward(60)
    const [, second] = await overlap<unknown>(
      shop.database,
      (sql) => sql`SELECT FROM crm.loyalty_account WHERE customer_id = ${customerId} FOR UPDATE`,
      () => redeem(customerId, rewardId),
      (sql) => sql`
        INSERT INTO crm.loyalty_entry (merchant_id, customer_id, type, points, reason)
        VALUES (${merchant.merchantId}, ${customerId}, 'ADJUSTED', -50, 'Spent')`,
    )
    expect(second).toMatchObject({
      errors: [{ field: 'rewardId', message: 'The customer has 10 points' }],
    })
  })

  test('is redeemed once per Idempotency-Key', async () => {
    const customerId = await newCustomer()
    dataOf(await adjust(customerId, 100))
    const rewardId = await createReward(30)
    const first = dataOf(await redeem(customerId, rewardId, `once-${customerId}`))
    expect(dataOf(await redeem(customerId, rewardId, `once-${customerId}`))).toEqual(first)
    expect(await pointsOf(customerId)).toBe(70)
  })

  test('can’t be redeemed by another shopper, or while it is inactive, unknown or the programme is off', async () => {
    const customerId = await newCustomer()
    const other = await newCustomer()
    dataOf(await adjust(customerId, 100))
    const rewardId = await createReward(30)
    const session = shopper(merchant, other)
    expect(
      await shop.call(merchant, 'redeemLoyaltyReward', { input: { customerId, rewardId } }, { session }),
    ).toMatchObject({ kind: 'refused', id: 'SVC_AUTH_003' })
    expect(await redeem(customerId, customerId)).toMatchObject({
      errors: [{ field: 'rewardId', code: 'NOT_FOUND' }],
    })
    const foreign = await shop.createMerchant()
    expect(
      await shop.call(foreign, 'redeemLoyaltyReward', {
        input: { customerId: foreign.customerId, rewardId },
      }),
    ).toMatchObject({ errors: [{ field: 'rewardId', code: 'NOT_FOUND' }] })
    await shop.database`UPDATE crm.loyalty_program SET enabled = false WHERE merchant_id = ${merchant.merchantId}`
    expect(await redeem(customerId, rewardId)).toMatchObject({
      errors: [{ message: 'The loyalty programme is not enabled' }],
    })
    await shop.database`UPDATE crm.loyalty_program SET enabled = true WHERE merchant_id = ${merchant.merchantId}`
    await shop.database`UPDATE crm.loyalty_reward SET active = false WHERE id = ${rewardId}`
    expect(await redeem(customerId, rewardId)).toMatchObject({
      errors: [{ message: 'The reward can not be redeemed any more' }],
    })
    expect(await pointsOf(customerId)).toBe(100)
  })
})

describe('expiry', () => {
  /** Points that were earned some days ago and are valid for some days. */
  const give = (customerId: CustomerId, points: number, expiresInDays: number | null) => shop.database`
    INSERT INTO crm.loyalty_entry (merchant_id, customer_id, type, points, reason, expires_at)
    SELECT merchant_id, customer_id, 'ADJUSTED', ${points}, 'x', now() + make_interval(days => ${expiresInDays})
    FROM crm.hold_loyalty_account(${merchant.merchantId}, ${customerId})`

  /** Moves every recorded time back by the given number of days. */
  const pass = (days: number) =>
    shop.database.begin(async (sql) => {
      await sql`SET LOCAL session_replication_role = replica`
      await sql`UPDATE crm.loyalty_entry SET expires_at = expires_at - make_interval(days => ${days})`
      await sql`UPDATE crm.loyalty_account SET next_expiry = next_expiry - make_interval(days => ${days})`
    })

  test('takes unspent points, earliest expiry first, after any history', async () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('give' as const),
        points: fc.integer({ min: 1, max: 50 }),
        days: fc.option(fc.integer({ min: 1, max: 20 })),
      }),
      fc.record({ kind: fc.constant('spend' as const), points: fc.integer({ min: 1, max: 60 }) }),
      fc.record({ kind: fc.constant('pass' as const), days: fc.integer({ min: 1, max: 8 }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const customerId = await newCustomer()
        // The model keeps each lot of points separately.
        let lots: { left: number; days: number | null }[] = []
        const sum = () => lots.reduce((total, { left }) => total + left, 0)
        for (const action of steps) {
          if (action.kind === 'give') {
            await give(customerId, action.points, action.days)
            lots.push({ left: action.points, days: action.days })
          } else if (action.kind === 'pass') {
            await pass(action.days)
            lots = lots.map(({ left, days }) => ({ left, days: days === null ? null : days - action.days }))
            lots = lots.filter(({ days }) => days === null || days > 0)
          } else {
            const answer = await adjust(customerId, -action.points)
            expect(answer.kind).toBe(action.points <= sum() ? 'done' : 'invalid')
            if (answer.kind !== 'done') continue
            let due = action.points
            for (const lot of lots.toSorted((a, b) => (a.days ?? Infinity) - (b.days ?? Infinity))) {
              const taken = Math.min(lot.left, due)
              lot.left -= taken
              due -= taken
            }
          }
        }
        await expirePoints(shop.database)
        expect(await pointsOf(customerId)).toBe(sum())
      }),
      { numRuns: 50 },
    )
    await expectShopToAddUp(shop.database, merchant)
  })

  test('spends the points that expire first, regardless of when they were earned', async () => {
    for (const [first, second] of [
      [null, 5],
      [20, 5],
      [5, 20],
      [5, null],
    ] as const) {
      const customerId = await newCustomer()
      await give(customerId, 30, first)
      await give(customerId, 30, second)
      dataOf(await adjust(customerId, -30))
      await pass(6)
      await expirePoints(shop.database)
      // The thirty points that expire after five days were spent, so none of them expire.
      expect(await pointsOf(customerId)).toBe(30)
    }
  })

  test('uses the programme’s days at the time when the points were earned', async () => {
    const days = (value: number | null) => shop.database`
      UPDATE crm.loyalty_program SET points_expire_after_days = ${value} WHERE merchant_id = ${merchant.merchantId}`
    const customerId = await newCustomer()
    await days(30)
    await pay(customerId, 1_000)
    await days(null)
    await pay(customerId, 2_000)
    await pass(31)
    expect(await expirePoints(shop.database)).toBeGreaterThan(0)
    expect(await entriesOf(customerId)).toEqual([
      { type: 'EARNED', points: 10 },
      { type: 'EARNED', points: 20 },
      { type: 'EXPIRED', points: -10 },
    ])
    expect(await expirePoints(shop.database)).toBe(0)
  })

  test('leaves nothing owed: points that expired before the refund of their purchase are not taken of others', async () => {
    const days = (value: number | null) => shop.database`
      UPDATE crm.loyalty_program SET points_expire_after_days = ${value} WHERE merchant_id = ${merchant.merchantId}`
    const customerId = await newCustomer()
    await days(30)
    const paymentId = await pay(customerId, 10_000)
    await days(null)
    await pass(31)
    await expirePoints(shop.database)
    await refund(paymentId, 10_000)
    await pay(customerId, 2_000)
    expect(await pointsOf(customerId)).toBe(20)
  })
})

test('a tier is the highest one that points earned or money spent reach', async () => {
  const customerId = await newCustomer()
  await shop.database`
    INSERT INTO crm.loyalty_tier (merchant_id, name, threshold)
    VALUES (${merchant.merchantId}, 'Bronze', 0), (${merchant.merchantId}, 'Silver', 50), (${merchant.merchantId}, 'Gold', 1000)`
  const tier = async () => {
    const [row] = await shop.database<{ tier_name: string }[]>`
      SELECT tier_name FROM crm.customer_loyalty WHERE customer_id = ${customerId}`
    return row?.tier_name
  }
  expect(await tier()).toBe('Bronze')
  const paymentId = await pay(customerId, 9_900)
  expect(await tier()).toBe('Silver')
  dataOf(await redeem(customerId, await createReward(60)))
  expect(await tier()).toBe('Silver')
  await refund(paymentId, 9_900)
  // Of the 99 points that it earned, only 39 were left to take back.
  expect(await tier()).toBe('Silver')
  await shop.database`UPDATE crm.loyalty_program SET tier_basis = 'TOTAL_SPENT' WHERE merchant_id = ${merchant.merchantId}`
  expect(await tier()).toBe('Bronze')
  await shop.database`UPDATE crm.loyalty_program SET tier_basis = 'POINTS_EARNED' WHERE merchant_id = ${merchant.merchantId}`
})
