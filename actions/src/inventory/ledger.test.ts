import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectShopToAddUp } from '../testing/invariants.ts'
import { address, dataOf, openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'
import { expireReservations } from './stock.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const entriesOf = (sku: string) => shop.database`
  SELECT m.kind, m.on_hand_delta, m.reserved_delta, m.on_hand, m.reserved, m.reference_type, m.reference_id
  FROM inventory.stock_movement m
  JOIN inventory.stock_item i ON i.merchant_id = m.merchant_id AND i.id = m.stock_item_id
  WHERE i.merchant_id = ${merchant.merchantId} AND i.sku = ${sku}
  ORDER BY m.created_at, m.id`

describe('the ledger', () => {
  test('records the way of an order from the shelf to the customer', async () => {
    const { id: productId, sku } = await shop.createProduct(merchant, { stock: [5] })
    const { orderId } = dataOf(
      await shop.call(merchant, 'createOrder', {
        input: {
          customerId: merchant.customerId,
          items: [{ productId, quantity: 2 }],
          shippingAddress: address,
        },
      }),
    )
    dataOf(await shop.call(merchant, 'processPayment', { input: { orderId, method: 'CASH' } }))
    dataOf(await shop.call(merchant, 'processOrder', { id: orderId }))
    dataOf(await shop.call(merchant, 'fulfillOrder', { id: orderId, input: {} }))
    const order = { reference_type: 'ORDER', reference_id: orderId }
    expect(await entriesOf(sku)).toMatchObject([
      { kind: 'OPENING', on_hand_delta: 5, reserved_delta: 0, on_hand: 5, reserved: 0, reference_id: null },
      { kind: 'RESERVATION', on_hand_delta: 0, reserved_delta: 2, on_hand: 5, reserved: 2, ...order },
      { kind: 'SALE', on_hand_delta: -2, reserved_delta: -2, on_hand: 3, reserved: 0, ...order },
    ])
  })

  test('names the right reservation when several expire at once', async () => {
    const { sku } = await shop.createProduct(merchant, { stock: [5] })
    const ids: unknown[] = []
    for (const quantity of [1, 2]) {
      const answer = await shop.call(merchant, 'reserveInventory', { items: [{ sku, quantity }] })
      ids.push(dataOf(answer)['reservationId'])
    }
    await shop.database`UPDATE inventory.reservation SET expires_at = now() WHERE id = ANY (${ids.map(String)})`
    await expireReservations(shop.database)
    expect((await entriesOf(sku)).slice(3)).toMatchObject([
      { kind: 'RELEASE', reserved_delta: -1, reference_type: 'RESERVATION', reference_id: ids[0] },
      { kind: 'RELEASE', reserved_delta: -2, reference_type: 'RESERVATION', reference_id: ids[1] },
    ])
  })

  test('has an entry even for a level that is written without the functions, with no wrong cause', async () => {
    const { sku } = await shop.createProduct(merchant, { stock: [5] })
    await shop.database.begin(async (sql) => {
      await sql`SELECT inventory.because('RETURN', 'Came back', NULL, NULL, 'key:7')`
      for (const available of [6, 9])
        await sql`
          UPDATE inventory.stock_level l SET available = ${available} FROM inventory.stock_item i
          WHERE i.merchant_id = l.merchant_id AND i.id = l.stock_item_id AND i.sku = ${sku}`
    })
    expect((await entriesOf(sku)).slice(1)).toMatchObject([
      { kind: 'RETURN', on_hand_delta: 1, on_hand: 6 },
      { kind: 'ADJUSTMENT', on_hand_delta: 3, on_hand: 9 },
    ])
  })

  test('can’t be changed or shortened, except by deleting the product', async () => {
    const other = await shop.createMerchant()
    const { id } = await shop.createProduct(other, { stock: [5] })
    const mine = shop.database`merchant_id = ${other.merchantId}`
    await expect(
      shop.database`UPDATE inventory.stock_movement SET on_hand_delta = 1 WHERE ${mine}`,
    ).rejects.toThrow('never changed')
    await expect(shop.database`DELETE FROM inventory.stock_movement WHERE ${mine}`).rejects.toThrow(
      'never changed',
    )
    await shop.database`DELETE FROM catalog.product WHERE id = ${id}`
    expect(await shop.database`SELECT FROM inventory.stock_movement WHERE ${mine}`).toEqual([])
  })

  test('adds up to the levels after any events in any order', async () => {
    const products = await Promise.all([
      shop.createProduct(merchant, { stock: [8, 4] }),
      shop.createProduct(merchant, { stock: [3] }),
    ])
    const sku = fc.constantFrom(...products.map((product) => product.sku))
    const quantity = fc.integer({ min: 1, max: 9 })
    const place = fc.constantFrom(...merchant.warehouseIds)
    const step = fc.oneof(
      fc.record({ sku, quantity }).map((item) => ['reserveInventory', { items: [item] }] as const),
      fc
        .record({ sku, warehouseId: place, delta: fc.integer({ min: -5, max: 5 }) })
        .map((input) => ['adjustInventory', { input: { ...input, reason: 'Counted' } }] as const),
      fc
        .record({ sku, warehouseId: place, available: fc.integer({ min: 0, max: 9 }) })
        .map((input) => ['setInventoryLevel', { input }] as const),
      fc.record({ sku, quantity }).map(
        (line) =>
          [
            'createTransfer',
            {
              input: {
                fromWarehouseId: merchant.warehouseIds[0],
                toWarehouseId: merchant.warehouseIds[1],
                lines: [line],
              },
            },
          ] as const,
      ),
      fc
        .constantFrom('shipTransfer', 'receiveTransfer', 'cancelTransfer', 'releaseReservation')
        .map((name) => [name, {}] as const),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
        let transferId: unknown
        let reservationId: unknown
        for (const [name, input] of steps) {
          const id = name === 'releaseReservation' ? reservationId : transferId
          if (Object.keys(input).length === 0 && id === undefined) continue
          const answer = await shop.call(merchant, name, { ...input, ...(id !== undefined && { id }) })
          if (answer.kind !== 'done') continue
          if ('transferId' in answer.data) transferId = answer.data['transferId']
          if (name === 'reserveInventory') reservationId = answer.data['reservationId']
        }
        await expectShopToAddUp(shop.database, merchant)
      }),
      { numRuns: 15 },
    )
  })
})
