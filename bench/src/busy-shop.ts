import type { Sql } from '@commerce-graph/postgres-driver'
import { setTimeout as sleep } from 'node:timers/promises'
import { fillSearchShop } from './search-shop.ts'

const ordersOfBatch = 5_000

/** What the requests name. */
export interface BusyShop {
  readonly categoryId: string
  readonly productSlug: string
  readonly orderId: string
  readonly cartId: string
}

/**
 * Gives a merchant so many products, as many orders of two lines each over the last year, a fifth as many customers, and carts. It
 * inserts by sets, and what the platform does afterwards (the search, sums of days) is done when it returns. A shop that is full
 * already stays as it is.
 */
export async function fillBusyShop(sql: Sql, merchantId: string, size: number): Promise<BusyShop> {
  const filled = await busyShopOf(sql, merchantId)
  if (filled !== undefined) return filled
  await fillSearchShop(sql, merchantId, size)
  await sql`
    INSERT INTO crm.customer (merchant_id, email, name)
    SELECT ${merchantId}, 'busy-' || n || '@example.com', 'Busy ' || md5(n::text)
    FROM generate_series(1, ${Math.ceil(size / 5)}::integer) n`
  await sql`CREATE UNLOGGED TABLE busy_product AS
    SELECT row_number() OVER (ORDER BY id) - 1 AS n, id, name, sku, price
    FROM catalog.product WHERE merchant_id = ${merchantId} AND sku LIKE 'SEARCH-%'`
  await sql`CREATE UNLOGGED TABLE busy_customer AS
    SELECT row_number() OVER (ORDER BY id) - 1 AS n, id
    FROM crm.customer WHERE merchant_id = ${merchantId} AND email LIKE 'busy-%'`
  await sql`ALTER TABLE busy_product ADD PRIMARY KEY (n)`
  await sql`ALTER TABLE busy_customer ADD PRIMARY KEY (n)`
  for (let from = 0; from < size; from += ordersOfBatch) {
    await createOrders(sql, merchantId, { from, to: Math.min(from + ordersOfBatch, size), of: size })
    if ((from / ordersOfBatch) % 10 === 0) console.log(`  ${from} orders`)
  }
  await createCarts(sql, merchantId)
  await sql`DROP TABLE busy_product, busy_customer`
  await sql`
    SELECT analytics.mark_stale(${merchantId}, ARRAY(SELECT o.created_at FROM ordering.order o WHERE o.merchant_id = ${merchantId}))`
  await untilReportsAreSummed(sql)
  await sql`VACUUM ANALYZE`
  const shop = await busyShopOf(sql, merchantId)
  if (shop === undefined) throw new Error('the shop was not filled')
  return shop
}

/** Undefined until it has all that the requests name; its carts come last. */
async function busyShopOf(sql: Sql, merchantId: string): Promise<BusyShop | undefined> {
  const [named] = await sql<BusyShop[]>`
    SELECT
      (SELECT c.id FROM catalog.category c WHERE c.merchant_id = ${merchantId} AND c.slug = 'search-department-1') AS "categoryId",
      (SELECT p.slug FROM catalog.product p WHERE p.merchant_id = ${merchantId} AND p.slug = 'search-77') AS "productSlug",
      o.id AS "orderId",
      c.id AS "cartId"
    FROM
      ordering.order o
      JOIN cart.cart c ON c.merchant_id = o.merchant_id
    WHERE o.merchant_id = ${merchantId} AND o.order_number = 'BUSY-77' AND c.external_id = 'busy-1'`
  return named
}

interface Range {
  readonly from: number
  readonly to: number
  readonly of: number
}

