import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answer } from '../action/answer.ts'
import { expectShopToAddUp, stockEverSeen } from '../testing/invariants.ts'
import {
  address,
  dataOf,
  found,
  openTestShop,
  type TestMerchant,
  type TestProduct,
  type TestShop,
} from '../testing/test-shop.ts'
import { settleProducts } from '../inventory/index.ts'
import * as inventory from '../sql/generated/inventory.ts'
import { lapseUnpaidOrders } from './orders.ts'

const clients = 8
const stockOfWarehouse = 30

let shop: TestShop
let merchant: TestMerchant
let products: readonly TestProduct[]
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
  products = await Promise.all(
    Array.from({ length: 4 }, () =>
      shop.createProduct(merchant, { stock: [stockOfWarehouse, stockOfWarehouse] }),
    ),
  )
})
afterAll(() => shop.close())

const line = fc.record({ product: fc.nat({ max: 3 }), quantity: fc.integer({ min: 1, max: 3 }) })
const lines = fc.uniqueArray(line, { minLength: 1, maxLength: 4, selector: ({ product }) => product })
/** Which of the orders or reservations that there are by then. */
const which = fc.nat({ max: 1_000 })
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('order' as const), lines }) },
  fc.record({ kind: fc.constant('order twice' as const), lines }),
  fc.record({ kind: fc.constant('check out twice' as const), lines }),
  fc.record({ kind: fc.constant('reserve' as const), lines }),
  fc.record({ kind: fc.constant('release' as const), which }),
  fc.record({ kind: fc.constant('expire' as const) }),
  fc.record({ kind: fc.constant('lapse' as const), which }),
  fc.record({ kind: fc.constant('add' as const), which, lines }),
  fc.record({ kind: fc.constant('pay' as const), which }),
  fc.record({ kind: fc.constant('send' as const), which }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which }) },
  fc.record({ kind: fc.constant('count' as const), product: fc.nat({ max: 3 }) }),
  fc.record({ kind: fc.constant('archive for a moment' as const), product: fc.nat({ max: 3 }) }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type Lines = Extract<Step, { kind: 'order' }>['lines']

/** What the clients of a run have made, which any of them goes on with. */
interface Made {
  readonly orders: string[]
  readonly reservations: string[]
  /** Units that were found in the shelves. */
  found: number
}

const oneOf = (made: readonly string[], chosen: number): string => made[chosen % made.length] ?? randomUUID()

const items = (chosen: Lines) =>
  chosen.map(({ product, quantity }) => ({ productId: found(products[product]).id, quantity }))

const skus = (chosen: Lines) =>
  chosen.map(({ product, quantity }) => ({ sku: found(products[product]).sku, quantity }))

const placing = (chosen: Lines) => ({
  input: { customerId: merchant.customerId, items: items(chosen), shippingAddress: address },
})

function note(orders: string[], answers: readonly Answer[]): void {
  const ids = answers.flatMap((answer) => (answer.kind === 'done' ? [String(answer.data['orderId'])] : []))
  // However often it is sent: one key, one cart, one order.
  expect(new Set(ids).size).toBeLessThanOrEqual(1)
  orders.push(...new Set(ids))
}

async function happen(happening: Step, made: Made): Promise<void> {
  switch (happening.kind) {
    case 'order':
      note(made.orders, [await shop.call(merchant, 'createOrder', placing(happening.lines))])
      return
    case 'order twice': {
      const [request, idempotencyKey] = [placing(happening.lines), randomUUID()]
      const place = () => shop.call(merchant, 'createOrder', request, { idempotencyKey })
      note(made.orders, await Promise.all([place(), place()]))
      return
    }
    case 'check out twice': {
      const input = { customerId: merchant.customerId, items: items(happening.lines) }
      const cart = await shop.call(merchant, 'createCart', { input })
      if (cart.kind !== 'done') return
      const id = cart.data['cartId']
      const checkOut = () => shop.call(merchant, 'checkoutCart', { id, input: { shippingAddress: address } })
      note(made.orders, await Promise.all([checkOut(), checkOut()]))
      return
    }
    case 'reserve': {
      const answer = await shop.call(merchant, 'reserveInventory', { items: skus(happening.lines) })
      if (answer.kind === 'done') made.reservations.push(String(answer.data['reservationId']))
      return
    }
    case 'release':
      await shop.call(merchant, 'releaseReservation', {
        id: oneOf(made.reservations, happening.which),
      })
      return
    case 'expire':
      await shop.database`
        UPDATE inventory.reservation SET expires_at = now()
        WHERE merchant_id = ${merchant.merchantId} AND status = 'ACTIVE' AND order_id IS NULL`
      await inventory.expireReservations(shop.database, { merchantId: merchant.merchantId, limit: 5 })
      return
    case 'lapse':
      await shop.database`
        UPDATE inventory.reservation SET expires_at = now()
        WHERE merchant_id = ${merchant.merchantId} AND status = 'ACTIVE'
          AND order_id = ${oneOf(made.orders, happening.which)}`
      await lapseUnpaidOrders(shop.database)
      return
    case 'add':
      await shop.call(merchant, 'modifyOrder', {
        id: oneOf(made.orders, happening.which),
        modifications: { addItems: items(happening.lines) },
      })
      return
    case 'pay':
      await shop.call(merchant, 'processPayment', {
        input: { orderId: oneOf(made.orders, happening.which), method: 'CASH' },
      })
      return
    case 'send':
      await shop.call(merchant, 'fulfillOrder', { id: oneOf(made.orders, happening.which), input: {} })
      return
    case 'cancel':
      await shop.call(merchant, 'cancelOrder', {
        id: oneOf(made.orders, happening.which),
        reason: 'Random',
      })
      return
    case 'count':
      dataOf(
        await shop.call(merchant, 'adjustInventory', {
          input: { sku: found(products[happening.product]).sku, delta: 2, reason: 'Found' },
        }),
      )
      made.found += 2
      return
    case 'archive for a moment': {
      const { id } = found(products[happening.product])
      for (const status of ['ARCHIVED', 'ACTIVE'])
        await asTheEngine(
          () => shop.database`
            UPDATE catalog.product SET status = ${status} WHERE merchant_id = ${merchant.merchantId} AND id = ${id}`,
        )
      return
    }
    default:
      happening satisfies never
  }
}

/** An edit gives way to orders, and the engine runs it again. */
async function asTheEngine(edit: () => PromiseLike<unknown>, attempts = 4): Promise<void> {
  try {
    await edit()
  } catch (error) {
    if ((error as { code?: string }).code !== '55P03' || attempts === 1) throw error
    await asTheEngine(edit, attempts - 1)
  }
}

/** Each client takes the next step, as long as there is one. Rejects with what a step threw: a deadlock, for example. */
async function race(steps: readonly Step[], made: Made): Promise<void> {
  const left = [...steps]
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await happen(next, made)
  }
  await Promise.all(Array.from({ length: clients }, work))
}

test('random operations at once end without a deadlock, oversell nothing, and leave no number out', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
      const before = await stockEverSeen(shop.database, merchant)
      const made: Made = { orders: [], reservations: [], found: 0 }
      await race(steps, made)
      await settleProducts(shop.database)
      await expectShopToAddUp(shop.database, merchant)
      expect(await stockEverSeen(shop.database, merchant)).toBe(before + made.found)
      const [numbers] = await shop.database<{ orders: number; given: number; span: number }[]>`
        SELECT count(*)::integer AS orders, count(DISTINCT n)::integer AS given,
          coalesce(max(n) - min(n) + 1, 0)::integer AS span
        FROM (
          SELECT right(o.order_number, 8)::bigint AS n FROM ordering.order o
          WHERE o.merchant_id = ${merchant.merchantId}
        ) x`
      const { orders } = found(numbers)
      expect(numbers).toEqual({ orders, given: orders, span: orders })
    }),
    { numRuns: 6, endOnFailure: true },
  )
}, 120_000)
