import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CustomerId } from '@commerce-graph/contract/ids'
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
import { overlap } from '../testing/overlap.ts'
import { mergeCart } from './carts.ts'

let shop: TestShop
let merchant: TestMerchant
let customerId: CustomerId
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const line = ({ id }: TestProduct, quantity = 1) => ({ productId: id, quantity })

async function newCustomer(): Promise<CustomerId> {
  customerId = await createCustomer(shop.database, merchant.merchantId)
  return customerId
}

const newCart = async (items: readonly object[], input: object = {}): Promise<string> =>
  String(dataOf(await shop.call(merchant, 'createCart', { input: { items, ...input } })).cartId)

const merge = (guestCartId: string) =>
  mergeCart(shop.database, merchant.merchantId, { guestCartId, secretHash: null, customerId })

async function quantities(cartId: string | null): Promise<Readonly<Record<string, number>>> {
  const rows = await shop.database<{ product_id: string; quantity: number }[]>`
    SELECT product_id, quantity FROM cart.cart_item
    WHERE merchant_id = ${merchant.merchantId} AND cart_id = ${cartId} ORDER BY created_at`
  return Object.fromEntries(rows.map(({ product_id, quantity }) => [product_id, quantity]))
}

async function couponOf(cartId: string | null) {
  const [cart] = await shop.database<{ code: string | null }[]>`
    SELECT coupon_code AS code FROM cart.cart WHERE merchant_id = ${merchant.merchantId} AND id = ${cartId}`
  return cart?.code
}

