import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Queryable } from '../database.ts'
import { expectShopToAddUp } from '../testing/invariants.ts'
import { overlap } from '../testing/overlap.ts'
import {
  address,
  createCustomer,
  dataOf,
  found,
  openTestShop,
  shopper,
  staff,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import type { CustomerId } from '@commerce-graph/contract/ids'
import type { AnySession } from '../action/session.ts'
import * as ordering from '../sql/generated/ordering.ts'
import { orderTransitions } from './order-machine.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  merchant = await shop.createMerchant()
})

const customers = (count: number): Promise<readonly CustomerId[]> =>
  Promise.all(Array.from({ length: count }, () => createCustomer(shop.database, merchant.merchantId)))

interface Wanted {
  readonly customerId: string
  readonly productId: string
  readonly quantity?: number
  readonly session?: Readonly<Record<string, string>>
  readonly more?: object
}

/** The function's answers for a list of orders, in the transaction that it is one list for. */
const placeList = (
  wanted: readonly Wanted[],
  sql: Queryable = shop.database,
): Promise<ordering.PlaceOrdersAnswer> =>
  ordering.placeOrders(sql, {
    merchantId: merchant.merchantId,
    requests: wanted.map(({ customerId, productId, quantity = 1, session = null, more = {} }) => ({
      order: {
        customerId,
        lines: [{ productId, quantity }],
        shippingAddress: address,
        byShopper: false,
        session,
        ...more,
      },
    })),
    pay: orderTransitions.pay,
  })

const outcomesOf = (answers: ordering.PlaceOrdersAnswer): readonly string[] =>
  answers.map((answer) => (answer.outcome === 'new' ? answer.response.outcome : answer.outcome))

function orderIdOf(answer: ordering.PlaceOrdersAnswer[number] | undefined): string {
  if (answer?.outcome !== 'new' || answer.response.outcome !== 'placed')
    throw new Error(`No order was placed: ${JSON.stringify(answer)}`)
  return answer.response.orderId
}

const orders = async () => shop.database<{ id: string; number: string; customerId: string }[]>`
  SELECT id, order_number AS number, customer_id AS "customerId" FROM ordering.order
  WHERE merchant_id = ${merchant.merchantId} ORDER BY order_number`

const createOrder = (customerId: string, productId: string, session?: AnySession, more: object = {}) =>
  shop.call(
    merchant,
    'createOrder',
    { input: { customerId, items: [{ productId, quantity: 1 }], shippingAddress: address, ...more } },
    session === undefined ? {} : { session },
  )

