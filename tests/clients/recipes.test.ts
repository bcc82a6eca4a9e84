import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gql } from '@apollo/client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { bearer, createClient, type Client } from '../support/graphql-client.ts'
import { createCustomer, createOrder, createStockedProduct, succeeded } from '../support/shop.ts'
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts'
import { arrivals } from './arrivals.ts'
import {
  MakeProductDocument,
  NewOrdersDocument,
  type NewOrdersSubscription,
  ProductNamesDocument,
} from './generated/shop.ts'
import * as apollo from './recipes/apollo.ts'
import * as refine from './recipes/refine.ts'
import * as urql from './recipes/urql.ts'

/** The recipes of docs/recipes.md and docs/admin-kits.md. tests/bin/try-packages.ts runs those that need packages from npm. */

let platform: TestPlatform
/** Of Hasura's API. */
let client: Client
beforeAll(async () => {
  platform = await startTestPlatform()
  client = createClient(`${platform.hasuraUrl}/v1/graphql`, bearer(platform.liveKey))
}, 120_000)
afterAll(() => platform.stop())

const credential = () => platform.liveKey

test('the pages have the recipes that are tested here, to the letter', () => {
  const folder = path.join(import.meta.dirname, 'recipes')
  const files = readdirSync(folder).map((file) => [file, readFileSync(path.join(folder, file), 'utf8')])
  const pages = ['recipes.md', 'admin-kits.md']
    .map((page) => readFileSync(path.join(import.meta.dirname, '../../docs', page), 'utf8'))
    .join('')
  const shown = [...pages.matchAll(/^```ts\n\/\/ ([\w-]+\.ts)\n(.*?)^```/gms)].map(([, file, code]) => [
    file,
    code,
  ])
  expect(shown.toSorted()).toEqual(files.toSorted())
})

test.each(['client/README.md', 'docs/recipes.md'])('%s maps each scalar of the contract', (page) => {
  const read = (file: string) => readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8')
  const scalars = [...read('docs/schema.graphql').matchAll(/^scalar ([A-Za-z]\w*)/gm)].map(([, name]) => name)
  expect(scalars).toContain('Money')
  const text = read(page)
  expect(scalars.filter((name) => !text.includes(`    ${name ?? ''}: `))).toEqual([])
})

/** Loses the platform's first answer to what has the text. */
function loseAnswer(text: string): void {
  let lost = false
  const { fetch } = globalThis
  vi.stubGlobal('fetch', async (...[input, init]: Parameters<typeof fetch>) => {
    const response = await fetch(input, init)
    const isMeant =
      input === platform.graphqlUrl && typeof init?.body === 'string' && init.body.includes(text)
    if (lost || !isMeant) return response
    lost = true
    await response.text()
    throw new TypeError('the answer was lost')
  })
  onTestFinished(() => void vi.unstubAllGlobals())
}

async function placeOrder(): Promise<void> {
  const merchant = createClient(platform.graphqlUrl, bearer(platform.liveKey))
  const { id: productId } = await createStockedProduct(merchant, 1)
  await createOrder(merchant, await createCustomer(merchant), [{ productId, quantity: 1 }])
}

const product = (sku: string) => ({ name: 'Lantern', sku, price: 4_900, currency: 'USD' })

