import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectShopToAddUp } from '../testing/invariants.ts'
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

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const order = (items: readonly object[], more: object = {}) =>
  shop.call(merchant, 'createOrder', {
    input: { customerId: merchant.customerId, items, shippingAddress: address, ...more },
  })

const line = ({ id }: TestProduct, quantity = 1) => ({ productId: id, quantity })

async function orderRow(orderId: unknown) {
  const [row] = await shop.database`SELECT * FROM ordering.order WHERE id = ${String(orderId)}`
  return found(row)
}

const linesOf = (orderId: unknown) => shop.database<
  { id: string; sku: string; quantity: number; price: string }[]
>`
  SELECT id, sku, quantity, price FROM ordering.order_item WHERE order_id = ${String(orderId)} ORDER BY position`

async function availableOf({ sku }: TestProduct): Promise<number> {
  const [row] = await shop.database<{ available: number }[]>`
    SELECT available FROM inventory.sku_inventory WHERE merchant_id = ${merchant.merchantId} AND sku = ${sku}`
  return found(row).available
}

test('a note of an order is internal, unless it is marked as visible to the customer', async () => {
  const product = await shop.createProduct(merchant, { stock: [5] })
  const { orderId: id } = dataOf(await order([line(product)]))
  for (const input of [{ text: 'Rude' }, { text: 'Thank you', visibleToCustomer: true }])
    dataOf(await shop.call(merchant, 'addOrderNote', { id, input }))
  expect(
    await shop.database`
      SELECT note, staff_only FROM ordering.history_entry
      WHERE order_id = ${String(id)} AND type = 'NOTE_ADDED' ORDER BY created_at`,
  ).toEqual([
    { note: 'Rude', staff_only: true },
    { note: 'Thank you', staff_only: false },
  ])
})

