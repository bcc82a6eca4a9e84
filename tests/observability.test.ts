import { freePorts } from '@commerce-graph/local-postgres'
import { type MailCatcher, startMailCatcher } from '@commerce-graph/actions/testing/mail-catcher'
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, type Client, createClient } from './support/graphql-client.ts'
import { createCustomer, createOrder, createStockedProduct, payload, succeeded } from './support/shop.ts'
import { startTraceCollector, type TraceCollector, traceTree } from './support/trace-collector.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

let platform: TestPlatform
let merchant: Client
let metricsPort: number
let collector: TraceCollector
let catcher: MailCatcher

beforeAll(async () => {
  metricsPort = await freePorts(1)
  ;[collector, catcher] = await Promise.all([startTraceCollector(), startMailCatcher()])
  platform = await startTestPlatform({
    smtpUrl: catcher.url,
    metrics: { port: metricsPort, host: '127.0.0.1' },
    tracing: { endpoint: collector.endpoint, serviceName: 'test', ratio: 1 },
  })
  merchant = createClient(platform.graphqlUrl, bearer(platform.liveKey))
}, 180_000)
afterAll(async () => {
  await platform.stop()
  await Promise.all([collector.close(), catcher.close()])
})

const patience = { timeout: 20_000, interval: 200 }

const metrics = async (): Promise<string> => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()

/** The value of a series; undefined if there is none. */
async function valueOf(series: string): Promise<number | undefined> {
  const line = (await metrics()).split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

/** Orders one unit, and pays by card; another order finds nothing left. */
async function purchase(paying: Client = merchant): Promise<string> {
  const customerId = await createCustomer(merchant)
  const product = await createStockedProduct(merchant, 1)
  const { createOrder: created } = succeeded(
    await createOrder(merchant, customerId, [{ productId: product.id, quantity: 1 }]),
  )
  const orderId = created?.order?.id ?? ''
  payload(
    await paying<Record<string, { errors: [] }>>(
      'mutation Pay($input: PaymentInput!) { processPayment(input: $input) { payment { amount } errors { field message } } }',
      { input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa' } },
    ),
  )
  await createOrder(merchant, customerId, [{ productId: product.id, quantity: 1 }])
  return orderId
}

describe('the metrics of a platform', () => {
  test('count orders, payments, refusals and calls of processors', async () => {
    const orders = 'commerce_events_total{topic="order.created"}'
    const payments = 'commerce_events_total{topic="payment.succeeded"}'
    // The demo shop's own orders become events at the start.
    const before = [(await valueOf(orders)) ?? 0, (await valueOf(payments)) ?? 0] as const
    await purchase()
    await expect.poll(() => valueOf(orders), patience).toBeGreaterThan(before[0])
    await expect.poll(() => valueOf(payments), patience).toBeGreaterThan(before[1])
    await merchant(
      'mutation ($input: CustomerInput!) { createCustomer(input: $input) { errors { code } } }',
      {
        input: { email: 'none', name: 'x' },
      },
    )
    await expect
      .poll(metrics, patience)
      .toMatch(/commerce_user_errors_total\{field="createCustomer",code="[A-Z_]+"\} 1\n/)
    // The product is sold out by then.
    expect(await valueOf('commerce_errors_total{code="SVC_BIZ_001"}')).toBe(1)
    expect(
      await valueOf('commerce_processor_calls_total{processor="sandbox",outcome="answered"}'),
    ).toBeGreaterThan(0)
    expect(await valueOf('commerce_operation_requests_total{operation="Pay",outcome="ok"}')).toBe(1)
    expect(
      await valueOf('commerce_field_requests_total{kind="mutation",field="processPayment",outcome="ok"}'),
    ).toBe(1)
  })

  test('show connections, backlogs, queues, jobs and dead letters, each from a source that answers', async () => {
    const text = await metrics()
    for (const series of [
      'commerce_postgres_connections{application="actions",state="idle"}',
      'commerce_pool_connections{pool="engine",state="idle"}',
      'commerce_backlog{stage="hasura"}',
      'commerce_backlog_oldest_seconds{stage="webhook"}',
      'commerce_job_interval_seconds{schedule="purge-expired"} 60',
      'commerce_job_last_success_timestamp_seconds{schedule="expire-reservations"}',
      'commerce_queue_jobs{queue="maintenance",state="delayed"}',
      'commerce_dead_letters{kind="event"} 0',
      'commerce_websockets_open 0',
    ])
      expect(text).toContain(series)
    const sources = text.split('\n').filter((line) => line.startsWith('commerce_source_up'))
    expect(sources).toHaveLength(5)
    expect(sources.filter((line) => !line.endsWith(' 1'))).toEqual([])
  })
})

test('a mail of a suspended merchant, which is not to be sent, is no backlog', async () => {
  const sql = new pg.Client({ connectionString: platform.databaseUrl })
  await sql.connect()
  try {
    const { rows } = await sql.query<{ id: string }>(
      `INSERT INTO merchant.merchant (name, email, status) VALUES ('Away', 'away@example.com', 'SUSPENDED') RETURNING id`,
    )
    await sql.query(
      `INSERT INTO email.delivery (merchant_id, kind, subject_key, recipient, facts)
       VALUES ($1, 'STOCK_ALERT', 'waits', 'ada@example.com', '{}')`,
      [rows[0]?.id],
    )
    await expect.poll(() => valueOf('commerce_backlog{stage="email"}'), patience).toBe(0)
  } finally {
    await sql.end()
  }
})

describe('a trace', () => {
  test('goes from the client’s request through action, statement, event and job to the mail', async () => {
    const traceId = randomBytes(16).toString('hex')
    const traceparent = `00-${traceId}-${randomBytes(8).toString('hex')}-01`
    const paying = createClient(platform.graphqlUrl, { ...bearer(platform.liveKey), traceparent })
    await purchase(paying)
    const names = () => collector.spansOf(traceId).map(({ name }) => name)
    await expect
      .poll(names, patience)
      .toEqual(
        expect.arrayContaining([
          'mutation processPayment',
          'hasura',
          'POST /payment/processPayment',
          'postgres',
          'deliver order_status_changed',
          'POST /events/order_status_changed',
          'handle order_status_changed',
          'notification.announce',
          'email ORDER_CONFIRMATION',
        ]),
      )
    const spans = collector.spansOf(traceId)
    const ids = new Set(spans.map(({ spanId }) => spanId))
    const roots = spans.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? ''))
    // The client's own span isn't here. Each other parent was recorded.
    expect(roots.map(({ name }) => name)).toEqual(['mutation processPayment'])
    if (process.env['PRINT_TRACE'] !== undefined) console.log(traceTree(spans))
  })
})
