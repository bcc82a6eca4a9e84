import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Answer } from '../action/answer.ts'
import type { CustomerId } from '@commerce-graph/contract/ids'
import { lapseUnpaidOrders } from '../ordering/index.ts'
import { expectShopToAddUp } from '../testing/invariants.ts'
import {
  address,
  createCustomer,
  createShippingMethod,
  dataOf,
  found,
  openTestShop,
  shopper,
  type TestMerchant,
  type TestProduct,
  type TestShop,
} from '../testing/test-shop.ts'

let shop: TestShop
let merchant: TestMerchant
let shirt: TestProduct
let mug: TestProduct
let parcel: string
let customerId: CustomerId
beforeAll(async () => {
  shop = await openTestShop()
  // Tax is 8.25 %.
  merchant = await shop.createMerchant()
  shirt = await shop.createProduct(merchant, { price: 1000, stock: [1000] })
  mug = await shop.createProduct(merchant, { price: 333, stock: [1000] })
  parcel = await createShippingMethod(shop.database, merchant, 499)
})
afterAll(() => shop.close())
beforeEach(async () => {
  customerId = await createCustomer(shop.database, merchant.merchantId)
})

const line = ({ id }: TestProduct, quantity = 1) => ({ productId: id, quantity })

const order = (couponCode: string, items = [line(shirt)], more: object = {}): Promise<Answer> =>
  shop.call(merchant, 'createOrder', {
    input: { customerId, items, shippingAddress: address, couponCode, ...more },
  })

const newCart = async (items: readonly object[], more: object = { customerId }): Promise<string> =>
  String(dataOf(await shop.call(merchant, 'createCart', { input: { items, ...more } })).cartId)

const apply = (cartId: string, code: string): Promise<Answer> =>
  shop.call(merchant, 'applyCoupon', { cartId, code })

/** The driver returns amounts as strings of digits. */
const amounts = (row: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
    ]),
  )

async function totalsOf(cartId: string): Promise<unknown> {
  const [row] = await shop.database<Record<string, unknown>[]>`
    SELECT subtotal, tax, discount, total FROM cart.cart_total WHERE cart_id = ${cartId}`
  return amounts(found(row))
}

async function orderOf(answer: Answer) {
  const id = String(dataOf(answer).orderId)
  const [row] = await shop.database<Record<string, unknown>[]>`
    SELECT subtotal, tax, shipping, discount, total, coupon_code FROM ordering.order WHERE id = ${id}`
  const lines = await shop.database<{ id: string; discount: string; tax: string }[]>`
    SELECT id, discount, tax FROM ordering.order_item WHERE order_id = ${id} ORDER BY position`
  return {
    ...amounts(found(row)),
    id,
    items: lines,
    lines: lines.map(({ discount, tax }) => [Number(discount), Number(tax)]),
  }
}

async function usageOf(code: string): Promise<number> {
  const [row] = await shop.database<{ usage_count: number }[]>`
    SELECT usage_count FROM promotion.promotion WHERE merchant_id = ${merchant.merchantId} AND code = ${code}`
  return found(row).usage_count
}

const refusal = (field: string, message: string) => ({
  kind: 'invalid',
  errors: [{ field, code: 'INVALID_COUPON', message }],
})

