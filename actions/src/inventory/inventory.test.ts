import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectShopToAddUp } from '../testing/invariants.ts'
import {
  dataOf,
  found,
  openTestShop,
  type TestMerchant,
  type TestProduct,
  type TestShop,
} from '../testing/test-shop.ts'
import { expireReservations } from './stock.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const reserve = (items: readonly { sku: string; quantity: number }[], more: object = {}) =>
  shop.call(merchant, 'reserveInventory', { items, ...more })

const levels = async ({ sku }: TestProduct) => shop.database<{ available: number; reserved: number }[]>`
    SELECT l.available, l.reserved
    FROM inventory.stock_level l
    JOIN inventory.stock_item i ON i.merchant_id = l.merchant_id AND i.id = l.stock_item_id
    JOIN inventory.warehouse w ON w.merchant_id = l.merchant_id AND w.id = l.warehouse_id
    WHERE i.merchant_id = ${merchant.merchantId} AND i.sku = ${sku}
    ORDER BY w.priority`

async function makeExpired(reservationId: unknown): Promise<void> {
  await shop.database`
    UPDATE inventory.reservation SET expires_at = now() - interval '1 second' WHERE id = ${String(reservationId)}`
}

describe('reserveInventory', () => {
  test('takes units from the warehouses by priority, and adds up lines of the same SKU', async () => {
    const product = await shop.createProduct(merchant, { stock: [3, 5] })
    const items = [
      { sku: product.sku, quantity: 2 },
      { sku: product.sku, quantity: 2 },
    ]
    expect(dataOf(await reserve(items))).toMatchObject({
      items: [{ sku: product.sku, quantity: 4, reserved: 4 }],
    })
    expect(await levels(product)).toEqual([
      { available: 0, reserved: 3 },
      { available: 4, reserved: 1 },
    ])
  })

  test('follows the priority of warehouses, not the order of their creation', async () => {
    const swapPriorities = () => shop.database`
      UPDATE inventory.warehouse SET priority = 3 - priority WHERE merchant_id = ${merchant.merchantId}`
    const [one, other] = [
      await shop.createProduct(merchant, { stock: [3, 5] }),
      await shop.createProduct(merchant, { stock: [3, 5] }),
    ]
    await reserve([{ sku: one.sku, quantity: 2 }])
    expect(await levels(one)).toEqual([
      { available: 1, reserved: 2 },
      { available: 5, reserved: 0 },
    ])
    await swapPriorities()
    await reserve([{ sku: other.sku, quantity: 2 }])
    expect(await levels(other)).toEqual([
      { available: 3, reserved: 2 },
      { available: 3, reserved: 0 },
    ])
    await swapPriorities()
  })

  test('reports every shortage and reserves nothing', async () => {
    const plenty = await shop.createProduct(merchant, { stock: [10] })
    const few = await shop.createProduct(merchant, { stock: [1, 1] })
    const none = await shop.createProduct(merchant, {})
    const answer = await reserve([
      { sku: plenty.sku, quantity: 1 },
      { sku: few.sku, quantity: 3 },
      { sku: none.sku, quantity: 1 },
    ])
    expect(answer).toMatchObject({
      kind: 'refused',
      status: 400,
      id: 'SVC_BIZ_001',
      message: 'Insufficient inventory. Available: 2, Requested: 3',
      details: {
        field: 'items.1.quantity',
        sku: few.sku,
        available: 2,
        requested: 3,
        shortages: [
          { field: 'items.1.quantity', sku: few.sku, available: 2, requested: 3 },
          { field: 'items.2.quantity', sku: none.sku, available: 0, requested: 1 },
        ],
      },
    })
    expect(await levels(plenty)).toEqual([{ available: 10, reserved: 0 }])
  })

  test('ignores inactive warehouses', async () => {
    const product = await shop.createProduct(merchant, { stock: [1, 9] })
    const west = merchant.warehouseIds[1] ?? ''
    await shop.database`UPDATE inventory.warehouse SET active = false WHERE id = ${west}`
    expect(await reserve([{ sku: product.sku, quantity: 2 }])).toMatchObject({ details: { available: 1 } })
    await shop.database`UPDATE inventory.warehouse SET active = true WHERE id = ${west}`
  })

  test('names every wrong input at once', async () => {
    const answer = await reserve(
      [
        { sku: '', quantity: 1 },
        { sku: 'X', quantity: 0 },
      ],
      { expiresInSeconds: -1 },
    )
    expect(answer).toEqual({
      kind: 'invalid',
      errors: [
        {
          field: 'items.0.sku',
          message: 'Field items.0.sku is required but was not provided',
          code: 'REQUIRED_FIELD',
        },
        {
          field: 'items.1.quantity',
          message: 'Value 0 is outside acceptable range 1-999999',
          code: 'OUT_OF_RANGE',
        },
        {
          field: 'expiresInSeconds',
          message: 'Value -1 is outside acceptable range 1-86400',
          code: 'OUT_OF_RANGE',
        },
        { field: 'items.1.sku', message: 'SKU X does not exist', code: 'NOT_FOUND' },
      ],
    })
    expect(await reserve([{ sku: 'UNKNOWN-SKU', quantity: 1 }])).toMatchObject({
      errors: [{ field: 'items.0.sku', code: 'NOT_FOUND' }],
    })
  })
})

