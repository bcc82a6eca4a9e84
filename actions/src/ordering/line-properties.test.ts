import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../action/answer.ts'
import { mergeCart } from '../cart/index.ts'
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

const engraved = (value: string) => [{ name: 'Engraving', value }]
const line = ({ id }: TestProduct, quantity: number, more: object = {}) => ({
  productId: id,
  quantity,
  ...more,
})

const newCart = async (items: readonly object[], input: object = {}): Promise<string> =>
  String(dataOf(await shop.call(merchant, 'createCart', { input: { items, ...input } }))['cartId'])

const placed = async (answer: Promise<Answer>): Promise<string> => String(dataOf(await answer)['orderId'])

const order = (items: readonly object[]) =>
  shop.call(merchant, 'createOrder', {
    input: { customerId: merchant.customerId, items, shippingAddress: address },
  })

interface Line {
  readonly id: string
  readonly quantity: number
  readonly properties: unknown
}

const linesOf = (orderId: string) => shop.database<Line[]>`
  SELECT id, quantity, properties FROM ordering.order_item WHERE order_id = ${orderId} ORDER BY position`

const cartLines = (cartId: string | null) => shop.database<Line[]>`
  SELECT id, quantity, properties FROM cart.cart_item WHERE cart_id = ${cartId} ORDER BY created_at, id`

async function stockOf({ sku }: TestProduct) {
  const [stock] =
    await shop.database`SELECT available, reserved FROM inventory.sku_inventory WHERE sku = ${sku}`
  return stock
}

const pay = (orderId: string) =>
  shop.call(merchant, 'processPayment', { input: { orderId, method: 'CASH', received: true } })

