import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { promisify } from 'node:util'
import type { PlatformProcess, Ready } from '@commerce-graph/platform/testing'
import type { Sql } from '@commerce-graph/postgres-driver'
import { z } from 'zod'
import type { LimitOrder } from './limit-order-server.ts'

const productsOfShop = 1_000
const customersOfShop = 200
/** Enough for any number of orders, and below what a level can count. */
const unitsOfProduct = 1_000_000_000

/** A merchant whose orders are placed, with products that anybody may order. */
export interface OrderShop {
  readonly merchantId: string
  readonly liveKey: string
  readonly productIds: readonly string[]
  readonly customerIds: readonly string[]
}

/** Opens further shops as an operator does, by `npm run merchant`. */
export async function openShops(
  { dataDir }: PlatformProcess,
  count: number,
): Promise<readonly Pick<Ready, 'merchantId' | 'liveKey'>[]> {
  const command = path.resolve(import.meta.dirname, '../../platform/bin/merchant.ts')
  const shops = []
  for (let n = 1; n <= count; n += 1) {
    const account = ['--name', `Shop ${n}`, '--email', `shop-${n}@example.com`, '--currency', 'USD']
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [command, 'create', ...account, '--country', 'US', '--json'],
      { env: { ...process.env, DATA_DIR: dataDir, DATABASE_URL: '' } },
    )
    shops.push(z.object({ merchantId: z.string(), liveKey: z.string() }).parse(JSON.parse(stdout)))
  }
  return shops
}

/** Gives a shop its products, all in one warehouse, and its customers. */
export async function fillOrderShop(
  sql: Sql,
  { merchantId, liveKey }: Pick<Ready, 'merchantId' | 'liveKey'>,
): Promise<OrderShop> {
  await sql`
    INSERT INTO inventory.warehouse (merchant_id, name, code)
    SELECT ${merchantId}, 'Main', 'MAIN'
    WHERE NOT EXISTS (SELECT FROM inventory.warehouse w WHERE w.merchant_id = ${merchantId})`
  const products = await sql<{ id: string }[]>`
    INSERT INTO catalog.product (merchant_id, name, description, sku, price, currency, status, slug)
    SELECT ${merchantId}, 'Ordered product ' || n, 'A thing.', 'ORDERED-' || n, 1000 + n, 'USD', 'ACTIVE',
      'ordered-product-' || n
    FROM generate_series(1, ${productsOfShop}::integer) n
    RETURNING id`
  await sql`
    INSERT INTO inventory.stock_level (merchant_id, stock_item_id, warehouse_id, available)
    SELECT i.merchant_id, i.id, w.id, ${unitsOfProduct}
    FROM
      inventory.stock_item i
      JOIN LATERAL (
        SELECT w.id FROM inventory.warehouse w WHERE w.merchant_id = i.merchant_id ORDER BY w.priority, w.id LIMIT 1
      ) w ON TRUE
    WHERE i.merchant_id = ${merchantId} AND i.sku LIKE 'ORDERED-%'`
  const customers = await sql<{ id: string }[]>`
    INSERT INTO crm.customer (merchant_id, email, name)
    SELECT ${merchantId}, 'buyer-' || n || '@example.com', 'Buyer ' || n
    FROM generate_series(1, ${customersOfShop}::integer) n
    RETURNING id`
  return {
    merchantId,
    liveKey,
    productIds: products.map(({ id }) => id),
    customerIds: customers.map(({ id }) => id),
  }
}

/** Throws for an empty list. */
function oneOf<Value>(values: readonly Value[]): Value {
  const [value] = values.slice(Math.floor(Math.random() * values.length))
  if (value === undefined) throw new Error('there is nothing to choose from')
  return value
}

/** An order of one of the shops: of some customer, with so many lines of different products, each of one to three units. */
export function someOrder(
  shops: readonly OrderShop[],
  productIds: (shop: OrderShop) => readonly string[],
): LimitOrder & {
  readonly liveKey: string
} {
  const shop = oneOf(shops)
  const products = productIds(shop)
  return {
    merchantId: shop.merchantId,
    liveKey: shop.liveKey,
    customerId: oneOf(shop.customerIds),
    productIds: products,
    quantities: products.map(() => 1 + Math.floor(Math.random() * 3)),
    key: randomUUID(),
  }
}

