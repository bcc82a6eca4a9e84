import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestGateway, type TestGateway } from '../../testing/gateway.ts'
import { queryData } from '../../testing/run.ts'
import { customerPrincipal, fixtureId, keyPrincipal } from '../../testing/shop.ts'

let gateway: TestGateway
const merchantId = fixtureId('merchant', 1, 0)

beforeAll(async () => {
  gateway = await openTestGateway()
  await gateway.shop.sql(`
    INSERT INTO catalog.category (merchant_id, name, slug)
    VALUES ('${merchantId}', 'Tallied', 'tallied'), ('${merchantId}', 'Tallied as well', 'tallied-as-well')`)
  await createGarments(1, 40)
})
afterAll(() => gateway[Symbol.asyncDispose]())

async function createGarments(from: number, to: number): Promise<void> {
  await gateway.shop.sql(`
    INSERT INTO catalog.product (merchant_id, name, sku, price, currency, status, tags)
    SELECT '${merchantId}', 'Garment ' || n, 'TALLY-' || n, 950 + 137 * n, 'USD',
      (ARRAY['ACTIVE', 'ACTIVE', 'DRAFT', 'ARCHIVED'])[1 + n % 4], ARRAY['garment', 'g' || n % 3]
    FROM generate_series(${from}, ${to}) n`)
  await gateway.shop.sql(`
    INSERT INTO catalog.product_variant (merchant_id, product_id, sku, price, position)
    SELECT p.merchant_id, p.id, p.sku || '-' || v, p.price + 500 * v, v
    FROM catalog.product p, generate_series(1, 2) v
    WHERE p.sku LIKE 'TALLY-%' AND NOT EXISTS (SELECT FROM catalog.product_variant o WHERE o.product_id = p.id);
    INSERT INTO catalog.variant_option (merchant_id, variant_id, name, value)
    SELECT v.merchant_id, v.id, 'Size', (ARRAY['S', 'M', 'L'])[1 + (abs(hashtext(v.product_id::text)) + v.position) % 3]
    FROM catalog.product_variant v WHERE v.sku LIKE 'TALLY-%' ON CONFLICT DO NOTHING;
    INSERT INTO catalog.variant_option (merchant_id, variant_id, name, value)
    SELECT v.merchant_id, v.id, 'Fit', 'Slim' FROM catalog.product_variant v WHERE v.sku LIKE 'TALLY-%3-1' ON CONFLICT DO NOTHING`)
  await gateway.shop.sql(`
    INSERT INTO catalog.product_category (merchant_id, product_id, category_id)
    SELECT p.merchant_id, p.id, c.id FROM catalog.product p
    JOIN catalog.category c ON c.merchant_id = p.merchant_id AND c.slug = (ARRAY['tallied', 'tallied-as-well'])[1 + abs(hashtext(p.sku)) % 2]
    WHERE p.sku LIKE 'TALLY-%' ON CONFLICT DO NOTHING`)
}

/** Those who see all, shoppers, and keys that see some. */
const callers = [
  keyPrincipal(1),
  customerPrincipal(1),
  keyPrincipal(1, ['products:read']),
  keyPrincipal(1, ['articles:read']),
]

/**
 * Counts of all documents, of those that are sorted by price, of a category, of all three with values of an option that most have, or few,
 * and of words; with the results of each, which are found in another way when it is known that few have all words.
 */
