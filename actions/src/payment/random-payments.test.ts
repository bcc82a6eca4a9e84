import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sumUpEveryQuarter } from '../testing/sum-up-every-quarter.ts'
import { manualProcessor } from '../processors/index.ts'
import { expectShopToAddUp } from '../testing/invariants.ts'
import { linesOf, paidOrder } from '../testing/paid-order.ts'
import {
  address,
  createCustomer,
  createShippingMethod,
  dataOf,
  found,
  openTestShop,
  silent,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import { reconcilePayments } from './reconciliation.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())

/** The first is the merchant's own. */
const currencies = ['USD', 'EUR', 'JPY'] as const

interface Trade {
  readonly merchant: TestMerchant
  readonly customerIds: readonly string[]
  /** Two for each currency. */
  readonly productIds: Readonly<Record<string, readonly string[]>>
  readonly shippingMethodId: string
  readonly couponCode: string
  readonly orders: { readonly id: string; paymentId: string | null }[]
}

async function beginTrade(): Promise<Trade> {
  const merchant = await shop.createMerchant()
  const productIds: Record<string, string[]> = {}
  for (const currency of currencies)
    for (const price of [333, 1999]) {
      const { id } = await shop.createProduct(merchant, { price, currency, stock: [900] })
      productIds[currency] = [...(productIds[currency] ?? []), id]
    }
  return {
    merchant,
    customerIds: [merchant.customerId, await createCustomer(shop.database, merchant.merchantId)],
    productIds,
    shippingMethodId: await createShippingMethod(shop.database, merchant, 490),
    couponCode: (await shop.createPromotion(merchant, { value: 13 })).code,
    orders: [],
  }
}

const nth = fc.nat({ max: 5 })
const percent = fc.integer({ min: 1, max: 100 })
const step = fc.oneof(
  fc.record({
    kind: fc.constant('place' as const),
    currency: fc.constantFrom(...currencies),
    quantities: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 2 }),
    customer: fc.nat({ max: 1 }),
    shipped: fc.boolean(),
    coupon: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('pay' as const),
    nth,
    captureMethod: fc.constantFrom('AUTOMATIC', 'MANUAL'),
  }),
  fc.record({ kind: fc.constant('pay' as const), nth, captureMethod: fc.constant('MANUAL') }),
  fc.record({ kind: fc.constant('capture' as const), nth, percent, final: fc.boolean() }),
  fc.record({ kind: fc.constant('void' as const), nth }),
  fc.record({ kind: fc.constant('refund' as const), nth, percent }),
  fc.record({
    kind: fc.constant('refundUnit' as const),
    nth,
    line: fc.nat({ max: 1 }),
    shipping: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('cancel' as const), nth }),
  fc.record({ kind: fc.constant('sumUp' as const) }),
)
type Happening = typeof step extends fc.Arbitrary<infer What> ? What : never