describe('a discount', () => {
  test('of a percentage is rounded once, and divided over the lines so that they add up', async () => {
    const { code } = await shop.createPromotion(merchant, { value: 15 })
    // 15 % of 1999 is 299.85; the rest is taxed.
    expect(await orderOf(await order(code, [line(shirt), line(mug, 3)]))).toMatchObject({
      subtotal: 1999,
      discount: 300,
      tax: 140,
      total: 1999 + 140 - 300,
      coupon_code: code,
      lines: [
        [150, 70],
        [150, 70],
      ],
    })
  })

  test('of an amount is never more than the covered lines', async () => {
    const { code } = await shop.createPromotion(merchant, {
      type: 'FIXED_AMOUNT',
      value: 5000,
      product_ids: [mug.id],
    })
    expect(await orderOf(await order(code, [line(shirt), line(mug)]))).toMatchObject({
      discount: 333,
      tax: 83,
      total: 1083,
      lines: [
        [0, 83],
        [333, 0],
      ],
    })
  })

  test('of shipping is its price, and the lines keep theirs', async () => {
    const { code } = await shop.createPromotion(merchant, { type: 'FREE_SHIPPING', value: 0 })
    const answer = await order(code, [line(shirt)], { shippingMethodId: parcel })
    expect(await orderOf(answer)).toMatchObject({ shipping: 499, discount: 499, tax: 83, total: 1083 })
  })

  test.each(['PERCENTAGE', 'FREE_SHIPPING'] as const)('of %s stops at its maximum', async (type) => {
    const { code } = await shop.createPromotion(merchant, { type, value: 50, max_discount_amount: 120 })
    const answer = await order(code, [line(shirt)], { shippingMethodId: parcel })
    expect(await orderOf(answer)).toMatchObject({ discount: 120 })
  })

  test('of a category covers its products', async () => {
    const [category] = await shop.database<{ id: string }[]>`
      INSERT INTO catalog.category (merchant_id, name) VALUES (${merchant.merchantId}, 'Mugs') RETURNING id`
    const categoryId = found(category).id
    await shop.database`
      INSERT INTO catalog.product_category (merchant_id, category_id, product_id)
      VALUES (${merchant.merchantId}, ${categoryId}, ${mug.id})`
    const { code } = await shop.createPromotion(merchant, { value: 100, category_ids: [categoryId] })
    expect(await orderOf(await order(code, [line(mug), line(shirt)]))).toMatchObject({ discount: 333 })
    expect(await order(code)).toMatchObject(refusal('couponCode', 'The coupon is for none of these products'))
  })

  test('is exact for amounts beyond 2^31', async () => {
    const dear = await shop.createProduct(merchant, { price: 2_000_000_000_000_001, stock: [3] })
    const { code } = await shop.createPromotion(merchant, { value: 33 })
    // 1,980,000,000,000,000.99 off 6,000,000,000,000,003.
    const answer = await order(code, [line(dear, 3)])
    expect(await orderOf(answer)).toMatchObject({
      subtotal: 6_000_000_000_000_003,
      discount: 1_980_000_000_000_001,
    })
  })
})

describe('a coupon is refused with the reason', () => {
  const yesterday = new Date(Date.now() - 86_400_000)
  const tomorrow = new Date(Date.now() + 86_400_000)
  test.each([
    ['disabled', { disabled: true }, 'The coupon is disabled'],
    [
      'not yet active',
      { start_date: tomorrow, end_date: new Date(Date.now() + 1e9) },
      'The coupon is not active yet',
    ],
    ['expired', { start_date: new Date(0), end_date: yesterday }, 'The coupon has expired'],
    [
      'below its minimum',
      { min_purchase_amount: 1001 },
      'The coupon needs a purchase of at least 1001 minor units of USD',
    ],
  ])('if it is %s', async (_state, columns, message) => {
    const { code } = await shop.createPromotion(merchant, columns)
    expect(await order(code)).toMatchObject(refusal('couponCode', message))
    const cartId = await newCart([line(shirt)])
    expect(await apply(cartId, code)).toMatchObject(refusal('code', message))
    expect(await totalsOf(cartId)).toMatchObject({ discount: 0 })
    expect(await usageOf(code)).toBe(0)
  })

  test('below its minimum but not at the minimum, which counts all lines, covered or not', async () => {
    const lines = [line(shirt), line(mug)]
    for (const [min, discount] of [
      [1333, 100],
      [1334, null],
    ] as const) {
      const columns = { min_purchase_amount: min, product_ids: [shirt.id] }
      const { code } = await shop.createPromotion(merchant, columns)
      const answer = await order(code, lines)
      const cartId = await newCart(lines)
      const applied = await apply(cartId, code)
      if (discount === null) {
        const message = `The coupon needs a purchase of at least ${min} minor units of USD`
        expect(answer).toMatchObject(refusal('couponCode', message))
        expect(applied).toMatchObject(refusal('code', message))
      } else {
        expect(await orderOf(answer)).toMatchObject({ discount })
        dataOf(applied)
        expect(await totalsOf(cartId)).toMatchObject({ discount })
      }
    }
  })

  test('if it is unknown, together with all other errors', async () => {
    expect(await order('NOBODYS', [line(shirt)], { shippingMethodId: customerId })).toMatchObject({
      errors: [
        { field: 'shippingMethodId', code: 'NOT_FOUND' },
        { field: 'couponCode', code: 'INVALID_COUPON', message: 'There is no such coupon' },
      ],
    })
  })

  test('if it is for other products or another customer', async () => {
    const products = await shop.createPromotion(merchant, { product_ids: [mug.id] })
    expect(await order(products.code)).toMatchObject(
      refusal('couponCode', 'The coupon is for none of these products'),
    )
    const customers = await shop.createPromotion(merchant, { customer_ids: [merchant.customerId] })
    expect(await order(customers.code)).toMatchObject(
      refusal('couponCode', 'The coupon is not for this customer'),
    )
    dataOf(await order(customers.code, [line(shirt)], { customerId: merchant.customerId }))
    const guests = await newCart([line(shirt)], {})
    expect(await apply(guests, customers.code)).toMatchObject(
      refusal('code', 'The coupon is not for this customer'),
    )
  })

  test('if it is for a first order and the customer has one that was not cancelled', async () => {
    const { code } = await shop.createPromotion(merchant, { first_order_only: true })
    const first = await orderOf(await order(code))
    expect(await order(code)).toMatchObject(refusal('couponCode', 'The coupon is for a first order only'))
    dataOf(await shop.call(merchant, 'cancelOrder', { id: first.id, reason: 'Wrong size' }))
    dataOf(await order(code))
  })

  test('if it is for a first order and a guest with the same address has one; an account’s order is not looked at', async () => {
    const { code } = await shop.createPromotion(merchant, { first_order_only: true })
    const email = `${randomUUID()}@example.com`
    const buyer = async (columns: object) => {
      const [row] = await shop.database<{ id: string }[]>`
        INSERT INTO crm.customer ${shop.database({ merchant_id: merchant.merchantId, name: 'Ada', ...columns })}
        RETURNING id`
      return found(row).id
    }
    const guest = (of: string) => buyer({ email: of, has_account: false })
    const buys = async (customerId: string) => order(code, [line(shirt)], { customerId })
    const first = await orderOf(await buys(await guest(email)))
    const refused = refusal('couponCode', 'The coupon is for a first order only')
    expect(await buys(await guest(email.toUpperCase()))).toMatchObject(refused)
    dataOf(await buys(await guest(`another-${email}`)))
    const account = await buyer({ email })
    dataOf(await buys(account))
    expect(await buys(account)).toMatchObject(refused)
    dataOf(await shop.call(merchant, 'cancelOrder', { id: first.id, reason: 'Wrong size' }))
    dataOf(await buys(await guest(email)))
  })

  test('if its amounts are in another currency than the lines', async () => {
    const euro = await shop.createProduct(merchant, { currency: 'EUR', stock: [5] })
    const fixed = await shop.createPromotion(merchant, { type: 'FIXED_AMOUNT', value: 5 })
    expect(await order(fixed.code, [line(euro)])).toMatchObject(
      refusal('couponCode', 'The coupon is for purchases in USD'),
    )
    const percentage = await shop.createPromotion(merchant, {})
    dataOf(await order(percentage.code, [line(euro)]))
  })
})