describe('createOrder', () => {
  test('fixes prices and names, adds up lines, tax and shipping, and merges lines of one product', async () => {
    const product = await shop.createProduct(merchant, { price: 999, stock: [5] })
    const other = await shop.createProduct(merchant, { price: 4_000_000_000, stock: [5] })
    const shippingMethodId = await createShippingMethod(500, [])
    const { orderId } = dataOf(
      await order([line(product), line(other, 2), line(product, 2)], {
        shippingMethodId,
        notes: 'Ring twice',
      }),
    )
    await shop.database`UPDATE catalog.product SET price = 1, name = 'Renamed' WHERE id = ${product.id}`
    expect(await orderRow(orderId)).toMatchObject({
      status: 'PENDING',
      subtotal: '8000002997',
      // 8.25 %, rounded half away from zero.
      tax: '660000247',
      shipping: '500',
      total: '8660003744',
      notes: 'Ring twice',
    })
    expect(await linesOf(orderId)).toMatchObject([
      { sku: product.sku, quantity: 3, price: '999' },
      { sku: other.sku, quantity: 2, price: '4000000000' },
    ])
    expect(await availableOf(product)).toBe(2)
    await expectShopToAddUp(shop.database, merchant)
  })

  test('names every wrong field at once and changes nothing', async () => {
    const fine = await shop.createProduct(merchant, { stock: [5] })
    const draft = await shop.createProduct(merchant, { stock: [5], status: 'DRAFT' })
    const euro = await shop.createProduct(merchant, { stock: [5], currency: 'EUR' })
    const unknown = crypto.randomUUID()
    const answer = await order(
      [
        line(fine),
        line(draft),
        line(euro),
        { productId: unknown, quantity: 1 },
        { ...line(fine), variantId: unknown },
      ],
      { customerId: unknown, shippingMethodId: unknown, reservationId: unknown },
    )
    expect(answer.kind === 'invalid' && answer.errors.map(({ field, code }) => [field, code])).toEqual([
      ['items.1.productId', 'INVALID_VALUE'],
      ['items.2.productId', 'INVALID_VALUE'],
      ['items.3.productId', 'NOT_FOUND'],
      ['items.4.variantId', 'NOT_FOUND'],
      ['customerId', 'NOT_FOUND'],
      ['shippingMethodId', 'NOT_FOUND'],
      ['reservationId', 'INVALID_VALUE'],
    ])
    expect(await availableOf(fine)).toBe(5)
  })

  test('refuses empty texts and an empty list, all at once', async () => {
    const answer = await order([], {
      couponCode: ' ',
      shippingAddress: { ...address, line1: ' ', city: '' },
    })
    expect(answer).toMatchObject({
      kind: 'invalid',
      errors: [
        { field: 'items', code: 'REQUIRED_FIELD' },
        { field: 'shippingAddress.line1', code: 'REQUIRED_FIELD' },
        { field: 'shippingAddress.city', code: 'REQUIRED_FIELD' },
        { field: 'couponCode', code: 'REQUIRED_FIELD' },
      ],
    })
  })

  test.each([
    ['a NUL', { notes: 'a\0b' }, 'notes'],
    ['half a surrogate pair', { shippingAddress: { ...address, line2: '\ud800' } }, 'shippingAddress.line2'],
    ['a text that is too long', { notes: 'x'.repeat(5001) }, 'notes'],
  ])('refuses %s, which Postgres can’t store, as input', async (_what, more, field) => {
    const product = await shop.createProduct(merchant, { stock: [1] })
    expect(await order([line(product)], more)).toMatchObject({ kind: 'invalid', errors: [{ field }] })
  })

  test('looks up any UUID, and reports any other id as not found', async () => {
    expect(await order([{ productId: '00000000-0000-0000-0000-00000000000a', quantity: 1 }])).toMatchObject({
      errors: [{ field: 'items.0.productId', code: 'NOT_FOUND' }],
    })
    expect(await order([{ productId: 'shirt', quantity: 1 }])).toMatchObject({
      errors: [{ field: 'items.0.productId', code: 'INVALID_FORMAT' }],
    })
  })

  test('refuses a total that clients can’t represent exactly', async () => {
    const dear = await shop.createProduct(merchant, { price: 9_000_000_000_000_000, stock: [9] })
    expect(await order([line(dear, 2)])).toMatchObject({ errors: [{ field: 'items', code: 'OUT_OF_RANGE' }] })
    expect(await availableOf(dear)).toBe(9)
  })

  test('does not take over an expired reservation, even if no job has ended it yet', async () => {
    const product = await shop.createProduct(merchant, { stock: [3] })
    const { reservationId } = dataOf(
      await shop.call(merchant, 'reserveInventory', { items: [{ sku: product.sku, quantity: 3 }] }),
    )
    await shop.database`UPDATE inventory.reservation SET expires_at = now() WHERE id = ${String(reservationId)}`
    expect(await order([line(product)], { reservationId })).toMatchObject({
      errors: [{ field: 'reservationId', code: 'INVALID_VALUE' }],
    })
    const [reservation] = await shop.database`
      SELECT status, order_id FROM inventory.reservation WHERE id = ${String(reservationId)}`
    expect(reservation).toEqual({ status: 'ACTIVE', order_id: null })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('takes over a reservation and releases the units that it does not need', async () => {
    const product = await shop.createProduct(merchant, { stock: [3, 3] })
    const { reservationId } = dataOf(
      await shop.call(merchant, 'reserveInventory', { items: [{ sku: product.sku, quantity: 6 }] }),
    )
    expect(await order([line(product, 4)])).toMatchObject({ id: 'SVC_BIZ_001' })
    dataOf(await order([line(product, 4)], { reservationId }))
    expect(await availableOf(product)).toBe(2)
    // The reservation belongs to the order now.
    expect(await order([line(product)], { reservationId })).toMatchObject({
      errors: [{ field: 'reservationId' }],
    })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('ships only where the method ships', async () => {
    const product = await shop.createProduct(merchant, { stock: [3] })
    const shippingMethodId = await createShippingMethod(500, ['DE'])
    expect(await order([line(product)], { shippingMethodId })).toMatchObject({
      errors: [{ field: 'shippingMethodId', code: 'INVALID_VALUE' }],
    })
  })

  test('needs a variant for a product that has variants', async () => {
    const product = await shop.createProduct(merchant, { stock: [3], price: 500 })
    const [variant] = await shop.database<{ id: string }[]>`
      INSERT INTO catalog.product_variant (merchant_id, product_id, sku, price)
      VALUES (${merchant.merchantId}, ${product.id}, ${`${product.sku}-L`}, 700) RETURNING id`
    expect(await order([line(product)])).toMatchObject({
      errors: [{ field: 'items.0.variantId', code: 'REQUIRED_FIELD' }],
    })
    dataOf(
      await shop.call(merchant, 'setInventoryLevel', { input: { sku: `${product.sku}-L`, available: 1 } }),
    )
    const { orderId } = dataOf(await order([{ ...line(product), variantId: found(variant).id }]))
    expect(await linesOf(orderId)).toMatchObject([{ sku: `${product.sku}-L`, price: '700' }])
  })

  test('by a shopper is for that shopper only', async () => {
    const product = await shop.createProduct(merchant, { stock: [3] })
    const stranger = await createCustomer(shop.database, merchant.merchantId)
    const input = { customerId: merchant.customerId, items: [line(product)], shippingAddress: address }
    const session = shopper(merchant, stranger)
    expect(await shop.call(merchant, 'createOrder', { input }, { session })).toMatchObject({
      id: 'SVC_AUTH_003',
    })
    dataOf(
      await shop.call(merchant, 'createOrder', { input: { ...input, customerId: stranger } }, { session }),
    )
  })
})

describe('an Idempotency-Key', () => {
  test('makes one order from many concurrent requests, and is refused with another request', async () => {
    const product = await shop.createProduct(merchant, { stock: [50] })
    const input = { customerId: merchant.customerId, items: [line(product)], shippingAddress: address }
    const idempotencyKey = crypto.randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => shop.call(merchant, 'createOrder', { input }, { idempotencyKey })),
    )
    expect(new Set(answers.map((answer) => dataOf(answer).orderId)).size).toBe(1)
    expect(await availableOf(product)).toBe(49)
    const another = { input: { ...input, items: [line(product, 2)] } }
    expect(await shop.call(merchant, 'createOrder', another, { idempotencyKey })).toMatchObject({
      status: 409,
      id: 'SVC_VAL_004',
    })
  })

  test('is not used up by a refusal, which changed nothing', async () => {
    const product = await shop.createProduct(merchant, { stock: [0] })
    const input = { customerId: merchant.customerId, items: [line(product)], shippingAddress: address }
    const options = { idempotencyKey: crypto.randomUUID() }
    expect(await shop.call(merchant, 'createOrder', { input }, options)).toMatchObject({ id: 'SVC_BIZ_001' })
    dataOf(await shop.call(merchant, 'setInventoryLevel', { input: { sku: product.sku, available: 1 } }))
    dataOf(await shop.call(merchant, 'createOrder', { input }, options))
  })
})

describe('modifyOrder', () => {
  test('adds, changes and removes lines, reserves the difference and recomputes the totals', async () => {
    const [a, b, c] = [
      await shop.createProduct(merchant, { price: 100, stock: [5] }),
      await shop.createProduct(merchant, { price: 200, stock: [5] }),
      await shop.createProduct(merchant, { price: 300, stock: [5] }),
    ]
    const { orderId } = dataOf(await order([line(a, 5), line(b)]))
    const [first, second] = await linesOf(orderId)
    await shop.database`UPDATE catalog.product SET price = 999 WHERE id = ${a.id}`
    const modifications = {
      addItems: [line(c, 2)],
      updateItems: [{ id: found(first).id, quantity: 3 }],
      removeItemIds: [found(second).id],
      billingAddress: { ...address, city: 'Boston' },
    }
    dataOf(await shop.call(merchant, 'modifyOrder', { id: orderId, modifications }))
    expect(await linesOf(orderId)).toMatchObject([
      { id: found(first).id, sku: a.sku, quantity: 3, price: '100' },
      { sku: c.sku, quantity: 2, price: '300' },
    ])
    expect(await orderRow(orderId)).toMatchObject({ subtotal: '900', tax: '74', total: '974' })
    expect([await availableOf(a), await availableOf(b), await availableOf(c)]).toEqual([2, 5, 3])
    await expectShopToAddUp(shop.database, merchant)
  })

  test('corrects an address whose shipping method is switched off since, in all countries of the method', async () => {
    const product = await shop.createProduct(merchant, { stock: [3] })
    const shippingMethodId = await createShippingMethod(500, ['US', 'CA'])
    const { orderId } = dataOf(await order([line(product)], { shippingMethodId }))
    await shop.database`UPDATE merchant.shipping_method SET active = FALSE WHERE id = ${shippingMethodId}`
    const move = (more: object) =>
      shop.call(merchant, 'modifyOrder', {
        id: orderId,
        modifications: { shippingAddress: { ...address, ...more } },
      })
    const cityOf = () => shop.database`
      SELECT a.city, a.country FROM ordering.order_address a
      JOIN ordering.order o ON o.merchant_id = a.merchant_id AND o.shipping_address_id = a.id
      WHERE o.id = ${String(orderId)}`
    dataOf(await move({ city: 'Corrected' }))
    expect(await cityOf()).toEqual([{ city: 'Corrected', country: address.country }])
    dataOf(await move({ city: 'Toronto', country: 'CA' }))
    expect(await move({ city: 'Berlin', country: 'DE' })).toMatchObject({
      errors: [{ field: 'modifications.shippingAddress.country', code: 'INVALID_VALUE' }],
    })
    expect(await cityOf()).toEqual([{ city: 'Toronto', country: 'CA' }])
  })

  test('refuses to remove the last line, unknown lines, and quantities above stock, and changes nothing', async () => {
    const product = await shop.createProduct(merchant, { stock: [3] })
    const { orderId } = dataOf(await order([line(product, 2)]))
    const [only] = await linesOf(orderId)
    const id = found(only).id
    const modify = (modifications: object) =>
      shop.call(merchant, 'modifyOrder', { id: orderId, modifications })
    expect(await modify({ removeItemIds: [id] })).toMatchObject({
      errors: [{ field: 'modifications.removeItemIds', code: 'INVALID_VALUE' }],
    })
    expect(await modify({ updateItems: [{ id: crypto.randomUUID(), quantity: 1 }] })).toMatchObject({
      errors: [{ field: 'modifications.updateItems.0.id', code: 'NOT_FOUND' }],
    })
    expect(await modify({ updateItems: [{ id, quantity: 4 }] })).toMatchObject({
      message: 'Insufficient inventory. Available: 3, Requested: 4',
    })
    expect(await availableOf(product)).toBe(1)
    await expectShopToAddUp(shop.database, merchant)
  })
})

describe('an order that was shipped', () => {
  test('can’t be modified or cancelled', async () => {
    const product = await shop.createProduct(merchant, { stock: [3] })
    const { orderId } = dataOf(await order([line(product, 2)]))
    dataOf(await shop.call(merchant, 'processPayment', { input: { orderId, method: 'CASH' } }))
    dataOf(await shop.call(merchant, 'processOrder', { id: orderId }))
    dataOf(
      await shop.call(merchant, 'fulfillOrder', {
        id: orderId,
        input: { carrier: 'UPS', trackingNumber: '1Z' },
      }),
    )
    const refused = {
      status: 409,
      id: 'SVC_BIZ_003',
      message: `Order ${String(orderId)} cannot be modified in status SHIPPED`,
    }
    expect(await shop.call(merchant, 'cancelOrder', { id: orderId, reason: 'x' })).toMatchObject(refused)
    expect(await shop.call(merchant, 'modifyOrder', { id: orderId, modifications: {} })).toMatchObject(
      refused,
    )
    const [fulfillment] =
      await shop.database`SELECT * FROM ordering.fulfillment WHERE order_id = ${String(orderId)}`
    expect(fulfillment).toMatchObject({ status: 'SHIPPED', carrier: 'UPS', tracking_number: '1Z' })
    await expectShopToAddUp(shop.database, merchant)
  })
})

async function createShippingMethod(price: number, countries: readonly string[]): Promise<string> {
  const [row] = await shop.database<{ id: string }[]>`
    WITH zone AS (
      INSERT INTO merchant.shipping_zone (merchant_id, name, countries)
      VALUES (${merchant.merchantId}, 'Zone', ${[...countries]}::text[]) RETURNING merchant_id, id
    )
    INSERT INTO merchant.shipping_method (merchant_id, shipping_zone_id, name, price)
    SELECT merchant_id, id, 'Parcel', ${price} FROM zone RETURNING id`
  return found(row).id
}
