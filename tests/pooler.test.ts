import { type MailCatcher, startMailCatcher } from '@commerce-graph/actions/testing/mail-catcher'
import { startLocalPostgres } from '@commerce-graph/local-postgres'
import { PlatformProcess, type Ready } from '@commerce-graph/platform/testing'
import postgres from '@commerce-graph/postgres-driver'
import { print } from 'graphql'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WatchSkusDocument } from './support/generated/hasura-operations.ts'
import { bearer, type Client, createClient } from './support/graphql-client.ts'
import { longTest, longTests } from './support/long-tests.ts'
import { hasPgBouncer, startPgBouncer } from './support/pgbouncer.ts'
import {
  createCustomer,
  createOrder,
  createStockedProduct,
  payload,
  stockOf,
  succeeded,
} from './support/shop.ts'
import { createSubscriptionClient } from './support/subscription-client.ts'

const maxConnections = 100
/** Bytes that a process takes, generously. */
const processMemory = 450e6
const processes = Math.min(30, Math.max(2, Math.floor(freemem() / processMemory)))
/** Connections of the pooler to Postgres. */
const poolSize = 20
/** Those that each process holds past the pooler: to listen, and for the engine's locks. */
const directConnections = 2
/** Of the test itself, and those that are held past the pooler for a moment: at a start, and for a lock of jobs. */
const passing = 12
const ordersEach = 4
const atOnce = 5

const missing = hasPgBouncer ? '' : ' (skipped: no pgbouncer is installed)'
const name = `${processes} platforms on a Postgres of ${maxConnections} connections, through PgBouncer in transaction mode${missing}`

describe.skipIf(!longTests || !hasPgBouncer)(longTest(name), () => {
  const started = new AsyncDisposableStack()
  let platforms: Ready[] = []
  let clients: Client[] = []
  let catcher: MailCatcher
  let sql: postgres.Sql
  let peak = 0

  beforeAll(async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'pooled-postgres-'))
    started.defer(() => rm(dataDir, { recursive: true, force: true }))
    const server = await startLocalPostgres({
      dataDir,
      databases: ['commerce'],
      durable: false,
      settings: { max_connections: String(maxConnections) },
    })
    started.defer(() => server.stop())
    const pooler = await startPgBouncer(server.url, poolSize)
    started.defer(() => pooler.stop())
    sql = postgres(server.url, { max: 1, onnotice: () => undefined })
    started.defer(() => sql.end())
    catcher = await startMailCatcher()
    started.defer(() => catcher.close())
    const watch = setInterval(() => {
      void sql<[{ count: number }]>`
        SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend'`.then(
        ([{ count }]) => {
          peak = Math.max(peak, count)
        },
      )
    }, 100)
    started.defer(() => clearInterval(watch))
    const env = {
      DATABASE_URL: pooler.url,
      DATABASE_DIRECT_URL: server.url,
      ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
      SMTP_URL: catcher.url,
    }
    const start = async (): Promise<Ready> => {
      const platform = await PlatformProcess.create()
      started.defer(() => platform.remove())
      return platform.start(env)
    }
    platforms = [await start()]
    while (platforms.length < processes) platforms.push(await start())
    clients = platforms.map(({ graphqlUrl }) => createClient(graphqlUrl, bearer(platforms[0]?.liveKey ?? '')))
  }, 900_000)
  afterAll(() => started.disposeAsync(), 120_000)

  test('take orders and payments, and send one mail for each', async () => {
    const [first] = clients as [Client]
    const product = await createStockedProduct(first, processes * ordersEach)
    const customerId = await createCustomer(first)
    const buy = async (client: Client) => {
      const answer = await createOrder(client, customerId, [{ productId: product.id, quantity: 1 }])
      const orderId = succeeded(answer).createOrder?.order?.id
      payload(
        await client<Record<string, { errors: { field: string; message: string }[] }>>(
          'mutation ($input: PaymentInput!) { processPayment(input: $input) { errors { field message } } }',
          { input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa' } },
        ),
      )
    }
    // A few at a time: the processes share this machine's cores.
    for (let order = 0; order < ordersEach; order += 1)
      for (let next = 0; next < processes; next += atOnce)
        await Promise.all(clients.slice(next, next + atOnce).map(buy))
    expect(await stockOf(first, product.sku)).toMatchObject({ available: 0 })
    const confirmations = () => catcher.mails.filter(({ subject }) => subject.includes('is confirmed'))
    await expect
      .poll(() => confirmations().length, { timeout: 120_000, interval: 500 })
      .toBe(processes * ordersEach)
    expect(new Set(confirmations().map(({ subject }) => subject)).size).toBe(processes * ordersEach)
  }, 300_000)

  test('tell a subscriber of one process what another one has changed', async () => {
    const last = platforms.at(-1)
    const client = createSubscriptionClient(
      `${last?.hasuraUrl ?? ''}/v1/graphql`,
      bearer(platforms[0]?.liveKey ?? ''),
    )
    const seen: string[] = []
    client.subscribe(
      { query: print(WatchSkusDocument) },
      {
        next: ({ data }) => seen.push(JSON.stringify(data)),
        error: () => undefined,
        complete: () => undefined,
      },
    )
    await expect.poll(() => seen.length, { timeout: 20_000 }).toBeGreaterThan(0)
    const { sku } = await createStockedProduct((clients as [Client])[0], 1)
    await expect.poll(() => seen.join(), { timeout: 20_000 }).toContain(sku)
    await client.dispose()
  }, 60_000)

  test('refuse a revoked key, all of them within two seconds', async () => {
    const [first] = clients as [Client]
    const created = succeeded(
      await first<{ createApiKey: { key: string; apiKey: { id: string } } }>(
        'mutation { createApiKey(input: { name: "Short", permissions: ["products:read"] }) { key apiKey { id } } }',
      ),
    ).createApiKey
    const query = '{ products(first: 1) { totalCount } }'
    const bearers = platforms.map(({ graphqlUrl }) => createClient(graphqlUrl, bearer(created.key)))
    const statuses = async () =>
      new Set(await Promise.all(bearers.map(async (one) => (await one(query)).status)))
    expect(await statuses()).toEqual(new Set([200]))
    succeeded(
      await first('mutation ($id: ID!) { revokeApiKey(id: $id) { errors { message } } }', {
        id: created.apiKey.id,
      }),
    )
    await expect.poll(statuses, { timeout: 2_000, interval: 200 }).toEqual(new Set([401]))
  }, 60_000)

  test('are ready, their jobs included, and have held few connections', async () => {
    const ready = async ({ graphqlUrl }: Ready) =>
      (await (await fetch(new URL('/readyz', graphqlUrl))).json()) as {
        status: string
        checks: Record<string, string>
      }
    for (const one of await Promise.all(platforms.map(ready)))
      expect(one.checks).toMatchObject({ jobs: 'ok' })
    console.log(`${processes} processes, ${peak} connections at most`)
    expect(peak).toBeLessThanOrEqual(poolSize + directConnections * processes + passing)
  }, 60_000)
})
