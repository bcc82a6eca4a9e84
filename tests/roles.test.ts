import { keepDemoKeys, type DemoShop } from '@commerce-graph/demo-shop'
import { createTestDatabase, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import { createTokenIssuer } from '@commerce-graph/access-tokens'
import { createSecretBox, parseEncryptionKeys } from '@commerce-graph/secret-box'
import type { MerchantId } from '@commerce-graph/contract/ids'
import postgres from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDemoDatabase } from './support/demo-database.ts'
import { bearer, createClient } from './support/graphql-client.ts'
import { longTest, longTests } from './support/long-tests.ts'
import { partUrlsOf } from './support/part-urls.ts'
import { encryptionKeys, RoleProcesses } from './support/role-processes.ts'
import { createCustomer, createOrder, createStockedProduct, payload, succeeded } from './support/shop.ts'

const timeoutMs = 120_000

/** As the first token does. */
async function sealSigningKey(databaseUrl: string): Promise<void> {
  const secretBox = createSecretBox(parseEncryptionKeys(encryptionKeys))
  const issuer = createTokenIssuer({ databaseUrl, secretBox })
  const merchantId = '01a1f000-0001-7000-8000-000000000001' as MerchantId
  await issuer.issueForEndpoint({ merchantId, endpointId: merchantId, permissions: [], isDraft: true })
  await issuer.close()
}

describe('the roles in two processes', { timeout: timeoutMs }, () => {
  let database: TestDatabase
  let shop: DemoShop
  let roles: RoleProcesses
  beforeAll(async () => {
    database = await createDemoDatabase()
    const sql = postgres(database.url, { max: 1 })
    shop = await keepDemoKeys(sql, { read: () => undefined, write: () => undefined })
    await sql.end()
    const urls = await partUrlsOf(database.url)
    // The owner's address is in none of them.
    roles = await RoleProcesses.open(urls.auth ?? '', {
      DATABASE_URL_ENGINE: urls.engine ?? '',
      DATABASE_URL_ACTIONS: urls.actions ?? '',
      DATABASE_URL_AUTH: urls.auth ?? '',
      DATABASE_URL_WORKER: urls.worker ?? '',
    })
    const started = await Promise.all([
      roles.start(['engine', 'actions', 'webhook']),
      roles.start(['gateway', 'worker']),
    ])
    await Promise.all(started.map((one) => one.ready()))
  }, timeoutMs)
  afterAll(async () => {
    await roles.close()
    await database.drop()
  })

  test('each answers /livez, and /readyz with its own state', async () => {
    for (const one of roles.processes)
      for (const role of one.roles)
        for (const path of ['/livez', '/healthz', '/readyz']) {
          const answer = await fetch(one.addressOf(role) + path)
          expect({ role, path, status: answer.status }).toEqual({ role, path, status: 200 })
          await answer.body?.cancel()
        }
  })

  test('serve one contract: a customer is created by an action or a row, and a worker takes the event', async () => {
    await expect
      .poll(() => fetch(`${roles.proxies.gateway.url}/readyz`).then(({ ok }) => ok), { timeout: 20_000 })
      .toBe(true)
    const client = createClient(`${roles.proxies.gateway.url}/graphql`, bearer(shop.liveKey))
    const created = await client<{ createCustomer: { id: string } }>(
      'mutation { createCustomer(input: { email: "apart@example.com", name: "Apart" }) { id } }',
    )
    expect(succeeded(created).createCustomer.id).not.toBe('')
    const sql = postgres(database.url, { max: 1 })
    try {
      await expect
        .poll(
          async () => {
            const [row] =
              await sql`SELECT count(*)::integer AS undelivered FROM hdb_catalog.event_log WHERE NOT delivered`
            return row?.['undelivered'] as number
          },
          { timeout: 20_000 },
        )
        .toBe(0)
    } finally {
      await sql.end()
    }
  })

  test('take an order and a payment at the sandbox, each with the rights of its part alone', async () => {
    const client = createClient(`${roles.proxies.gateway.url}/graphql`, bearer(shop.liveKey))
    const product = await createStockedProduct(client, 1)
    const order = await createOrder(client, await createCustomer(client), [
      { productId: product.id, quantity: 1 },
    ])
    const paid = payload(
      await client<Record<string, { payment: { status: string }; errors: [] }>>(
        'mutation ($input: PaymentInput!) { processPayment(input: $input) { payment { status } errors { field message } } }',
        {
          input: {
            orderId: succeeded(order).createOrder?.order?.id,
            method: 'CARD',
            paymentMethodId: 'pm_card_visa',
          },
        },
      ),
    )
    expect(paid.payment.status).toBe('SUCCEEDED')
    const sql = postgres(database.url, { max: 1 })
    try {
      const users = await sql<{ name: string }[]>`
        SELECT DISTINCT usename AS name FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY 1`
      expect(users.map(({ name }) => name)).toEqual([
        'test_actions',
        'test_auth',
        'test_engine',
        'test_worker',
      ])
    } finally {
      await sql.end()
    }
  })

  test.skipIf(!longTests)(
    longTest(
      'are listed with fingerprints, and a process with other secrets says so at its start or refuses it',
    ),
    async () => {
      const sql = postgres(database.url, { max: 1 })
      try {
        const running = await sql<{ roles: string[] }[]>`SELECT roles FROM platform.process ORDER BY roles`
        expect(running.map((one) => one.roles.toSorted().join())).toEqual([
          'actions,engine,webhook',
          'gateway,worker',
        ])
        const other = await roles.start(['webhook'], { env: { ACTIONS_SECRET: 'another secret of actions' } })
        await other.ready()
        expect(other.output).toMatch(
          /Another process differs\. The fingerprint of ACTIONS_SECRET is \w{8} here, and \w{8} at (engine,actions,webhook|gateway,worker) \(/,
        )
        expect(other.output).not.toContain('another secret')
        await roles.stop(other)
        expect(await sql`SELECT FROM platform.process`).toHaveLength(2)
        await sealSigningKey(database.url)
        const wrong = { ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 'another').toString('base64')}` }
        const refused = await roles.start(['worker'], { env: wrong })
        await expect.poll(() => refused.hasEnded, { timeout: 60_000 }).toBe(true)
        expect(refused.output).toContain('The key one of ENCRYPTION_KEYS is not the one that sealed')
        expect(await roles.stop(refused)).toBe(1)
      } finally {
        await sql.end()
      }
    },
  )

  test('end with code 0 on SIGTERM', async () => {
    const codes = await Promise.all(roles.processes.map((one) => one.stop('SIGTERM')))
    expect(codes).toEqual([0, 0])
  })
})

test.skipIf(!longTests)(
  longTest(
    'an engine that waits on an empty database starts when npm run migrate -- --embedded has run with the same settings',
  ),
  { timeout: timeoutMs },
  async () => {
    const database = await createTestDatabase()
    const roles = await RoleProcesses.open(database.url)
    try {
      const engine = await roles.start(['engine'])
      await expect.poll(() => engine.output, { timeout: 60_000 }).toContain('Waiting for npm run migrate')
      const { code, output } = await roles.migrate(['--embedded'])
      expect(output).toContain('The database is ready')
      expect(code).toBe(0)
      await engine.ready()
    } finally {
      await roles.close()
      await database.drop()
    }
  },
)
