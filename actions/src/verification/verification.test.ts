import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sumUpEveryQuarter } from '../testing/sum-up-every-quarter.ts'
import type { Queryable } from '../database.ts'
import { findProcessor } from '../payment/index.ts'
import { linesOf, paidOrder } from '../testing/paid-order.ts'
import { dataOf, found, openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'
import { verifyPayments, verifyRows } from './index.ts'

let shop: TestShop
let merchant: TestMerchant
let orderId: string
let rules: readonly string[]

beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
  const { code } = await shop.createPromotion(merchant, { type: 'PERCENTAGE', value: 7 })
  ;({ orderId } = await paidOrder(shop, merchant, [3, 2], {
    prices: [333, 101],
    shipping: 499,
    couponCode: code,
  }))
  const [first] = await linesOf(shop, orderId)
  dataOf(
    await shop.call(merchant, 'refundOrder', {
      id: orderId,
      input: { items: [{ orderItemId: first, quantity: 1 }], reason: 'Test' },
    }),
  )
  const { merchantId, customerId } = merchant
  dataOf(
    await shop.call(merchant, 'adjustLoyaltyPoints', { input: { customerId, points: 5, reason: 'Test' } }),
  )
  await shop.database`
    WITH root AS (INSERT INTO catalog.category (merchant_id, name, slug) VALUES (${merchantId}, 'Root', 'root') RETURNING id)
    INSERT INTO catalog.category (merchant_id, name, slug, parent_id) SELECT ${merchantId}, 'Leaf', 'leaf', id FROM root`
  await shop.database`
    INSERT INTO catalog.product_category (merchant_id, product_id, category_id)
    SELECT ${merchantId}, p.id, c.id FROM catalog.product p, catalog.category c
    WHERE p.merchant_id = ${merchantId} AND c.merchant_id = ${merchantId} AND c.slug = 'leaf'`
  await sumUpEveryQuarter(shop.database)
  const rows = await shop.database<{ rule: string }[]>`
    SELECT viewname AS rule FROM pg_views WHERE schemaname = 'verification' ORDER BY viewname`
  rules = rows.map(({ rule }) => rule)
})
afterAll(() => shop.close())

/** What breaks each rule, written past every trigger and foreign key. */
const faults: Readonly<Record<string, (sql: Queryable, merchantId: string) => Promise<unknown>>> = {
  category_levels: (sql, id) =>
    sql`UPDATE catalog.category SET level = 3 WHERE merchant_id = ${id} AND slug = 'leaf'`,
  category_products: (sql, id) => sql`DELETE FROM catalog.category_product WHERE merchant_id = ${id}`,
  file_bytes: (sql, id) => sql`INSERT INTO files.usage (merchant_id, bytes) VALUES (${id}, 7)`,
  first_purchases: (sql, id) =>
    sql`UPDATE analytics.first_purchase SET paid_at = paid_at + interval '1 second' WHERE merchant_id = ${id}`,
  item_standing: (sql, id) =>
    sql`UPDATE inventory.stock_item SET needs_restock = NOT needs_restock WHERE merchant_id = ${id}`,
  loyalty_points: (sql, id) =>
    sql`UPDATE crm.loyalty_account SET points = points + 1 WHERE merchant_id = ${id}`,
  order_lines: (sql, id) => sql`UPDATE ordering.order_item SET tax = tax + 1 WHERE merchant_id = ${id}`,
  order_units: (sql, id) => sql`UPDATE ordering.order_item SET packed_quantity = 1 WHERE merchant_id = ${id}`,
  payment_refunds: (sql, id) => sql`UPDATE payment.payment SET refunded_amount = 0 WHERE merchant_id = ${id}`,
  product_orders: (sql, id) => sql`DELETE FROM ordering.product_order WHERE merchant_id = ${id}`,
  product_prices: (sql, id) => sql`UPDATE catalog.product SET lowest_price = 1 WHERE merchant_id = ${id}`,
  products_in_stock: (sql, id) =>
    sql`UPDATE catalog.product SET in_stock = NOT in_stock WHERE merchant_id = ${id}`,
  product_reports: (sql, id) =>
    sql`UPDATE analytics.product_rollup SET gross = gross + 1 WHERE merchant_id = ${id}`,
  promotion_uses: (sql, id) => sql`UPDATE promotion.promotion SET usage_count = 7 WHERE merchant_id = ${id}`,
  refund_lines: (sql, id) =>
    sql`UPDATE payment.refund_line SET amount = amount - 1 WHERE merchant_id = ${id}`,
  refunded_lines: (sql, id) => sql`UPDATE payment.refund_line SET quantity = 3 WHERE merchant_id = ${id}`,
  sales_reports: (sql, id) => sql`DELETE FROM analytics.sales_rollup WHERE merchant_id = ${id}`,
  search_documents: (sql, id) => sql`DELETE FROM search.document WHERE merchant_id = ${id}`,
  search_tallies: (sql, id) =>
    sql`INSERT INTO search.tallied_scope (merchant_id, counted) VALUES (${id}, TRUE)`,
  stock_ledger: (sql, id) =>
    sql`UPDATE inventory.stock_level SET available = available + 1 WHERE merchant_id = ${id}`,
  stock_reports: (sql, id) => sql`UPDATE analytics.stock_rollup SET received = 0 WHERE merchant_id = ${id}`,
  stock_reserved: (sql, id) => sql`
    UPDATE inventory.reservation SET status = 'RELEASED' WHERE merchant_id = ${id} AND status IN ('ACTIVE', 'COMMITTED')`,
}