describe('an expired reservation', () => {
  test('returns its stock once, also with concurrent jobs', async () => {
    const product = await shop.createProduct(merchant, { stock: [5] })
    const { reservationId } = dataOf(await reserve([{ sku: product.sku, quantity: 5 }]))
    await makeExpired(reservationId)
    await Promise.all(Array.from({ length: 6 }, () => expireReservations(shop.database)))
    expect(await levels(product)).toEqual([{ available: 5, reserved: 0 }])
    await expectShopToAddUp(shop.database, merchant)
  })

  test('is available to the next reservation before any job has run', async () => {
    const product = await shop.createProduct(merchant, { stock: [5] })
    const { reservationId } = dataOf(await reserve([{ sku: product.sku, quantity: 5 }]))
    await makeExpired(reservationId)
    dataOf(await reserve([{ sku: product.sku, quantity: 4 }]))
    expect(await levels(product)).toEqual([{ available: 1, reserved: 4 }])
    await expireReservations(shop.database)
    expect(await levels(product)).toEqual([{ available: 1, reserved: 4 }])
  })
})

describe('releaseReservation', () => {
  test('returns stock once', async () => {
    const product = await shop.createProduct(merchant, { stock: [1, 1] })
    const { reservationId } = dataOf(await reserve([{ sku: product.sku, quantity: 2 }]))
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => shop.call(merchant, 'releaseReservation', { id: reservationId })),
    )
    expect(answers.filter((answer) => answer.kind === 'done')).toHaveLength(1)
    expect(answers.filter((answer) => answer.kind === 'invalid')).toHaveLength(3)
    expect(await levels(product)).toEqual([
      { available: 1, reserved: 0 },
      { available: 1, reserved: 0 },
    ])
  })
})

