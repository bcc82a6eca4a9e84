import { afterAll, beforeAll, expect, test } from 'vitest'
import { jsonOf } from '../database.ts'
import { openQueueBackend, type QueueBackend } from '../jobs/queue-backend.ts'
import {
  dataOf,
  found,
  openTestShop,
  silent,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'

let shop: TestShop
let merchant: TestMerchant
let backend: QueueBackend
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(async () => {
  await backend.close()
  await shop.close()
})

const operator = { role: 'operator', operatorKeyId: '01a1f000-00ff-7000-8000-000000000009' } as const
const call = (name: 'retryDeadLetters' | 'dropDeadLetters', ids: readonly string[]) =>
  shop.call(merchant, name, { ids }, { session: operator })

interface Letter {
  readonly id: string
  readonly kind: string
  readonly name: string
  readonly merchant_id: string | null
  readonly attempts: number
  readonly error: string | null
}

const letters = (kind: string) => shop.database<Letter[]>`
  SELECT id, kind, name, merchant_id, attempts, error FROM operator.dead_letter WHERE kind = ${kind} ORDER BY failed_at`

test('without queues and an engine there is no dead letter, and no error', async () => {
  await shop.database`DROP SCHEMA IF EXISTS bullmq CASCADE`
  expect(await shop.database`SELECT * FROM operator.dead_letter`).toEqual([])
  backend = await openQueueBackend({ databaseUrl: shop.databaseUrl, connections: 2 }, silent)
})

test('a job that failed for good is listed, tried again with all its attempts, and dropped', async () => {
  const queue = backend.openQueue('trial')
  const event = { id: 'e', trigger: 't', old: null, new: { merchant_id: merchant.merchantId } }
  await queue.add('doomed', event, { attempts: 2, jobId: 'one', backoff: 10 })
  await queue.add('dropped', { any: 1 }, { attempts: 1, jobId: 'two' })
  let fails = true
  const runs: string[] = []
  const worker = backend.openWorker(
    'trial',
    ({ name }) => {
      runs.push(name)
      return fails ? Promise.reject(new Error(`no luck with ${name}`)) : Promise.resolve(1)
    },
    { concurrency: 1 },
  )
  await expect.poll(() => letters('JOB'), { timeout: 10_000 }).toHaveLength(2)
  const failed = await letters('JOB')
  const doomed = found(failed.find(({ name }) => name === 'doomed'))
  const dropped = found(failed.find(({ name }) => name === 'dropped'))
  expect(doomed).toMatchObject({
    merchant_id: merchant.merchantId,
    attempts: 2,
    error: 'no luck with doomed',
  })
  expect(dropped).toMatchObject({ merchant_id: null, attempts: 1 })

  expect(dataOf(await call('retryDeadLetters', [doomed.id]))).toEqual({ count: 1 })
  await expect.poll(() => letters('JOB'), { timeout: 10_000 }).toHaveLength(2)
  expect(runs.filter((name) => name === 'doomed')).toHaveLength(4)
  expect((await letters('JOB')).map(({ id }) => id)).toContain(doomed.id)

  expect(dataOf(await call('dropDeadLetters', [dropped.id]))).toEqual({ count: 1 })
  fails = false
  expect(dataOf(await call('retryDeadLetters', [doomed.id, doomed.id]))).toEqual({ count: 1 })
  await expect.poll(() => runs.length, { timeout: 10_000 }).toBe(6)
  expect(await letters('JOB')).toEqual([])
  await worker.close()
  await queue.close()
})

test('what the engine gave up is listed with its last answer, and due again or gone', async () => {
  await shop.database`CREATE SCHEMA IF NOT EXISTS hdb_catalog`
  await shop.database.file(
    new URL('../../../hasura/engine/src/storage/hdb-catalog.sql', import.meta.url).pathname,
  )
  await shop.database.file(
    new URL('../../../hasura/engine/src/storage/hdb-source-catalog.sql', import.meta.url).pathname,
  )
  const payload = { op: 'INSERT', data: { old: null, new: { merchant_id: merchant.merchantId } } }
  const response = { type: 'webhook_response', data: { message: 'the actions are away' } }
  await shop.database`
    INSERT INTO hdb_catalog.event_log (id, schema_name, table_name, trigger_name, payload, error, tries)
    SELECT id, 'ordering', 'order', 'order', ${jsonOf(shop.database, payload)}, true, 8 FROM unnest(ARRAY['e1', 'e2']) id`
  await shop.database`
    INSERT INTO hdb_catalog.event_invocation_logs (trigger_name, event_id, response)
    VALUES ('order', 'e1', ${jsonOf(shop.database, response)})`
  await shop.database`
    INSERT INTO hdb_catalog.hdb_cron_events (id, trigger_name, scheduled_time, status, tries)
    VALUES ('c1', 'nightly', now() - interval '1 day', 'dead', 1), ('c2', 'nightly', now() - interval '2 days', 'error', 1)`
  await shop.database`
    INSERT INTO hdb_catalog.hdb_scheduled_events (id, webhook_conf, scheduled_time, status, comment)
    VALUES ('s1', '"x"', now(), 'error', 'once'), ('s2', '"x"', now(), 'error', 'twice')`
  const events = await letters('EVENT')
  expect(events).toHaveLength(2)
  expect(events).toContainEqual(
    expect.objectContaining({
      name: 'order',
      attempts: 8,
      merchant_id: merchant.merchantId,
      error: 'the actions are away',
    }),
  )
  const all = [...events, ...(await letters('CRON_EVENT')), ...(await letters('ONE_OFF_EVENT'))]
  expect(all.map(({ name }) => name)).toEqual(['order', 'order', 'nightly', 'nightly', 'once', 'twice'])
  const idOf = (source: string) => shop.database<{ id: string }[]>`
    SELECT id FROM operator.dead_letter WHERE source_id = ${source}`
  const ids = async (sources: readonly string[]) =>
    (await Promise.all(sources.map(idOf))).map(([row]) => found(row).id)
  const [retried, droppedIds] = [await ids(['e1', 'c1', 's1']), await ids(['e2', 'c2', 's2'])]
  expect(dataOf(await call('retryDeadLetters', retried))).toEqual({ count: 3 })
  expect(dataOf(await call('dropDeadLetters', droppedIds))).toEqual({ count: 3 })
  expect(await shop.database`SELECT * FROM operator.dead_letter`).toEqual([])
  expect(
    await shop.database`SELECT id, error, tries, archived FROM hdb_catalog.event_log ORDER BY id`,
  ).toEqual([
    { id: 'e1', error: false, tries: 0, archived: false },
    { id: 'e2', error: false, tries: 0, archived: true },
  ])
  expect(
    await shop.database`
      SELECT id, status, scheduled_time > now() - interval '1 minute' AS due FROM hdb_catalog.hdb_cron_events`,
  ).toEqual([{ id: 'c1', status: 'scheduled', due: true }])
  expect(await shop.database`SELECT id, status FROM hdb_catalog.hdb_scheduled_events`).toEqual([
    { id: 's1', status: 'scheduled' },
  ])
})

test('a webhook that was given up is listed with its merchant, sent again or dropped', async () => {
  const { merchantId } = merchant
  await shop.database`
    INSERT INTO events.endpoint (merchant_id, url, topics, permissions)
    VALUES (${merchantId}, 'https://shop.example/hook', '{*}', '{}')`
  await shop.database`
    INSERT INTO events.delivery (merchant_id, endpoint_id, topic, position, status, tries, attempts, response_status, is_test)
    SELECT e.merchant_id, e.id, topic, '1', 'FAILED', 10, 10, 500, topic = 'test'
    FROM events.endpoint e, unnest(ARRAY['order.created', 'order.paid', 'test']) topic WHERE e.merchant_id = ${merchantId}`
  const failed = await letters('WEBHOOK_DELIVERY')
  expect(failed.map(({ name }) => name).sort()).toEqual(['order.created', 'order.paid'])
  const [created, paid] = ['order.created', 'order.paid'].map((topic) =>
    found(failed.find(({ name }) => name === topic)),
  )
  expect(created).toMatchObject({ merchant_id: merchantId, attempts: 10, error: 'status 500' })
  expect(dataOf(await call('retryDeadLetters', [found(created).id]))).toEqual({ count: 1 })
  expect(dataOf(await call('dropDeadLetters', [found(paid).id]))).toEqual({ count: 1 })
  expect(await shop.database`SELECT topic, status, tries FROM events.delivery WHERE NOT is_test`).toEqual([
    { topic: 'order.created', status: 'PENDING', tries: 0 },
  ])
})

test('an unknown id is named, and then nothing is done', async () => {
  await shop.database`UPDATE events.delivery SET status = 'FAILED' WHERE NOT is_test`
  const [letter] = await letters('WEBHOOK_DELIVERY')
  const unknown = '01a1f000-0000-7000-8000-000000000001'
  expect(await call('dropDeadLetters', [found(letter).id, unknown])).toMatchObject({
    kind: 'invalid',
    errors: [{ field: 'ids.1', code: 'NOT_FOUND' }],
  })
  expect(await letters('WEBHOOK_DELIVERY')).toHaveLength(1)
  expect(await call('dropDeadLetters', [])).toMatchObject({ kind: 'invalid', errors: [{ field: 'ids' }] })
})

test('only operators retry and drop dead letters', async () => {
  const ids = ['01a1f000-0000-7000-8000-000000000001']
  for (const name of ['retryDeadLetters', 'dropDeadLetters'])
    expect(await shop.call(merchant, name, { ids })).toMatchObject({ kind: 'refused', id: 'SVC_AUTH_003' })
})