/** Does a step as a merchant would. A step that the state does not allow is refused and changes nothing. */
async function happen(trade: Trade, what: Happening): Promise<void> {
  const call = (name: string, input: object) => shop.call(trade.merchant, name, input)
  if (what.kind === 'place') return place(trade, what)
  if (what.kind === 'sumUp') {
    await sumUpEveryQuarter(shop.database)
    return
  }
  const order = trade.orders[what.nth % Math.max(1, trade.orders.length)]
  if (order === undefined) return
  const { id: orderId, paymentId } = order
  switch (what.kind) {
    case 'pay': {
      const { captureMethod } = what
      const input = { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa', captureMethod }
      const answer = await call('processPayment', { input })
      if (answer.kind === 'done') order.paymentId = String(answer.data.paymentId)
      return
    }
    case 'cancel':
      await call('cancelOrder', { id: orderId, reason: 'Test' })
      return
    case 'refundUnit': {
      const items = (await linesOf(shop, orderId)).slice(what.line, what.line + 1)
      if (items.length === 0) return
      const input = { items: items.map((orderItemId) => ({ orderItemId, quantity: 1 })), reason: 'Test' }
      await call('refundOrder', { id: orderId, input: { ...input, shipping: what.shipping } })
      return
    }
    case 'capture':
    case 'void':
    case 'refund': {
      if (paymentId === null) return
      if (what.kind === 'void') {
        await call('voidPayment', { id: paymentId })
        return
      }
      const [row] = await shop.database<{ amount: number; left: number }[]>`
        SELECT amount::integer, (captured_amount - refund_requested_amount)::integer AS left
        FROM payment.payment WHERE id = ${paymentId}`
      const { amount, left } = found(row)
      const part = (whole: number) => Math.max(1, Math.floor((whole * what.percent) / 100))
      if (what.kind === 'capture')
        await call('capturePayment', { id: paymentId, amount: part(amount), final: what.final })
      else await call('refundPayment', { id: paymentId, input: { amount: part(left), reason: 'Test' } })
      return
    }
    default:
      what satisfies never
  }
}

async function place(trade: Trade, what: Extract<Happening, { kind: 'place' }>): Promise<void> {
  const own = what.currency === currencies[0]
  const input = {
    customerId: found(trade.customerIds[what.customer]),
    items: what.quantities.map((quantity, index) => ({
      productId: found(trade.productIds[what.currency]?.[index]),
      quantity,
    })),
    shippingAddress: address,
    // Shipping is priced in the merchant's currency.
    shippingMethodId: what.shipped && own ? trade.shippingMethodId : null,
    couponCode: what.coupon ? trade.couponCode : null,
  }
  const { orderId } = dataOf(await shop.call(trade.merchant, 'createOrder', { input }))
  trade.orders.push({ id: String(orderId), paymentId: null })
}

/** By currency; zeros are omitted. */
type Money = Readonly<Record<string, number>>

function money(rows: readonly { currency: string; amount: number }[]): Money {
  const sums: Record<string, number> = {}
  for (const { currency, amount } of rows) sums[currency] = (sums[currency] ?? 0) + amount
  return Object.fromEntries(Object.entries(sums).filter(([, amount]) => amount !== 0))
}

/** The money that the processor has taken and not returned, by its own records. */
const heldByProcessor = async ({ merchantId }: TestMerchant) =>
  money(
    await shop.database`
      SELECT upper(i.body ->> 'currency') AS currency, ((i.body ->> 'amount_received')::bigint - (
        SELECT coalesce(sum((r.body ->> 'amount')::bigint), 0) FROM sandbox_processor.refund r
        WHERE r.body ->> 'payment_intent' = i.id
      ))::integer AS amount
      FROM sandbox_processor.payment_intent i
      WHERE i.body #>> '{metadata,merchant_id}' = ${merchantId}`,
  )

const ledger = async ({ merchantId }: TestMerchant) =>
  money(
    await shop.database`
      SELECT p.currency, (p.captured_amount - (
        SELECT coalesce(sum(r.amount), 0) FROM payment.refund r WHERE r.payment_id = p.id AND r.status = 'SUCCEEDED'
      ))::integer AS amount
      FROM payment.payment p WHERE p.merchant_id = ${merchantId}`,
  )

async function reported({ merchantId }: TestMerchant, metrics: readonly string[], groupBy: string | null) {
  const rows = await shop.database<{ metric: string; currency: string; amount: number }[]>`
    SELECT metric, currency, value::integer AS amount FROM analytics.report_of(
      ${merchantId}, ${metrics}, current_date - 1, current_date + 1, NULL, 'UTC', ${groupBy}, 100, NULL, false
    )`
  return (...names: readonly string[]) => money(rows.filter(({ metric }) => names.includes(metric)))
}

const minus = (a: Money, b: Money): Money =>
  money([
    ...Object.entries(a).map(([currency, amount]) => ({ currency, amount })),
    ...Object.entries(b).map(([currency, amount]) => ({ currency, amount: -amount })),
  ])

/** Compares the money in reports, customers, the ledger and the processor, which must be equal. Returns it. */
async function expectMoneyToAgree({ merchant }: Trade): Promise<Money> {
  const held = await heldByProcessor(merchant)
  expect(await ledger(merchant)).toEqual(held)
  const whole = await reported(merchant, ['REVENUE', 'SHIPPING', 'TAX', 'TOTAL_SALES', 'REFUNDED'], null)
  expect(whole('REVENUE', 'SHIPPING', 'TAX')).toEqual(whole('TOTAL_SALES'))
  expect(minus(whole('TOTAL_SALES'), whole('REFUNDED'))).toEqual(held)
  const byProduct = await reported(merchant, ['REVENUE', 'TAX'], 'PRODUCT')
  for (const metric of ['REVENUE', 'TAX']) expect(byProduct(metric)).toEqual(whole(metric))
  const products = await shop.database<{ currency: string; amount: number }[]>`
    SELECT p.currency, s.revenue::integer AS amount FROM analytics.product_sales s
    JOIN catalog.product p ON p.merchant_id = s.merchant_id AND p.id = s.product_id
    WHERE s.merchant_id = ${merchant.merchantId}`
  expect(money(products)).toEqual(whole('REVENUE'))
  const spent = await shop.database<{ currency: string; amount: number }[]>`
    SELECT currency, amount::integer FROM crm.customer_spending WHERE merchant_id = ${merchant.merchantId}`
  expect(money(spent)).toEqual(held)
  const [total] = await shop.database<{ amount: number }[]>`
    SELECT sum(total_spent)::integer AS amount FROM crm.customer_total WHERE merchant_id = ${merchant.merchantId}`
  expect(found(total).amount).toBe(held[currencies[0]] ?? 0)
  return held
}

describe('the revenue of reports and customers', () => {
  test('is the captured minus the refunded money, after any history of payments in several currencies', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 24 }), async (steps) => {
        const trade = await beginTrade()
        for (const what of steps) await happen(trade, what)
        await reconcilePayments({
          database: shop.database,
          processors: [shop.cardProcessor, manualProcessor],
          after: 0,
          logger: silent,
        })
        await expectMoneyToAgree(trade)
        await sumUpEveryQuarter(shop.database)
        await expectMoneyToAgree(trade)
        await expectShopToAddUp(shop.database, trade.merchant)

        for (const { paymentId } of trade.orders)
          if (paymentId !== null)
            await shop.call(trade.merchant, 'refundPayment', { id: paymentId, input: { reason: 'All back' } })
        expect(await expectMoneyToAgree(trade)).toEqual({})
      }),
      { numRuns: 25 },
    )
  }, 120_000)

  test('of a partly captured order is that part, and zero once it is refunded', async () => {
    const trade = await beginTrade()
    const { merchant } = trade
    const { paymentId, orderId } = await paidOrder(shop, merchant, [2, 1], {
      prices: [2000, 6000],
      payment: { captureMethod: 'MANUAL' },
    })
    dataOf(await shop.call(merchant, 'capturePayment', { id: paymentId, amount: 1000 }))
    const sales = ['GROSS_SALES', 'DISCOUNTS', 'REVENUE', 'TAX', 'TOTAL_SALES', 'REFUNDED']
    const before = await reported(merchant, sales, null)
    expect(Object.fromEntries(sales.map((metric) => [metric, before(metric).USD ?? 0]))).toEqual({
      // The price of the lines; a part of it was paid.
      GROSS_SALES: 10_000,
      DISCOUNTS: 0,
      REVENUE: 924,
      TAX: 76,
      TOTAL_SALES: 1000,
      REFUNDED: 0,
    })
    // A refund of a line returns what was captured for it.
    const [first] = await linesOf(shop, orderId)
    const items = [{ orderItemId: first, quantity: 2 }]
    dataOf(await shop.call(merchant, 'refundOrder', { id: orderId, input: { items, reason: 'Test' } }))
    expect(await expectMoneyToAgree(trade)).toEqual({ USD: 600 })
    dataOf(await shop.call(merchant, 'refundPayment', { id: paymentId, input: { reason: 'Test' } }))
    expect(await expectMoneyToAgree(trade)).toEqual({})
  })

  test('is never added over currencies: totals, tiers and segments count the merchant’s own', async () => {
    const { merchant, productIds } = await beginTrade()
    const { merchantId, customerId } = merchant
    await shop.database`UPDATE crm.loyalty_program SET tier_basis = 'TOTAL_SPENT' WHERE merchant_id = ${merchantId}`
    await shop.database`
      INSERT INTO crm.loyalty_tier (merchant_id, name, threshold) VALUES (${merchantId}, 'Own', 2164), (${merchantId}, 'Sum', 2165)`
    await shop.database`
      INSERT INTO crm.segment (merchant_id, name, total_spent_min) VALUES (${merchantId}, 'Own', 2164), (${merchantId}, 'Sum', 2165)`
    for (const currency of ['USD', 'EUR']) {
      const items = [{ productId: productIds[currency]?.[1], quantity: 1 }]
      const input = { customerId, items, shippingAddress: address }
      const { orderId } = dataOf(await shop.call(merchant, 'createOrder', { input }))
      dataOf(
        await shop.call(merchant, 'processPayment', {
          input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa' },
        }),
      )
    }
    const standing = () => shop.database`
      SELECT t.total_spent::integer, t.order_count, t.average_order_value::integer, l.tier_name,
        (SELECT array_agg(s.name) FROM crm.segment_member m JOIN crm.segment s ON s.id = m.segment_id WHERE m.customer_id = t.customer_id) AS segments
      FROM crm.customer_total t JOIN crm.customer_loyalty l ON l.customer_id = t.customer_id WHERE t.customer_id = ${customerId}`
    const own = { total_spent: 2164, average_order_value: 2164, tier_name: 'Own', segments: ['Own'] }
    expect(await standing()).toEqual([{ ...own, order_count: 2 }])
    const spending = () => shop.database`
      SELECT currency, amount::integer, order_count FROM crm.customer_spending WHERE customer_id = ${customerId} ORDER BY currency`
    expect(await spending()).toEqual([
      { currency: 'EUR', amount: 2164, order_count: 1 },
      { currency: 'USD', amount: 2164, order_count: 1 },
    ])
    const payments = await shop.database<{ id: string }[]>`
      SELECT id FROM payment.payment WHERE merchant_id = ${merchantId}`
    for (const { id } of payments)
      dataOf(await shop.call(merchant, 'refundPayment', { id, input: { reason: 'Test' } }))
    // A refunded line still counts as bought.
    expect(await standing()).toEqual([
      { total_spent: 0, order_count: 2, average_order_value: 0, tier_name: null, segments: null },
    ])
    expect(await spending()).toEqual([
      { currency: 'EUR', amount: 0, order_count: 1 },
      { currency: 'USD', amount: 0, order_count: 1 },
    ])
  })
})