describe('a cart’s coupon', () => {
  test('shows its discount as the cart changes, ignores case, and is removed by removeCoupon', async () => {
    const { code } = await shop.createPromotion(merchant, { min_purchase_amount: 1500 })
    const cartId = await newCart([line(shirt, 2)])
    dataOf(await apply(cartId, ` ${code.toLowerCase()} `))
    expect(await totalsOf(cartId)).toEqual({ subtotal: 2000, discount: 200, tax: 149, total: 1949 })
    const [item] = await shop.database<
      { id: string }[]
    >`SELECT id FROM cart.cart_item WHERE cart_id = ${cartId}`
    const change = { cartId, itemId: found(item).id }
    dataOf(await shop.call(merchant, 'updateCartItem', { ...change, quantity: 1 }))
    expect(await totalsOf(cartId)).toEqual({ subtotal: 1000, discount: 0, tax: 83, total: 1083 })
    // It stays on the cart, and the checkout says why it has no effect.
    const input = { shippingAddress: address }
    expect(await shop.call(merchant, 'checkoutCart', { id: cartId, input })).toMatchObject(
      refusal('couponCode', 'The coupon needs a purchase of at least 1500 minor units of USD'),
    )
    dataOf(await shop.call(merchant, 'updateCartItem', { ...change, quantity: 3 }))
    expect(await totalsOf(cartId)).toMatchObject({ discount: 300 })
    dataOf(await shop.call(merchant, 'removeCoupon', { cartId }))
    expect(await totalsOf(cartId)).toMatchObject({ discount: 0 })
    expect(await orderOf(await shop.call(merchant, 'checkoutCart', { id: cartId, input }))).toMatchObject({
      discount: 0,
      coupon_code: null,
    })
  })

  test('is used for the order, unless the checkout names another one', async () => {
    const ten = await shop.createPromotion(merchant, {})
    const twenty = await shop.createPromotion(merchant, { value: 20 })
    const input = { shippingAddress: address }
    const first = await newCart([line(shirt)])
    dataOf(await apply(first, ten.code))
    expect(await orderOf(await shop.call(merchant, 'checkoutCart', { id: first, input }))).toMatchObject({
      discount: 100,
      coupon_code: ten.code,
    })
    const second = await newCart([line(shirt)])
    dataOf(await apply(second, ten.code))
    const withTwenty = { id: second, input: { ...input, couponCode: twenty.code } }
    expect(await orderOf(await shop.call(merchant, 'checkoutCart', withTwenty))).toMatchObject({
      discount: 200,
      coupon_code: twenty.code,
    })
  })

  test('can be applied to an empty cart, also by its shopper, and is removed with its promotion', async () => {
    const { id, code } = await shop.createPromotion(merchant, { product_ids: [mug.id] })
    const cartId = await newCart([])
    const options = { session: shopper(merchant, customerId) }
    dataOf(await shop.call(merchant, 'applyCoupon', { cartId, code }, options))
    dataOf(await shop.call(merchant, 'addCartItem', { cartId, item: line(mug) }, options))
    expect(await totalsOf(cartId)).toMatchObject({ discount: 33 })
    await shop.database`DELETE FROM promotion.promotion WHERE id = ${id}`
    expect(await totalsOf(cartId)).toMatchObject({ discount: 0 })
    const answer = await shop.call(merchant, 'checkoutCart', {
      id: cartId,
      input: { shippingAddress: address },
    })
    expect(await orderOf(answer)).toMatchObject({ discount: 0, coupon_code: null })
  })

  test('of another shopper is not found', async () => {
    const { code } = await shop.createPromotion(merchant)
    const cartId = await newCart([line(shirt)])
    const options = { session: shopper(merchant, merchant.customerId) }
    for (const [name, input] of [
      ['applyCoupon', { cartId, code }],
      ['removeCoupon', { cartId }],
    ] as const) {
      expect(await shop.call(merchant, name, input, options)).toMatchObject({
        errors: [{ field: 'cartId', code: 'NOT_FOUND' }],
      })
    }
  })
})

