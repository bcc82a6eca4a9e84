import type { DataLayer } from '@commerce-graph/data-layer'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { everyPermission, openTestGateway, send, type TestGateway } from '../testing/gateway.ts'

/** What the engine says of all its answers; its own tests say when it says so. */
let isCurrent = true

const withValidity = (inner: DataLayer): DataLayer => ({
  ...inner,
  async execute(operation, session, options) {
    const result = await inner.execute(operation, session, options)
    return result.kind === 'data' && options?.wantsValidity === true
      ? { ...result, validity: { isCurrent: () => Promise.resolve(isCurrent) } }
      : result
  },
})

let gateway: TestGateway
let key: string
beforeAll(async () => {
  gateway = await openTestGateway({ around: withValidity, keepsAnswers: true })
  key = await gateway.createKey({ permissions: everyPermission })
})
beforeEach(() => {
  isCurrent = true
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** How many operations the data layer runs for a request. */
async function operations(
  query: string,
  {
    by = key,
    variables = {},
    headers = {},
  }: { by?: string; variables?: object; headers?: Record<string, string> } = {},
): Promise<number> {
  gateway.shop.takeCount()
  const answer = await send(gateway, by, query, { ...variables }, headers)
  expect(answer.status).toBe(200)
  return gateway.shop.takeCount()
}

test('a query that was answered is answered alike without the data layer, as long as the answer is current', async () => {
  const query = 'query Kept { products(first: 2) { totalCount nodes { id name } } }'
  // What is asked for once is not kept.
  expect(await operations(query)).toBe(1)
  const first = await send(gateway, key, query)
  expect(gateway.shop.takeCount()).toBe(1)
  const second = await send(gateway, key, query)
  expect(gateway.shop.takeCount()).toBe(0)
  expect(second.text).toBe(first.text)
  expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'))
  isCurrent = false
  expect(await operations(query)).toBe(1)
})

test('another key, other variables, another media type and the wish to see the complexity are other answers', async () => {
  const query = 'query Differs($first: Int) { products(first: $first) { nodes { id } } }'
  const other = await gateway.createKey({ permissions: everyPermission })
  expect(await operations(query, { variables: { first: 1 } })).toBe(1)
  expect(await operations(query, { variables: { first: 1 } })).toBe(1)
  expect(await operations(query, { variables: { first: 1 } })).toBe(0)
  expect(await operations(query, { variables: { first: 2 } })).toBe(1)
  expect(await operations(query, { variables: { first: 1 }, by: other })).toBe(1)
  const accept = { accept: 'application/graphql-response+json' }
  expect(await operations(query, { variables: { first: 1 }, headers: accept })).toBe(1)
  const shown = await send(gateway, key, query, { first: 1 }, { 'x-complexity': 'true' })
  expect(shown.text).toContain('"complexity"')
  expect(await operations(query, { variables: { first: 1 } })).toBe(0)
})

test('a merchant, and a key with fewer permissions, never get what another was answered', async () => {
  const query = 'query Whose { products(first: 5) { nodes { id } } orders(first: 1) { totalCount } }'
  await send(gateway, key, query)
  const answered = await send(gateway, key, query)
  const others = await send(
    gateway,
    await gateway.createKey({ merchant: 2, permissions: everyPermission }),
    query,
  )
  expect(others.data['products']).not.toEqual(answered.data['products'])
  const fewer = await gateway.createKey({ permissions: ['products:read'] })
  for (let round = 0; round < 2; round += 1)
    expect((await send(gateway, fewer, query)).errors).toMatchObject([{ extensions: { id: 'SVC_AUTH_003' } }])
})

test('mutations run each time, and errors are not kept: they name their request', async () => {
  const mutation = 'mutation { createCategory(input: { name: "Again" }) { category { id } errors { code } } }'
  const ids = await Promise.all([send(gateway, key, mutation), send(gateway, key, mutation)])
  expect(new Set(ids.map(({ text }) => text)).size).toBe(2)
  const wrong = '{ products(first: 1) { nodes { id } } orders(filters: { statuses: [] }) { totalCount } }'
  const failed = [await send(gateway, key, wrong), await send(gateway, key, wrong)]
  expect(failed[0]?.errors[0]?.extensions.requestId).not.toBe(failed[1]?.errors[0]?.extensions.requestId)
})

test('a kept answer is compressed for the clients that take it so', async () => {
  const query =
    'query Long { products(first: 100) { nodes { id name slug sku description createdAt updatedAt } } }'
  const plain = await send(gateway, key, query, {}, { 'accept-encoding': 'identity' })
  expect(plain.text.length).toBeGreaterThan(4_096)
  for (const coding of ['br', 'gzip', 'br']) {
    const coded = await send(gateway, key, query, {}, { 'accept-encoding': coding })
    expect([coded.headers.get('content-encoding'), coded.text]).toEqual([coding, plain.text])
  }
})

test('what is kept is bounded', async () => {
  await using small = await openTestGateway({
    around: withValidity,
    keepsAnswers: true,
    limits: { keptAnswerBytes: 20_000 },
  })
  const by = await small.createKey({ permissions: everyPermission })
  const manyProducts = 'query Many($first: Int) { products(first: $first) { nodes { id name } } }'
  for (let first = 1; first <= 40; first += 1) {
    await send(small, by, manyProducts, { first })
    await send(small, by, manyProducts, { first })
  }
  expect(small.keptAnswers?.bytes).toBeLessThanOrEqual(20_000)
  expect(small.keptAnswers?.bytes).toBeGreaterThan(0)
})
