import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeCursor } from '../cursor/cursor.ts'
import { queryData, runQuery } from '../testing/run.ts'
import { fixtureId, keyPrincipal, openTestShop, type TestShop } from '../testing/shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop[Symbol.asyncDispose]())

const merchant = keyPrincipal(1)
const columns = {
  NAME: 'name',
  PRICE: 'lowest_price',
  CREATED_AT: 'created_at',
  UPDATED_AT: 'updated_at',
  POPULARITY: 'popularity',
} as const
type SortBy = keyof typeof columns
type SortOrder = 'ASC' | 'DESC'

interface Page {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[]
  readonly pageInfo: {
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
    readonly startCursor: string | null
    readonly endCursor: string | null
  }
  readonly totalCount: number
}

const pageText = `
  query ($first: Int, $after: String, $last: Int, $before: String, $sortBy: ProductSortField, $sortOrder: SortOrder) {
    products(first: $first, after: $after, last: $last, before: $before, sortBy: $sortBy, sortOrder: $sortOrder) {
      edges { cursor node { id } } totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }`

const page = async (variables: Readonly<Record<string, unknown>>) =>
  (await queryData(shop, merchant, pageText, variables))['products'] as Page

/** The whole list as a single ORDER BY of Postgres returns it. */
async function sorted(sortBy: SortBy, sortOrder: SortOrder): Promise<readonly string[]> {
  const rows = await shop.sql(`
    SELECT id FROM catalog.product WHERE merchant_id = '${fixtureId('merchant', 1, 0)}' AND deleted_at IS NULL
    ORDER BY ${columns[sortBy]} ${sortOrder}, id ${sortOrder}`)
  return rows.map(({ id }) => String(id))
}

const anySort = {
  sortBy: fc.constantFrom(...(Object.keys(columns) as SortBy[])),
  sortOrder: fc.constantFrom<SortOrder>('ASC', 'DESC'),
}

describe('pages of products', () => {
  test(
    'forwards give the list in order, without gaps or repetitions, and know whether more pages follow',
    () =>
      fc.assert(
        fc.asyncProperty(fc.record({ ...anySort, first: fc.integer({ min: 1, max: 12 }) }), async (args) => {
          const all = await sorted(args.sortBy, args.sortOrder)
          const seen: string[] = []
          let after: string | null = null
          do {
            const { edges, pageInfo, totalCount } = await page({ ...args, after })
            expect(totalCount).toBe(all.length)
            expect(pageInfo.hasPreviousPage).toBe(seen.length > 0)
            seen.push(...edges.map(({ node }) => node.id))
            expect(pageInfo.hasNextPage).toBe(seen.length < all.length)
            expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([
              edges[0]?.cursor,
              edges.at(-1)?.cursor,
            ])
            after = pageInfo.hasNextPage ? pageInfo.endCursor : null
          } while (after !== null)
          expect(seen).toEqual(all)
        }),
        { numRuns: 15 },
      ),
    60_000,
  )

  test(
    'backwards give the same list from its end, each page in the list’s order',
    () =>
      fc.assert(
        fc.asyncProperty(fc.record({ ...anySort, last: fc.integer({ min: 1, max: 12 }) }), async (args) => {
          const all = await sorted(args.sortBy, args.sortOrder)
          const seen: string[] = []
          let before: string | null = null
          do {
            const { edges, pageInfo } = await page({ ...args, before })
            expect(pageInfo.hasNextPage).toBe(seen.length > 0)
            seen.unshift(...edges.map(({ node }) => node.id))
            expect(pageInfo.hasPreviousPage).toBe(seen.length < all.length)
            before = pageInfo.hasPreviousPage ? pageInfo.startCursor : null
          } while (before !== null)
          expect(seen).toEqual(all)
        }),
        { numRuns: 15 },
      ),
    60_000,
  )

  test('continue after a cursor whose product was deleted', async () => {
    const all = await sorted('CREATED_AT', 'DESC')
    const { edges } = await page({ first: 3 })
    await shop.sql(`UPDATE catalog.product SET deleted_at = now() WHERE id = '${all[2] ?? ''}'`)
    const next = await page({ first: 3, after: edges[2]?.cursor })
    await shop.sql(`UPDATE catalog.product SET deleted_at = NULL WHERE id = '${all[2] ?? ''}'`)
    expect(next.edges.map(({ node }) => node.id)).toEqual(all.slice(3, 6))
    expect(next.pageInfo.hasPreviousPage).toBe(true)
  })

  test('refuse a cursor with a time that Postgres doesn’t read, and take any other', async () => {
    const from = (time: string) =>
      encodeCursor({ sort: 'Product.CREATED_AT', value: time, id: merchant.merchantId })
    const ask = (time: string) =>
      runQuery(shop, merchant, pageText, { sortBy: 'CREATED_AT', after: from(time) })
    for (const time of [
      '2026-02-30T00:00:00+00:00',
      '2026-01-31T00:00:00+16:00',
      '0000-01-31T00:00:00+00:00',
      '2026-01-31T00:00:60+00:00',
      '2026-01-31T24:00:00+00:00',
    ])
      expect(await ask(time)).toMatchObject({
        kind: 'refused',
        errors: [{ id: 'SVC_VAL_002', details: { field: 'after' } }],
      })
    for (const time of ['0001-01-01T00:00:00+15:59', '9999-12-31T23:59:59.999999-15:59'])
      expect(await ask(time)).toMatchObject({ kind: 'data', errors: [], defects: [] })
  })

  test('have 20 items by default, and limit means the same as first', async () => {
    const sizes = (await queryData(
      shop,
      merchant,
      '{ a: products { edges { cursor } } b: products(limit: 2) { edges { cursor } } }',
    )) as Record<'a' | 'b', Page>
    expect([sizes.a.edges.length, sizes.b.edges.length]).toEqual([20, 2])
  })

  test('that are empty have no cursors', async () => {
    const text =
      '{ products(searchQuery: "nothing there") { edges { cursor } totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }'
    expect(await queryData(shop, merchant, text)).toEqual({
      products: {
        edges: [],
        totalCount: 0,
        pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
      },
    })
  })
})

