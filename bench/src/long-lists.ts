import type postgres from '@commerce-graph/postgres-driver'

/**
 * Gives a merchant `count` active products in one category, and a tenth as many orders of one of them. It inserts by
 * sets, because this benchmark measures reads.
 */
export async function fillLongLists(
  sql: postgres.Sql,
  merchantId: string,
  count: number,
): Promise<{ readonly category: string; readonly product: string }> {
  const [category] = await sql<[{ id: string }]>`
    INSERT INTO catalog.category (merchant_id, name, slug) VALUES (${merchantId}, 'Everything', 'everything') RETURNING id`
  await sql`
    INSERT INTO catalog.product (merchant_id, name, sku, price, currency, status, slug, created_at)
    SELECT ${merchantId}, 'Product ' || md5(n::text), 'LONG-' || n, 1000 + n % 5000, 'USD', 'ACTIVE', 'long-' || n,
      now() - n * interval '1 second'
    FROM generate_series(1, ${count}::integer) n`
  await sql`
    INSERT INTO catalog.product_category (merchant_id, product_id, category_id)
    SELECT merchant_id, id, ${category.id} FROM catalog.product WHERE merchant_id = ${merchantId} AND sku LIKE 'LONG-%'`
  const [product] = await sql<[{ id: string }]>`
    SELECT id FROM catalog.product WHERE merchant_id = ${merchantId} AND sku = 'LONG-1'`
  await sql`
    WITH placed AS (
      SELECT platform.uuid_v7() AS id, platform.uuid_v7() AS address_id, n,
        (SELECT c.id FROM crm.customer c WHERE c.merchant_id = ${merchantId} ORDER BY c.id LIMIT 1) AS customer_id
      FROM generate_series(1, ${Math.floor(count / 10)}::integer) n
    ),
    address AS (
      INSERT INTO ordering.order_address (merchant_id, id, order_id, line1, city, state, postal_code, country)
      SELECT ${merchantId}, p.address_id, p.id, '1 Main Street', 'Springfield', 'IL', '62701', 'US' FROM placed p
    ),
    line AS (
      INSERT INTO ordering.order_item (merchant_id, order_id, position, product_id, quantity, price, subtotal, sku, product_name)
      SELECT ${merchantId}, p.id, 0, ${product.id}, 1, 1000, 1000, 'LONG-1', 'Product' FROM placed p
    )
    INSERT INTO ordering.order
      (merchant_id, id, order_number, customer_id, currency, subtotal, tax, shipping, discount, total, shipping_address_id, created_at)
    SELECT ${merchantId}, p.id, 'LONG-' || p.n, p.customer_id, 'USD', 1000, 0, 0, 0, 1000, p.address_id,
      now() - p.n * interval '1 minute'
    FROM placed p`
  await sql`ANALYZE`
  return { category: category.id, product: product.id }
}
