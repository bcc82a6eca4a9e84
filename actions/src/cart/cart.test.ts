import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  address,
  createCustomer,
  dataOf,
  found,
  openTestShop,
  shopper,
  type TestMerchant,
  type TestProduct,
  type TestShop,
} from '../testing/test-shop.ts'
import { purgeExpiredCarts } from './carts.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const line = ({ id }: TestProduct, quantity = 1) => ({ productId: id, quantity })

const newCart = async (input: object = {}): Promise<string> =>
  String(dataOf(await shop.call(merchant, 'createCart', { input })).cartId)

const linesOf = (cartId: string) => shop.database<{ id: string; product_id: string; quantity: number }[]>`
  SELECT id, product_id, quantity FROM cart.cart_item WHERE cart_id = ${cartId} ORDER BY created_at, id`

const add = (cartId: string, item: object) => shop.call(merchant, 'addCartItem', { cartId, item })

describe('a cart', () => {
  test('merges lines of the same product, changes quantities, and removes lines', async () => {
    const product = await shop.createProduct(merchant, { stock: [5] })
    const cartId = await newCart({ items: [line(product)] })
    dataOf(await add(cartId, line(product, 2)))
    const [only] = await linesOf(cartId)
    expect(only).toMatchObject({ product_id: product.id, quantity: 3 })
    const itemId = found(only).id
    dataOf(await shop.call(merchant, 'updateCartItem', { cartId, itemId, quantity: 5 }))
    expect(await linesOf(cartId)).toMatchObject([{ quantity: 5 }])
    dataOf(await shop.call(merchant, 'updateCartItem', { cartId, itemId, quantity: 0 }))
    expect(await linesOf(cartId)).toEqual([])
    expect(await shop.call(merchant, 'removeCartItem', { cartId, itemId })).toMatchObject({
      errors: [{ field: 'itemId', code: 'NOT_FOUND' }],
    })
  })

  test('has a bounded total: a line beyond it is named, and the cart does not change', async () => {
    const most = Number.MAX_SAFE_INTEGER
    const cheap = await shop.createProduct(merchant, { price: 1, stock: [9] })
    const dear = await shop.createProduct(merchant, { price: Math.floor(most / 2), stock: [999_999] })
    const other = await shop.createProduct(merchant, { price: Math.floor(most / 2), stock: [9] })
    const outOfRange = (field: string) => ({
      errors: [{ field, code: 'OUT_OF_RANGE', message: expect.stringContaining(`1-${most}`) as unknown }],
    })
    expect(
      await shop.call(merchant, 'createCart', { input: { items: [line(cheap), line(dear, 999_999)] } }),
    ).toMatchObject(outOfRange('items.1.quantity'))
    const cartId = await newCart({ items: [line(dear)] })
    expect(await add(cartId, line(other))).toMatchObject(outOfRange('item.quantity'))
    const [only] = await linesOf(cartId)
    const grown = { cartId, itemId: found(only).id, quantity: 2 }
    expect(await shop.call(merchant, 'updateCartItem', grown)).toMatchObject(outOfRange('quantity'))
    expect(await linesOf(cartId)).toEqual([only])
  })

  test('shows its totals even if a price has risen beyond the bound, and can’t be checked out then', async () => {
    const most = Number.MAX_SAFE_INTEGER
    const product = await shop.createProduct(merchant, { price: 1, stock: [999_999] })
    const { code } = await shop.createPromotion(merchant, { type: 'PERCENTAGE', value: 10 })
    const cartId = await newCart({ items: [line(product, 999_999)], customerId: merchant.customerId })
    dataOf(await shop.call(merchant, 'applyCoupon', { cartId, code }))
    await shop.database`UPDATE catalog.product SET price = ${most} WHERE id = ${product.id}`
    const [shown] = await shop.database`
      SELECT t.subtotal::float8 AS subtotal, t.total::float8 AS total, l.subtotal::float8 AS line
      FROM cart.cart_total t JOIN cart.priced_cart_item l ON l.merchant_id = t.merchant_id AND l.cart_id = t.cart_id
      WHERE t.cart_id = ${cartId}`
    expect(shown).toEqual({ subtotal: most, total: expect.any(Number) as unknown, line: most })
    expect(found(shown)['total']).toBeLessThanOrEqual(most)
    expect(
      await shop.call(merchant, 'checkoutCart', { id: cartId, input: { shippingAddress: address } }),
    ).toMatchObject({ errors: [{ field: 'items', code: 'OUT_OF_RANGE' }] })
  })

  test('leaves a line out of its totals whose product has another currency now, and shows it as unavailable', async () => {
    const most = Number.MAX_SAFE_INTEGER
    const [stays, changes] = [
      await shop.createProduct(merchant, { price: 1000, stock: [9] }),
      await shop.createProduct(merchant, { price: 500, stock: [9] }),
    ]
    const { code } = await shop.createPromotion(merchant, { type: 'PERCENTAGE', value: 10 })
    const cartId = await newCart({ items: [line(stays, 2), line(changes)], customerId: merchant.customerId })
    dataOf(await shop.call(merchant, 'applyCoupon', { cartId, code }))
    await shop.database`UPDATE catalog.product SET currency = 'EUR', price = ${most} WHERE id = ${changes.id}`
    const lines = await shop.database`
      SELECT product_id, available FROM cart.priced_cart_item WHERE cart_id = ${cartId} ORDER BY created_at, id`
    expect([...lines]).toEqual([
      { product_id: stays.id, available: true },
      { product_id: changes.id, available: false },
    ])
    const total = () => shop.database`
      SELECT item_count, subtotal::float8 AS subtotal, discount::float8 AS discount, total::float8 AS total
      FROM cart.cart_total WHERE cart_id = ${cartId}`
    expect(await total()).toEqual([{ item_count: 3, subtotal: 2000, discount: 200, total: 1949 }])
    dataOf(await add(cartId, line(stays)))
    dataOf(await shop.call(merchant, 'applyCoupon', { cartId, code }))
    expect(await total()).toEqual([{ item_count: 4, subtotal: 3000, discount: 300, total: 2923 }])
    expect(
      await shop.call(merchant, 'checkoutCart', { id: cartId, input: { shippingAddress: address } }),
    ).toMatchObject({ errors: [{ field: 'items.1.productId', code: 'INVALID_VALUE' }] })
    const [, gone] = await linesOf(cartId)
    dataOf(await shop.call(merchant, 'removeCartItem', { cartId, itemId: found(gone).id }))
    await shop.database`UPDATE catalog.product SET currency = 'EUR' WHERE id = ${stays.id}`
    expect(await total()).toEqual([{ item_count: 3, subtotal: 0, discount: 0, total: 0 }])
  })

  test('never asks for more than is in stock, including what is in it already', async () => {
    const product = await shop.createProduct(merchant, { stock: [2, 1] })
    const cartId = await newCart({ items: [line(product, 2)] })
    expect(await add(cartId, line(product, 2))).toMatchObject({
      id: 'SVC_BIZ_001',
      message: 'Insufficient inventory. Available: 3, Requested: 4',
      details: { field: 'item.quantity', sku: product.sku },
    })
    const [only] = await linesOf(cartId)
    expect(only?.quantity).toBe(2)
    const itemId = found(only).id
    expect(await shop.call(merchant, 'updateCartItem', { cartId, itemId, quantity: 9 })).toMatchObject({
      details: { field: 'quantity', available: 3, requested: 9 },
    })
  })

  test('accepts only products on sale, in its own currency', async () => {
    const draft = await shop.createProduct(merchant, { stock: [5], status: 'DRAFT' })
    const euro = await shop.createProduct(merchant, { stock: [5], currency: 'EUR' })
    const cartId = await newCart()
    expect(await add(cartId, line(draft))).toMatchObject({
      errors: [{ field: 'item.productId', code: 'INVALID_VALUE' }],
    })
    expect(await add(cartId, line(euro))).toMatchObject({
      errors: [{ message: 'The product is not priced in USD' }],
    })
    expect(await add(cartId, { productId: crypto.randomUUID(), quantity: 1 })).toMatchObject({
      errors: [{ field: 'item.productId', code: 'NOT_FOUND' }],
    })
    dataOf(await add(await newCart({ currency: 'EUR' }), line(euro)))
    expect(await shop.call(merchant, 'createCart', { input: { currency: 'dollars' } })).toMatchObject({
      errors: [{ field: 'currency', code: 'INVALID_FORMAT' }],
    })
  })

  test('is not created with wrong lines', async () => {
    const [before] = await shop.database`SELECT count(*) FROM cart.cart`
    const items = [{ productId: crypto.randomUUID(), quantity: 1 }]
    expect(await shop.call(merchant, 'createCart', { input: { items } })).toMatchObject({
      errors: [{ field: 'items.0.productId' }],
    })
    expect(await shop.database`SELECT count(*) FROM cart.cart`).toEqual([before])
  })

  test('has 200 lines at most', async () => {
    const cartId = await newCart()
    await shop.database`
      WITH p AS (
        INSERT INTO catalog.product (merchant_id, name, sku, price, currency, status)
        SELECT ${merchant.merchantId}, 'Many', 'MANY-' || n, 1, 'USD', 'ACTIVE' FROM generate_series(1, 200) n
        RETURNING merchant_id, id
      )
      INSERT INTO cart.cart_item (merchant_id, cart_id, product_id, quantity) SELECT merchant_id, ${cartId}, id, 1 FROM p`
    const product = await shop.createProduct(merchant, { stock: [1] })
    expect(await add(cartId, line(product))).toMatchObject({
      errors: [{ field: 'item', code: 'OUT_OF_RANGE' }],
    })
  })

  test('of another shopper is not found', async () => {
    const product = await shop.createProduct(merchant, { stock: [5] })
    const cartId = await newCart({ customerId: merchant.customerId })
    const stranger = shopper(merchant, await createCustomer(shop.database, merchant.merchantId))
    const item = line(product)
    const options = { session: stranger }
    expect(await shop.call(merchant, 'addCartItem', { cartId, item }, options)).toMatchObject({
      errors: [{ field: 'cartId', code: 'NOT_FOUND' }],
    })
    const checkout = { id: cartId, input: { shippingAddress: address } }
    expect(await shop.call(merchant, 'checkoutCart', checkout, options)).toMatchObject({
      errors: [{ field: 'id', code: 'NOT_FOUND' }],
    })
    const own = await shop.call(merchant, 'createCart', { input: {} }, options)
    dataOf(await shop.call(merchant, 'addCartItem', { cartId: dataOf(own).cartId, item }, options))
  })
})

