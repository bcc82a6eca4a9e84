import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answer } from '../action/answer.ts'
import { refused } from '../state-machine.ts'
import { expectShopToAddUp, stockEverSeen } from '../testing/invariants.ts'
import {
  address,
  dataOf,
  found,
  openTestShop,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import { type OrderEvent, orderMachine, type OrderStatus } from './order-machine.ts'
import { lapseUnpaidOrders } from './orders.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

/** Null: unknown whether it was refused. 'skipped': the event did not apply. */
const events: Record<OrderEvent, (id: string) => Promise<Answer | 'skipped' | null>> = {
  modify: (id) => shop.call(merchant, 'modifyOrder', { id, modifications: { notes: 'Changed' } }),
  pay: (orderId) =>
    shop.call(merchant, 'processPayment', {
      input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa' },
    }),
  lapse: async (id) => {
    await shop.database`UPDATE inventory.reservation SET expires_at = now() WHERE order_id = ${id}`
    await lapseUnpaidOrders(shop.database)
    return null
  },
  process: (id) => shop.call(merchant, 'processOrder', { id }),
  fulfill: async (id) => {
    const [line] = await shop.database<{ id: string; packed: boolean }[]>`
      SELECT id, packed_quantity >= quantity - 1 AS packed FROM ordering.order_item WHERE order_id = ${id}`
    // Sending the last unit is the event `ship`, which leads to another state.
    if (found(line).packed) return 'skipped'
    return shop.call(merchant, 'fulfillOrder', {
      id,
      input: { items: [{ orderItemId: found(line).id, quantity: 1 }], shipped: false },
    })
  },
  refund: async (id) => {
    const [payment] = await shop.database<{ id: string }[]>`
      SELECT id FROM payment.payment WHERE order_id = ${id} AND status = 'SUCCEEDED'`
    if (payment === undefined) return 'skipped'
    return shop.call(merchant, 'refundPayment', { id: payment.id, input: { reason: 'Changed my mind' } })
  },
  ship: async (id) => {
    const packed = await shop.database<{ id: string }[]>`
      SELECT id FROM ordering.shipment WHERE order_id = ${id} AND status = 'PACKED'`
    for (const shipment of packed)
      dataOf(await shop.call(merchant, 'markShipmentShipped', { id: shipment.id, input: {} }))
    return shop.call(merchant, 'fulfillOrder', { id, input: {} })
  },
  deliver: (id) => shop.call(merchant, 'markOrderDelivered', { id }),
  cancel: (id) => shop.call(merchant, 'cancelOrder', { id, reason: 'Changed my mind' }),
}

test('an order follows its state table after any events in any order, and its stock with it', async () => {
  const product = await shop.createProduct(merchant, { price: 2_500_000_000, stock: [300, 300] })
  const before = await stockEverSeen(shop.database, merchant)
  const walk = fc.array(fc.constantFrom(...(Object.keys(events) as OrderEvent[])), {
    minLength: 1,
    maxLength: 7,
  })
  await fc.assert(
    fc.asyncProperty(walk, fc.integer({ min: 1, max: 3 }), async (happenings, quantity) => {
      const { orderId } = dataOf(
        await shop.call(merchant, 'createOrder', {
          input: {
            customerId: merchant.customerId,
            items: [{ productId: product.id, quantity }],
            shippingAddress: address,
          },
        }),
      )
      const id = String(orderId)
      let expected: OrderStatus = 'PENDING'
      for (const event of happenings) {
        const next: OrderStatus | typeof refused = orderMachine[expected][event]
        const answer = await events[event](id)
        if (answer === 'skipped') continue
        if (answer !== null && next !== refused) expect(answer.kind).toBe('done')
        if (answer !== null && next === refused)
          expect(answer).toMatchObject({ id: 'SVC_BIZ_003', status: 409 })
        if (next !== refused) expected = next
        const [row] = await shop.database`SELECT status FROM ordering.order WHERE id = ${id}`
        expect(row).toEqual({ status: expected })
      }
      await expectShopToAddUp(shop.database, merchant)
      expect(await stockEverSeen(shop.database, merchant)).toBe(before)
    }),
    { numRuns: 30 },
  )
}, 90_000)