async function readCounts(as: (typeof callers)[number]): Promise<unknown> {
  const [category] = await gateway.shop.sql(
    `SELECT id FROM catalog.category WHERE merchant_id = '${merchantId}' AND slug = 'tallied'`,
  )
  const categoryId = category?.['id']
  const options = [{ name: 'size', values: ['M', 'XL'] }]
  const data = await queryData(
    gateway.shop,
    as,
    `query ($category: SearchFilters, $option: SearchFilters, $both: SearchFilters, $rare: SearchFilters) {
      word: search(query: "garments") { ...counts } wordByPrice: search(query: "garment", sortBy: PRICE) { ...counts }
      wordWithOption: search(query: "garment", filters: $option) { ...counts } wordWithRare: search(query: "garment", filters: $rare) { ...counts }
      wordInCategory: search(query: "garment", filters: $category) { ...counts } words: search(query: "garment tally") { ...counts } few: search(query: "garment 7") { ...counts }
      other: search(query: "robe") { ...counts }
      all: search { ...counts } byPrice: search(sortBy: PRICE) { ...counts } category: search(filters: $category) { ...counts }
      option: search(filters: $option) { ...counts } both: search(filters: $both) { ...counts } rare: search(filters: $rare) { ...counts } }
    fragment counts on SearchResults {
      totalCount facets { name optionName value label count min max } results { ... on Product { name } } }`,
    {
      category: { categoryId },
      option: { options },
      both: { categoryId, options },
      rare: { options: [{ name: 'fit', values: ['Slim'] }] },
    },
  )
  return Object.entries(data as Readonly<Record<string, Counts>>).map(
    ([name, { totalCount, facets, results }]) => ({
      name,
      totalCount,
      results,
      facets: facets.map((facet) => JSON.stringify(facet)).toSorted(),
    }),
  )
}

interface Counts {
  readonly totalCount: number
  readonly facets: readonly object[]
  readonly results: readonly object[]
}

async function expectRightCounts(of = callers): Promise<void> {
  for (const as of of) {
    const kept = await readCounts(as)
    await gateway.shop.sql(
      `UPDATE search.tallied_scope SET counted = FALSE WHERE merchant_id = '${merchantId}'`,
    )
    const counted = await readCounts(as)
    await gateway.shop.sql(
      `UPDATE search.tallied_scope SET counted = TRUE WHERE merchant_id = '${merchantId}'`,
    )
    expect(kept).toEqual(counted)
  }
}

const follow = async (limit: number): Promise<number> =>
  Number((await gateway.shop.sql(`SELECT search.follow_tallies(${limit}) AS done`))[0]?.['done'])

const followAll = (): Promise<void> =>
  // It waits for all transactions of the server that ran when it began.
  expect
    .poll(
      async () => {
        while ((await follow(7)) > 0);
        return gateway.shop.sql('SELECT FROM search.tallied_scope WHERE NOT counted')
      },
      { timeout: 60_000 },
    )
    .toEqual([])

async function chooseWords(documents: number, words = 50): Promise<readonly unknown[]> {
  await gateway.shop.sql('UPDATE search.tallied_scope SET words_chosen_at = NULL')
  const looked = `SELECT search.tally_common_words(${documents}, ${words}) AS merchants`
  while (Number((await gateway.shop.sql(looked))[0]?.['merchants']) > 0);
  const chosen = await gateway.shop.sql(
    `SELECT words::text FROM search.tallied_scope WHERE merchant_id = '${merchantId}' AND scope <> 0 ORDER BY words::text`,
  )
  return chosen.map(({ words: query }) => query)
}

const queryOf = async (word: string): Promise<unknown> =>
  (await gateway.shop.sql(`SELECT search.words_query('${merchantId}', '${word}')::text AS query`))[0]?.[
    'query'
  ]

