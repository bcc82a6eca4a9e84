import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import postgres from '@commerce-graph/postgres-driver'
import { print } from 'graphql'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openEmptyShop } from './support/empty-shop.ts'
import { StreamSkusDocument, WatchSkusDocument } from './support/generated/hasura-operations.ts'
import { createSubscriptionClient, type SubscriptionClient } from './support/subscription-client.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

/** Hasura's own API, as a merchant's front end subscribes to it. */

let platform: TestPlatform
let clients: SubscriptionClient[] = []

beforeAll(async () => {
  platform = await startTestPlatform()
}, 120_000)
afterAll(() => platform.stop())
afterEach(async () => {
  for (const client of clients) await client.dispose()
  clients = []
})

type Shop = Awaited<ReturnType<typeof openEmptyShop>>

function subscribe<Data>(key: string, document: TypedDocumentNode<Data, Record<string, never>>) {
  const client = createSubscriptionClient(`${platform.hasuraUrl}/v1/graphql`, {
    Authorization: `Bearer ${key}`,
  })
  clients.push(client)
  const messages: (Data | null | undefined)[] = []
  const closed = new Promise<unknown>((resolve) => client.on('closed', resolve))
  let connections = 0
  client.on('connected', () => (connections += 1))
  client.subscribe<Data>(
    { query: print(document) },
    { next: ({ data }) => messages.push(data), error: () => undefined, complete: () => undefined },
  )
  return { messages, closed, connections: () => connections }
}

async function withSql(run: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(platform.databaseUrl, { max: 1 })
  try {
    await run(sql)
  } finally {
    await sql.end()
  }
}

const addProducts = (shop: Shop, first: number, count: number) =>
  withSql(
    (sql) => sql`
      INSERT INTO catalog.product (merchant_id, sku, name, slug, price, currency, status, created_at)
      SELECT ${shop.merchantId}, 'S-' || n, 'Product ' || n, 'product-' || n, 100, 'USD', 'ACTIVE',
        timestamptz '2026-01-01' + n * interval '1 second'
      FROM generate_series(${first}::int, ${first + count - 1}::int) AS n`,
  )

test('a merchant’s stream continues after its first batch, on one connection', async () => {
  const shop = await openEmptyShop(platform.databaseUrl)
  await addProducts(shop, 1, 24)
  const { messages, connections } = subscribe(shop.key, StreamSkusDocument)
  const skus = () =>
    messages.flatMap((message) => message?.catalog_product_stream.map(({ sku }) => sku) ?? [])
  const expected = (count: number) => Array.from({ length: count }, (_, index) => `S-${index + 1}`)
  await expect.poll(skus, { timeout: 20_000 }).toEqual(expected(24))
  await addProducts(shop, 25, 2)
  await expect.poll(skus, { timeout: 20_000 }).toEqual(expected(26))
  expect(connections()).toBe(1)
})

test('a merchant’s live query sends a change once, unaffected by other keys, until its own key is revoked', async () => {
  const shop = await openEmptyShop(platform.databaseUrl)
  const { messages, closed, connections } = subscribe(shop.key, WatchSkusDocument)
  const products = (...skus: string[]) => ({ catalog_product: skus.map((sku) => ({ sku })) })
  await expect.poll(() => messages, { timeout: 20_000 }).toEqual([products()])
  await addProducts(shop, 1, 1)
  await expect.poll(() => messages, { timeout: 20_000 }).toEqual([products(), products('S-1')])
  // Another key is created and revoked: that announces a change of access, but this key's access stays the same.
  await withSql(
    (sql) => sql`
      INSERT INTO merchant.api_key (merchant_id, name, mode, prefix, permissions)
      SELECT merchant_id, 'other', mode, prefix, permissions FROM merchant.api_key
      WHERE merchant_id = ${shop.merchantId}`,
  )
  await addProducts(shop, 2, 1)
  await expect
    .poll(() => messages, { timeout: 20_000 })
    .toEqual([products(), products('S-1'), products('S-1', 'S-2')])
  expect(connections()).toBe(1)
  await withSql(
    (sql) => sql`UPDATE merchant.api_key SET revoked_at = now() WHERE merchant_id = ${shop.merchantId}`,
  )
  await closed
  await addProducts(shop, 3, 1)
  expect(messages).toHaveLength(3)
})
