import { readFile } from 'node:fs/promises'
import type pg from 'pg'

/** The merchant whose products are read. The shop has ten merchants, each with a tenth of the products. */
export const merchant = '1'

/** Creates the tables and `count` products with three images, two categories and stock each. */
export async function createEngineShop(pool: pg.Pool, count: number): Promise<void> {
  await pool.query(await readFile(new URL('engine-shop.sql', import.meta.url), 'utf8'))
  await pool.query(
    `insert into category (name, slug) select 'Category ' || n, 'category-' || n from generate_series(1, 20) n`,
  )
  await pool.query(
    `insert into product (merchant_id, name, slug, price, created_at)
     select 1 + n % 10, 'Product ' || n, 'product-' || n, 1000 + n % 5000, now() - n * interval '1 second'
     from generate_series(1, $1::integer) n`,
    [count],
  )
  await pool.query(
    `insert into product_image (merchant_id, product_id, url, alt, width, height, position)
     select merchant_id, id, 'https://cdn.example.com/' || slug || '/' || i || '.webp', name, 1200, 800, i
     from product cross join generate_series(1, 3) i`,
  )
  await pool.query(
    `insert into product_category (merchant_id, product_id, category_id)
     select p.merchant_id, p.id, c.id from product p join category c on c.id in (1 + p.id % 20, 1 + (p.id + 7) % 20)`,
  )
  await pool.query(
    `insert into stock (merchant_id, product_id, available, reserved)
     select merchant_id, id, 40, id % 3 from product`,
  )
  await pool.query('vacuum analyze')
}

const own = { merchant_id: { _eq: 'X-Hasura-Merchant-Id' } }

const belongingToProduct = (table: string) => ({
  foreign_key_constraint_on: { table, column: 'product_id' },
})

const readable = (columns: string | readonly string[], filter: object) => [
  { role: 'merchant', permission: { columns, filter, allow_aggregations: true } },
]

/** The shop's tables in metadata, with a role that reads and writes its own merchant's rows. */
export const shopTables: readonly object[] = [
  {
    table: 'product',
    array_relationships: [
      { name: 'images', using: belongingToProduct('product_image') },
      { name: 'categories', using: belongingToProduct('product_category') },
    ],
    object_relationships: [{ name: 'stock', using: belongingToProduct('stock') }],
    select_permissions: readable('*', own),
    insert_permissions: [
      {
        role: 'merchant',
        permission: {
          columns: ['name', 'slug', 'price', 'currency', 'status'],
          set: { merchant_id: 'X-Hasura-Merchant-Id' },
          check: own,
        },
      },
    ],
  },
  { table: 'product_image', select_permissions: readable('*', own) },
  {
    table: 'product_category',
    object_relationships: [{ name: 'category', using: { foreign_key_constraint_on: 'category_id' } }],
    select_permissions: readable('*', own),
  },
  { table: 'category', select_permissions: readable('*', {}) },
  { table: 'stock', select_permissions: readable('*', own) },
]
