import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Answer } from '../action/answer.ts'
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
