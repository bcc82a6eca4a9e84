import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Answer } from '../action/answer.ts'
import { expectShopToAddUp } from '../testing/invariants.ts'
import {
  address,
  createCustomer,
  createShippingMethod,
  dataOf,
  found,
  openTestShop,
  shopper,
  type NewPromotion,
  type TestMerchant,
  type TestProduct,
  type TestShop,
} from '../testing/test-shop.ts'
import type { Queryable } from '../database.ts'
import { overlap } from '../testing/overlap.ts'

let shop: TestShop
let merchant: TestMerchant
let shirt: TestProduct
let mug: TestProduct
let parcel: string
let customerId: Awaited<ReturnType<typeof createCustomer>>
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
  shirt = await shop.createProduct(merchant, { price: 1000, stock: [1000] })
  mug = await shop.createProduct(merchant, { price: 333, stock: [1000] })
  parcel = await createShippingMethod(shop.database, merchant, 499)
})
afterAll(() => shop.close())
beforeEach(async () => {
  customerId = await createCustomer(shop.database, merchant.merchantId)
})
afterEach(async () => {
  await expectShopToAddUp(shop.database, merchant)
  await shop.database`UPDATE promotion.promotion SET disabled = true WHERE code IS NULL`
})

const line = ({ id }: TestProduct, quantity = 1) => ({ productId: id, quantity })

const automatic = (columns: NewPromotion = {}) => shop.createPromotion(merchant, { ...columns, code: null })

const createOrder = (more: object = {}): Promise<Answer> =>
  shop.call(merchant, 'createOrder', {
    input: { customerId, items: [line(shirt)], shippingAddress: address, ...more },
  })

async function newCart(more: object = {}): Promise<string> {
  const input = { customerId, items: [line(shirt)], ...more }
  return String(dataOf(await shop.call(merchant, 'createCart', { input })).cartId)
}

interface Priced {
  readonly promotion_id: string | null
  readonly discount: string
}

async function cartOf(cartId: string): Promise<Priced & { readonly coupon_discount: string }> {
  const [row] = await shop.database<(Priced & { coupon_discount: string })[]>`
    SELECT promotion_id, discount, coupon_discount FROM cart.cart_total WHERE cart_id = ${cartId}`
  return found(row)
}

async function orderOf(
  answer: Answer,
): Promise<Priced & { readonly id: string; coupon_code: string | null }> {
  const [row] = await shop.database<(Priced & { id: string; coupon_code: string | null })[]>`
    SELECT id, promotion_id, coupon_code, discount FROM ordering.order WHERE id = ${String(dataOf(answer).orderId)}`
  return found(row)
}

async function usageOf(id: string): Promise<number> {
  const [row] = await shop.database<{ usage_count: number }[]>`
    SELECT usage_count FROM promotion.promotion WHERE id = ${id}`
  return found(row).usage_count
}

