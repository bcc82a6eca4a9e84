import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { queryData } from '../../testing/run.ts'
import { fixtureId, keyPrincipal, openTestShop, type TestShop } from '../../testing/shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop[Symbol.asyncDispose]())

async function skusFound(searchQuery: string, merchant: 1 | 2 = 1): Promise<readonly string[]> {
  const text = `query ($searchQuery: String!) {
    products(first: 100, sortBy: NAME, sortOrder: ASC, filters: { searchQuery: $searchQuery }) { edges { node { sku } } }
  }`
  const { products } = await queryData(shop, keyPrincipal(merchant), text, { searchQuery })
  return (products as { edges: readonly { node: { sku: string } }[] }).edges.map(({ node }) => node.sku)
}

/** @param values the rows of name, description and SKU */
const insertProducts = (values: string) =>
  shop.sql(`
  INSERT INTO catalog.product (merchant_id, name, description, sku, price, lowest_price, highest_price, currency, status, slug)
  SELECT '${fixtureId('merchant', 1, 0)}', p.name, p.description, p.sku, 100, 100, 100, 'USD', 'ACTIVE', lower(p.sku) FROM (${values}) AS p(name, description, sku)`)

test('a product is found by a part of its name, SKU or description, ignoring case, and wildcards are literal', async () => {
  await insertProducts(`VALUES
    ('Überzelt 100%', 'Waterproof', 'FIND-1'), ('Lamp', 'Lights an ÜBERZELT', 'FIND-2'), ('Mug', NULL, 'UNFOUND_3')`)
  expect(await skusFound('überzelt')).toEqual(['FIND-2', 'FIND-1'])
  expect(await skusFound('find-')).toEqual(['FIND-2', 'FIND-1'])
  expect(await skusFound('0%')).toEqual(['FIND-1'])
  expect(await skusFound('d_3')).toEqual(['UNFOUND_3'])
  expect(await skusFound('überzelt', 2)).toEqual([])
})

test('a rare text among many products is found with the index', { timeout: 60_000 }, async () => {
  // Triggers on products don't matter here, and are slow.
  await shop.sql('ALTER TABLE catalog.product DISABLE TRIGGER USER')
  await insertProducts(
    `SELECT 'Product ' || md5(n::text), repeat(md5((n * 7)::text) || ' ', 8), 'MANY-' || n FROM generate_series(1, 5000) n`,
  )
  await shop.sql('ALTER TABLE catalog.product ENABLE TRIGGER USER')
  await shop.sql('ANALYZE catalog.product')
  const indexScans = async () => {
    const [row] = await shop.sql(
      `SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'product_search'`,
    )
    return Number(row?.['idx_scan'])
  }
  const before = await indexScans()
  // Postgres updates its statistics with a delay, and replans a prepared statement only then.
  await vi.waitFor(
    async () => {
      expect(await skusFound('MANY-4321')).toEqual(['MANY-4321'])
      expect(await indexScans()).toBeGreaterThan(before + 10)
    },
    { timeout: 30_000, interval: 50 },
  )
})