class Undone extends Error {}

/** The rules that are broken after the fault, which is undone. */
async function brokenBy(fault: (sql: Queryable) => Promise<unknown>): Promise<readonly string[]> {
  let broken: readonly string[] = []
  await shop.database
    .begin(async (sql) => {
      await sql`SET LOCAL session_replication_role = replica`
      await fault(sql)
      const verdicts = await Array.fromAsync(verifyRows(sql, { mostShown: 1 }))
      broken = verdicts.filter(({ disagreements }) => disagreements > 0).map(({ rule }) => rule)
      throw new Undone()
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error
    })
  return broken
}

test('an intact shop keeps every rule', async () => {
  const verdicts = await Array.fromAsync(verifyRows(shop.database, { mostShown: 3 }))
  expect(verdicts.map(({ rule }) => rule)).toEqual(rules)
  expect(verdicts.filter(({ disagreements }) => disagreements > 0)).toEqual([])
})

test('every rule finds what breaks it, and names the merchant', async () => {
  expect(Object.keys(faults).toSorted()).toEqual(rules)
  for (const [rule, fault] of Object.entries(faults))
    expect(await brokenBy((sql) => fault(sql, merchant.merchantId)), rule).toContain(rule)
})

test('a merchant’s rules are not broken by another merchant’s rows', async () => {
  const other = await shop.createMerchant()
  await shop.createProduct(other, { price: 100, stock: [3] })
  let verdicts: unknown[] = []
  await brokenBy(async (sql) => {
    await sql`UPDATE inventory.stock_level SET available = 9 WHERE merchant_id = ${other.merchantId}`
    const mine = await Array.fromAsync(verifyRows(sql, { merchantId: merchant.merchantId, mostShown: 3 }))
    verdicts = mine.filter(({ disagreements }) => disagreements > 0)
  })
  expect(verdicts).toEqual([])
})

describe('payments', () => {
  const compare = (since = new Date(0)) =>
    verifyPayments(shop.database, {
      processorOf: findProcessor([shop.cardProcessor], shop.accounts),
      since,
      mostShown: 5,
    })
  const fieldOfIntent = (set: string) => shop.database`
    UPDATE sandbox_processor.payment_intent SET body = body || ${set}::text::jsonb WHERE body -> 'metadata' ->> 'order_id' = ${orderId}`

  test('agree with the processor’s books', async () => {
    expect(await compare()).toMatchObject({ rule: 'processor_payments', disagreements: 0 })
  })

  test('of which the processor has taken another amount are found', async () => {
    const [{ received } = { received: 0 }] = await shop.database<{ received: number }[]>`
      SELECT (body ->> 'amount_received')::integer AS received FROM sandbox_processor.payment_intent
      WHERE body -> 'metadata' ->> 'order_id' = ${orderId}`
    await fieldOfIntent(JSON.stringify({ amount_received: received - 1 }))
    const { shown } = await compare()
    expect(shown).toHaveLength(1)
    expect(found(shown[0]).disagreement).toBe(`took ${received}, but sandbox has ${received - 1}`)
    expect(await compare(new Date(Date.now() + 60_000))).toMatchObject({ disagreements: 0 })
    await fieldOfIntent(JSON.stringify({ amount_received: received }))
  })

  test('of which the processor has given back another amount are found', async () => {
    await shop.database`UPDATE sandbox_processor.refund SET body = body || '{"amount": 1}'`
    const { shown } = await compare()
    expect(found(shown[0]).disagreement).toMatch(/^gave back \d+, but sandbox has 1$/)
  })
})