describe('Apollo Client', () => {
  test('adds pages to a list in its cache', async () => {
    const shop = apollo.openShop(platform.graphqlUrl, credential)
    const first = { query: ProductNamesDocument, variables: { first: 5 } }
    const { data } = await shop.query(first)
    const after = data?.products.pageInfo.endCursor
    // As `fetchMore` does: the cache has the list under the same name.
    const variables = { first: 5, after }
    await shop.query({ query: ProductNamesDocument, variables, fetchPolicy: 'network-only' })
    const cached = await shop.query({ ...first, fetchPolicy: 'cache-only' })
    expect(new Set(cached.data?.products.edges.map(({ node }) => node.id)).size).toBe(10)
    shop.stop()
  })

  test('executes a mutation once although its answer was lost', async () => {
    loseAnswer('APOLLO-1')
    const shop = apollo.openShop(platform.graphqlUrl, credential)
    const made = await shop.mutate({
      mutation: MakeProductDocument,
      variables: { input: product('APOLLO-1') },
    })
    expect(made.data?.createProduct).toMatchObject({ product: { sku: 'APOLLO-1' }, errors: [] })
    shop.stop()
  })

  test('does not take a merchant’s plan for the root of subscriptions', async () => {
    const shop = apollo.openShop(platform.graphqlUrl, credential)
    const query = gql`
      query {
        merchantAccount {
          id
          subscription {
            plan
          }
        }
      }
    `
    const { data } = await shop.query({ query })
    expect(data).toMatchObject({ merchantAccount: { subscription: { __typename: 'Subscription' } } })
    expect(Object.keys(shop.cache.extract() as object)).not.toContain('ROOT_SUBSCRIPTION')
    shop.stop()
  })

  test('receives new orders', async () => {
    const shop = apollo.openShop(platform.graphqlUrl, credential)
    const seen = arrivals<NewOrdersSubscription | undefined>((arrive) => {
      const subscription = shop.subscribe({ query: NewOrdersDocument }).subscribe(({ data }) => arrive(data))
      return () => subscription.unsubscribe()
    })
    const order = seen.next()
    const placing = setInterval(() => void placeOrder(), 500)
    expect((await order)?.orderCreated.total).toBeGreaterThan(0)
    clearInterval(placing)
    seen.stop()
    shop.stop()
  })
})

describe('urql', () => {
  test('reads products, and executes a mutation under an Idempotency-Key', async () => {
    const shop = urql.openShop(platform.graphqlUrl, credential)
    const { data } = await shop.query(ProductNamesDocument, { first: 2 })
    expect(data?.products.edges).toHaveLength(2)
    const keys: (string | null)[] = []
    const { fetch } = globalThis
    vi.stubGlobal('fetch', (...[input, init]: Parameters<typeof fetch>) => {
      // The platform's own requests are of this process, too.
      if (typeof init?.body === 'string' && init.body.includes('URQL-1'))
        keys.push(new Headers(init.headers).get('idempotency-key'))
      return fetch(input, init)
    })
    onTestFinished(() => void vi.unstubAllGlobals())
    const made = await shop.mutation(MakeProductDocument, { input: product('URQL-1') })
    expect(made.data?.createProduct).toMatchObject({ product: { sku: 'URQL-1' }, errors: [] })
    expect(keys).toEqual([expect.stringMatching(/^[\da-f-]{36}$/)])
  })

  test('receives new orders', async () => {
    const shop = urql.openShop(platform.graphqlUrl, credential)
    const seen = arrivals<NewOrdersSubscription | undefined>((arrive) => {
      const subscription = shop.subscription(NewOrdersDocument, {}).subscribe(({ data }) => arrive(data))
      return () => subscription.unsubscribe()
    })
    const order = seen.next()
    const placing = setInterval(() => void placeOrder(), 500)
    expect((await order)?.orderCreated.total).toBeGreaterThan(0)
    clearInterval(placing)
    seen.stop()
  })
})

const openRefine = () => refine.openShop(`${platform.hasuraUrl}/v1/graphql`, platform.liveKey)

test('Refine lists, filters, sorts and pages products, and reads one', async () => {
  const products = { resource: 'catalog_product', meta: { fields: ['id', 'name', 'price'] } }
  const { data, total } = await openRefine().getList({
    ...products,
    filters: [{ field: 'name', operator: 'contains', value: 'TENT' }],
    sorters: [{ field: 'price', order: 'desc' }],
    pagination: { currentPage: 1, pageSize: 2 },
  })
  expect(data).toHaveLength(2)
  expect(total).toBeGreaterThan(2)
  const prices = data.map(({ price }) => Number(price))
  expect(prices).toEqual(prices.toSorted((one, other) => other - one))
  const one = await openRefine().getOne({ ...products, id: data[0]?.id ?? '' })
  expect(one.data).toEqual(data[0])
})

