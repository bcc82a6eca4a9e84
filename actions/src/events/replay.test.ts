import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import * as events from '../sql/generated/events.ts'
import { openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'
import { sequenceEvents } from './sequence.ts'

let shop: TestShop
let merchant: TestMerchant
let endpointId: string
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  merchant = await shop.createMerchant()
  await sequenceEvents(shop.database)
  const [endpoint] = await shop.database<[{ id: string }]>`
    INSERT INTO events.endpoint (merchant_id, url, topics, permissions)
    VALUES (${merchant.merchantId}, 'http://127.0.0.1:9/', '{review.created}', '{products:read}') RETURNING id`
  endpointId = endpoint.id
})

/** Events in the order of their positions, each of this second. */
const happened = (...seconds: readonly number[]) => shop.database`
  INSERT INTO events.event
    (merchant_id, topic, record_type, record_id, version, permission, record, changes, occurred_at)
  SELECT ${merchant.merchantId}, 'review.created', 'Review', gen_random_uuid(), n::text, 'products:read',
    jsonb_build_object('rating', n), '{}', '2026-11-24T03:00:00Z'::timestamptz + s * interval '1 second'
  FROM unnest(${[...seconds]}::integer[]) WITH ORDINALITY AS x (s, n) ORDER BY n`

const replay = (from: string) =>
  events.replay(shop.database, {
    merchantId: merchant.merchantId,
    endpointId,
    from,
    to: null,
    deliveryIds: null,
    onlyUndelivered: false,
    limit: 1,
  })

/** Goes on from `until` as long as there is one. */
async function replayAll(): Promise<readonly number[]> {
  const counts: number[] = []
  let from: string | null = '2026-11-24T00:00:00Z'
  while (from !== null) {
    const replayed = await replay(from)
    if (replayed.outcome !== 'replayed') throw new Error(replayed.outcome)
    counts.push(replayed.count)
    from = counts.length > 9 ? null : replayed.until
  }
  return counts
}

async function queued(): Promise<readonly number[]> {
  const rows = await shop.database<{ rating: number }[]>`
    SELECT (e.record ->> 'rating')::integer AS rating
    FROM events.delivery d JOIN events.event e ON e.merchant_id = d.merchant_id AND e.id = d.event_id
    WHERE d.endpoint_id = ${endpointId} ORDER BY rating`
  return rows.map(({ rating }) => rating)
}

test('a replay in parts sends an event that was committed after later ones, and each event once', async () => {
  await happened(2, 1, 3)
  expect(await replayAll()).toEqual([1, 1, 1])
  expect(await queued()).toEqual([1, 2, 3])
})

test('a replay in parts goes on after events of one instant, which are in one part', async () => {
  await happened(1, 1, 2, 1)
  expect(await replayAll()).toEqual([3, 1])
  expect(await queued()).toEqual([1, 2, 3, 4])
})
