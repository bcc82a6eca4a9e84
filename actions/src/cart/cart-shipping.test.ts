import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectShopToAddUp } from '../testing/invariants.ts'
import {
  address,
  createShippingMethod,
  dataOf,
  found,
  openTestShop,
  shopper,
  createCustomer,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const newCart = async (
  items: readonly object[] = [],
  customerId: string | null = merchant.customerId,
): Promise<string> =>
  String(dataOf(await shop.call(merchant, 'createCart', { input: { customerId, items } }))['cartId'])

const totalsOf = async (cartId: string) =>
  found(
    (
      await shop.database<
        { subtotal: number; tax: number; shipping: number; discount: number; total: number }[]
      >`
        SELECT subtotal::float8, tax::float8, shipping::float8, discount::float8, total::float8
        FROM cart.cart_total WHERE cart_id = ${cartId}`
    )[0],
  )

const chosenOf = async (cartId: string) =>
  (
    await shop.database<{ chosen: boolean }[]>`
      SELECT chosen FROM cart.shipping_option WHERE cart_id = ${cartId}`
  ).map(({ chosen }) => chosen)

const optionsOf = async (cartId: string) =>
  (
    await shop.database<{ id: string }[]>`
    SELECT shipping_method_id AS id FROM cart.shipping_option WHERE cart_id = ${cartId}`
  ).map(({ id }) => id)

async function methodFor(country: string, price: number): Promise<string> {
  const id = await createShippingMethod(shop.database, merchant, price)
  await shop.database`
    UPDATE merchant.shipping_zone z SET countries = ${[country]} FROM merchant.shipping_method m
    WHERE m.id = ${id} AND z.id = m.shipping_zone_id`
  return id
}

describe('a cart', () => {
  test('offers the methods that ship to its address, and its totals include the chosen one', async () => {
    const { id: productId } = await shop.createProduct(merchant, { stock: [5], price: 3_000_000_000 })
    const [domestic, foreign] = [await methodFor('US', 700), await methodFor('DE', 900)]
    const cartId = await newCart([{ productId, quantity: 2 }])
    expect(await optionsOf(cartId)).toEqual([])
    expect(
      await shop.call(merchant, 'setCartShippingMethod', { cartId, shippingMethodId: domestic }),
    ).toMatchObject({ errors: [{ field: 'shippingMethodId', code: 'INVALID_VALUE' }] })
    dataOf(await shop.call(merchant, 'setCartShippingAddress', { cartId, address }))
    expect(await optionsOf(cartId)).toEqual([domestic])
    expect(await chosenOf(cartId)).toEqual([false])
    expect(
      await shop.call(merchant, 'setCartShippingMethod', { cartId, shippingMethodId: foreign }),
    ).toMatchObject({
      errors: [{ field: 'shippingMethodId', code: 'INVALID_VALUE' }],
    })
    dataOf(await shop.call(merchant, 'setCartShippingMethod', { cartId, shippingMethodId: domestic }))
    expect(await chosenOf(cartId)).toEqual([true])
    expect(await totalsOf(cartId)).toEqual({
      subtotal: 6_000_000_000,
      tax: 495_000_000,
      shipping: 700,
      discount: 0,
      total: 6_495_000_700,
    })
    dataOf(
      await shop.call(merchant, 'setCartShippingAddress', { cartId, address: { ...address, country: 'DE' } }),
    )
    expect(await totalsOf(cartId)).toMatchObject({ shipping: 0 })
    expect(await optionsOf(cartId)).toEqual([foreign])
  })

  test('accepts a country’s code or its English name, and nothing else', async () => {
    const cartId = await newCart([])
    const send = (country: string, phone: string | null = null) =>
      shop.call(merchant, 'setCartShippingAddress', { cartId, address: { ...address, country, phone } })
    const stored = async () =>
      (await shop.database`SELECT country, phone FROM cart.cart_address WHERE cart_id = ${cartId}`)[0]
    for (const country of ['us', 'USA', 'United States']) {
      dataOf(await send(country, '(503) 555-9573'))
      expect(await stored()).toEqual({ country: 'US', phone: '(503) 555-9573' })
    }
    expect(await send('Narnia', 'none')).toMatchObject({
      errors: [
        {
          field: 'address.country',
          code: 'INVALID_FORMAT',
          message: expect.stringContaining('ISO 3166-1 alpha-2 country code, for example US') as string,
        },
        { field: 'address.phone', code: 'INVALID_FORMAT' },
      ],
    })
    expect(await shop.call(merchant, 'createCart', { input: { currency: 'ZZZ' } })).toMatchObject({
      errors: [{ field: 'currency', code: 'INVALID_FORMAT' }],
    })
  })

  test('offers the rest-of-world zone only if no other zone lists its country', async () => {
    const [domestic, anywhere] = [await methodFor('NZ', 700), await methodFor('NZ', 3900)]
    await shop.database`
      UPDATE merchant.shipping_zone z SET countries = '{}' FROM merchant.shipping_method m
      WHERE m.id = ${anywhere} AND z.id = m.shipping_zone_id`
    const cartId = await newCart([])
    const offered = async (country: string) => {
      dataOf(
        await shop.call(merchant, 'setCartShippingAddress', { cartId, address: { ...address, country } }),
      )
      return optionsOf(cartId)
    }
    expect(await offered('NZ')).toEqual([domestic])
    expect(await offered('AU')).toEqual([anywhere])
    await shop.database`
      DELETE FROM merchant.shipping_zone z USING merchant.shipping_method m
      WHERE m.id IN (${domestic}, ${anywhere}) AND z.id = m.shipping_zone_id`
  })

  test('needs a complete address and method for checkout, and names all missing ones at once', async () => {
    const { id: productId } = await shop.createProduct(merchant, { stock: [5] })
    const method = await methodFor('US', 700)
    const guest = await newCart([{ productId, quantity: 1 }], null)
    expect(await shop.call(merchant, 'checkoutCart', { id: guest, input: {} })).toMatchObject({
      errors: [
        { field: 'customerId', code: 'REQUIRED_FIELD' },
        { field: 'shippingAddress', code: 'REQUIRED_FIELD' },
      ],
    })
    dataOf(await shop.call(merchant, 'setCartShippingAddress', { cartId: guest, address }))
    dataOf(await shop.call(merchant, 'setCartShippingMethod', { cartId: guest, shippingMethodId: method }))
    const input = { customerId: merchant.customerId }
    const { orderId } = dataOf(await shop.call(merchant, 'checkoutCart', { id: guest, input }))
    const [order] = await shop.database`
      SELECT o.shipping::int, o.shipping_method_id, a.line1 FROM ordering.order o
      JOIN ordering.order_address a ON a.id = o.shipping_address_id WHERE o.id = ${String(orderId)}`
    expect(order).toEqual({ shipping: 700, shipping_method_id: method, line1: address.line1 })
  })

  test('with changed prices can’t be checked out with the old total', async () => {
    const product = await shop.createProduct(merchant, { stock: [5], price: 1000 })
    const id = await newCart([{ productId: product.id, quantity: 1 }])
    dataOf(await shop.call(merchant, 'setCartShippingAddress', { cartId: id, address }))
    const { total: expectedTotal } = await totalsOf(id)
    await shop.database`UPDATE catalog.product SET price = 1100 WHERE id = ${product.id}`
    expect(await shop.call(merchant, 'checkoutCart', { id, input: { expectedTotal } })).toMatchObject({
      errors: [{ field: 'expectedTotal', code: 'INVALID_VALUE', message: 'The total is 1191 now' }],
    })
    expect(await shop.database`SELECT FROM ordering.order WHERE cart_id = ${id}`).toEqual([])
    await expectShopToAddUp(shop.database, merchant)
    dataOf(await shop.call(merchant, 'checkoutCart', { id, input: { expectedTotal: 1191 } }))
  })

  test('of another shopper is not found', async () => {
    const cartId = await newCart()
    const session = shopper(merchant, await createCustomer(shop.database, merchant.merchantId))
    for (const [name, more] of [
      ['setCartShippingAddress', { address }],
      ['setCartShippingMethod', {}],
    ] as const)
      expect(await shop.call(merchant, name, { cartId, ...more }, { session })).toMatchObject({
        errors: [{ field: 'cartId', code: 'NOT_FOUND' }],
      })
  })

  test(
    'shows exactly the total that its order then has, for any contents',
    { timeout: 120_000 },
    async () => {
      const method = await methodFor('US', 1234)
      const line = fc.record({
        price: fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 2 ** 31, max: 2 ** 40 })),
        quantity: fc.integer({ min: 1, max: 9 }),
      })
      const coupon = fc.constantFrom(
        null,
        { type: 'PERCENTAGE', value: 15 } as const,
        { type: 'FIXED_AMOUNT', value: 777 } as const,
        { type: 'FREE_SHIPPING', value: 0 } as const,
      )
      await fc.assert(
        fc.asyncProperty(
          fc.array(line, { minLength: 1, maxLength: 4 }),
          coupon,
          fc.boolean(),
          async (lines, promotion, shipped) => {
            const items: object[] = []
            for (const { price, quantity } of lines) {
              const { id: productId } = await shop.createProduct(merchant, { stock: [9], price })
              items.push({ productId, quantity })
            }
            const id = await newCart(items)
            dataOf(await shop.call(merchant, 'setCartShippingAddress', { cartId: id, address }))
            if (shipped)
              dataOf(
                await shop.call(merchant, 'setCartShippingMethod', { cartId: id, shippingMethodId: method }),
              )
            if (promotion !== null) {
              const { code } = await shop.createPromotion(merchant, promotion)
              await shop.call(merchant, 'applyCoupon', { cartId: id, code })
            }
            const shown = await totalsOf(id)
            expect(shown.total).toBe(shown.subtotal + shown.tax + shown.shipping - shown.discount)
            const answer = await shop.call(merchant, 'checkoutCart', {
              id,
              input: { expectedTotal: shown.total },
            })
            // A coupon without effect stops the checkout with a message.
            if (answer.kind === 'invalid') expect(answer.errors[0]?.code).toBe('INVALID_COUPON')
            else dataOf(answer)
            await expectShopToAddUp(shop.database, merchant)
          },
        ),
        { numRuns: 12 },
      )
    },
  )
})