/** One order in fifty is still to be sent. */
const createOrders = (sql: Sql, merchantId: string, { from, to, of }: Range): Promise<unknown> =>
  sql.begin(async (transaction) => {
    await transaction`SELECT bulk.begin_batch(${merchantId})`
    await transaction`
      CREATE TEMPORARY TABLE placed ON COMMIT DROP AS
      SELECT
        g.n, platform.uuid_v7() AS id, platform.uuid_v7() AS address_id, c.id AS customer_id,
        now() - g.n * (interval '360 days' / ${of}::integer) AS created_at
      FROM
        generate_series(${from}::integer, ${to - 1}::integer) g (n)
        JOIN busy_customer c ON c.n = abs(hashint8(g.n)) % (SELECT count(*) FROM busy_customer)`
    await transaction`
      CREATE TEMPORARY TABLE placed_line ON COMMIT DROP AS
      SELECT p.id AS order_id, l AS position, b.id AS product_id, b.price, b.sku, b.name, 1 + (p.n + l) % 3 AS quantity
      FROM
        placed p
        CROSS JOIN generate_series(0, 1) l
        JOIN busy_product b ON b.n = (abs(hashint8(p.n)) + l * 7) % (SELECT count(*) FROM busy_product)`
    await transaction`
      WITH
        address AS (
          INSERT INTO ordering.order_address (merchant_id, id, order_id, line1, city, state, postal_code, country)
          SELECT ${merchantId}, p.address_id, p.id, '1 Main Street', 'Springfield', 'IL', '62701', 'US' FROM placed p
        ),
        line AS (
          INSERT INTO ordering.order_item
            (merchant_id, order_id, position, product_id, quantity, price, subtotal, sku, product_name, packed_quantity,
             fulfilled_quantity)
          SELECT ${merchantId}, l.order_id, l.position, l.product_id, l.quantity, l.price, l.price * l.quantity, l.sku, l.name,
            l.quantity, l.quantity
          FROM placed_line l
        )
      INSERT INTO ordering.order
        (merchant_id, id, order_number, customer_id, status, currency, subtotal, tax, shipping, discount, total,
         shipping_address_id, created_at, updated_at)
      SELECT ${merchantId}, p.id, 'BUSY-' || p.n, p.customer_id, CASE WHEN p.n % 50 = 0 THEN 'CONFIRMED' ELSE 'DELIVERED' END,
        'USD', s.subtotal, 0, 0, 0, s.subtotal, p.address_id, p.created_at, p.created_at
      FROM
        placed p
        JOIN (SELECT l.order_id, sum(l.price * l.quantity) AS subtotal FROM placed_line l GROUP BY l.order_id) s
          ON s.order_id = p.id`
    await transaction`SELECT analytics.note_purchases(${merchantId}, ARRAY(SELECT p.id FROM placed p))`
  })

/** Carts of three lines each, one in three bought. */
async function createCarts(sql: Sql, merchantId: string): Promise<void> {
  await sql.begin(async (transaction) => {
    await transaction`
      INSERT INTO cart.cart (merchant_id, currency, external_id, checked_out_at)
      SELECT ${merchantId}, 'USD', 'busy-' || n, CASE WHEN n % 3 = 0 THEN now() END FROM generate_series(1, 3000) n`
    await transaction`
      INSERT INTO cart.cart_item (merchant_id, cart_id, product_id, variant_id, quantity)
      SELECT c.merchant_id, c.id, v.product_id, v.id, 2
      FROM
        cart.cart c
        CROSS JOIN generate_series(0, 2) l
        JOIN busy_product b ON b.n = (substr(c.external_id, 6)::integer * 3 + l) % (SELECT count(*) FROM busy_product)
        JOIN catalog.product_variant v ON v.merchant_id = c.merchant_id AND v.product_id = b.id AND v.position = 0
      WHERE c.merchant_id = ${merchantId} AND c.external_id LIKE 'busy-%'`
  })
}

async function untilReportsAreSummed(sql: Sql): Promise<void> {
  for (;;) {
    const [left] = await sql<
      [{ buckets: number }]
    >`SELECT count(*)::integer AS buckets FROM analytics.stale_bucket WHERE bucket < analytics.bucket_of(now())`
    if (left.buckets === 0) return
    await sleep(500)
  }
}