/** Each changes documents in another way. */
const changes: readonly (() => Promise<unknown>)[] = [
  () => createGarments(41, 60),
  () => gateway.shop.sql(`UPDATE catalog.product SET status = 'ARCHIVED' WHERE sku LIKE 'TALLY-1%'`),
  () => gateway.shop.sql(`UPDATE catalog.product SET tags = '{new}' WHERE sku LIKE 'TALLY-2%'`),
  () => gateway.shop.sql(`UPDATE catalog.product_variant SET price = 77000 WHERE sku LIKE 'TALLY-3_-1'`),
  () => gateway.shop.sql(`UPDATE catalog.product SET deleted_at = now() WHERE sku LIKE 'TALLY-_'`),
  () => gateway.shop.sql(`UPDATE catalog.variant_option SET value = 'XL' WHERE value = 'L'`),
  () => gateway.shop.sql(`UPDATE catalog.product SET name = 'Robe ' || sku WHERE sku LIKE 'TALLY-%6'`),
  () =>
    gateway.shop.sql(`
      INSERT INTO inventory.stock_level (merchant_id, stock_item_id, warehouse_id, available)
      SELECT i.merchant_id, i.id, w.id, 2 FROM inventory.stock_item i JOIN inventory.warehouse w ON w.merchant_id = i.merchant_id
      WHERE i.merchant_id = '${merchantId}' AND i.sku LIKE 'TALLY-3%' ON CONFLICT DO NOTHING`),
  () => gateway.shop.sql('SELECT search.refresh_products(1000)'),
  () =>
    gateway.shop.sql(
      `DELETE FROM catalog.product_category WHERE category_id = (SELECT id FROM catalog.category WHERE slug = 'tallied' AND merchant_id = '${merchantId}')
         AND product_id IN (SELECT id FROM catalog.product WHERE sku LIKE 'TALLY-%5')`,
    ),
  () =>
    gateway.shop.sql(
      `INSERT INTO search.article (merchant_id, name, slug, status) VALUES ('${merchantId}', 'Care', 'care-of-garments', 'PUBLISHED')`,
    ),
]

test('merchants of few documents have no counts that are kept', async () => {
  const [marked] = await gateway.shop.sql('SELECT search.tally_large_merchants(100000) AS count')
  expect(marked?.['count']).toBe(0)
})

test('a large merchant’s counts that are kept are those of its documents, from the first counting on and after every change', async () => {
  await gateway.shop.sql('SELECT search.tally_large_merchants(20)')
  // These changes come before, among and after the documents that are counted already.
  for (const change of changes.slice(0, 2)) {
    await follow(7)
    await change()
  }
  await followAll()
  await expectRightCounts(callers.slice(0, 1))
  expect(await chooseWords(20)).toContain(await queryOf('garment'))
  const begun = `SELECT FROM search.tallied_scope
    WHERE merchant_id = '${merchantId}' AND scope <> 0 AND after_document_id IS NOT NULL AND NOT counted`
  await expect
    .poll(async () => (await follow(7)) >= 0 && gateway.shop.sql(begun), { timeout: 60_000 })
    .not.toEqual([])
  for (const change of changes.slice(2, 4)) {
    await change()
    await follow(7)
  }
  // As when it commits after the job has found no change, and before it counts the next documents.
  await changes[4]?.()
  await gateway.shop.sql(`SELECT search.count_documents(t, 1000) FROM search.tallied_scope t
    WHERE t.merchant_id = '${merchantId}' AND t.scope <> 0 AND NOT t.counted LIMIT 1`)
  await followAll()
  await expectRightCounts()
  for (const [place, change] of changes.slice(5).entries()) {
    await change()
    await expectRightCounts(callers.filter((_, caller) => caller === place % callers.length))
    await follow(7)
  }
  while ((await follow(1000)) > 0);
  await expectRightCounts()
  expect(await gateway.shop.sql('SELECT FROM search.tally_change')).toEqual([])
  expect(await gateway.shop.sql('SELECT * FROM verification.search_tallies')).toEqual([])
}, 120_000)

test('no more words than allowed are counted, those of most titles first, and none that have become rare', async () => {
  expect(await chooseWords(100_000)).toEqual([])
  expect(
    await gateway.shop.sql(`SELECT FROM search.tally t WHERE NOT EXISTS (
    SELECT FROM search.scopes_of(t.merchant_id, ARRAY[t.scope]) s WHERE s.scope = t.scope)`),
  ).toEqual([])
  expect(await chooseWords(20, 1)).toEqual([await queryOf('garment')])
  expect(await chooseWords(20)).toContain(await queryOf('garment'))
  await gateway.shop.sql(
    `UPDATE catalog.product SET name = 'Robe ' || sku, tags = '{}' WHERE sku LIKE 'TALLY-%'`,
  )
  const words = await chooseWords(20)
  expect(words).toContain(await queryOf('robe'))
  expect(words).not.toContain(await queryOf('garment'))
})