test('Refine creates, changes and deletes a category', async () => {
  const categories = { resource: 'catalog_category', meta: { fields: ['id', 'name', 'seo_title'] } }
  const { create, update, deleteOne, getOne } = openRefine()
  const { data: made } = await create({ ...categories, variables: { name: 'By Refine' } })
  const id = made.id ?? ''
  expect((await update({ ...categories, id, variables: { seo_title: 'Refined' } })).data).toEqual({
    id,
    name: 'By Refine',
    seo_title: 'Refined',
  })
  expect((await deleteOne({ ...categories, id })).data).toMatchObject({ id })
  expect((await getOne({ ...categories, id })).data).toBeNull()
})

/**
 * The documents that ra-data-hasura 0.6 sends, with fewer columns. It is no dependency, because it brings React
 * Admin 4 and its Apollo Client; tests/bin/try-packages.ts installs it and runs the recipe.
 */
const reactAdmin = {
  getList: `query catalog_product($limit: Int, $offset: Int, $order_by: [catalog_product_order_by!]!, $where: catalog_product_bool_exp) {
    items: catalog_product(limit: $limit offset: $offset order_by: $order_by where: $where) { id name price __typename }
    total: catalog_product_aggregate(order_by: $order_by, where: $where) { aggregate { count __typename } __typename }
  }`,
  getOne: `query catalog_product($limit: Int, $where: catalog_product_bool_exp) {
    returning: catalog_product(limit: $limit, where: $where) { id name price __typename }
  }`,
  create: `mutation insert_catalog_category($objects: [catalog_category_insert_input!]!) {
    data: insert_catalog_category(objects: $objects) { returning { id name __typename } __typename }
  }`,
  update: `mutation update_catalog_category($_set: catalog_category_set_input, $where: catalog_category_bool_exp!) {
    data: update_catalog_category(_set: $_set, where: $where) { returning { id name __typename } __typename }
  }`,
  delete: `mutation delete_catalog_category($where: catalog_category_bool_exp!) {
    data: delete_catalog_category(where: $where) { returning { id name __typename } __typename }
  }`,
}

interface Row {
  readonly id: string
  readonly name: string
  readonly __typename: string
}

test('react-admin’s documents list, filter, sort and page products, and read one', async () => {
  const list = succeeded(
    await client<{ items: Row[]; total: { aggregate: { count: number } } }>(reactAdmin.getList, {
      where: { _and: [{ name: { _ilike: '%tent%' } }, { status: { _eq: 'ACTIVE' } }] },
      limit: 1,
      offset: 1,
      order_by: { price: 'desc' },
    }),
  )
  expect(list.items).toMatchObject([{ __typename: 'catalog_product' }])
  expect(list.total.aggregate.count).toBeGreaterThan(1)
  const id = list.items[0]?.id
  const one = await client<{ returning: Row[] }>(reactAdmin.getOne, { where: { id: { _eq: id } }, limit: 1 })
  expect(succeeded(one).returning).toEqual(list.items)
})

test('react-admin’s documents create, change and delete a category', async () => {
  const write = async (query: string, variables: object) =>
    succeeded(await client<{ data: { returning: Row[] } }>(query, { ...variables })).data.returning
  const [made] = await write(reactAdmin.create, { objects: { name: 'By react-admin' } })
  const where = { id: { _in: [made?.id] } }
  expect(await write(reactAdmin.update, { _set: { name: 'Changed' }, where })).toEqual([
    { ...made, name: 'Changed' },
  ])
  expect(await write(reactAdmin.delete, { where })).toHaveLength(1)
  expect(await write(reactAdmin.delete, { where })).toEqual([])
})