describe('a promotion without a code', () => {
  test('applies automatically to carts, drafts and orders, which name it, and counts its uses', async () => {
    const { id } = await automatic({ value: 50 })
    const cartId = await newCart()
    expect(await cartOf(cartId)).toEqual({ promotion_id: id, discount: '500', coupon_discount: '0' })
    const checkout = { id: cartId, input: { shippingAddress: address } }
    const priced = { promotion_id: id, discount: '500', coupon_code: null }
    expect(await orderOf(await shop.call(merchant, 'checkoutCart', checkout))).toMatchObject(priced)
    expect(await orderOf(await createOrder())).toMatchObject(priced)
    const input = { items: [line(shirt)], customerId, shippingAddress: address }
    const { draftOrderId } = dataOf(await shop.call(merchant, 'createDraftOrder', { input }))
    const draft = () => shop.database`
      SELECT promotion_id, promotion_name, discount FROM ordering.draft_order_total
      WHERE draft_order_id = ${String(draftOrderId)}`
    const [before] = await draft()
    expect(before).toMatchObject({ promotion_id: id, discount: '500' })
    const completed = await orderOf(await shop.call(merchant, 'completeDraftOrder', { id: draftOrderId }))
    expect(completed).toMatchObject(priced)
    expect(await draft()).toEqual([before])
    expect(await usageOf(id)).toBe(3)
    dataOf(await shop.call(merchant, 'cancelOrder', { id: completed.id, reason: 'Changed my mind' }))
    expect(await usageOf(id)).toBe(2)
  })

  test.each([
    ['disabled', { disabled: true }],
    ['not yet active', { start_date: new Date(Date.now() + 1e8), end_date: new Date(Date.now() + 1e9) }],
    ['expired', { start_date: new Date(0), end_date: new Date(1) }],
    ['above what the cart costs', { min_purchase_amount: 1001 }],
    ['for other products', () => ({ product_ids: [mug.id] })],
    ['for other customers', () => ({ customer_ids: [merchant.customerId] })],
    ['of nothing', { type: 'FREE_SHIPPING', value: 0 }],
  ] as const)('does not change prices if it is %s', async (_state, columns) => {
    await automatic(typeof columns === 'function' ? columns() : columns)
    expect(await cartOf(await newCart())).toMatchObject({ promotion_id: null, discount: '0' })
    expect(await orderOf(await createOrder())).toMatchObject({ promotion_id: null, discount: '0' })
  })

  test('for a first order applies to a customer’s first order only, and to a guest’s cart', async () => {
    const { id } = await automatic({ first_order_only: true })
    expect(await cartOf(await newCart({ customerId: null }))).toMatchObject({ promotion_id: id })
    const first = await orderOf(await createOrder())
    expect(first).toMatchObject({ promotion_id: id })
    expect(await orderOf(await createOrder())).toMatchObject({ promotion_id: null })
    const modifications = { addItems: [line(mug)] }
    const modified = await shop.call(merchant, 'modifyOrder', { id: first.id, modifications })
    expect(await orderOf(modified)).toMatchObject({ promotion_id: id, discount: '133' })
  })

  test('with the largest discount applies, shipping included, and of equal ones the first', async () => {
    const ten = await automatic({})
    await automatic({})
    const shipping = await automatic({ type: 'FREE_SHIPPING', value: 0 })
    expect(await cartOf(await newCart())).toMatchObject({ promotion_id: ten.id, discount: '100' })
    expect(await orderOf(await createOrder({ shippingMethodId: parcel }))).toMatchObject({
      promotion_id: shipping.id,
      discount: '499',
    })
  })

  test('is in the cart’s total for a shopper, even if the shopper can’t read its customers', async () => {
    const { id } = await automatic({ customer_ids: [customerId] })
    const options = { session: shopper(merchant, customerId) }
    const cartId = await newCart()
    dataOf(await shop.call(merchant, 'addCartItem', { cartId, item: line(mug) }, options))
    expect(await cartOf(cartId)).toMatchObject({ promotion_id: id, discount: '133' })
  })
})

describe('a coupon beside a promotion without a code', () => {
  test('with a smaller discount is kept on the cart and not used', async () => {
    const best = await automatic({ value: 30, product_ids: [shirt.id] })
    const coupon = await shop.createPromotion(merchant, { usage_limit: 1 })
    const cartId = await newCart({ items: [line(mug)] })
    dataOf(await shop.call(merchant, 'applyCoupon', { cartId, code: coupon.code }))
    expect(await cartOf(cartId)).toEqual({ promotion_id: coupon.id, discount: '33', coupon_discount: '33' })
    dataOf(await shop.call(merchant, 'addCartItem', { cartId, item: line(shirt) }))
    expect(await cartOf(cartId)).toEqual({ promotion_id: best.id, discount: '300', coupon_discount: '0' })
    const checkout = { id: cartId, input: { shippingAddress: address } }
    const order = await orderOf(await shop.call(merchant, 'checkoutCart', checkout))
    expect(order).toMatchObject({ promotion_id: best.id, discount: '300', coupon_code: null })
    expect([await usageOf(best.id), await usageOf(coupon.id)]).toEqual([1, 0])
  })

  test('with an equal or larger discount is used', async () => {
    const automaticOne = await automatic({})
    const { id, code } = await shop.createPromotion(merchant, {})
    const order = await orderOf(await createOrder({ couponCode: code }))
    expect(order).toMatchObject({ promotion_id: id, discount: '100', coupon_code: code })
    expect(await usageOf(automaticOne.id)).toBe(0)
  })

  test('that can’t be used is still refused', async () => {
    await automatic({})
    const { code } = await shop.createPromotion(merchant, { min_purchase_amount: 5000 })
    expect(await createOrder({ couponCode: code })).toMatchObject({
      errors: [{ field: 'couponCode', code: 'INVALID_COUPON' }],
    })
  })
})

