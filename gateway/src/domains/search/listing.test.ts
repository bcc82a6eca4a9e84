import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyPermission, openTestGateway, send, type TestGateway } from '../../testing/gateway.ts'
import { queryData } from '../../testing/run.ts'
import { customerPrincipal, fixtureId, keyPrincipal } from '../../testing/shop.ts'

let gateway: TestGateway
const merchantId = fixtureId('merchant', 1, 0)
const garments = 40

beforeAll(async () => {
  gateway = await openTestGateway()
  // Prices and names repeat, so that the sort has ties.
  await gateway.shop.sql(`
    INSERT INTO catalog.product (merchant_id, name, sku, price, currency, status, tags, created_at)
    SELECT '${merchantId}', 'Garment ' || n % 5, 'GARMENT-' || n, 1000 + 100 * (n % 4), 'USD', 'ACTIVE', ARRAY['garment', 'g' || n % 3],
      '2026-01-01'::timestamptz + n / 3 * interval '1 day'
    FROM generate_series(1, ${garments}) n`)
  await gateway.shop.sql(`
    INSERT INTO catalog.product_variant (merchant_id, product_id, sku, position)
    SELECT p.merchant_id, p.id, p.sku || '-' || v, v FROM catalog.product p, generate_series(1, 2) v WHERE p.sku LIKE 'GARMENT-%';
    INSERT INTO catalog.variant_option (merchant_id, variant_id, name, value)
    SELECT v.merchant_id, v.id, o.name, o.value
    FROM catalog.product_variant v CROSS JOIN LATERAL (VALUES
      ('Size', (ARRAY['S', 'M', 'L'])[1 + (substring(v.sku FROM '-([0-9]+)-')::integer + v.position) % 3]),
      ('Color', (ARRAY['Red', 'Blue'])[1 + substring(v.sku FROM '-([0-9]+)-')::integer % 2])) o (name, value)
    WHERE v.sku LIKE 'GARMENT-%'`)
})
afterAll(() => gateway[Symbol.asyncDispose]())

interface Page {
  readonly results: readonly { readonly id: string; readonly name: string; readonly price: number }[]
  readonly totalCount: number
  readonly pageInfo: {
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
    readonly endCursor: string | null
  }
  readonly facets: readonly {
    readonly name: string
    readonly optionName: string | null
    readonly value: string
    readonly count: number
  }[]
}

async function find(variables: object, as = keyPrincipal(1)): Promise<Page> {
  const { search } = await queryData(
    gateway.shop,
    as,
    `query ($query: String, $filters: SearchFilters, $sortBy: SearchSortField, $sortOrder: SortOrder, $first: Int, $after: String) {
      search(query: $query, filters: $filters, sortBy: $sortBy, sortOrder: $sortOrder, first: $first, after: $after) {
        results { ... on Product { id name price } } totalCount
        pageInfo { hasNextPage hasPreviousPage endCursor } facets { name optionName value count } } }`,
    { ...variables },
  )
  return search as Page
}

const idsOf = ({ results }: Page) => results.map(({ id }) => id)

