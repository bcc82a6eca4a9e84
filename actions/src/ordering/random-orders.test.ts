import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

let shop: TestShop
let merchant: TestMerchant
let products: readonly TestProduct[]
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
  const prices = [1, 99, 1_000, 2_147_483_648, 70_368_744_177_664]
  products = await Promise.all(
    prices.map((price) => shop.createProduct(merchant, { price, stock: [40, 40] })),
  )
})
afterAll(() => shop.close())

const line = fc.record({ product: fc.integer({ min: 0, max: 4 }), quantity: fc.integer({ min: 1, max: 9 }) })
const lines = fc.array(line, { minLength: 1, maxLength: 5 })
const step = fc.oneof(
  fc.record({ kind: fc.constant('order' as const), lines }),
  fc.record({ kind: fc.constant('cart' as const), lines }),
  fc.record({ kind: fc.constant('add' as const), lines }),
  fc.record({ kind: fc.constant('change' as const), quantity: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ kind: fc.constant('remove' as const) }),
  fc.record({ kind: fc.constant('pay' as const) }),
  fc.record({ kind: fc.constant('cancel' as const) }),
)

const items = (chosen: readonly { product: number; quantity: number }[]) =>
  chosen.map(({ product, quantity }) => ({ productId: found(products[product]).id, quantity }))

test('random orders, carts, changes, payments and cancellations keep money exact and stock constant', async () => {
  const before = await stockEverSeen(shop.database, merchant)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      const open: string[] = []
      for (const happening of steps) await happen(happening, open)
      await expectShopToAddUp(shop.database, merchant)
      expect(await stockEverSeen(shop.database, merchant)).toBe(before)
      // A refused step that left something half done would show here: every unit goes back.
      for (const id of open) await shop.call(merchant, 'cancelOrder', { id, reason: 'End of the run' })
      const [stock] = await shop.database`
        SELECT sum(available)::integer AS available, sum(reserved)::integer AS reserved FROM inventory.stock_level
        WHERE merchant_id = ${merchant.merchantId}`
      expect(stock).toEqual({ available: before, reserved: 0 })
    }),
    { numRuns: 25 },
  )
}, 90_000)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function happen(happening: Step, open: string[]): Promise<void> {
  const current = open.at(-1)
  switch (happening.kind) {
    case 'order': {
      const input = {
        customerId: merchant.customerId,
        items: items(happening.lines),
        shippingAddress: address,
      }
      const answer = await shop.call(merchant, 'createOrder', { input })
      if (answer.kind === 'done') open.push(String(answer.data.orderId))
      return
    }
    case 'cart': {
      const input = { customerId: merchant.customerId, items: items(happening.lines) }
      const cart = await shop.call(merchant, 'createCart', { input })
      if (cart.kind !== 'done') return
      const [totals] =
        await shop.database`SELECT subtotal, tax FROM cart.cart_total WHERE cart_id = ${String(cart.data.cartId)}`
      const answer = await shop.call(merchant, 'checkoutCart', {
        id: cart.data.cartId,
        input: { shippingAddress: address },
      })
      const { orderId } = dataOf(answer)
      // An order costs what its cart showed.
      const [order] =
        await shop.database`SELECT subtotal, tax FROM ordering.order WHERE id = ${String(orderId)}`
      expect(order).toEqual(totals)
      open.push(String(orderId))
      return
    }
    case 'add':
      await modify(current, { addItems: items(happening.lines) })
      return
    case 'change': {
      const id = await firstLine(current)
      if (id !== undefined) await modify(current, { updateItems: [{ id, quantity: happening.quantity }] })
      return
    }
    case 'remove': {
      const id = await firstLine(current)
      if (id !== undefined) await modify(current, { removeItemIds: [id] })
      return
    }
    case 'pay':
      if (current !== undefined) {
        await shop.call(merchant, 'processPayment', { input: { orderId: current, method: 'BANK_TRANSFER' } })
      }
      return
    case 'cancel':
      if (current !== undefined) await shop.call(merchant, 'cancelOrder', { id: current, reason: 'Random' })
      return
    default:
      happening satisfies never
  }
}

async function modify(id: string | undefined, modifications: object): Promise<void> {
  if (id !== undefined) await shop.call(merchant, 'modifyOrder', { id, modifications })
}

async function firstLine(orderId: string | undefined): Promise<string | undefined> {
  const [row] = await shop.database<{ id: string }[]>`
    SELECT id FROM ordering.order_item WHERE order_id = ${orderId ?? null} ORDER BY position LIMIT 1`
  return row?.id
}
