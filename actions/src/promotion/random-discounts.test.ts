import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectShopToAddUp } from '../testing/invariants.ts'
import {
  address,
  createShippingMethod,
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
let parcel: string
const shippingCost = 733n
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
  const prices = [1, 99, 1_000, 2_147_483_648, 70_368_744_177_664]
  products = await Promise.all(
    prices.map((price) => shop.createProduct(merchant, { price, stock: [900_000] })),
  )
  parcel = await createShippingMethod(shop.database, merchant, Number(shippingCost))
})
afterAll(() => shop.close())

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n)

/** Rounded half up, for values that are not negative. */
const divide = (numerator: bigint, denominator: bigint): bigint =>
  (2n * numerator + denominator) / (2n * denominator)

/** The promotion and the tax as documented, calculated without SQL. */
function sumsWith(lines: readonly Line[], promotion: Promotion, shipping: bigint) {
  const subtotals = lines.map(({ product, quantity }) => BigInt(found(products[product]).price * quantity))
  const covers = ({ product }: Line) => promotion.covered.length === 0 || promotion.covered.includes(product)
  const base = sum(subtotals.filter((_, index) => covers(found(lines[index]))))
  const max = promotion.max === null ? null : BigInt(promotion.max)
  const value = BigInt(promotion.value)
  const atMost = (amount: bigint, limit: bigint | null) => (limit !== null && limit < amount ? limit : amount)
  const uncapped = {
    PERCENTAGE: divide(base * (value % 100n) + base, 100n),
    FIXED_AMOUNT: atMost(value, base),
    FREE_SHIPPING: shipping,
  }[promotion.type]
  const applies = lines.some(covers)
  const discount = applies ? atMost(uncapped, max) : 0n
  const onGoods = promotion.type === 'FREE_SHIPPING' ? 0n : discount
  const tax = divide((sum(subtotals) - onGoods) * 825n, 10_000n)
  return { promotion, subtotals, discount, onGoods, tax, applies }
}

/** The purchase's own promotion, or the one without a code if that gives a larger discount. */
function expectedSums(
  lines: readonly Line[],
  own: Promotion,
  automatic: Promotion | null,
  shipping = shippingCost,
) {
  const sums = sumsWith(lines, own, shipping)
  const others = automatic && sumsWith(lines, automatic, shipping)
  return others && others.discount > sums.discount ? others : sums
}

const line = fc.record({ product: fc.nat({ max: 4 }), quantity: fc.integer({ min: 1, max: 9 }) })
type Line = typeof line extends fc.Arbitrary<infer T> ? T : never
const lines = fc.uniqueArray(line, { minLength: 1, maxLength: 5, selector: ({ product }) => product })
const promotion = fc.record({
  type: fc.constantFrom('PERCENTAGE', 'FIXED_AMOUNT', 'FREE_SHIPPING'),
  value: fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 2_147_483_647 })),
  max: fc.option(fc.oneof(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 9_000_000_000 }))),
  covered: fc.uniqueArray(fc.nat({ max: 4 }), { maxLength: 3 }),
})
type Promotion = typeof promotion extends fc.Arbitrary<infer T> ? T : never

const createPromotion = ({ type, value, max, covered }: Promotion, columns: { code?: null } = {}) =>
  shop.createPromotion(merchant, {
    ...columns,
    type,
    value: type === 'PERCENTAGE' ? (value % 100) + 1 : value,
    max_discount_amount: max,
    product_ids: covered.length === 0 ? null : covered.map((index) => found(products[index]).id),
  })

const items = (chosen: readonly Line[]) =>
  chosen.map(({ product, quantity }) => ({ productId: found(products[product]).id, quantity }))

interface OrderRow {
  readonly [column: string]: string | string[]
}

async function amountsOf(orderId: unknown) {
  const [order] = await shop.database<OrderRow[]>`
    SELECT o.subtotal::text, o.tax::text, o.discount::text, o.shipping_discount::text, o.total::text, i.*
    FROM ordering.order o
    CROSS JOIN LATERAL (
      SELECT array_agg(x.discount::text ORDER BY x.position) AS discounts, array_agg(x.tax::text ORDER BY x.position) AS taxes
      FROM ordering.order_item x WHERE x.order_id = o.id
    ) i
    WHERE o.id = ${String(orderId)}`
  return Object.fromEntries(
    Object.entries(found(order)).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(BigInt) : BigInt(value),
    ]),
  ) as Record<'subtotal' | 'tax' | 'discount' | 'total', bigint> & Record<'discounts' | 'taxes', bigint[]>
}