describe('pages', () => {
  test.each(['RELEVANCE', 'PRICE', 'NAME', 'CREATED_AT', 'BEST_SELLING'])(
    'sorted by %s show every result once, however many are equal, with and without a text',
    async (sortBy) => {
      for (const query of ['garment', undefined])
        for (const sortOrder of ['ASC', 'DESC']) {
          const asked = { query, sortBy, sortOrder, filters: { tags: ['garment'] } }
          const all = await find({ ...asked, first: 100 })
          expect(all.results.length).toBe(garments)
          expect(all.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false })
          const ids: string[] = []
          for (let after: string | null = null, more = true; more;) {
            const page: Page = await find({ ...asked, first: 7, after })
            ids.push(...idsOf(page))
            more = page.pageInfo.hasNextPage
            after = page.pageInfo.endCursor
          }
          expect(ids).toEqual(idsOf(all))
          if (sortBy !== 'PRICE' && sortBy !== 'NAME') continue
          const keys = all.results.map(({ name, price }) => (sortBy === 'NAME' ? name : price))
          const sorted = keys.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
          expect(keys).toEqual(sortOrder === 'ASC' ? sorted : sorted.reverse())
        }
    },
  )

  test('have as many results as asked for, under each key their own fields, and tell of the pages beside them', async () => {
    const { search } = await queryData(
      gateway.shop,
      keyPrincipal(1),
      `query ($offset: Int, $first: Int) { search(query: "garment", first: $first, offset: $offset) {
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        names: results { ... on Product { name } } prices: results { ... on Product { id price } } } }`,
      { first: 3, offset: garments - 2 },
    )
    const { names, prices, pageInfo } = search as {
      names: readonly object[]
      prices: readonly { id: string }[]
      pageInfo: object
    }
    expect(names.map((name) => Object.keys(name))).toEqual([['name'], ['name']])
    expect(prices.map((price) => Object.keys(price))).toEqual([
      ['id', 'price'],
      ['id', 'price'],
    ])
    expect(pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
    const beyond = await queryData(
      gateway.shop,
      keyPrincipal(1),
      `{ empty: search(query: "garment", offset: 500) { results { __typename } pageInfo { hasNextPage hasPreviousPage endCursor } }
         first: search(query: "garment", offset: 0, first: 1) { results { __typename } pageInfo { hasNextPage hasPreviousPage } }
         info: search(query: "garment", first: 2) { pageInfo { hasNextPage } } }`,
      {},
    )
    expect(beyond).toMatchObject({
      empty: { results: [], pageInfo: { hasNextPage: false, hasPreviousPage: true, endCursor: null } },
      first: { results: [{}], pageInfo: { hasNextPage: true, hasPreviousPage: false } },
      info: { pageInfo: { hasNextPage: true } },
    })
  })

  test('refuse a cursor of another sort, one that is made up, and an offset beside it', async () => {
    const key = await gateway.createKey({ permissions: everyPermission })
    const { pageInfo } = await find({ query: 'garment', sortBy: 'PRICE', first: 3 })
    const made = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
    const id = fixtureId('product', 1, 1)
    for (const [variables, field] of [
      [{ after: pageInfo.endCursor, sortBy: 'NAME' }, 'after'],
      [{ after: 'x', sortBy: 'PRICE' }, 'after'],
      [{ after: made(1, 'SearchResult.PRICE', "1'", id), sortBy: 'PRICE' }, 'after'],
      ...['2026-99-01', '2026-02-30', '0000-01-31'].map(
        (day) =>
          [
            {
              after: made(1, 'SearchResult.CREATED_AT', `${day}T00:00:00.000000Z`, id),
              sortBy: 'CREATED_AT',
            },
            'after',
          ] as const,
      ),
      [{ after: made(1, 'SearchResult.RELEVANCE', '1e-99', id), sortBy: 'RELEVANCE' }, 'after'],
      [{ after: made(1, 'SearchResult.PRICE', '1', 'id'), sortBy: 'PRICE' }, 'after'],
      [{ after: pageInfo.endCursor, sortBy: 'PRICE', offset: 1 }, 'offset'],
      [{ filters: { options: [{ name: 'Size', values: [] }] } }, 'filters.options.0.values'],
      [{ filters: { options: [{ name: 'Si\0ze', values: ['S'] }] } }, 'filters.options.0'],
    ] as const) {
      const answer = await send(
        gateway,
        key,
        `query ($filters: SearchFilters, $sortBy: SearchSortField, $after: String, $offset: Int) {
          search(query: "garment", filters: $filters, sortBy: $sortBy, after: $after, offset: $offset) { results { __typename } } }`,
        variables,
      )
      expect([answer.status, answer.errors[0]?.extensions.details['field']]).toEqual([400, field])
    }
  })
})

const optionFilters = (size: readonly string[], color: readonly string[]) => ({
  options: [
    ...(size.length > 0 ? [{ name: 'size', values: size }] : []),
    ...(color.length > 0 ? [{ name: 'COLOR', values: color }] : []),
  ],
})