describe('levels', () => {
  test('are created in the first active warehouse by default, and changed with a recorded reason', async () => {
    const product = await shop.createProduct(merchant, {})
    const { sku } = product
    dataOf(await shop.call(merchant, 'setInventoryLevel', { input: { sku, available: 7 } }))
    dataOf(await shop.call(merchant, 'adjustInventory', { input: { sku, delta: -3, reason: 'Broken' } }))
    expect(await levels(product)).toEqual([{ available: 4, reserved: 0 }])
    const entries = await shop.database`
      SELECT m.kind, m.on_hand_delta, m.on_hand, m.reason, m.principal FROM inventory.stock_movement m
      JOIN inventory.stock_item i ON i.merchant_id = m.merchant_id AND i.id = m.stock_item_id
      WHERE i.sku = ${sku} ORDER BY m.created_at`
    expect(entries).toEqual([
      {
        kind: 'STOCKTAKE',
        on_hand_delta: 7,
        on_hand: 7,
        reason: 'Counted',
        principal: 'key:01a1f000-00ff-7000-8000-000000000001',
      },
      {
        kind: 'ADJUSTMENT',
        on_hand_delta: -3,
        on_hand: 4,
        reason: 'Broken',
        principal: 'key:01a1f000-00ff-7000-8000-000000000001',
      },
    ])
  })

  test('report an empty reason, an unknown SKU and an unknown warehouse at once', async () => {
    const input = { sku: 'UNKNOWN-SKU', warehouseId: crypto.randomUUID(), delta: 1, reason: '' }
    expect(await shop.call(merchant, 'adjustInventory', { input })).toMatchObject({
      errors: [
        { field: 'reason', code: 'REQUIRED_FIELD' },
        { field: 'sku', code: 'NOT_FOUND' },
        { field: 'warehouseId', code: 'NOT_FOUND' },
      ],
    })
    expect(
      await shop.call(merchant, 'adjustInventory', { input: { ...input, reason: 'Counted' } }),
    ).toMatchObject({
      errors: [
        { field: 'sku', code: 'NOT_FOUND' },
        { field: 'warehouseId', code: 'NOT_FOUND' },
      ],
    })
  })

  test('never fall below zero, and the error shows the available units', async () => {
    const { sku } = await shop.createProduct(merchant, { stock: [2] })
    const answer = await shop.call(merchant, 'adjustInventory', { input: { sku, delta: -3, reason: 'Lost' } })
    expect(answer).toEqual({
      kind: 'invalid',
      errors: [
        {
          field: 'delta',
          message: 'Value -3 is outside acceptable range -2-999997. Available: 2',
          code: 'OUT_OF_RANGE',
        },
      ],
    })
    expect(await shop.call(merchant, 'setInventoryLevel', { input: { sku, available: -1 } })).toMatchObject({
      errors: [{ field: 'available', code: 'OUT_OF_RANGE' }],
    })
  })

  test('add up after many concurrent adjustments', async () => {
    const product = await shop.createProduct(merchant, { stock: [0] })
    await Promise.all(
      Array.from({ length: 20 }, () =>
        shop.call(merchant, 'adjustInventory', { input: { sku: product.sku, delta: 1, reason: 'Counted' } }),
      ),
    )
    expect(await levels(product)).toEqual([{ available: 20, reserved: 0 }])
  })
})

describe('the own SKU of a product with variants', () => {
  test('can only decrease, and its remaining stock is not for sale', async () => {
    const product = await shop.createProduct(merchant, { stock: [5] })
    const available = async () => {
      const [row] = await shop.database<{ available: number; product: number }[]>`
        SELECT s.available, p.available AS product FROM inventory.sku_inventory s
        JOIN inventory.product_inventory p ON p.merchant_id = s.merchant_id AND p.product_id = s.product_id
        WHERE s.merchant_id = ${merchant.merchantId} AND s.sku = ${product.sku}`
      return row
    }
    expect(await available()).toEqual({ available: 5, product: 5 })
    const [variant] = await shop.database<{ id: string }[]>`
      INSERT INTO catalog.product_variant (merchant_id, product_id, sku)
      VALUES (${merchant.merchantId}, ${product.id}, ${`${product.sku}-M`}) RETURNING id`
    expect(await available()).toEqual({ available: 0, product: 0 })

    const { sku } = product
    const change = (action: string, input: object) =>
      shop.call(merchant, action, { input: { sku, ...input } })
    const refused = {
      errors: [
        { field: 'sku', code: 'INVALID_VALUE', message: expect.stringContaining('variants') as unknown },
      ],
    }
    expect(await change('setInventoryLevel', { available: 6 })).toMatchObject(refused)
    expect(await change('adjustInventory', { delta: 1, reason: 'Found' })).toMatchObject(refused)
    expect(await change('createIncomingStock', { quantity: 1 })).toMatchObject(refused)
    expect(await levels(product)).toEqual([{ available: 5, reserved: 0 }])

    dataOf(await change('adjustInventory', { delta: -1, reason: 'Moved to the variant' }))
    dataOf(await change('setInventoryLevel', { available: 0 }))
    expect(await levels(product)).toEqual([{ available: 0, reserved: 0 }])
    dataOf(await change('setInventoryLevel', { sku: `${sku}-M`, available: 5 }))

    await shop.database`UPDATE catalog.product_variant SET deleted_at = now() WHERE id = ${found(variant).id}`
    dataOf(await change('setInventoryLevel', { available: 7 }))
    expect(await available()).toEqual({ available: 7, product: 7 })
  })
})