test('an amount is divided into whole units that add up, each less than a unit from its exact part', async () => {
  const weights = fc.array(fc.bigInt({ min: 0n, max: 9_007_199_254_740_991n }), {
    minLength: 1,
    maxLength: 12,
  })
  await fc.assert(
    fc.asyncProperty(weights, fc.double({ min: 0, max: 1, noNaN: true }), async (given, share) => {
      const total = sum(given)
      const amount = (total * BigInt(Math.round(share * 1e6))) / 1_000_000n
      const [row] = await shop.database<{ parts: string[] }[]>`
        SELECT platform.allocate(${String(amount)}::numeric, ${given.map(String)}::bigint[])::text[] AS parts`
      const parts = found(row).parts.map(BigInt)
      expect(sum(parts)).toBe(amount)
      parts.forEach((part, index) => {
        const weight = found(given[index])
        const distance = part * total - amount * weight
        expect(part <= weight && part >= 0n).toBe(true)
        if (total > 0n) expect(distance < total && -distance < total).toBe(true)
      })
    }),
    { numRuns: 200 },
  )
})

test('random promotions on random carts, with and without a code, equal exact integer arithmetic, and lines add up', async () => {
  await fc.assert(
    fc.asyncProperty(
      lines,
      promotion,
      fc.option(promotion),
      lines,
      async (chosen, terms, automatic, added) => {
        await shop.database`UPDATE promotion.promotion SET disabled = true WHERE code IS NULL`
        const { code } = await createPromotion(terms)
        if (automatic) await createPromotion(automatic, { code: null })
        const input = { customerId: merchant.customerId, items: items(chosen) }
        const { cartId } = dataOf(await shop.call(merchant, 'createCart', { input }))
        const applied = await shop.call(merchant, 'applyCoupon', { cartId, code })
        const { applies } = sumsWith(chosen, terms, shippingCost)
        expect(applied.kind).toBe(applies ? 'done' : 'invalid')
        if (!applies) return
        const shown = expectedSums(chosen, terms, automatic, 0n)
        const [totals] = await shop.database<{ discount: string; tax: string }[]>`
        SELECT discount::text, tax::text FROM cart.cart_total WHERE cart_id = ${String(cartId)}`
        expect(totals).toEqual({ discount: String(shown.discount), tax: String(shown.tax) })
        const expected = expectedSums(chosen, terms, automatic)
        const checkout = { id: cartId, input: { shippingAddress: address, shippingMethodId: parcel } }
        const { orderId } = dataOf(await shop.call(merchant, 'checkoutCart', checkout))
        await expectOrder(orderId, expected)

        const modifications = { addItems: items(added) }
        dataOf(await shop.call(merchant, 'modifyOrder', { id: orderId, modifications }))
        const merged = [...chosen, ...added].reduce(
          (all, { product, quantity }) => all.set(product, (all.get(product) ?? 0) + quantity),
          new Map<number, number>(),
        )
        const now = [...merged].map(([product, quantity]) => ({ product, quantity }))
        const modified = expectedSums(now, expected.promotion, automatic)
        await expectOrder(orderId, modified)
        dataOf(await shop.call(merchant, 'cancelOrder', { id: orderId, reason: 'End of the run' }))
      },
    ),
    { numRuns: 60 },
  )
  await expectShopToAddUp(shop.database, merchant)
}, 120_000)

async function expectOrder(orderId: unknown, expected: ReturnType<typeof sumsWith>): Promise<void> {
  const order = await amountsOf(orderId)
  expect(order).toMatchObject({
    subtotal: sum(expected.subtotals),
    discount: expected.discount,
    tax: expected.tax,
    total: sum(expected.subtotals) + expected.tax + shippingCost - expected.discount,
  })
  expect(sum(order.discounts)).toBe(expected.onGoods)
  expect(sum(order.taxes)).toBe(expected.tax)
}