describe('an order’s coupon', () => {
  test('is recalculated when the order is modified, and has no effect below its minimum', async () => {
    const { code } = await shop.createPromotion(merchant, { min_purchase_amount: 1500, usage_limit: 1 })
    const placed = await orderOf(await order(code, [line(shirt, 2)]))
    expect(placed).toMatchObject({ discount: 200, total: 1949 })
    const modify = (modifications: object) =>
      shop.call(merchant, 'modifyOrder', { id: placed.id, modifications })
    const more = await orderOf(await modify({ addItems: [line(mug)] }))
    expect(more).toMatchObject({ subtotal: 2333, discount: 233, tax: 173, total: 2333 - 233 + 173 })
    const less = await modify({
      updateItems: [{ id: found(more.items[0]).id, quantity: 1 }],
      removeItemIds: [found(more.items[1]).id],
    })
    expect(await orderOf(less)).toMatchObject({ discount: 0, tax: 83, total: 1083, coupon_code: code })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('can be used again after a cancellation by the shopper or the merchant', async () => {
    const { code } = await shop.createPromotion(merchant, { usage_limit: 1 })
    const cancelled = await orderOf(await order(code))
    expect(await order(code)).toMatchObject(
      refusal('couponCode', 'The coupon has been used as often as it can be'),
    )
    dataOf(await shop.call(merchant, 'cancelOrder', { id: cancelled.id, reason: 'Wrong size' }))
    expect(await usageOf(code)).toBe(0)
    const lapsed = await orderOf(await order(code))
    await shop.database`
      UPDATE inventory.reservation SET expires_at = now() - interval '1 second' WHERE order_id = ${lapsed.id}`
    await lapseUnpaidOrders(shop.database)
    expect(await usageOf(code)).toBe(0)
    dataOf(await order(code))
    expect(await usageOf(code)).toBe(1)
  })

  test('is used once when the request is sent twice', async () => {
    const { code } = await shop.createPromotion(merchant)
    const input = { customerId, items: [line(shirt)], shippingAddress: address, couponCode: code }
    const send = () => shop.call(merchant, 'createOrder', { input }, { idempotencyKey: `coupon-${code}` })
    const answers = await Promise.all([send(), send()])
    expect(new Set(answers.map((answer) => dataOf(answer).orderId)).size).toBe(1)
    expect(await usageOf(code)).toBe(1)
  })

  test('is not used if there is too little stock', async () => {
    const rare = await shop.createProduct(merchant, { stock: [1] })
    const { code } = await shop.createPromotion(merchant)
    expect(await order(code, [line(rare, 2)])).toMatchObject({ id: 'SVC_BIZ_001' })
    expect(await usageOf(code)).toBe(0)
  })
})
