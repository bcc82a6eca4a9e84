import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jsonOf } from '../database.ts'
import { createSmtpTransport } from '../messaging/transports/index.ts'
import { sampleOccasion } from '../messaging/compose/sample-facts.ts'
import { openTestShop, silent, type TestMerchant, type TestShop } from '../testing/test-shop.ts'
import { startWorkers } from './index.ts'
import type { Retention } from './retention.ts'

const retention: Retention = {
  events: 20,
  deliveries: 10,
  deletions: 40,
  messages: 50,
  sessions: 5,
  eventLog: 8,
  invocations: 4,
  audit: 400,
}

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
  const storage = new URL('../../../hasura/engine/src/storage/', import.meta.url)
  await shop.database`CREATE SCHEMA IF NOT EXISTS hdb_catalog`
  for (const name of ['hdb-catalog.sql', 'hdb-source-catalog.sql'])
    await shop.database.file(fileURLToPath(new URL(name, storage)))
})
afterAll(() => shop.close())

/** Each kind of record twice: a day older than it is kept, and a day younger. */
async function fill(): Promise<void> {
  const { merchantId, customerId } = merchant
  const sql = shop.database
  const agesOf = (days: number) => [days + 1, days - 1]
  await sql`
    INSERT INTO events.event (merchant_id, topic, record_type, record_id, version, permission, record, changes, occurred_at, created_at)
    SELECT ${merchantId}, 'order.paid', 'Order', gen_random_uuid(), '1', 'orders:read', '{}', '{}', now(), now() - make_interval(days => age)
    FROM unnest(${agesOf(retention.events)}::int[]) age`
  await sql`
    INSERT INTO events.deletion (merchant_id, record_type, record_id, permission, deleted_at)
    SELECT ${merchantId}, 'Order', gen_random_uuid(), 'orders:read', now() - make_interval(days => age)
    FROM unnest(${agesOf(retention.deletions)}::int[]) age`
  await sql`
    INSERT INTO events.endpoint (merchant_id, url, topics, permissions, status)
    VALUES (${merchantId}, 'https://shop.example', '{*}', '{}', 'DISABLED')`
  await sql`
    INSERT INTO events.delivery (merchant_id, endpoint_id, topic, position, status, body, created_at)
    SELECT e.merchant_id, e.id, 'order.paid', '1', state, '{}', now() - make_interval(days => age)
    FROM events.endpoint e, unnest(${agesOf(retention.deliveries)}::int[]) age, unnest(ARRAY['DELIVERED', 'FAILED', 'PENDING']) state`
  await sql`
    INSERT INTO email.delivery (merchant_id, kind, subject_key, recipient, customer_id, facts, status, html, text, created_at)
    SELECT ${merchantId}, 'STOCK_ALERT', age::text, 'a@example.com', ${customerId}, ${jsonOf(sql, sampleOccasion('STOCK_ALERT').facts)},
      'SENT', 'html', 'text', now() - make_interval(days => age)
    FROM unnest(${agesOf(retention.messages)}::int[]) age`
  await sql`
    INSERT INTO identity.session (merchant_id, customer_id, expires_at)
    SELECT ${merchantId}, ${customerId}, now() - make_interval(days => age)
    FROM unnest(${agesOf(retention.sessions)}::int[]) age`
  await sql`
    INSERT INTO hdb_catalog.event_log (schema_name, table_name, trigger_name, payload, delivered, error, created_at)
    SELECT 's', 't', state, '{}', state = 'delivered', state = 'error', now() - make_interval(days => age)
    FROM unnest(${agesOf(retention.eventLog)}::int[]) age, unnest(ARRAY['delivered', 'error', 'open']) state`
  await sql`
    INSERT INTO hdb_catalog.event_invocation_logs (trigger_name, created_at)
    SELECT 't', now() - make_interval(days => age) FROM unnest(${agesOf(retention.invocations)}::int[]) age`
  await sql`
    INSERT INTO hdb_catalog.hdb_cron_events (trigger_name, scheduled_time, status)
    SELECT 't', now() - make_interval(days => age), 'delivered' FROM unnest(${agesOf(retention.eventLog)}::int[]) age`
  await sql`
    CREATE TABLE audit.entry_2020_01 PARTITION OF audit.entry FOR VALUES FROM ('2020-01-01Z') TO ('2020-02-01Z')`
}

/** How many records of each kind there are. */
async function left(): Promise<Readonly<Record<string, unknown>>> {
  const [row] = await shop.database`
    SELECT
      (SELECT count(*)::int FROM events.event WHERE topic = 'order.paid') AS events,
      (SELECT count(*)::int FROM events.delivery WHERE status <> 'PENDING') AS deliveries,
      (SELECT count(*)::int FROM events.delivery WHERE status = 'PENDING') AS waiting,
      (SELECT count(*)::int FROM events.deletion WHERE record_type = 'Order') AS deletions,
      (SELECT count(*)::int FROM email.delivery WHERE kind = 'STOCK_ALERT' AND html IS NOT NULL) AS messages,
      (SELECT count(*)::int FROM identity.session) AS sessions,
      (SELECT count(*)::int FROM hdb_catalog.event_log WHERE trigger_name <> 'open') AS "eventLog",
      (SELECT count(*)::int FROM hdb_catalog.event_log WHERE trigger_name = 'open') AS undelivered,
      (SELECT count(*)::int FROM hdb_catalog.event_invocation_logs) AS invocations,
      (SELECT count(*)::int FROM hdb_catalog.hdb_cron_events) AS cron,
      to_regclass('audit.entry_2020_01') IS NULL AS "auditDropped"`
  return row ?? {}
}

test('each kind of record is kept for its own days, and what hasn’t ended stays', async () => {
  await fill()
  expect(await left()).toMatchObject({ events: 2, deliveries: 4, eventLog: 4, auditDropped: false })
  const workers = await startWorkers({
    databaseUrl: shop.databaseUrl,
    processors: [shop.cardProcessor],
    secretBox: shop.secretBox,
    files: shop.files,
    filesUrl: 'http://127.0.0.1:9/files',
    graphqlUrl: 'http://127.0.0.1:9/graphql',
    mailer: createSmtpTransport('smtp://127.0.0.1:9'),
    unsubscribeUrl: 'http://127.0.0.1:9/unsubscribe',
    webhooks: { live: false, refusedNetworks: [], graphqlUrl: 'http://127.0.0.1:9/graphql' },
    intervals: { 'purge-expired': 200, 'purge-engine-logs': 200, 'prepare-audit-months': 200 },
    retention,
    logger: silent,
  })
  try {
    await expect.poll(left, { timeout: 20_000 }).toEqual({
      events: 1,
      deliveries: 2,
      waiting: 2,
      deletions: 1,
      messages: 1,
      sessions: 1,
      eventLog: 2,
      undelivered: 2,
      invocations: 1,
      cron: 1,
      auditDropped: true,
    })
  } finally {
    await workers.stop()
  }
})
