import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queryData } from '../../testing/run.ts'
import {
  customerPrincipal,
  fixtureId,
  keyPrincipal,
  openTestShop,
  type TestShop,
} from '../../testing/shop.ts'

let shop: TestShop
const merchantId = fixtureId('merchant', 1, 0)
beforeAll(async () => {
  shop = await openTestShop()
  await shop.sql(`
    INSERT INTO catalog.product (merchant_id, name, sku, price, currency, status) VALUES
      ('${merchantId}', 'Rope', 'SOLD-ROPE', 70000, 'USD', 'ACTIVE'),
      ('${merchantId}', 'Sling', 'SOLD-SLING', 80000, 'USD', 'ACTIVE');
    INSERT INTO catalog.product_variant (merchant_id, product_id, sku, price)
    SELECT p.merchant_id, p.id, v.sku, v.price FROM catalog.product p, (VALUES ('SOLD-30M', 60000), ('SOLD-60M', 90000)) v(sku, price)
    WHERE p.sku = 'SOLD-ROPE';
    INSERT INTO catalog.variant_option (merchant_id, variant_id, name, value)
    SELECT v.merchant_id, v.id, 'Length', v.sku FROM catalog.product_variant v WHERE v.sku IN ('SOLD-30M', 'SOLD-60M')`)
})
afterAll(() => shop[Symbol.asyncDispose]())

async function skus(filters: object, more = ''): Promise<readonly string[]> {
  const { products } = await queryData(
    shop,
    keyPrincipal(1),
    `query ($filters: ProductFilters) { products(first: 100, filters: $filters ${more}) { edges { node { sku } } } }`,
    { filters },
  )
  return (products as { edges: readonly { node: { sku: string } }[] }).edges.map(({ node }) => node.sku)
}

describe('a product with variants', () => {
  test('is filtered by its variants’ prices', async () => {
    expect(await skus({ priceMin: 85_000 })).toEqual(['SOLD-ROPE'])
    expect(await skus({ priceMin: 55_000, priceMax: 65_000 })).toEqual(['SOLD-ROPE'])
    expect(await skus({ priceMin: 90_001 })).toEqual([])
    expect(await skus({ priceMin: 75_000, priceMax: 80_000 }, 'sortBy: NAME, sortOrder: ASC')).toEqual([
      'SOLD-ROPE',
      'SOLD-SLING',
    ])
  })

  test('is sorted by its cheapest variant, and found by any SKU of its variants', async () => {
    expect(await skus({ priceMin: 50_000 }, 'sortBy: PRICE, sortOrder: ASC')).toEqual([
      'SOLD-ROPE',
      'SOLD-SLING',
    ])
    expect(await skus({ searchQuery: 'sold-60' })).toEqual(['SOLD-ROPE'])
  })

  test('follows its variants: a new price, a deleted variant, and its own price when none is left', async () => {
    const set = (change: string, sku: string) =>
      shop.sql(
        `UPDATE catalog.product_variant SET ${change} WHERE merchant_id = '${merchantId}' AND sku = '${sku}'`,
      )
    await set('price = 95000', 'SOLD-60M')
    expect(await skus({ priceMin: 94_000 })).toEqual(['SOLD-ROPE'])
    await set('price = NULL', 'SOLD-60M')
    expect(await skus({ priceMin: 70_001, priceMax: 79_999 })).toEqual([])
    expect(await skus({ priceMin: 70_000, priceMax: 79_999 })).toEqual(['SOLD-ROPE'])
    await set('deleted_at = now()', 'SOLD-60M')
    await set('deleted_at = now()', 'SOLD-30M')
    expect(await skus({ priceMax: 69_999, searchQuery: 'SOLD' })).toEqual([])
    expect(await skus({ searchQuery: 'sold-60' })).toEqual([])
    await shop.sql(
      `UPDATE catalog.product SET price = 71000 WHERE merchant_id = '${merchantId}' AND sku = 'SOLD-ROPE'`,
    )
    expect(await skus({ priceMin: 71_000, priceMax: 71_000 })).toEqual(['SOLD-ROPE'])
  })
})

test('a category counts and lists the products of its descendants, each once', async () => {
  await shop.sql(`
    WITH parent AS (
      INSERT INTO catalog.category (merchant_id, name, slug) VALUES ('${merchantId}', 'Climbing', 'climbing') RETURNING id
    ), child AS (
      INSERT INTO catalog.category (merchant_id, parent_id, name, slug)
      SELECT '${merchantId}', id, c.name, c.slug FROM parent, (VALUES ('Ropes', 'ropes'), ('Soft goods', 'soft-goods')) c(name, slug)
      RETURNING id, slug
    )
    INSERT INTO catalog.product_category (merchant_id, product_id, category_id)
    SELECT '${merchantId}', p.id, child.id FROM catalog.product p, child
    WHERE p.merchant_id = '${merchantId}' AND p.sku LIKE 'SOLD-%' AND (child.slug = 'soft-goods' OR p.sku = 'SOLD-ROPE')`)
  for (const as of [keyPrincipal(1), customerPrincipal(1)]) {
    const data = await queryData(
      shop,
      as,
      `{
        category(slug: "climbing") {
          productCount
          products(first: 10, sortBy: NAME, sortOrder: ASC) { totalCount edges { node { sku categories { slug } } } }
          children { slug productCount }
        }
        products(first: 10, filters: { categorySlug: "climbing" }) { totalCount }
      }`,
    )
    expect(data).toMatchObject({
      category: {
        productCount: 2,
        products: {
          totalCount: 2,
          edges: [
            { node: { sku: 'SOLD-ROPE', categories: [{ slug: 'ropes' }, { slug: 'soft-goods' }] } },
            { node: { sku: 'SOLD-SLING', categories: [{ slug: 'soft-goods' }] } },
          ],
        },
        children: expect.arrayContaining([
          { slug: 'ropes', productCount: 1 },
          { slug: 'soft-goods', productCount: 2 },
        ]) as unknown,
      },
      products: { totalCount: 2 },
    })
  }
})
