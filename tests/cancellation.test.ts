import { limitsFrom } from '@commerce-graph/gateway/settings'
import { randomUUID } from 'node:crypto'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

const requestMilliseconds = 2_500

let platform: TestPlatform
let sql: Sql
let productId: string
beforeAll(async () => {
  const limits = limitsFrom({ LIMIT_REQUEST_MILLISECONDS: String(requestMilliseconds) })
  platform = await startTestPlatform({ limits })
  sql = postgres(platform.databaseUrl, { max: 2 })
  const [product] = await sql<[{ id: string }]>`
    SELECT id FROM catalog.product WHERE merchant_id = ${platform.merchantId} AND status = 'ACTIVE' LIMIT 1`
  productId = product.id
}, 120_000)
afterAll(async () => {
  await sql.end()
  await platform.stop()
})

/** How many statements of the engine or the actions wait for a lock. The jobs have other statements. */
async function waiting(): Promise<number | undefined> {
  const [row] = await sql<{ statements: number }[]>`
    SELECT count(*)::integer AS statements FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'active' AND wait_event_type = 'Lock'
      AND application_name IN ('hasura-embedded', 'actions')`
  return row?.statements
}

const send = (query: string, variables: object, signal?: AbortSignal): Promise<Response> =>
  fetch(platform.graphqlUrl, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${platform.liveKey}`,
      'content-type': 'application/json',
      // With an idempotency key, an action does everything in one transaction.
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({ query, variables }),
    ...(signal && { signal }),
  })

/** Locks the table that the requests need until the work is done. */
async function whileLocked(table: string, work: () => Promise<void>): Promise<void> {
  await sql.begin(async (transaction) => {
    await transaction`LOCK TABLE ${transaction(table)} IN ACCESS EXCLUSIVE MODE`
    await work()
  })
}

const cases = [
  ['a query', 'catalog.product', 'query ($id: ID!) { product(id: $id) { id } }'],
  ['a mutation of rows', 'catalog.product', 'mutation ($id: ID!) { deleteProduct(id: $id) { success } }'],
  [
    'an action',
    'analytics.product_view',
    'mutation ($id: ID!) { recordProductView(productId: $id) { errors { message } } }',
  ],
  [
    'an action’s transaction',
    'identity.user',
    `mutation { createUser(input: { email: "new@example.com", name: "New" }) { user { id } } }`,
  ],
] as const

describe.each(cases)('%s', (_what, table, query) => {
  test('that takes too long is answered with 503, and Postgres stops its statement', async () => {
    await whileLocked(table, async () => {
      const answer = send(query, { id: productId })
      await expect.poll(waiting, { timeout: 2_000, interval: 20 }).toBe(1)
      const { status } = await answer
      expect(status).toBe(503)
      // Long before the statement's own time-out, and while the lock is still held.
      await expect.poll(waiting, { timeout: 5_000, interval: 20 }).toBe(0)
    })
  })

  test('whose client disconnects is cancelled at once', async () => {
    await whileLocked(table, async () => {
      const leaving = new AbortController()
      const answer = send(query, { id: productId }, leaving.signal).catch(() => 'gone')
      await expect.poll(waiting, { timeout: 2_000, interval: 20 }).toBe(1)
      leaving.abort()
      expect(await answer).toBe('gone')
      await expect.poll(waiting, { timeout: 5_000, interval: 20 }).toBe(0)
    })
  })
})

test('cancelled requests change nothing, and their connections can be used again', async () => {
  const [left] = await sql<[{ users: number }]>`
    SELECT count(*)::integer AS users FROM identity.user WHERE email = 'new@example.com'`
  expect(left.users).toBe(0)
  const [, , [, , view], [, , create]] = cases
  const answers = await Promise.all([
    send(create, {}),
    ...Array.from({ length: 20 }, () => send(view, { id: productId })),
  ])
  for (const answer of answers) {
    expect(answer.status).toBe(200)
    expect(await answer.json()).not.toHaveProperty('errors')
  }
})
