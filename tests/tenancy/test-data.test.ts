import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, type Client, createClient } from '../support/graphql-client.ts'
import { payload, succeeded } from '../support/shop.ts'
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts'

let platform: TestPlatform
let live: Client
let testing: Client
beforeAll(async () => {
  platform = await startTestPlatform()
  live = createClient(platform.graphqlUrl, bearer(platform.liveKey))
  testing = createClient(platform.graphqlUrl, bearer(platform.testKey))
})
afterAll(() => platform.stop())

const createProduct = async (client: Client) =>
  payload(
    await client<{ createProduct: { product: { id: string }; errors: [] } }>(
      'mutation { createProduct(input: { name: "Lamp", sku: "LAMP", price: 100, currency: "USD" }) { product { id } errors { field message } } }',
    ),
  ).product

test('a test key reaches rows of its own: neither it nor a live key sees or changes the other’s', async () => {
  const [ofLive, ofTest] = [await createProduct(live), await createProduct(testing)]
  const ask = async (client: Client, id: string) =>
    succeeded(
      await client<{ product: object | null; products: { totalCount: number } }>(
        'query ($id: ID!) { product(id: $id) { id } products { totalCount } }',
        { id },
      ),
    )
  expect(await ask(testing, ofLive.id)).toEqual({ product: null, products: { totalCount: 1 } })
  expect(await ask(live, ofTest.id)).toMatchObject({ product: null })
  for (const [client, { id }] of [
    [testing, ofLive],
    [live, ofTest],
  ] as const)
    expect(
      succeeded(await client('mutation ($id: ID!) { deleteProduct(id: $id) { errors { code } } }', { id })),
    ).toEqual({ deleteProduct: { errors: [{ code: 'NOT_FOUND' }] } })
})

test('a merchant manages its test keys with a live one, and the audit log of the test data names them', async () => {
  type Created = Record<'createApiKey', { readonly apiKey: { readonly id: string }; readonly key: string }>
  const { createApiKey } = succeeded(
    await live<Created>(
      `mutation { createApiKey(input: { name: "For trials", mode: TEST, permissions: ["customers:write", "customers:read"] }) {
        apiKey { id } key errors { field message }
      } }`,
    ),
  )
  const trial = createClient(platform.graphqlUrl, bearer(createApiKey.key))
  succeeded(
    await trial(
      'mutation { createCustomer(input: { email: "t@example.com", name: "T" }) { id errors { message } } }',
    ),
  )
  const log = async (client: Client) =>
    succeeded(
      await client<{ auditEntries: { edges: { node: { actorName: string } }[] } }>(
        '{ auditEntries(filters: { operation: "createCustomer" }) { edges { node { actorName } } } }',
      ),
    ).auditEntries.edges.map(({ node }) => node.actorName)
  await expect.poll(() => log(testing)).toEqual(['For trials'])
  expect(await log(live)).toEqual([])
  succeeded(
    await live('mutation ($id: ID!) { revokeApiKey(id: $id) { errors { message } } }', createApiKey.apiKey),
  )
  await expect.poll(async () => (await trial('{ customers { totalCount } }')).status).toBe(401)
})
