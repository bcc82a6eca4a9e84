import type { BaseRecord, DataProvider } from '@refinedev/core'
import dataProvider, { GraphQLClient, type HasuraDataProviderOptions } from '@refinedev/hasura'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, createClient, type Client } from '../support/graphql-client.ts'
import { succeeded } from '../support/shop.ts'
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts'

/** The recipes of docs/admin-kits.md, on the shop of the platform. */

let platform: TestPlatform
let client: Client
let url: string
beforeAll(async () => {
  platform = await startTestPlatform()
  url = `${platform.hasuraUrl}/v1/graphql`
  client = createClient(url, bearer(platform.liveKey))
}, 120_000)
afterAll(() => platform.stop())

/** The types of the package declare its default export as the module itself, from another build. */
const createDataProvider = dataProvider as unknown as (
  client: GraphQLClient,
  options: HasuraDataProviderOptions,
) => Required<DataProvider>

const first = ({ data }: { data: BaseRecord[] }) => ({ data: data[0] ?? null })

function refine() {
  const headers = { ...bearer(platform.liveKey) }
  const rows = createDataProvider(new GraphQLClient(url, { headers }), { idType: 'uuid' })
  type Of<Method extends 'getOne' | 'update' | 'deleteOne'> = Parameters<(typeof rows)[Method]>[0]
  return {
    ...rows,
    getOne: async ({ id, ...rest }: Of<'getOne'>) => first(await rows.getMany({ ...rest, ids: [id] })),
    update: async ({ id, ...rest }: Of<'update'>) => first(await rows.updateMany({ ...rest, ids: [id] })),
    deleteOne: async ({ id, ...rest }: Of<'deleteOne'>) =>
      first(await rows.deleteMany({ ...rest, ids: [id] })),
  }
}

test('Refine lists, filters, sorts and pages products, and reads one', async () => {
  const products = { resource: 'catalog_product', meta: { fields: ['id', 'name', 'price'] } }
  const { data, total } = await refine().getList({
    ...products,
    filters: [{ field: 'name', operator: 'contains', value: 'TENT' }],
    sorters: [{ field: 'price', order: 'desc' }],
    pagination: { currentPage: 1, pageSize: 2 },
  })
  expect(data).toHaveLength(2)
  expect(total).toBeGreaterThan(2)
  const prices = data.map(({ price }) => Number(price))
  expect(prices).toEqual(prices.toSorted((one, other) => other - one))
  const one = await refine().getOne({ ...products, id: data[0]?.id ?? '' })
  expect(one.data).toEqual(data[0])
})

test('Refine creates, changes and deletes a category', async () => {
  const categories = { resource: 'catalog_category', meta: { fields: ['id', 'name', 'seo_title'] } }
  const { create, update, deleteOne, getOne } = refine()
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
 * Admin 4 and its Apollo Client.
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
