import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bookshop, merchant, openBookshop } from '../execute/testing/bookshop.ts'
import type { GraphQLResult } from '../graphql-request.ts'
import type { Session } from '../session/types.ts'
import { type Membership, Poller } from './poller.ts'
import { type SubscriptionHub, createSubscriptionHub } from './subscription-hub.ts'

let shop: Bookshop
let hub: SubscriptionHub
let statements = 0

const intervalMs = 50

beforeAll(async () => {
  shop = await openBookshop()
  // A poll borrows a connection once for each statement.
  shop.pool.on('acquire', () => (statements += 1))
  const refetch = { intervalMs, batchSize: 100 }
  const logger = pino({ level: 'silent' })
  const options = {
    live: refetch,
    streaming: refetch,
    concurrentPolls: 2,
    statementTimeoutMs: 10_000,
    sessionSettings: { variables: {}, roles: {} },
    logger,
  }
  hub = createSubscriptionHub(shop.executor, () => shop.snapshot, shop.pool, options)
})

afterAll(async () => {
  await hub.close()
  await shop.close()
})

async function statementsDuring(milliseconds: number): Promise<number> {
  const before = statements
  await sleep(milliseconds)
  return statements - before
}

function subscribe(query: string, session: Session) {
  const results: GraphQLResult[] = []
  const leave = hub.subscribe({ query }, session, {
    receive: (result) => results.push(result),
    isReady: () => true,
    end: () => undefined,
  })
  return { results, leave }
}

const titles = 'subscription { book(order_by: {id: asc}) { title } }'

/** A merchant's titles, read without the permission's filter. */
async function titlesOf(merchantId: number): Promise<unknown> {
  const { rows } = await shop.pool.query<{ books: unknown }>(
    `select coalesce(json_agg(json_build_object('merchant_id', merchant_id, 'title', title) order by id), '[]') as books
      from book where merchant_id = $1`,
    [merchantId],
  )
  return rows[0]?.books
}

const booksOf = (result: GraphQLResult): unknown =>
  result.kind === 'data' ? (JSON.parse(result.json) as { readonly book: unknown }).book : result.errors

const ownTitles = 'subscription { book(order_by: {id: asc}) { merchant_id title } }'

test('200 subscribers of one operation cost one statement per poll, and none after they have left', async () => {
  const ids = Array.from({ length: 200 }, (_, index) => (index % 50) + 1)
  const subscribers = ids.map((id) => subscribe(ownTitles, merchant(id)))
  await expect.poll(() => subscribers.every(({ results }) => results.length === 1)).toBe(true)
  for (const [index, id] of ids.entries())
    expect(subscribers[index]?.results.map(booksOf)).toEqual([await titlesOf(id)])
  const polled = await statementsDuring(10 * intervalMs)
  expect(polled).toBeGreaterThanOrEqual(5)
  expect(polled).toBeLessThanOrEqual(11)
  expect(subscribers.every(({ results }) => results.length === 1)).toBe(true)
  for (const { leave } of subscribers) leave()
  await sleep(2 * intervalMs)
  expect(await statementsDuring(5 * intervalMs)).toBe(0)
})

test('members beyond the batch size take a second statement', async () => {
  const subscribers = Array.from({ length: 150 }, (_, index) => subscribe(titles, merchant(index + 1)))
  await expect.poll(() => subscribers.every(({ results }) => results.length === 1)).toBe(true)
  const polled = await statementsDuring(10 * intervalMs)
  expect(polled).toBeGreaterThanOrEqual(8)
  expect(polled).toBeLessThanOrEqual(22)
  for (const { leave } of subscribers) leave()
})

test('a subscriber that left receives nothing more', async () => {
  const staying = subscribe(titles, merchant(2))
  const leaving = subscribe(titles, merchant(2))
  await expect.poll(() => leaving.results.length).toBe(1)
  leaving.leave()
  await shop.pool.query(`update book set title = 'Alien 2' where merchant_id = 2`)
  await expect.poll(() => staying.results.length).toBe(2)
  expect(leaving.results).toHaveLength(1)
  staying.leave()
})

test('rows that were read before new metadata hid them are not sent', async () => {
  const query = 'subscription { book_stream(batch_size: 9, cursor: [{initial_value: {id: 0}}]) { title } }'
  const prepared = shop.executor.prepareSubscription({ query }, merchant(1))
  const reading = Promise.withResolvers<undefined>()
  const read = Promise.withResolvers<[string, string, string][]>()
  const joined: Membership[] = []
  let isOutdated = false
  const poller = new Poller(prepared, {
    intervalMs: 60_000,
    batchSize: 1,
    logger: pino({ level: 'silent' }),
    refresh: () => {
      if (isOutdated) joined[0]?.leave()
    },
    isFollowed: () => false,
    settle: () => Promise.resolve(true),
    run: () => {
      reading.resolve(undefined)
      return read.promise
    },
  })
  const results: GraphQLResult[] = []
  const subscriber = {
    receive: (result: GraphQLResult) => results.push(result),
    isReady: () => true,
    end: () => {},
  }
  joined.push(poller.join(prepared, { subscriber, sent: undefined }))
  await reading.promise
  isOutdated = true
  read.resolve([['0', '{"book_stream":[{"title":"Hidden"}]}', '9']])
  await sleep(0)
  expect(results).toEqual([])
  expect(poller.isIdle).toBe(true)
})