describe('a guest’s cart at sign-in', () => {
  test('becomes the customer’s cart if the customer has none', async () => {
    await newCustomer()
    const product = await shop.createProduct(merchant, { stock: [5] })
    const guest = await newCart([line(product, 2)])
    expect(await merge(guest)).toBe(guest)
    expect(await quantities(guest)).toEqual({ [product.id]: 2 })
    const checkout = await shop.call(
      merchant,
      'checkoutCart',
      { id: guest, input: { shippingAddress: address } },
      { session: shopper(merchant, customerId) },
    )
    expect(checkout.kind).toBe('done')
  })

  test('is merged into the customer’s cart, bounded by stock, and deleted', async () => {
    await newCustomer()
    const both = await shop.createProduct(merchant, { stock: [10] })
    const scarce = await shop.createProduct(merchant, { stock: [3] })
    const fresh = await shop.createProduct(merchant, { stock: [9] })
    const own = await newCart([line(both, 2), line(scarce, 2)], { customerId })
    const guest = await newCart([line(both, 3), line(scarce, 3), line(fresh, 4)])
    expect(await merge(guest)).toBe(own)
    expect(await quantities(own)).toEqual({ [both.id]: 5, [scarce.id]: 3, [fresh.id]: 4 })
    expect(await shop.database`SELECT FROM cart.cart WHERE id = ${guest}`).toHaveLength(0)
  })

  test('leaves out what is no longer on sale, and removes nothing from the customer’s own lines', async () => {
    await newCustomer()
    const gone = await shop.createProduct(merchant, { stock: [5] })
    const archived = await shop.createProduct(merchant, { stock: [5] })
    const own = await newCart([line(gone, 4)], { customerId })
    const guest = await newCart([line(gone, 1), line(archived, 1)])
    await shop.database`UPDATE catalog.product SET status = 'ARCHIVED' WHERE id = ${archived.id}`
    await shop.database`
      UPDATE inventory.stock_level l SET available = 1 FROM inventory.stock_item i
      WHERE i.id = l.stock_item_id AND i.sku = ${gone.sku}`
    expect(await merge(guest)).toBe(own)
    expect(await quantities(own)).toEqual({ [gone.id]: 4 })
  })

  test('brings its coupon if the customer’s cart has none and the customer may use it', async () => {
    const product = await shop.createProduct(merchant, { stock: [50] })
    const everybody = await shop.createPromotion(merchant)
    const own = await shop.createPromotion(merchant)
    const first = await shop.createPromotion(merchant, { first_order_only: true })
    const withCoupon = async (code: string, input: object = {}) => {
      const cartId = await newCart([line(product)], input)
      dataOf(await shop.call(merchant, 'applyCoupon', { cartId, code }))
      return cartId
    }
    await newCustomer()
    expect(await couponOf(await merge(await withCoupon(everybody.code)))).toBe(everybody.code)
    expect(await couponOf(await merge(await withCoupon(own.code)))).toBe(everybody.code)

    await newCustomer()
    const input = { customerId, items: [line(product)], shippingAddress: address }
    dataOf(await shop.call(merchant, 'createOrder', { input }))
    expect(await couponOf(await merge(await withCoupon(first.code)))).toBeNull()
  })

  test('stays as it is if it belongs to a customer, or is expired, an order already or unknown', async () => {
    const other = await newCustomer()
    const product = await shop.createProduct(merchant, { stock: [5] })
    const somebodys = await newCart([line(product)], { customerId: other })
    await newCustomer()
    const expired = await newCart([line(product)])
    await shop.database`UPDATE cart.cart SET expires_at = now() WHERE id = ${expired}`
    const ordered = await newCart([line(product)])
    dataOf(
      await shop.call(merchant, 'checkoutCart', {
        id: ordered,
        input: { customerId: other, shippingAddress: address },
      }),
    )
    for (const cartId of [somebodys, expired, ordered, crypto.randomUUID()])
      expect(await merge(cartId)).toBeNull()
    expect(await quantities(somebodys)).toEqual({ [product.id]: 1 })
    const stranger = await shop.createMerchant()
    const guest = await newCart([line(product)])
    expect(
      await mergeCart(shop.database, stranger.merchantId, {
        guestCartId: guest,
        secretHash: null,
        customerId: stranger.customerId,
      }),
    ).toBeNull()
  })

  test('stays separate from the customer’s cart in another currency', async () => {
    await newCustomer()
    const product = await shop.createProduct(merchant, { stock: [5] })
    const own = await newCart([line(product)], { customerId })
    const guest = await newCart([], { currency: 'EUR' })
    expect(await merge(guest)).toBe(guest)
    expect(await quantities(own)).toEqual({ [product.id]: 1 })
  })

  test('is merged once by concurrent requests', async () => {
    for (let round = 0; round < 10; round += 1) {
      await newCustomer()
      const product = await shop.createProduct(merchant, { stock: [100] })
      const own = await newCart([line(product, 1)], { customerId })
      const guests = await Promise.all([newCart([line(product, 10)]), newCart([line(product, 20)])])
      const item = line(product, 1)
      const session = shopper(merchant, customerId)
      await Promise.all([
        ...guests.flatMap((guest) => [merge(guest), merge(guest)]),
        shop.call(merchant, 'addCartItem', { cartId: own, item }, { session }),
        shop.call(merchant, 'addCartItem', { cartId: own, item }, { session }),
      ])
      expect(await quantities(own)).toEqual({ [product.id]: 33 })
    }
  })

  test('and that of another device, merged at the same time, become one cart', async () => {
    await newCustomer()
    const product = await shop.createProduct(merchant, { stock: [100] })
    const [one, other] = [await newCart([line(product, 1)]), await newCart([line(product, 2)])]
    const merged = await overlap(
      shop.database,
      (sql) => mergeCart(sql, merchant.merchantId, { guestCartId: one, secretHash: null, customerId }),
      () => merge(other),
    )
    expect(merged).toEqual([one, one])
    expect(await quantities(one)).toEqual({ [product.id]: 3 })
  })

  test('can’t exceed the limit of lines', async () => {
    await newCustomer()
    const own = await newCart([], { customerId })
    const guest = await newCart([])
    await shop.database`
      WITH p AS (
        INSERT INTO catalog.product (merchant_id, name, sku, price, currency, status)
        SELECT ${merchant.merchantId}, 'Many', 'MERGED-' || n, 1, 'USD', 'ACTIVE' FROM generate_series(1, 210) n
        RETURNING merchant_id, id, sku
      ), stocked AS (
        SELECT p.merchant_id, p.id, replace(p.sku, 'MERGED-', '')::int AS n FROM p
      )
      INSERT INTO cart.cart_item (merchant_id, cart_id, product_id, quantity)
      SELECT merchant_id, CASE WHEN n <= 195 THEN ${own} ELSE ${guest} END::uuid, id, 1 FROM stocked`
    await shop.database`
      INSERT INTO inventory.stock_level (merchant_id, stock_item_id, warehouse_id, available)
      SELECT merchant_id, id, ${merchant.warehouseIds[0] ?? null}, 5 FROM inventory.stock_item
      WHERE merchant_id = ${merchant.merchantId} AND sku LIKE 'MERGED-%'`
    await merge(guest)
    expect(Object.keys(await quantities(own))).toHaveLength(200)
  })
})
