import type postgres from '@commerce-graph/postgres-driver'

/**
 * Gives a merchant `count` active products with three images, two categories and stock in two warehouses each, so that
 * a page of 20 is one of many. It inserts by sets, because this benchmark measures reads.
 */
export async function createManyProducts(
  sql: postgres.Sql,
  merchantId: string,
  count: number,
): Promise<void> {
  await sql.begin(async (transaction) => {
    await transaction`
      INSERT INTO catalog.product (merchant_id, name, description, sku, price, currency, status, slug, tags, created_at)
      SELECT ${merchantId}, 'Bench product ' || n, repeat('A thing that is good to have. ', 6), 'BENCH-' || n,
        1000 + n % 5000, 'USD', 'ACTIVE', 'bench-product-' || n, ARRAY['bench', 'tag-' || n % 7],
        now() - n * interval '1 second'
      FROM generate_series(1, ${count}::integer) n`
    await transaction`
      INSERT INTO catalog.product_image (merchant_id, product_id, url, alt, width, height, position)
      SELECT p.merchant_id, p.id, 'https://cdn.example.com/' || p.sku || '/' || i || '.webp', p.name, 1200, 800, i
      FROM catalog.product p CROSS JOIN generate_series(1, 3) i
      WHERE p.merchant_id = ${merchantId} AND p.sku LIKE 'BENCH-%'`
    await transaction`
      INSERT INTO catalog.category (merchant_id, name, slug)
      SELECT ${merchantId}, 'Bench category ' || n, 'bench-category-' || n FROM generate_series(1, 20) n`
    await transaction`
      INSERT INTO catalog.product_category (merchant_id, product_id, category_id)
      SELECT p.merchant_id, p.id, c.id
      FROM (SELECT *, row_number() OVER () AS n FROM catalog.product WHERE merchant_id = ${merchantId} AND sku LIKE 'BENCH-%') p
      JOIN (SELECT *, row_number() OVER () AS n FROM catalog.category WHERE merchant_id = ${merchantId} AND slug LIKE 'bench-%') c
        ON c.n IN (1 + p.n % 20, 1 + (p.n + 7) % 20)`
    await transaction`
      INSERT INTO inventory.stock_level (merchant_id, stock_item_id, warehouse_id, available)
      SELECT i.merchant_id, i.id, w.id, 40
      FROM inventory.stock_item i JOIN inventory.warehouse w ON w.merchant_id = i.merchant_id
      WHERE i.merchant_id = ${merchantId} AND i.sku LIKE 'BENCH-%'
      ON CONFLICT DO NOTHING`
  })
  await sql`ANALYZE`
}
