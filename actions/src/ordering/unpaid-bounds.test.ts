import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { actingAs } from '../action/acting-as.ts'
import type { Answer } from '../action/answer.ts'
import type { CustomerId } from '@commerce-graph/contract/ids'
import type { Queryable } from '../database.ts'
import * as ordering from '../sql/generated/ordering.ts'
import { overlap } from '../testing/overlap.ts'
import {
  address,
  createCustomer,
  dataOf,
  openTestShop,
  shopper,
  type TestMerchant,
  type TestProduct,
  type TestShop,
} from '../testing/test-shop.ts'
import { orderTransitions } from './order-machine.ts'

let shop: TestShop
let merchant: TestMerchant
let product: TestProduct
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  merchant = await shop.createMerchant()
  product = await shop.createProduct(merchant, { stock: [10_000] })
})

const inputOf = (quantity: number, customerId: string) => ({
  input: { customerId, items: [{ productId: product.id, quantity }], shippingAddress: address },
})
const byShopper = (quantity: number, customerId = merchant.customerId) =>
  shop.call(merchant, 'createOrder', inputOf(quantity, customerId), {
    session: shopper(merchant, customerId),
  })
const set = (columns: object) =>
  shop.database`UPDATE merchant.settings SET ${shop.database(columns)} WHERE merchant_id = ${merchant.merchantId}`
const placed = (answers: readonly Answer[]) => answers.filter(({ kind }) => kind === 'done').length

describe('a shopper’s unpaid orders', () => {
  test('are bounded until one is paid or cancelled; other shoppers and the merchant’s staff are not affected', async () => {
    await set({ max_unpaid_orders: 2 })
    const orders = [dataOf(await byShopper(1)), dataOf(await byShopper(1))].map(({ orderId }) =>
      String(orderId),
    )
    const refused = {
      kind: 'invalid',
      errors: [
        {
          field: 'customerId',
          code: 'OUT_OF_RANGE',
          message: expect.stringContaining('2 orders of a customer') as string,
        },
      ],
    }
    expect(await byShopper(1)).toMatchObject(refused)
    dataOf(await byShopper(1, await createCustomer(shop.database, merchant.merchantId)))
    dataOf(await shop.call(merchant, 'createOrder', inputOf(1, merchant.customerId)))
    expect(await byShopper(1)).toMatchObject(refused)
    const session = shopper(merchant, merchant.customerId)
    for (const id of orders)
      dataOf(await shop.call(merchant, 'cancelOrder', { id, reason: 'x' }, { session }))
    dataOf(await byShopper(1))
  })

  test('are bounded in units, over all unpaid orders together', async () => {
    await set({ max_unpaid_units: 10 })
    expect(await byShopper(11)).toMatchObject({ errors: [{ field: 'items', code: 'OUT_OF_RANGE' }] })
    dataOf(await byShopper(6))
    expect(await byShopper(5)).toMatchObject({
      errors: [{ field: 'items', message: expect.stringContaining('0-4') as string }],
    })
    const { orderId } = dataOf(await byShopper(4))
    const pay = { input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa' } }
    dataOf(await shop.call(merchant, 'processPayment', pay))
    dataOf(await byShopper(4))
  })

  test('are not bounded if the merchant switches the bound off', async () => {
    await set({ max_unpaid_units: null, max_unpaid_orders: null })
    for (let order = 0; order < 8; order++) dataOf(await byShopper(100))
  })

  test('stay within both bounds if several carts and orders start together', async () => {
    await set({ max_unpaid_orders: 4, max_unpaid_units: 30 })
    const session = shopper(merchant, merchant.customerId)
    const carts = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const input = { items: [{ productId: product.id, quantity: 9 }] }
        return String(dataOf(await shop.call(merchant, 'createCart', { input }, { session })).cartId)
      }),
    )
    const answers = await Promise.all([
      ...carts.map((id) =>
        shop.call(merchant, 'checkoutCart', { id, input: { shippingAddress: address } }, { session }),
      ),
      ...carts.map(() => byShopper(9)),
    ])
    expect(placed(answers)).toBe(3)
    expect(answers.filter(({ kind }) => kind === 'invalid')).toHaveLength(13)
    await set({ max_unpaid_units: null })
    expect(placed(await Promise.all(carts.map(() => byShopper(1))))).toBe(1)
  })
})

describe('guests who order at the same time, in transactions of two processes', () => {
  /** A customer as a guest checkout makes it, with a session of that network. */
  async function guest([email, network]: readonly [string, string | null]): Promise<CustomerId> {
    const id = await createCustomer(shop.database, merchant.merchantId)
    await shop.database`UPDATE crm.customer SET email = ${email}, has_account = FALSE WHERE id = ${id}`
    await shop.database`
      INSERT INTO identity.session (merchant_id, customer_id, network, expires_at)
      VALUES (${merchant.merchantId}, ${id}, ${network}, now() + INTERVAL '1 hour')`
    return id
  }

  /** Places a list of orders of one unit each, as the queue of one process does. */
  const place = async (sql: Queryable, ...customerIds: readonly CustomerId[]): Promise<readonly string[]> => {
    const answers = await ordering.placeOrders(actingAs(sql, shopper(merchant, merchant.customerId)), {
      merchantId: merchant.merchantId,
      requests: customerIds.map((customerId) => ({
        order: {
          customerId,
          lines: [{ productId: product.id, quantity: 1 }],
          shippingAddress: address,
          byShopper: true,
          session: null,
        },
      })),
      pay: orderTransitions.pay,
    })
    return answers.map((answer) => (answer.outcome === 'new' ? answer.response.outcome : answer.outcome))
  }

  const atOnce = (first: readonly CustomerId[], second: readonly CustomerId[]) =>
    overlap(
      shop.database,
      (sql) => place(sql, ...first),
      () => place(shop.database, ...second),
    )

  test.each([
    ['of one address', ['ann@example.com', '198.51.100.1'], ['Ann@Example.com', '198.51.100.2']],
    ['of one network', ['ann@example.com', '198.51.100.1'], ['bob@example.com', '198.51.100.1']],
  ] as const)('and are %s are bounded together', async (_name, ann, other) => {
    await set({ max_unpaid_orders: 1 })
    expect(await atOnce([await guest(ann)], [await guest(other)])).toEqual([['placed'], ['invalid']])
    await set({ max_unpaid_orders: null, max_unpaid_units: 2 })
    expect(await atOnce([await guest(ann)], [await guest(other)])).toEqual([['placed'], ['invalid']])
  })

  test('and share neither are not, nor is an account with the address', async () => {
    await set({ max_unpaid_orders: 1 })
    const [ann, bob] = [await guest(['ann@example.com', null]), await guest(['bob@example.com', null])]
    const account = await createCustomer(shop.database, merchant.merchantId)
    await shop.database`UPDATE crm.customer SET email = 'ann@example.com' WHERE id = ${account}`
    expect(await atOnce([ann], [bob, account])).toEqual([['placed'], ['placed', 'placed']])
  })

  test('and are listed in another order are bounded, too', async () => {
    await set({ max_unpaid_orders: 1 })
    const [ann, bob] = ['ann@example.com', 'bob@example.com']
    const one = [await guest([ann, '198.51.100.1']), await guest([bob, '198.51.100.2'])]
    const other = [await guest([bob, '198.51.100.3']), await guest([ann, '198.51.100.4'])]
    expect(await atOnce(one, other)).toEqual([
      ['placed', 'placed'],
      ['invalid', 'invalid'],
    ])
  })
})