describe('checkoutCart', () => {
  test('makes one order of a cart from concurrent requests, and answers with it again', async () => {
    const product = await shop.createProduct(merchant, { stock: [50], price: 1999 })
    const id = await newCart({ customerId: merchant.customerId, items: [line(product, 3)] })
    const checkout = () => shop.call(merchant, 'checkoutCart', { id, input: { shippingAddress: address } })
    const answers = await Promise.all(Array.from({ length: 6 }, checkout))
    const orderIds = new Set(answers.map((answer) => dataOf(answer).orderId))
    expect(orderIds.size).toBe(1)
    expect(dataOf(await checkout()).orderId).toBe([...orderIds][0])
    const [stock] =
      await shop.database`SELECT available FROM inventory.sku_inventory WHERE sku = ${product.sku}`
    expect(stock).toEqual({ available: 47 })
    expect(await add(id, line(product))).toMatchObject({
      errors: [{ field: 'cartId', code: 'INVALID_VALUE' }],
    })
  })

  test('of a guest’s cart needs a customer, and of an empty or expired cart makes no order', async () => {
    const product = await shop.createProduct(merchant, { stock: [5] })
    const checkout = (id: string, more: object = {}) =>
      shop.call(merchant, 'checkoutCart', { id, input: { shippingAddress: address, ...more } })
    const guest = await newCart({ items: [line(product)] })
    expect(await checkout(guest)).toMatchObject({ errors: [{ field: 'customerId', code: 'REQUIRED_FIELD' }] })
    dataOf(await checkout(guest, { customerId: merchant.customerId }))

    const empty = await newCart({ customerId: merchant.customerId })
    expect(await checkout(empty)).toMatchObject({ errors: [{ field: 'id', message: 'The cart is empty' }] })
    dataOf(await add(empty, line(product)))
    const other = await createCustomer(shop.database, merchant.merchantId)
    expect(await checkout(empty, { customerId: other })).toMatchObject({ errors: [{ field: 'customerId' }] })
    await shop.database`UPDATE cart.cart SET expires_at = now() WHERE id = ${empty}`
    expect(await checkout(empty)).toMatchObject({
      errors: [{ field: 'id', message: 'The cart has expired' }],
    })
    await purgeExpiredCarts(shop.database)
    expect(await linesOf(empty)).toEqual([])
    expect(await linesOf(guest)).toHaveLength(1)
  })
})