describe('a modified order', () => {
  const add = (id: string, product: TestProduct, quantity = 1) =>
    shop.call(merchant, 'modifyOrder', { id, modifications: { addItems: [line(product, quantity)] } })

  test('gets the promotion that its lines qualify for now, and keeps it even if it is disabled', async () => {
    const { id } = await automatic({ min_purchase_amount: 2000, usage_limit: 1 })
    const order = await orderOf(await createOrder())
    expect(order).toMatchObject({ promotion_id: null, discount: '0' })
    expect(await orderOf(await add(order.id, shirt))).toMatchObject({ promotion_id: id, discount: '200' })
    expect(await usageOf(id)).toBe(1)
    await shop.database`UPDATE promotion.promotion SET disabled = true WHERE id = ${id}`
    expect(await orderOf(await add(order.id, shirt))).toMatchObject({ promotion_id: id, discount: '300' })
    expect(await usageOf(id)).toBe(1)
  })

  test('loses a promotion whose conditions it no longer meets, and its use', async () => {
    const { id } = await automatic({ min_purchase_amount: 2000 })
    const order = await orderOf(await createOrder({ items: [line(shirt, 2)] }))
    const [item] = await shop.database<{ id: string }[]>`
      SELECT id FROM ordering.order_item WHERE order_id = ${order.id}`
    const modifications = { updateItems: [{ id: found(item).id, quantity: 1 }] }
    const less = await shop.call(merchant, 'modifyOrder', { id: order.id, modifications })
    expect(await orderOf(less)).toMatchObject({ promotion_id: null, discount: '0' })
    expect(await usageOf(id)).toBe(0)
  })

  test('returns its coupon’s use if a promotion without a code gives a larger discount', async () => {
    const coupon = await shop.createPromotion(merchant, { type: 'FIXED_AMOUNT', value: 150, usage_limit: 1 })
    const { id } = await automatic({})
    const order = await orderOf(await createOrder({ couponCode: coupon.code }))
    expect(order).toMatchObject({ promotion_id: coupon.id, discount: '150' })
    expect(await orderOf(await add(order.id, shirt))).toMatchObject({
      promotion_id: id,
      discount: '200',
      coupon_code: null,
    })
    expect([await usageOf(coupon.id), await usageOf(id)]).toEqual([0, 1])
  })
})

test('a merchant has at most 50 active promotions without a code, also with concurrent requests', async () => {
  const other = await shop.createMerchant()
  const past = { start_date: new Date(0), end_date: new Date(1) }
  await shop.createPromotion(other, { code: null, ...past })
  await shop.createPromotion(other, { code: null, disabled: true })
  const made = await Promise.allSettled(
    Array.from({ length: 60 }, () => shop.createPromotion(other, { code: null })),
  )
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(50)
  await expect(
    shop.database`UPDATE promotion.promotion SET disabled = false WHERE merchant_id = ${other.merchantId}`,
  ).rejects.toThrow('promotion_automatic_limit')
  await shop.createPromotion(other)
})

test('the 50th promotion without a code counts while its transaction is open', async () => {
  const { merchantId } = await shop.createMerchant()
  const make = (sql: Queryable, count: number) =>
    sql`
      INSERT INTO promotion.promotion (merchant_id, name, discount_type, discount_value, start_date, end_date)
      SELECT ${merchantId}, 'One of many', 'PERCENTAGE', 10, now(), now() + interval '1 day'
      FROM generate_series(1, ${count}::integer)`.then(({ count: made }) => made)
  await make(shop.database, 49)
  await expect(
    overlap(
      shop.database,
      (sql) => make(sql, 1),
      () => make(shop.database, 1),
    ),
  ).rejects.toThrow('promotion_automatic_limit')
})