/** So many products of the shop, each once. */
export function someProducts({ productIds }: OrderShop, count: number): readonly string[] {
  const chosen = new Set<string>()
  while (chosen.size < count) chosen.add(oneOf(productIds))
  return [...chosen]
}

export const shippingAddress = {
  line1: '1 Main Street',
  city: 'Springfield',
  state: 'IL',
  postalCode: '62701',
  country: 'US',
}

const formerOrders = 3_000

/**
 * Gives the shops a past, the platform's tables and the limits' alike. Without rows, Postgres plans to read whole tables, and its
 * sessions keep to that until the tables' statistics are made anew.
 */
export async function placeFormerOrders(sql: Sql, shops: readonly OrderShop[]): Promise<void> {
  for (let n = 0; n < formerOrders; n += 1) {
    const { merchantId, customerId, productIds, quantities, key } = someOrder(shops, (shop) =>
      someProducts(shop, 3),
    )
    const lines = productIds.map((productId, index) => ({ productId, quantity: quantities[index] ?? 1 }))
    await sql`
      SELECT ordering.place_order(
        p_merchant_id => ${merchantId}, p_customer_id => ${customerId}, p_lines => ${sql.json(lines)}, p_currency => NULL,
        p_shipping_address => ${sql.json(shippingAddress)}, p_billing_address => NULL, p_shipping_method_id => NULL,
        p_reservation_id => NULL, p_coupon_code => NULL, p_notes => NULL, p_cart_id => NULL, p_kept => NULL,
        p_by_shopper => FALSE, p_pay => '[]'
      ),
        order_limit.place_bare(${merchantId}, ${customerId}, ${[...productIds]}, ${[...quantities]}, ${key}),
        order_limit.place_promised(${merchantId}, ${customerId}, ${[...productIds]}, ${[...quantities]}, ${key})
      FROM platform.flush_later()`
  }
  await sql`VACUUM ANALYZE`
}

/**
 * Says what is wrong with the orders of the shops: a number that is missing or given twice, stock that doesn't add up to
 * what was there, or a level whose reserved units aren't those of its orders. Empty when nothing is.
 */
export const faultsOfOrders = (sql: Sql, shops: readonly OrderShop[]): Promise<readonly string[]> =>
  sql<{ fault: string }[]>`
    WITH
      shop AS (SELECT unnest(${shops.map(({ merchantId }) => merchantId)}::uuid[]) AS merchant_id),
      number AS (
        SELECT o.merchant_id, right(o.order_number, 8)::bigint AS number
        FROM ordering.order o JOIN shop USING (merchant_id)
      ),
      sold AS (
        SELECT i.merchant_id, i.product_id, sum(i.quantity) AS quantity
        FROM ordering.order_item i JOIN shop USING (merchant_id)
        GROUP BY i.merchant_id, i.product_id
      )
    SELECT format('merchant %s: %s orders have %s numbers, the last %s, the counter %s',
      n.merchant_id, count(*), count(DISTINCT n.number), max(n.number), max(c.last_number)) AS fault
    FROM number n JOIN ordering.order_number_counter c USING (merchant_id)
    GROUP BY n.merchant_id
    HAVING count(*) <> count(DISTINCT n.number) OR max(n.number) <> max(c.last_number) OR max(n.number) - min(n.number) + 1 <> count(*)
    UNION ALL
    SELECT format('stock item %s: available %s, reserved %s, sold %s', i.id, l.available, l.reserved, coalesce(s.quantity, 0))
    FROM
      inventory.stock_item i
      JOIN shop USING (merchant_id)
      JOIN inventory.stock_level l ON l.merchant_id = i.merchant_id AND l.stock_item_id = i.id
      LEFT JOIN sold s ON s.merchant_id = i.merchant_id AND s.product_id = i.product_id
    WHERE
      i.sku LIKE 'ORDERED-%'
      AND (l.available + l.reserved <> ${unitsOfProduct} OR l.reserved <> coalesce(s.quantity, 0))`.then(
    (rows) => rows.map(({ fault }) => fault),
  )
