import type postgres from '@commerce-graph/postgres-driver'

const productsOfBatch = 2_000

/** What the benchmark of search looks for. */
export interface SearchShop {
  /** A category with one in eight products. */
  readonly categoryId: string
}

/**
 * Gives a merchant `count` products to search: names and descriptions of few and of many words, three variants each with
 * two options, tags, three attributes, a category below a department, and stock. It inserts by sets, and the search
 * learns of a batch at once, as of an import's (decision 230). What is there already stays.
 */
export async function fillSearchShop(
  sql: postgres.Sql,
  merchantId: string,
  count: number,
): Promise<SearchShop> {
  const [there] = await sql<[{ count: number }]>`
    SELECT count(*)::integer FROM catalog.product WHERE merchant_id = ${merchantId} AND sku LIKE 'SEARCH-%'`
  if (there.count === 0) await createCategoriesAndAttributes(sql, merchantId)
  for (let from = there.count; from < count; from += productsOfBatch) {
    await createProducts(sql, merchantId, from + 1, Math.min(from + productsOfBatch, count))
    // Tables without statistics are read by the wrong keys until autovacuum comes by.
    if (from === 0) await sql`ANALYZE`
    if ((from / productsOfBatch) % 10 === 0) console.log(`  ${from} products`)
  }
  // As autovacuum leaves the tables of a shop that has been there for a while.
  if (there.count < count) await sql`VACUUM ANALYZE`
  const [department] = await sql<[{ id: string }]>`
    SELECT id FROM catalog.category WHERE merchant_id = ${merchantId} AND slug = 'search-department-1'`
  return { categoryId: department.id }
}

async function createCategoriesAndAttributes(sql: postgres.Sql, merchantId: string): Promise<void> {
  await sql.begin(async (transaction) => {
    await transaction`
      INSERT INTO catalog.category (merchant_id, name, slug)
      SELECT ${merchantId}, 'Department ' || n, 'search-department-' || n FROM generate_series(0, 7) n`
    await transaction`
      INSERT INTO catalog.category (merchant_id, parent_id, name, slug)
      SELECT c.merchant_id, c.id, 'Shelf ' || n || ' of ' || c.name, c.slug || '-' || n
      FROM catalog.category c CROSS JOIN generate_series(0, 9) n
      WHERE c.merchant_id = ${merchantId} AND c.slug LIKE 'search-department-%'`
    await transaction`
      INSERT INTO metadata.definition (merchant_id, owner_type, namespace, key, name, type, is_attribute)
      VALUES
        (${merchantId}, 'PRODUCT', 'spec', 'material', 'Material', 'TEXT', TRUE),
        (${merchantId}, 'PRODUCT', 'spec', 'brand', 'Brand', 'TEXT', TRUE),
        (${merchantId}, 'PRODUCT', 'spec', 'weight', 'Weight', 'INTEGER', TRUE)`
    // The keys of the products below are written with these definitions.
    await transaction`DELETE FROM search.changed_attributes WHERE merchant_id = ${merchantId}`
  })
}