describe('lines of one product with other properties', () => {
  test('are lines of their own in a cart, and share its stock', async () => {
    const mug = await shop.createProduct(merchant, { stock: [5] })
    const cartId = await newCart([line(mug, 1, { properties: engraved('Ada') }), line(mug, 1)])
    dataOf(
      await shop.call(merchant, 'addCartItem', {
        cartId,
        item: line(mug, 1, { properties: engraved('Ada') }),
      }),
    )
    expect(await cartLines(cartId)).toMatchObject([
      { quantity: 2, properties: engraved('Ada') },
      { quantity: 1, properties: [] },
    ])
    const more = (quantity: number) =>
      shop.call(merchant, 'addCartItem', {
        cartId,
        item: line(mug, quantity, { properties: engraved('Grace') }),
      })
    expect(await more(3)).toMatchObject({ details: { shortages: [{ available: 5, requested: 6 }] } })
    dataOf(await more(2))
    const [first] = await cartLines(cartId)
    expect(
      await shop.call(merchant, 'updateCartItem', { cartId, itemId: found(first).id, quantity: 3 }),
    ).toMatchObject({ details: { shortages: [{ available: 5, requested: 6 }] } })
    const shown = await shop.database`
      SELECT quantity, available, max_quantity FROM cart.priced_cart_item WHERE cart_id = ${cartId} ORDER BY created_at, id`
    expect(shown).toEqual([
      { quantity: 2, available: true, max_quantity: 2 },
      { quantity: 1, available: true, max_quantity: 1 },
      { quantity: 2, available: true, max_quantity: 2 },
    ])
  })

  test('are the same line whatever the order of the properties', async () => {
    const mug = await shop.createProduct(merchant, { stock: [5] })
    const properties = [...engraved('Ada'), { name: 'Wrap', value: 'Paper' }]
    const cartId = await newCart([
      line(mug, 1, { properties }),
      line(mug, 1, { properties: properties.toReversed() }),
    ])
    expect(await cartLines(cartId)).toMatchObject([{ quantity: 2, properties }])
  })

  test('become lines of the order with what the merchant keeps with them, and hold the sum of their units', async () => {
    const mug = await shop.createProduct(merchant, { stock: [3, 2] })
    const kept = { metadata: { pim: { a: 1 } }, privateMetadata: { erp: { b: 2 } } }
    const cartId = await newCart([
      line(mug, 2, { properties: engraved('Ada'), ...kept }),
      line(mug, 2, { properties: engraved('Grace') }),
    ])
    const orderId = await placed(
      shop.call(merchant, 'checkoutCart', {
        id: cartId,
        input: { customerId: merchant.customerId, shippingAddress: address },
      }),
    )
    expect(await linesOf(orderId)).toMatchObject([
      { quantity: 2, properties: engraved('Ada') },
      { quantity: 2, properties: engraved('Grace') },
    ])
    expect(
      await shop.database`SELECT metadata, private_metadata FROM ordering.order_item WHERE order_id = ${orderId} ORDER BY position LIMIT 1`,
    ).toEqual([{ metadata: kept.metadata, private_metadata: kept.privateMetadata }])
    expect(await stockOf(mug)).toEqual({ available: 1, reserved: 4 })
    expect(await order([line(mug, 1), line(mug, 1, { properties: engraved('X') })])).toMatchObject({
      details: {
        shortages: [
          { available: 1, requested: 2 },
          { available: 1, requested: 2 },
        ],
      },
    })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('are changed, shipped, refunded and returned each for itself', async () => {
    const mug = await shop.createProduct(merchant, { stock: [4, 4], price: 1000 })
    const orderId = await placed(
      order([line(mug, 2, { properties: engraved('Ada') }), line(mug, 2, { properties: engraved('Grace') })]),
    )
    const [ada, grace] = await linesOf(orderId)
    dataOf(
      await shop.call(merchant, 'modifyOrder', {
        id: orderId,
        modifications: {
          addItems: [line(mug, 1, { properties: engraved('Grace') }), line(mug, 1)],
          updateItems: [{ id: found(ada).id, quantity: 3 }],
        },
      }),
    )
    expect(await linesOf(orderId)).toMatchObject([
      { id: found(ada).id, quantity: 3, properties: engraved('Ada') },
      { id: found(grace).id, quantity: 3, properties: engraved('Grace') },
      { quantity: 1, properties: [] },
    ])
    expect(await stockOf(mug)).toEqual({ available: 1, reserved: 7 })
    dataOf(await pay(orderId))
    const ship = (items: readonly object[]) =>
      shop.call(merchant, 'fulfillOrder', {
        id: orderId,
        input: { items, carrier: 'DHL', trackingNumber: 'T' },
      })
    dataOf(
      await ship([
        { orderItemId: found(ada).id, quantity: 2 },
        { orderItemId: found(grace).id, quantity: 1 },
      ]),
    )
    expect(await stockOf(mug)).toEqual({ available: 1, reserved: 4 })
    const refund = await shop.call(merchant, 'refundOrder', {
      id: orderId,
      input: {
        items: [
          { orderItemId: found(ada).id, quantity: 1 },
          { orderItemId: found(grace).id, quantity: 2 },
        ],
        reason: 'Misspelt',
      },
    })
    dataOf(refund)
    expect(await stockOf(mug)).toEqual({ available: 4, reserved: 1 })
    await expectShopToAddUp(shop.database, merchant)
    expect(
      await shop.database`SELECT * FROM verification.order_units WHERE merchant_id = ${merchant.merchantId}`,
    ).toEqual([])
  })

  test('of buyers at once never hold more than there is', async () => {
    const mug = await shop.createProduct(merchant, { stock: [6, 5] })
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        order([
          line(mug, 1, { properties: engraved(`A${index}`) }),
          line(mug, 1, { properties: engraved('B') }),
        ]),
      ),
    )
    expect(answers.filter(({ kind }) => kind === 'done')).toHaveLength(5)
    expect(await stockOf(mug)).toEqual({ available: 1, reserved: 10 })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('stay apart when carts are merged, and together take no more than there is', async () => {
    const customerId = await createCustomer(shop.database, merchant.merchantId)
    const mug = await shop.createProduct(merchant, { stock: [6] })
    const own = await newCart([line(mug, 1), line(mug, 1, { properties: engraved('Ada') })], { customerId })
    const guest = await newCart([
      line(mug, 2, { properties: engraved('Ada') }),
      line(mug, 2, { properties: engraved('Grace') }),
      line(mug, 1, { properties: engraved('Eve') }),
    ])
    const merged = await mergeCart(shop.database, merchant.merchantId, {
      guestCartId: guest,
      secretHash: null,
      customerId,
    })
    expect(merged).toBe(own)
    expect(await cartLines(own)).toMatchObject([
      { quantity: 1, properties: [] },
      { quantity: 3, properties: engraved('Ada') },
      { quantity: 2, properties: engraved('Grace') },
    ])
  })

  test('of a draft become lines of its order', async () => {
    const mug = await shop.createProduct(merchant, { stock: [5] })
    const items = [line(mug, 1, { properties: engraved('Ada') }), line(mug, 2)]
    const draft = dataOf(
      await shop.call(merchant, 'createDraftOrder', {
        input: { customerId: merchant.customerId, items, shippingAddress: address },
      }),
    )
    const orderId = await placed(shop.call(merchant, 'completeDraftOrder', { id: draft['draftOrderId'] }))
    expect(await linesOf(orderId)).toMatchObject([
      { quantity: 1, properties: engraved('Ada') },
      { quantity: 2, properties: [] },
    ])
  })

  test('are told apart after their customer was anonymised, without the texts', async () => {
    const customerId = await createCustomer(shop.database, merchant.merchantId)
    const mug = await shop.createProduct(merchant, { stock: [5] })
    const items = [
      line(mug, 1, { properties: engraved('Ada') }),
      line(mug, 1, { properties: engraved('Grace') }),
    ]
    const orderId = await placed(
      shop.call(merchant, 'createOrder', { input: { customerId, items, shippingAddress: address } }),
    )
    dataOf(await shop.call(merchant, 'cancelOrder', { id: orderId, reason: 'Moving away' }))
    dataOf(await shop.call(merchant, 'anonymizeCustomer', { id: customerId }))
    expect(await linesOf(orderId)).toMatchObject([{ properties: [] }, { properties: [] }])
  })
})

describe('what the merchant keeps with a line', () => {
  test('is refused when a shopper says it', async () => {
    const customerId = await createCustomer(shop.database, merchant.merchantId)
    const session = shopper(merchant, customerId)
    const mug = await shop.createProduct(merchant, { stock: [5] })
    const items = [line(mug, 1), line(mug, 1, { properties: engraved('Ada'), metadata: { a: { b: 1 } } })]
    const refused = { errors: [{ field: 'items.1.metadata', code: 'INVALID_VALUE' }] }
    expect(await shop.call(merchant, 'createCart', { input: { items } }, { session })).toMatchObject(refused)
    expect(
      await shop.call(
        merchant,
        'createOrder',
        { input: { customerId, items, shippingAddress: address } },
        { session },
      ),
    ).toMatchObject(refused)
    const own = [line(mug, 1, { properties: engraved('Ada') })]
    dataOf(await shop.call(merchant, 'createCart', { input: { items: own } }, { session }))
  })

  test('is checked against its definition when it is written, and doesn’t stop a checkout', async () => {
    const mug = await shop.createProduct(merchant, { stock: [5] })
    const keep = (value: unknown) => [line(mug, 1, { metadata: { spec: { depth: value } } })]
    const early = await newCart(keep('deep'))
    await shop.database`
      INSERT INTO metadata.definition (merchant_id, owner_type, namespace, key, type, name)
      VALUES (${merchant.merchantId}, 'LINE', 'spec', 'depth', 'INTEGER', 'Depth')`
    expect(await order(keep('deep'))).toMatchObject({
      errors: [{ field: 'metadata.spec.depth', code: 'INVALID_FORMAT' }],
    })
    await placed(order(keep(3)))
    await placed(
      shop.call(merchant, 'checkoutCart', {
        id: early,
        input: { customerId: merchant.customerId, shippingAddress: address },
      }),
    )
  })

  test('has an external id that is unique', async () => {
    const mug = await shop.createProduct(merchant, { stock: [5] })
    await placed(order([line(mug, 1, { externalId: 'so-1-1' })]))
    expect(await order([line(mug, 1, { externalId: 'so-1-1' })])).toMatchObject({
      errors: [{ field: 'externalId', code: 'INVALID_VALUE' }],
    })
    expect(await stockOf(mug)).toEqual({ available: 4, reserved: 1 })
  })
})

test('an order and a cart are made with what the merchant keeps with them, or not at all', async () => {
  const mug = await shop.createProduct(merchant, { stock: [5] })
  const kept = { externalId: 'so-4711', metadata: { erp: { a: 1 } }, privateMetadata: { erp: { b: [2] } } }
  const input = { customerId: merchant.customerId, items: [line(mug, 1)], shippingAddress: address, ...kept }
  const orderId = await placed(shop.call(merchant, 'createOrder', { input }))
  expect(
    await shop.database`SELECT external_id, metadata, private_metadata FROM ordering.order WHERE id = ${orderId}`,
  ).toEqual([{ external_id: 'so-4711', metadata: kept.metadata, private_metadata: kept.privateMetadata }])
  expect(await shop.call(merchant, 'createOrder', { input }, { idempotencyKey: 'taken' })).toMatchObject({
    errors: [{ field: 'externalId', code: 'INVALID_VALUE' }],
  })
  expect(await stockOf(mug)).toEqual({ available: 4, reserved: 1 })
  const cartId = await newCart([line(mug, 1)], kept)
  expect(await shop.database`SELECT external_id, metadata FROM cart.cart WHERE id = ${cartId}`).toEqual([
    { external_id: 'so-4711', metadata: kept.metadata },
  ])
  const customerId = await createCustomer(shop.database, merchant.merchantId)
  expect(
    await shop.call(
      merchant,
      'createOrder',
      { input: { ...input, customerId } },
      { session: shopper(merchant, customerId) },
    ),
  ).toMatchObject({ errors: [{ field: 'externalId' }, { field: 'metadata' }, { field: 'privateMetadata' }] })
})

test('an address keeps its recipient and company from the cart to the order', async () => {
  const mug = await shop.createProduct(merchant, { stock: [5] })
  const cartId = await newCart([line(mug, 1)])
  const to = { ...address, recipientName: 'Grace Hopper', company: 'Compilers Ltd.' }
  dataOf(await shop.call(merchant, 'setCartShippingAddress', { cartId, address: to }))
  const orderId = await placed(
    shop.call(merchant, 'checkoutCart', { id: cartId, input: { customerId: merchant.customerId } }),
  )
  const [kept] = await shop.database`
    SELECT recipient_name, company FROM ordering.order_address WHERE order_id = ${orderId}`
  expect(kept).toEqual({ recipient_name: 'Grace Hopper', company: 'Compilers Ltd.' })
})
