import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectShopToAddUp, stockEverSeen } from '../testing/invariants.ts'
import { fulfillmentOf, linesOf, paidOrder } from '../testing/paid-order.ts'
import { found, openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const line = fc.nat({ max: 2 })
const units = fc.integer({ min: 1, max: 4 })
const pick = fc.nat({ max: 9 })
const step = fc.oneof(
  fc.record({ kind: fc.constant('fulfill' as const), line, units, shipped: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('ship' as const, 'deliver' as const, 'unpack' as const), pick }),
  fc.record({
    kind: fc.constant('refund' as const),
    line,
    units,
    restock: fc.constantFrom(true, false, null),
    shipping: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('refundMoney' as const), amount: fc.integer({ min: 1, max: 900 }) }),
  fc.record({ kind: fc.constant('return' as const), line, units }),
  fc.record({
    kind: fc.constantFrom('approve' as const, 'reject' as const, 'receive' as const, 'refundReturn' as const),
    pick,
    restock: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('cancel' as const) }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

test('after any packing, sending, returns and refunds in any order, each unit and each cent is in one place', async () => {
  const { code } = await shop.createPromotion(merchant, { value: 13 })
  // The discount of an order without the coupon.
  await shop.createPromotion(merchant, { code: null, value: 7 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(units, { minLength: 1, maxLength: 3 }),
      fc.array(fc.integer({ min: 1, max: 2_500_000_000 }), { minLength: 3, maxLength: 3 }),
      fc.array(step, { minLength: 1, maxLength: 14 }),
      fc.boolean(),
      async (quantities, prices, steps, coupon) => {
        const { orderId, paymentId } = await paidOrder(shop, merchant, quantities, {
          prices,
          shipping: 499,
          couponCode: coupon ? code : null,
        })
        const before = await stockEverSeen(shop.database, merchant)
        for (const happening of steps) await happen(orderId, paymentId, happening)
        await expectShopToAddUp(shop.database, merchant)
        expect(await stockEverSeen(shop.database, merchant)).toBe(before)
        expect(await fulfillmentOf(shop, orderId)).toBe(await expectedFulfillment(orderId))
        await expectEndToBeWhole(paymentId)
      },
    ),
    { numRuns: 40 },
  )
}, 120_000)

/** Refunding everything that is left returns exactly the paid amount. */
async function expectEndToBeWhole(paymentId: string): Promise<void> {
  await shop.call(merchant, 'refundPayment', { id: paymentId, input: { reason: 'End of the run' } })
  const [row] = await shop.database<{ status: string; refunded: boolean; order: string }[]>`
    SELECT p.status, p.refunded_amount = p.captured_amount AS refunded, o.status AS order
    FROM payment.payment p JOIN ordering.order o ON o.id = p.order_id WHERE p.id = ${paymentId}`
  expect(row).toMatchObject({ status: 'REFUNDED', refunded: true })
  expect(['REFUNDED', 'CANCELLED']).toContain(found(row).order)
  await expectShopToAddUp(shop.database, merchant)
}

/** SPEC.md's table of statuses, applied to rows. */
async function expectedFulfillment(orderId: string): Promise<string> {
  const [row] = await shop.database<
    { due: number; packed: number; gone: number; arrived: number; back: number }[]
  >`
    SELECT
      sum(i.quantity - i.cancelled_quantity)::integer AS due, sum(i.packed_quantity)::integer AS packed,
      sum(i.fulfilled_quantity)::integer AS gone, sum(i.returned_quantity)::integer AS back,
      (
        SELECT coalesce(sum(l.quantity), 0)::integer FROM ordering.shipment s
        JOIN ordering.shipment_line l ON l.shipment_id = s.id WHERE s.order_id = ${orderId} AND s.status = 'DELIVERED'
      ) AS arrived
    FROM ordering.order_item i WHERE i.order_id = ${orderId}`
  const { due, packed, gone, arrived, back } = found(row)
  if (gone > 0 && gone === due && back === gone) return 'RETURNED'
  if (packed === 0) return 'UNFULFILLED'
  if (packed < due) return 'PARTIAL'
  if (gone < due) return 'FULFILLED'
  return arrived < due ? 'SHIPPED' : 'DELIVERED'
}

async function happen(orderId: string, paymentId: string, happening: Step): Promise<void> {
  const call = (name: string, input: object) => shop.call(merchant, name, input)
  const ids = await linesOf(shop, orderId)
  const item = (index: number, quantity: number) => ({ orderItemId: ids[index % ids.length], quantity })
  switch (happening.kind) {
    case 'fulfill':
      await call('fulfillOrder', {
        id: orderId,
        input: { items: [item(happening.line, happening.units)], shipped: happening.shipped },
      })
      return
    case 'ship':
    case 'deliver':
    case 'unpack': {
      const id = await nth('shipment', orderId, happening.pick)
      const name = { ship: 'markShipmentShipped', deliver: 'markShipmentDelivered', unpack: 'cancelShipment' }
      if (id !== undefined) await call(name[happening.kind], { id, input: {} })
      return
    }
    case 'refund':
      await call('refundOrder', {
        id: orderId,
        input: {
          items: [{ ...item(happening.line, happening.units), restock: happening.restock }],
          shipping: happening.shipping,
          reason: 'Random',
        },
      })
      return
    case 'refundMoney':
      await call('refundPayment', { id: paymentId, input: { amount: happening.amount, reason: 'Random' } })
      return
    case 'return':
      await call('requestReturn', {
        input: { orderId, items: [{ ...item(happening.line, happening.units), reason: 'OTHER' }] },
      })
      return
    case 'approve':
    case 'reject':
    case 'receive':
    case 'refundReturn': {
      const id = await nth('order_return', orderId, happening.pick)
      if (id === undefined) return
      const lines = await shop.database<{ orderItemId: string; quantity: number }[]>`
        SELECT order_item_id AS "orderItemId", quantity FROM ordering.return_line WHERE return_id = ${id}`
      const inputs = {
        approve: {},
        reject: { reason: 'Random' },
        receive: { input: { restock: happening.restock ? [...lines] : null } },
        refundReturn: { input: {} },
      }
      const names = {
        approve: 'approveReturn',
        reject: 'rejectReturn',
        receive: 'receiveReturn',
        refundReturn: 'refundReturn',
      }
      await call(names[happening.kind], { id, ...inputs[happening.kind] })
      return
    }
    case 'cancel':
      await call('cancelOrder', { id: orderId, reason: 'Random' })
      return
    default:
      happening satisfies never
  }
}

async function nth(
  table: 'shipment' | 'order_return',
  orderId: string,
  index: number,
): Promise<string | undefined> {
  const rows = await shop.database<{ id: string }[]>`
    SELECT id FROM ordering.${shop.database(table)} WHERE order_id = ${orderId} ORDER BY id`
  return rows[index % Math.max(rows.length, 1)]?.id
}
