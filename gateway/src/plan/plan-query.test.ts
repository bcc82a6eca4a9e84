import { describe, expect, test } from 'vitest'
import { planText } from '../testing/run.ts'
import { keyPrincipal } from '../testing/shop.ts'
import { bind } from './binding.ts'

const principal = keyPrincipal(1)

/**
 * The Hasura document and variables for a contract query. Other tests also run each of these documents
 * (query/*.test.ts).
 */
function planned(
  text: string,
  given: Readonly<Record<string, unknown>> = {},
  role: 'merchant' | 'customer' = 'merchant',
) {
  const { plan, variables } = planText(text, role, given)
  return { document: plan.document, variables: bind(plan, { variables, principal }).variables }
}

describe('the Hasura document', () => {
  test('selects columns under their own names, and other fields under the answer’s key', () => {
    expect(planned('{ customer(id: "1") { id fullName: name totalSpent defaultAddress { city } } }'))
      .toMatchInlineSnapshot(`
        {
          "document": "query($v0: uuid!) { customer: crm_customer(where: { id: { _eq: $v0 } }, limit: 1) { id fullName: name totalSpent: totals { value: total_spent } defaultAddress: addresses(where: { is_default: { _eq: true } }, order_by: [{ id: asc }], limit: 1) { city } } }",
          "variables": {
            "v0": "00000000-0000-0000-0000-000000000000",
          },
        }
      `)
  })

  test('neither declares nor sends a variable of a filter if nothing of its list is selected', () => {
    expect(planned('{ products(filters: { searchQuery: "lamp" }) { __typename } }')).toMatchInlineSnapshot(`
      {
        "document": "query { products: __typename }",
        "variables": {},
      }
    `)
  })

  test('flattens link tables and embeds objects made of columns', () => {
    expect(
      planned('{ product(sku: "S") { categories { name image { url } } hasVariants } }').document,
    ).toMatchInlineSnapshot(
      `"query($v0: String!) { product: catalog_product(where: { _and: [{ sku: { _eq: $v0 } }, { deleted_at: { _is_null: true } }] }, limit: 1) { categories: product_categories(order_by: [{ category: { name: asc } }, { category: { id: asc } }], limit: 251) { item: category { name image: __typename h1: image_url h0: image_url } } hasVariants: variants(where: { deleted_at: { _is_null: true } }, limit: 1) { __typename } } }"`,
    )
  })

  test('asks for the results of a search and where their page ends under one key, so that they are found once', () => {
    const { document } = planned(
      '{ search(query: "lamp") { results { ... on Product { name } } pageInfo { hasNextPage } } }',
    )
    const asked = [...(document ?? '').matchAll(/(\w+): search_search\((.*?)\) \{/g)].map(([, key, args]) => [
      key,
      args,
    ])
    expect(asked).toHaveLength(2)
    expect(asked[0]).toEqual(asked[1])
  })

  test('of a page reads one more row only if hasNextPage is selected', () => {
    expect(planned('{ products(first: 2) { edges { node { sku } } } }')).toMatchInlineSnapshot(`
      {
        "document": "query($v0: Int!) { products: catalog_product(where: { deleted_at: { _is_null: true } }, order_by: [{ created_at: desc }, { id: desc }], limit: $v0) { sku } }",
        "variables": {
          "v0": 2,
        },
      }
    `)
    expect(
      planned('{ products(first: 2) { edges { node { sku } } pageInfo { hasNextPage } } }').variables,
    ).toEqual({ v0: 3 })
  })

  test('of a total reads no rows', () => {
    expect(planned('{ orders(status: PENDING) { totalCount } }')).toMatchInlineSnapshot(`
      {
        "document": "query($v0: String!) { orders: __typename h0: ordering_order_aggregate(where: { status: { _eq: $v0 } }) { aggregate { count } } }",
        "variables": {
          "v0": "PENDING",
        },
      }
    `)
  })

  test('of a later page continues after its cursor by keyset, and reads backwards only if hasPreviousPage is selected', () => {
    const after = Buffer.from(
      JSON.stringify([1, 'Product.PRICE', 999, '00000000-0000-7000-8000-000000000001']),
    ).toString('base64url')
    expect(
      planned(
        'query ($after: String) { products(sortBy: PRICE, after: $after) { edges { cursor } pageInfo { hasPreviousPage } } }',
        { after },
      ),
    ).toMatchInlineSnapshot(`
      {
        "document": "query($v0: bigint!, $v1: uuid!, $v2: Int!) { products: catalog_product(where: { _and: [{ deleted_at: { _is_null: true } }, { _and: [{ lowest_price: { _lte: $v0 } }, { _or: [{ lowest_price: { _lt: $v0 } }, { id: { _lt: $v1 } }] }] }] }, order_by: [{ lowest_price: desc }, { id: desc }], limit: $v2) { h0: lowest_price h1: id } h2: catalog_product(where: { _and: [{ deleted_at: { _is_null: true } }, { _and: [{ lowest_price: { _gte: $v0 } }, { _or: [{ lowest_price: { _gt: $v0 } }, { id: { _gte: $v1 } }] }] }] }, limit: 1) { __typename } }",
        "variables": {
          "v0": 999,
          "v1": "00000000-0000-7000-8000-000000000001",
          "v2": 20,
        },
      }
    `)
  })

  test('of a backward page reads the list from its end', () => {
    expect(planned('{ categories(last: 2) { edges { node { name } } } }')).toMatchInlineSnapshot(`
      {
        "document": "query($v0: Int!) { categories: catalog_category(order_by: [{ name: desc }, { id: desc }], limit: $v0) { name } }",
        "variables": {
          "v0": 2,
        },
      }
    `)
  })

  test('limits shoppers to products on sale', () => {
    expect(planned('{ products { totalCount } }', {}, 'customer').document).toMatchInlineSnapshot(
      `"query { products: __typename h0: catalog_product_aggregate(where: { _and: [{ deleted_at: { _is_null: true } }, { status: { _eq: "ACTIVE" } }] }) { aggregate { count } } }"`,
    )
  })
})

describe('plans', () => {
  const text =
    'query ($filters: ProductFilters, $first: Int, $no: Boolean = false) { products(filters: $filters, first: $first) { totalCount edges @include(if: $no) { cursor } } }'
  const planFor = (variables: Readonly<Record<string, unknown>>) => planText(text, 'merchant', variables).plan

  test('are the same document for all values', () => {
    const one = planned(text, { filters: { priceMin: 1, tags: ['a'] }, first: 3, no: true })
    const other = planned(text, { filters: { priceMin: 99, tags: ['b', 'c'] }, first: 50, no: true })
    expect(one.document).toBe(other.document)
    expect([one.variables, other.variables]).toEqual([
      { v0: 1, v1: ['a'], v2: expect.anything() as unknown },
      { v0: 99, v1: ['b', 'c'], v2: expect.anything() as unknown },
    ])
  })

  test('differ if the structure of the variables differs', () => {
    const documents = [
      {},
      { filters: {} },
      { filters: { priceMin: 1 } },
      { filters: { priceMax: 1 } },
      { no: true },
    ].map((variables) => planFor(variables).document)
    expect(new Set(documents).size).toBe(4)
  })

  test('collect permissions of included fields only', () => {
    const secret =
      'query ($yes: Boolean!) { products { totalCount edges @include(if: $yes) { node { totalSold } } } }'
    const names = (yes: boolean) => planText(secret, 'merchant', { yes }).plan.rules.map(({ name }) => name)
    expect(names(false)).toEqual(['products:read'])
    expect(names(true)).toEqual(['products:read', 'orders:read'])
  })
})