async function createProducts(
  sql: postgres.Sql,
  merchantId: string,
  from: number,
  to: number,
): Promise<void> {
  await sql.begin(async (transaction) => {
    await transaction`SELECT bulk.begin_batch(${merchantId}), set_config('search.follows_later', 'on', TRUE)`
    // h is a number that looks drawn, and is the same in every run.
    await transaction`
      CREATE TEMPORARY TABLE made ON COMMIT DROP AS
      SELECT n, platform.uuid_v7() AS id, abs(hashint8(n)) AS h FROM generate_series(${from}::bigint, ${to}::bigint) n`
    await transaction`
      INSERT INTO catalog.product
        (merchant_id, id, name, description, sku, price, currency, status, slug, tags, metadata, created_at)
      SELECT ${merchantId}, m.id,
        concat_ws(' ',
          (ARRAY['Light', 'Warm', 'Classic', 'Slim', 'Robust', 'Foldable', 'Rustic', 'Modern'])[1 + m.h / 7 % 8],
          (ARRAY['Wool', 'Cotton', 'Leather', 'Linen', 'Steel', 'Oak', 'Felt', 'Denim'])[1 + m.h / 11 % 8],
          (ARRAY['Jacket', 'Shirt', 'Lamp', 'Chair', 'Bag', 'Table', 'Boots', 'Scarf'])[1 + m.h / 13 % 8],
          'of the series', substr(md5((m.n / 25)::text), 1, 7)),
        'Made for long use by the workshop ' || substr(md5((m.n / 500)::text), 1, 6) || ', and repaired there as well. '
          || repeat('It comes in a box without plastic. ', 4),
        'SEARCH-' || m.n, 500 + m.h % 40000, 'USD', CASE m.n % 50 WHEN 0 THEN 'DRAFT' ELSE 'ACTIVE' END,
        'search-' || m.n, ARRAY['tag-' || m.h % 60, 'season-' || m.h / 3 % 4, 'line-' || m.h / 5 % 25],
        jsonb_build_object('spec', jsonb_build_object(
          'material', (ARRAY['Wool', 'Cotton', 'Leather', 'Linen', 'Steel', 'Oak', 'Felt', 'Denim'])[1 + m.h / 11 % 8],
          'brand', 'Brand ' || m.h / 17 % 300,
          'weight', 100 * (1 + m.h / 19 % 40))),
        now() - m.n * interval '1 second'
      FROM made m`
    await transaction`
      INSERT INTO catalog.product_category (merchant_id, product_id, category_id)
      SELECT ${merchantId}, m.id, c.id
      FROM made m
      JOIN catalog.category c
        ON c.merchant_id = ${merchantId}
        AND c.slug = concat('search-department-', m.h / 23 % 8, '-', m.h / 29 % 10)`
    await transaction`
      CREATE TEMPORARY TABLE made_variant ON COMMIT DROP AS
      SELECT m.id AS product_id, m.n, m.h, v, platform.uuid_v7() AS id FROM made m CROSS JOIN generate_series(0, 2) v`
    await transaction`
      INSERT INTO catalog.product_variant (merchant_id, id, product_id, sku, price, position)
      SELECT ${merchantId}, v.id, v.product_id, concat('SEARCH-', v.n, '-', v.v), 500 + v.h % 40000 + 100 * v.v, v.v
      FROM made_variant v`
    await transaction`
      INSERT INTO catalog.variant_option (merchant_id, variant_id, name, value, position)
      SELECT ${merchantId}, v.id, o.name, o.value, o.position
      FROM made_variant v
      CROSS JOIN LATERAL (
        VALUES
          ('Size', (ARRAY['S', 'M', 'L', 'XL'])[1 + (v.h + v.v) % 4], 0),
          ('Color', (ARRAY['Red', 'Blue', 'Green', 'Black', 'White', 'Grey', 'Sand'])[1 + (v.h / 31 + v.v / 2) % 7], 1)
      ) o (name, value, position)`
    await transaction`
      INSERT INTO inventory.stock_level (merchant_id, stock_item_id, warehouse_id, available)
      SELECT i.merchant_id, i.id, w.id, CASE (v.h / 37 + v.v) % 5 WHEN 0 THEN 0 ELSE 12 END
      FROM made_variant v
      JOIN inventory.stock_item i ON i.merchant_id = ${merchantId} AND i.variant_id = v.id
      CROSS JOIN (
        SELECT id FROM inventory.warehouse WHERE merchant_id = ${merchantId} ORDER BY id LIMIT 1
      ) w
      ON CONFLICT DO NOTHING`
    await transaction`SELECT catalog.sum_up_variants(${merchantId}, ARRAY(SELECT id FROM made))`
    await transaction`
      SELECT inventory.keep_standing(
        ${merchantId},
        ARRAY(
          SELECT i.id FROM made m JOIN inventory.stock_item i ON i.merchant_id = ${merchantId} AND i.product_id = m.id
        )
      )`
    await transaction`SELECT search.follow_import(${merchantId}, ARRAY(SELECT id FROM made))`
  })
}