describe('orders that are placed together', () => {
  test('each have their own number, lines, address, reservation, history and movements', async () => {
    const [one, other] = await Promise.all([
      shop.createProduct(merchant, { stock: [10, 10] }),
      shop.createProduct(merchant, { stock: [10] }),
    ])
    const [ann, bob, cleo] = await customers(3)
    const keyId = randomUUID()
    const answers = await placeList([
      { customerId: String(ann), productId: one.id, quantity: 8 },
      {
        customerId: String(bob),
        productId: one.id,
        quantity: 4,
        session: { 'x-hasura-role': 'customer', 'x-hasura-customer-id': String(bob) },
      },
      {
        customerId: String(cleo),
        productId: other.id,
        quantity: 3,
        session: { 'x-hasura-role': 'merchant', 'x-hasura-key-id': keyId },
      },
    ])
    const ids = answers.map(orderIdOf)
    const placed = await orders()
    expect(placed.map(({ id }) => id)).toEqual(ids)
    expect(placed.map(({ number }) => Number(number.slice(4)))).toEqual([1001, 1002, 1003])
    const history = await shop.database`
      SELECT actor, actor_id AS "actorId", type FROM ordering.history_entry
      WHERE merchant_id = ${merchant.merchantId} ORDER BY array_position(${ids}::uuid[], order_id)`
    expect(history).toEqual([
      { type: 'PLACED', actor: 'SYSTEM', actorId: null },
      { type: 'PLACED', actor: 'CUSTOMER', actorId: bob },
      { type: 'PLACED', actor: 'MERCHANT', actorId: keyId },
    ])
    const movements = await shop.database`
      SELECT m.reference_id AS "orderId", m.reserved_delta AS taken, m.reserved, m.on_hand AS "onHand", m.principal
      FROM inventory.stock_movement m JOIN inventory.warehouse w ON w.id = m.warehouse_id
      WHERE m.merchant_id = ${merchant.merchantId} AND m.kind = 'RESERVATION'
      ORDER BY array_position(${ids}::uuid[], m.reference_id), w.priority`
    expect(movements).toEqual([
      { orderId: ids[0], taken: 8, reserved: 8, onHand: 10, principal: null },
      { orderId: ids[1], taken: 2, reserved: 10, onHand: 10, principal: `customer:${bob}` },
      { orderId: ids[1], taken: 2, reserved: 2, onHand: 10, principal: `customer:${bob}` },
      { orderId: ids[2], taken: 3, reserved: 3, onHand: 10, principal: `key:${keyId}` },
    ])
    await expectShopToAddUp(shop.database, merchant)
  })

  test('are found by their customer and SKU, and are listed with their products', async () => {
    const product = await shop.createProduct(merchant, { stock: [10] })
    const buyers = await customers(3)
    const ids = (await placeList(buyers.map((customerId) => ({ customerId, productId: product.id })))).map(
      orderIdOf,
    )
    const [found] = await shop.database`
      SELECT
        (SELECT array_agg(s.order_id ORDER BY array_position(${ids}::uuid[], s.order_id)) FROM ordering.order_search s
          WHERE s.merchant_id = ${merchant.merchantId} AND s.text LIKE ${`%${product.sku}%`}) AS searched,
        (SELECT array_agg(l.order_id ORDER BY array_position(${ids}::uuid[], l.order_id)) FROM ordering.product_order l
          WHERE l.merchant_id = ${merchant.merchantId} AND l.product_id = ${product.id}) AS linked`
    expect(found).toEqual({ searched: ids, linked: ids })
  })

  test('are refused one by one', async () => {
    const product = await shop.createProduct(merchant, { stock: [10] })
    const [ann, bob, cleo] = await customers(3)
    await shop.database`UPDATE crm.customer SET blocked_at = now(), blocked_reason = 'fraud' WHERE id = ${String(bob)}`
    const answers = await placeList([
      { customerId: String(ann), productId: product.id },
      { customerId: String(bob), productId: product.id },
      { customerId: randomUUID(), productId: product.id },
      { customerId: String(cleo), productId: product.id },
    ])
    expect(outcomesOf(answers)).toEqual(['placed', 'invalid', 'invalid', 'placed'])
    expect((await orders()).map(({ customerId }) => customerId)).toEqual([ann, cleo])
    await expectShopToAddUp(shop.database, merchant)
  })

  test('take the last units in turn, and those that find too few are told so', async () => {
    const product = await shop.createProduct(merchant, { stock: [3, 4] })
    const buyers = await customers(4)
    const answers = await placeList(
      [3, 5, 2, 3].map((quantity, n) => ({
        customerId: String(buyers[n]),
        productId: product.id,
        quantity,
      })),
    )
    expect(outcomesOf(answers)).toEqual(['placed', 'insufficient', 'placed', 'insufficient'])
    expect(answers[3]).toMatchObject({ response: { shortages: [{ available: 2, requested: 3 }] } })
    expect((await orders()).map(({ number }) => Number(number.slice(4)))).toEqual([1001, 1002])
    await expectShopToAddUp(shop.database, merchant)
  })

  test('are of different customers and reservations: a second one is left for later', async () => {
    const product = await shop.createProduct(merchant, { stock: [10] })
    const [ann, bob, cleo] = await customers(3)
    const items = [{ sku: product.sku, quantity: 1 }]
    const { reservationId } = dataOf(await shop.call(merchant, 'reserveInventory', { items }))
    const answers = await placeList([
      { customerId: String(ann), productId: product.id },
      { customerId: String(ann), productId: product.id },
      { customerId: String(bob), productId: product.id, more: { reservationId } },
      { customerId: String(cleo), productId: product.id, more: { reservationId } },
    ])
    expect(outcomesOf(answers)).toEqual(['placed', 'later', 'placed', 'later'])
    await expectShopToAddUp(shop.database, merchant)
  })

  test('with one Idempotency-Key are one order; another request with it is refused', async () => {
    const product = await shop.createProduct(merchant, { stock: [20] })
    const [ann, bob, ...others] = await customers(5)
    const idempotencyKey = randomUUID()
    const keyed = (customerId: string | undefined) =>
      shop.call(
        merchant,
        'createOrder',
        {
          input: {
            customerId: String(customerId),
            items: [{ productId: product.id, quantity: 1 }],
            shippingAddress: address,
          },
        },
        { idempotencyKey },
      )
    const placed = others.map((id) => createOrder(id, product.id))
    const answers = await Promise.all([ann, bob, ann, bob].map(keyed))
    for (const answer of await Promise.all(placed)) dataOf(answer)
    expect(answers.map(({ kind }) => kind)).toEqual(['done', 'refused', 'done', 'refused'])
    expect(answers[2]).toEqual(answers[0])
    expect((await orders()).filter(({ customerId }) => customerId === ann)).toHaveLength(1)
  })

  test('leave one that costs nothing for a list of its own', async () => {
    const product = await shop.createProduct(merchant, { stock: [20] })
    await shop.database`
      INSERT INTO promotion.promotion (merchant_id, name, code, discount_type, discount_value, start_date, end_date)
      VALUES (${merchant.merchantId}, 'Gift', 'GIFT', 'PERCENTAGE', 100, now() - INTERVAL '1 day', now() + INTERVAL '1 day')`
    const gift = { couponCode: 'GIFT' }
    const [ann, bob, cleo] = await customers(3)
    const wanted = [
      { customerId: String(ann), productId: product.id },
      { customerId: String(bob), productId: product.id, more: gift },
      { customerId: String(cleo), productId: product.id },
    ]
    expect(outcomesOf(await placeList(wanted))).toEqual(['placed', 'later', 'placed'])
    expect(outcomesOf(await placeList(wanted.slice(1)))).toEqual(['placed', 'later'])
    const answers = await Promise.all(
      (await customers(6)).map((id, n) => createOrder(id, product.id, undefined, n % 2 === 0 ? gift : {})),
    )
    for (const answer of answers) dataOf(answer)
    const [confirmed] = await shop.database`
      SELECT count(*) FILTER (WHERE status = 'CONFIRMED')::integer AS free, count(*)::integer AS placed
      FROM ordering.order WHERE merchant_id = ${merchant.merchantId}`
    expect(confirmed).toEqual({ free: 4, placed: 9 })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('have one first order of the guests of an address', async () => {
    const product = await shop.createProduct(merchant, { stock: [20] })
    const { code } = await shop.createPromotion(merchant, { first_order_only: true })
    const guests = await customers(2)
    await shop.database`
      UPDATE crm.customer SET email = 'guest@example.com', has_account = FALSE
      WHERE merchant_id = ${merchant.merchantId} AND id IN ${shop.database(guests)}`
    const wanted = guests.map((customerId) => ({
      customerId,
      productId: product.id,
      more: { couponCode: code },
    }))
    expect(outcomesOf(await placeList(wanted))).toEqual(['placed', 'later'])
    expect(outcomesOf(await placeList(wanted.slice(1)))).toEqual(['invalid'])
  })

  test('use a promotion no more often than it may be used', async () => {
    const product = await shop.createProduct(merchant, { stock: [20] })
    await shop.database`
      INSERT INTO promotion.promotion (merchant_id, name, discount_type, discount_value, start_date, end_date, usage_limit)
      VALUES (${merchant.merchantId}, 'First three', 'PERCENTAGE', 10, now() - INTERVAL '1 day', now() + INTERVAL '1 day', 3)`
    const buyers = await customers(8)
    for (const answer of await Promise.all(buyers.map((id) => createOrder(id, product.id)))) dataOf(answer)
    const [used] = await shop.database`
      SELECT count(*) FILTER (WHERE discount > 0)::integer AS discounted, count(*)::integer AS placed
      FROM ordering.order WHERE merchant_id = ${merchant.merchantId}`
    expect(used).toEqual({ discounted: 3, placed: 8 })
  })

  test('lock the coupons of all in one order: lists that name them in opposite orders don’t deadlock', async () => {
    const product = await shop.createProduct(merchant, { stock: [20] })
    const coupons = [await shop.createPromotion(merchant), await shop.createPromotion(merchant)]
    const [low, high] = coupons.sort((one, other) => (one.id < other.id ? -1 : 1))
    const [ann, bob, cleo, dave] = await customers(4)
    const wanted = (customerId: CustomerId | undefined, coupon: typeof low) => ({
      customerId: String(customerId),
      productId: product.id,
      more: { couponCode: found(coupon).code },
    })
    const answers: ordering.PlaceOrdersAnswer[] = []
    await overlap(
      shop.database,
      async (sql) => {
        await sql`SELECT FROM promotion.promotion WHERE id = ${found(low).id} FOR NO KEY UPDATE`
      },
      async () => {
        answers.push(await placeList([wanted(ann, high), wanted(bob, low)]))
      },
      async (sql) => answers.push(await placeList([wanted(cleo, low), wanted(dave, high)], sql)),
    )
    expect(answers.map(outcomesOf)).toEqual([
      ['placed', 'placed'],
      ['placed', 'placed'],
    ])
    await expectShopToAddUp(shop.database, merchant)
  })

  test('lock the reservations of all in one order, and one order takes each over', async () => {
    const product = await shop.createProduct(merchant, { stock: [20] })
    const reserve = async () => {
      const items = [{ sku: product.sku, quantity: 1 }]
      return String(dataOf(await shop.call(merchant, 'reserveInventory', { items })).reservationId)
    }
    const [low, high] = [await reserve(), await reserve()].sort()
    const [ann, bob, cleo, dave] = await customers(4)
    const wanted = (customerId: CustomerId | undefined, reservationId: string | undefined) => ({
      customerId: String(customerId),
      productId: product.id,
      more: { reservationId },
    })
    const answers: ordering.PlaceOrdersAnswer[] = []
    await overlap(
      shop.database,
      async (sql) => {
        await sql`SELECT FROM inventory.reservation WHERE id = ${String(low)} FOR UPDATE`
      },
      async () => {
        answers.push(await placeList([wanted(ann, high), wanted(bob, low)]))
      },
      async (sql) => answers.push(await placeList([wanted(cleo, low), wanted(dave, high)], sql)),
    )
    expect(answers.map(outcomesOf)).toEqual([
      ['placed', 'placed'],
      ['invalid', 'invalid'],
    ])
    await expectShopToAddUp(shop.database, merchant)
  })

  test('fail one by one', async () => {
    const product = await shop.createProduct(merchant, { stock: [20] })
    const buyers = await customers(8)
    dataOf(await createOrder(String(buyers[0]), product.id, undefined, { externalId: 'taken' }))
    const answers = await Promise.all(
      buyers.map((id, n) => createOrder(id, product.id, undefined, n === 3 ? { externalId: 'taken' } : {})),
    )
    expect(answers.map(({ kind }) => kind)).toEqual(buyers.map((_, n) => (n === 3 ? 'invalid' : 'done')))
    expect(await orders()).toHaveLength(8)
    await expectShopToAddUp(shop.database, merchant)
  })

  test('are those of one merchant', async () => {
    const strangers = await shop.createMerchant()
    const product = await shop.createProduct(strangers, { stock: [5] })
    const answers = await placeList([
      { customerId: merchant.customerId, productId: product.id },
      { customerId: strangers.customerId, productId: product.id },
    ])
    expect(outcomesOf(answers)).toEqual(['invalid', 'invalid'])
  })
})

describe('carts that are checked out together', () => {
  test('become an order each, and the same cart one', async () => {
    const product = await shop.createProduct(merchant, { stock: [20] })
    const carts = await Promise.all(
      (await customers(6)).map(async (customerId) => {
        const session = shopper(merchant, customerId)
        const input = { items: [{ productId: product.id, quantity: 2 }] }
        const { cartId } = dataOf(await shop.call(merchant, 'createCart', { input }, { session }))
        return { cartId: String(cartId), session }
      }),
    )
    const checkOut = ({ cartId, session }: (typeof carts)[number]) =>
      shop.call(merchant, 'checkoutCart', { id: cartId, input: { shippingAddress: address } }, { session })
    const answers = await Promise.all([...carts, ...carts].map(checkOut))
    const ids = answers.map((answer) => String(dataOf(answer).orderId))
    expect(ids.slice(6)).toEqual(ids.slice(0, 6))
    expect(new Set(ids).size).toBe(6)
    const [{ open }] = await shop.database<[{ open: number }]>`
      SELECT count(*)::integer AS open FROM cart.cart
      WHERE merchant_id = ${merchant.merchantId} AND checked_out_at IS NULL`
    expect(open).toBe(0)
    await expectShopToAddUp(shop.database, merchant)
  })

  test('with another total than the customer saw are not placed, and hold nothing', async () => {
    const product = await shop.createProduct(merchant, { stock: [20] })
    const carts = await Promise.all(
      (await customers(4)).map(async (customerId) => {
        const input = { customerId, items: [{ productId: product.id, quantity: 2 }] }
        return String(dataOf(await shop.call(merchant, 'createCart', { input })).cartId)
      }),
    )
    const answers = await Promise.all(
      carts.map((id, n) =>
        shop.call(
          merchant,
          'checkoutCart',
          { id, input: { shippingAddress: address, ...(n === 2 ? { expectedTotal: 1 } : {}) } },
          { session: staff(merchant) },
        ),
      ),
    )
    expect(answers.map(({ kind }) => kind)).toEqual(['done', 'done', 'invalid', 'done'])
    expect(await orders()).toHaveLength(3)
    await expectShopToAddUp(shop.database, merchant)
  })
})