test('pages can be nested, also through link tables, each item with its own page', async () => {
  const text = `
    query ($after: String) {
      product(sku: "SKU-1") { orders(first: 2, after: $after) { edges { cursor node { orderNumber } } pageInfo { hasNextPage hasPreviousPage endCursor } totalCount } }
      categories(sortBy: POSITION) { edges { node { name products(last: 2, sortBy: NAME, sortOrder: ASC, filters: { status: ACTIVE }) {
        edges { node { name } } totalCount pageInfo { hasPreviousPage hasNextPage } } } } }
      customers(sortBy: CREATED_AT, sortOrder: ASC) { edges { node { orders(first: 1, filters: { status: CONFIRMED }) { totalCount edges { node { orderNumber } } pageInfo { hasNextPage } } } } }
    }`
  shop.takeCount()
  const first = await queryData(shop, merchant, text)
  expect(shop.takeCount()).toBe(1)
  expect(first).toMatchObject({
    product: {
      orders: {
        edges: [{ node: { orderNumber: '1003' } }, { node: { orderNumber: '1002' } }],
        pageInfo: { hasNextPage: true, hasPreviousPage: false },
        totalCount: 3,
      },
    },
    categories: {
      edges: [
        ['Category 1', ['Product 26', 'Product 27'], 27],
        ['Category 2', ['Product 24', 'Product 27'], 9],
        ['Category 3', ['Product 22', 'Product 25'], 9],
      ].map(([name, names, totalCount]) => ({
        node: {
          name,
          products: {
            edges: (names as string[]).map((product) => ({ node: { name: product } })),
            totalCount,
            pageInfo: { hasPreviousPage: true, hasNextPage: false },
          },
        },
      })),
    },
    customers: {
      edges: [
        {
          node: {
            orders: {
              totalCount: 2,
              edges: [{ node: { orderNumber: '1002' } }],
              pageInfo: { hasNextPage: true },
            },
          },
        },
        { node: { orders: { totalCount: 0, edges: [], pageInfo: { hasNextPage: false } } } },
        { node: { orders: { totalCount: 0, edges: [], pageInfo: { hasNextPage: false } } } },
      ],
    },
  })
  const { product } = first as { product: { orders: Page } }
  const second = await queryData(shop, merchant, text, { after: product.orders.pageInfo.endCursor })
  expect(second).toMatchObject({
    product: {
      orders: {
        edges: [{ node: { orderNumber: '1001' } }],
        pageInfo: { hasNextPage: false, hasPreviousPage: true },
      },
    },
  })
})

test('nodes are the items of the edges, in the same order, alone or with another selection than theirs', async () => {
  const orders = async (selection: string, variables = {}) =>
    (
      await queryData(
        shop,
        merchant,
        `query ($last: Int) { orders(last: $last, sortBy: TOTAL) { ${selection} } }`,
        variables,
      )
    )['orders']
  interface Orders {
    readonly nodes: readonly object[]
    readonly edges: readonly { readonly node: object }[]
  }
  for (const variables of [{}, { last: 2 }]) {
    const both = (await orders(
      'nodes { id items { quantity } } edges { cursor node { id items { quantity } } } totalCount',
      variables,
    )) as Orders
    expect(both.nodes.length).toBeGreaterThan(1)
    expect(both.nodes).toEqual(both.edges.map(({ node }) => node))
    expect(await orders('nodes { id items { quantity } }', variables)).toEqual({ nodes: both.nodes })
    expect(await orders('some: nodes { total } edges { node { id } } nodes { id }', variables)).toEqual({
      some: both.nodes.map(() => ({ total: expect.any(Number) as number })),
      edges: both.edges.map(({ node }) => ({ node: { id: (node as { id: string }).id } })),
      nodes: both.edges.map(({ node }) => ({ id: (node as { id: string }).id })),
    })
  }
})
