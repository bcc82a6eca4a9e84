import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDemoDatabase } from '../support/demo-database.ts'
import { partUrlsOf } from '../support/part-urls.ts'
import { startTestWorkers } from './start-test-workers.ts'

const merchant = '01a1f000-0001-7000-8000-000000000001'
const other = '0198c0de-0000-7000-8000-00000000beef'
/** Of operators' requests. */
const nobody = '00000000-0000-0000-0000-000000000000'

/** What is deleted, and the merchants that have one of it. */
const purged: Readonly<Record<string, readonly string[]>> = {
  'cart.cart': [merchant, other],
  'platform.idempotency_record': [merchant, other, nobody],
  'identity.sign_in_attempt': [merchant, other],
  'identity.password_reset_request': [merchant, other],
  'events.deletion': [merchant, other],
  'events.event': [merchant, other],
  'bulk.import': [merchant, other],
}

/** Rows that are not the test's: what the purges delete is itself recorded. */
const recent: Readonly<Record<string, string>> = {
  'events.deletion': "deleted_at > now() - interval '1 year'",
  'events.event': "created_at > now() - interval '1 year'",
}

const started = new AsyncDisposableStack()
let owner: Sql
let workerUrl: string
beforeAll(async () => {
  const database = await createDemoDatabase()
  started.defer(() => database.drop())
  owner = postgres(database.url, { max: 1, onnotice: () => undefined })
  started.defer(() => owner.end())
  workerUrl = (await partUrlsOf(database.url)).worker ?? ''
  await owner`INSERT INTO merchant.merchant (id, name, email) VALUES (${other}, 'Another', 'another@example.com')`
  for (const table of Object.keys(purged)) {
    await owner`DELETE FROM ${owner.unsafe(table)}`
    await owner.unsafe(`CREATE POLICY of_one ON ${table} AS RESTRICTIVE FOR DELETE TO commerce_worker
      USING (coalesce(current_setting('commerce.across_merchants', TRUE), '') = '')`)
  }
}, 60_000)
afterAll(() => started.disposeAsync())

async function addExpired(of: string): Promise<void> {
  await owner`
    INSERT INTO cart.cart (merchant_id, currency, expires_at) VALUES (${of}, 'USD', now() - interval '1 day')`
  await owner`
    INSERT INTO identity.sign_in_attempt (merchant_id, subject, email, client, last_at)
    VALUES (${of}, 'CUSTOMER', 'a@example.com', '192.0.2.1', now() - interval '2 days')`
  await owner`
    INSERT INTO identity.password_reset_request (merchant_id, subject, email) VALUES (${of}, 'CUSTOMER', 'a@example.com')`
  await owner`
    INSERT INTO events.deletion (merchant_id, record_type, record_id, permission, deleted_at)
    VALUES (${of}, 'Product', gen_random_uuid(), 'events:read', now() - interval '10 years')`
  await owner`
    INSERT INTO events.event (merchant_id, topic, record_type, record_id, version, permission, record, changes, occurred_at, created_at)
    VALUES (${of}, 'order.created', 'Order', gen_random_uuid(), '0', 'events:read', '{}', '{}', now(), now() - interval '10 years')`
  await owner`
    INSERT INTO bulk.import (merchant_id, format, status, finished_at)
    VALUES (${of}, 'CSV', 'FAILED', now() - interval '40 days')`
}

const addRecord = (of: string) => owner`
  INSERT INTO platform.idempotency_record (merchant_id, caller, key, operation, fingerprint, expires_at)
  VALUES (${of}, 'merchant', 'a', 'a', 'a', now() - interval '1 day')`

/** The merchants that have rows of each table. */
async function left(): Promise<Readonly<Record<string, readonly string[]>>> {
  const found = await Promise.all(
    Object.keys(purged).map(async (table) => {
      const rows = await owner<{ of: string }[]>`
        SELECT DISTINCT merchant_id AS of FROM ${owner.unsafe(table)}
        WHERE NOT (${owner.unsafe(recent[table] ?? 'FALSE')}) ORDER BY 1`
      return [table, rows.map(({ of }) => of)] as const
    }),
  )
  return Object.fromEntries(found)
}

test('what has expired is deleted in the scope of its merchant alone', { timeout: 60_000 }, async () => {
  for (const of of [merchant, other]) await addExpired(of)
  for (const of of [merchant, other, nobody]) await addRecord(of)
  expect(await left()).toEqual(
    Object.fromEntries(Object.entries(purged).map(([table, of]) => [table, of.toSorted()])),
  )
  const workers = await startTestWorkers(workerUrl, { 'purge-expired': 100, 'deliver-messages': 100 })
  try {
    await expect
      .poll(left, { timeout: 20_000 })
      .toEqual(Object.fromEntries(Object.keys(purged).map((table) => [table, []])))
  } finally {
    await workers.stop()
  }
})