describe('a filter by options', () => {
  test('takes any of an option’s values, and each facet counts what its value alone would leave', async () => {
    for (const as of [keyPrincipal(1), customerPrincipal(1)])
      for (const size of [[], ['S'], ['s', 'L']])
        for (const color of [[], ['Red']]) {
          const { facets, totalCount } = await find(
            { filters: { tags: ['garment'], ...optionFilters(size, color) } },
            as,
          )
          expect(totalCount).toBeGreaterThan(0)
          for (const { name, optionName, value, count } of facets) {
            if (name !== 'OPTION' && name !== 'TAG') continue
            const options = optionFilters(
              optionName === 'Size' ? [value] : size,
              optionName === 'Color' ? [value] : color,
            )
            const filters = { tags: name === 'TAG' ? ['garment', value] : ['garment'], ...options }
            expect([name, value, (await find({ filters }, as)).totalCount]).toEqual([name, value, count])
          }
        }
  })

  test('follows the variants', async () => {
    const count = async (size: string) =>
      (await find({ filters: { tags: ['garment'], ...optionFilters([size], []) } })).totalCount
    const before = await count('S')
    await gateway.shop.sql(`
      UPDATE catalog.variant_option o SET value = 'XXL' FROM catalog.product_variant v
      WHERE v.merchant_id = o.merchant_id AND v.id = o.variant_id AND v.sku LIKE 'GARMENT-1-%' AND o.name = 'Size' AND o.value = 'S'`)
    await gateway.shop.sql(`
      UPDATE catalog.product_variant v SET deleted_at = now() FROM catalog.variant_option o
      WHERE o.merchant_id = v.merchant_id AND o.variant_id = v.id AND v.sku LIKE 'GARMENT-3-%' AND o.value = 'M'`)
    const [expected] = await gateway.shop.sql(`
      SELECT count(DISTINCT v.product_id)::integer AS count FROM catalog.product_variant v JOIN catalog.variant_option o
      ON o.merchant_id = v.merchant_id AND o.variant_id = v.id
      WHERE v.merchant_id = '${merchantId}' AND v.deleted_at IS NULL AND v.sku LIKE 'GARMENT-%' AND o.value = 'S'`)
    expect(await count('S')).toBe(expected?.['count'])
    expect(await count('S')).toBeLessThanOrEqual(before)
  })
})

test('the total beside facets, which it is summed over, is the same as alone', async () => {
  const search = async (as: ReturnType<typeof keyPrincipal>, variables: object, selection: string) => {
    const data = await queryData(
      gateway.shop,
      as,
      `query ($query: String, $filters: SearchFilters) { search(query: $query, filters: $filters) { ${selection} } }`,
      { ...variables },
    )
    return data['search'] as Readonly<Record<string, unknown>>
  }
  const tags = ['garment']
  for (const as of [keyPrincipal(1), keyPrincipal(2), customerPrincipal(1)])
    for (const asked of [
      {},
      { query: 'garment' },
      { query: 'no such thing' },
      { filters: { tags } },
      { filters: { tags, inStock: true } },
      { filters: { tags, ...optionFilters(['S'], []) } },
      { query: 'garment', filters: { tags, ...optionFilters(['S'], ['Red']) } },
    ]) {
      const { totalCount } = await search(as, asked, 'totalCount')
      const { counts } = await search(as, asked, 'counts: facets { name count }')
      const { values } = await search(as, asked, 'values: facets { value }')
      expect(
        await search(
          as,
          asked,
          'a: totalCount values: facets { value } b: totalCount counts: facets { name count }',
        ),
      ).toEqual({ a: totalCount, values, b: totalCount, counts })
    }
})

test('stock counts at once, and the same after the job has written it to the documents', async () => {
  const inStock = async () => (await find({ filters: { tags: ['garment'], inStock: true } })).totalCount
  expect(await inStock()).toBe(0)
  await gateway.shop.sql(`
    INSERT INTO inventory.stock_level (merchant_id, stock_item_id, warehouse_id, available)
    SELECT i.merchant_id, i.id, w.id, 2 FROM inventory.stock_item i JOIN inventory.warehouse w ON w.merchant_id = i.merchant_id AND w.active
    WHERE i.merchant_id = '${merchantId}' AND i.sku LIKE 'GARMENT-2_-1'`)
  const refresh = async () =>
    (await gateway.shop.sql('SELECT search.refresh_products(7) AS taken'))[0]?.['taken']
  expect(await inStock()).toBe(10)
  let runs = 0
  while ((await refresh()) !== 0) runs += 1
  expect(runs).toBeGreaterThan(1)
  expect(await inStock()).toBe(10)
  await gateway.shop.sql(`
    UPDATE inventory.stock_level l SET available = 0 FROM inventory.stock_item i
    WHERE i.merchant_id = l.merchant_id AND i.id = l.stock_item_id AND i.sku = 'GARMENT-20-1'`)
  expect(await inStock()).toBe(9)
  while ((await refresh()) !== 0);
  expect(await inStock()).toBe(9)
})

test('products that one statement writes are all found, more than a part of 1,000', async () => {
  const written = await gateway.shop.sql(`
    INSERT INTO catalog.product (merchant_id, name, sku, price, currency, status)
    SELECT '${merchantId}', 'Bulk ' || n, 'BULK-' || n, 100, 'USD', 'ACTIVE' FROM generate_series(1, 2500) n RETURNING id`)
  expect(written.length).toBe(2500)
  expect((await find({ query: 'bulk', first: 1 })).totalCount).toBe(2500)
})
