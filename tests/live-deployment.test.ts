import { existsSync } from 'node:fs'
import path from 'node:path'
import { createTestDatabase } from '@commerce-graph/local-postgres/testing'
import { PlatformProcess, type Ready } from '@commerce-graph/platform/testing'
import postgres from '@commerce-graph/postgres-driver'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createDemoDatabase } from './support/demo-database.ts'
import { bearer, createClient } from './support/graphql-client.ts'
import { createCustomer, createOrder, createStockedProduct, succeeded } from './support/shop.ts'
import { startStripeThatRefuses } from './support/stripe-that-refuses.ts'
import { longTest, longTests } from './support/long-tests.ts'

const timeoutMs = 180_000

const live = { COMMERCE_MODE: 'live' }
const cleanUps: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function createPlatform(): Promise<PlatformProcess> {
  const platform = await PlatformProcess.create()
  cleanUps.push(() => platform.remove())
  return platform
}

async function demoDatabaseUrl(): Promise<string> {
  const database = await createDemoDatabase()
  cleanUps.push(() => database.drop())
  return database.url
}

interface Paid {
  readonly data: { processPayment: { status: string | null; error: { code: string } | null } | null } | null
  readonly errors: readonly { message: string; extensions: { id: string } }[]
}

/** A new order of the demo shop, paid by card. */
async function payByCard({ graphqlUrl, liveKey }: Ready): Promise<Paid> {
  const client = createClient(graphqlUrl, bearer(liveKey))
  const product = await createStockedProduct(client, 5)
  const items = [{ productId: product.id, quantity: 1 }]
  const { createOrder: placed } = succeeded(await createOrder(client, await createCustomer(client), items))
  return client(
    `mutation ($input: PaymentInput!) {
      processPayment(input: $input) { status error { code } }
    }`,
    { input: { orderId: placed?.order?.id, method: 'CARD', paymentMethodId: 'pm_card_visa' } },
  )
}

describe('a live deployment', { timeout: timeoutMs }, () => {
  // platform/src/configuration.test.ts has what else it refuses.
  test('does not start with an example secret, and names the variable', async () => {
    const platform = await createPlatform()
    const env = { ...live, HASURA_GRAPHQL_ADMIN_SECRET: 'change-me-sixteen-characters-or-more' }
    await expect(platform.start(env)).rejects.toThrow('HASURA_GRAPHQL_ADMIN_SECRET holds')
    expect(existsSync(path.join(platform.dataDir, 'postgres'))).toBe(false)
  })

  describe('with nothing configured', () => {
    let platform: PlatformProcess
    let ready: Ready
    beforeAll(async () => {
      platform = await PlatformProcess.create()
      ready = await platform.start(live)
    }, timeoutMs)
    afterAll(() => platform.remove())

    test('declines cards without a processor, has no sandbox, and writes no secret to a log', async () => {
      expect(ready.paymentSandboxUrl).toBeNull()
      await expect(fetch(`http://127.0.0.1:${platform.port + 4}/v1/payment_intents`)).rejects.toThrow()
      const { data, errors } = await payByCard(ready)
      expect(data?.processPayment ?? null).toBeNull()
      expect(errors).toMatchObject([
        { message: 'Payment processing failed: method unsupported', extensions: { id: 'SVC_BIZ_002' } },
      ])
      const cart = await createClient(
        ready.graphqlUrl,
        bearer(ready.liveKey),
      )<{
        createCart: { cart: { availablePaymentMethods: readonly { method: string }[] } }
      }>('mutation { createCart(input: {}) { cart { availablePaymentMethods { method } } } }')
      const offered = succeeded(cart).createCart.cart.availablePaymentMethods
      expect(offered.map(({ method }) => method)).not.toContain('CARD')
      for (const secret of [ready.adminSecret, ready.liveKey, ready.testKey])
        expect(platform.output).not.toContain(secret)
      expect(platform.output).toContain(path.join(platform.dataDir, 'ready.json'))
    })

    test('without a transport suppresses e-mail instead of storing it, and warns about that when it starts', async () => {
      const { graphqlUrl, liveKey } = ready
      for (const name of ['SMTP_URL', 'PUSH_WEBHOOK_URL'])
        expect(platform.output).toContain(`${name} is not set`)
      const client = createClient(graphqlUrl, bearer(liveKey))
      const registered = await client<{ registerCustomer: { customerId: string | null } }>(
        `mutation ($input: RegisterCustomerInput!) {
          registerCustomer(input: $input) { customerId }
        }`,
        { input: { email: 'ada@shop.test', name: 'Ada', password: 'a rather long password' } },
      )
      expect(succeeded(registered).registerCustomer.customerId).not.toBeNull()
      const deliveries = async () => {
        const log = await client(
          '{ emailDeliveries(filters: { recipient: "ada@shop.test" }) { edges { node { status reason transport sentAt } } } }',
        )
        return log.data
      }
      const node = {
        status: 'SUPPRESSED',
        reason: 'This deployment sends no e-mail: no transport is configured (SMTP_URL)',
        transport: null,
        sentAt: null,
      }
      await expect.poll(deliveries, { timeout: 20_000 }).toEqual({ emailDeliveries: { edges: [{ node }] } })
      expect(existsSync(path.join(platform.dataDir, 'outbox'))).toBe(false)
    })
  })

  test.skipIf(!longTests)(
    longTest(
      'creates no demo shop in the operator’s own database, and reports payments there that a test deployment’s sandbox made',
    ),
    async () => {
      const database = await createTestDatabase()
      cleanUps.push(() => database.drop())
      const platform = await createPlatform()
      const first = await platform.start({ ...live, DATABASE_URL: database.url })
      await platform.stop()
      expect(first).not.toHaveProperty('liveKey')
      const sql = postgres(database.url, { max: 1 })
      expect(await sql`SELECT count(*)::int AS n FROM merchant.merchant`).toEqual([{ n: 0 }])
      await sql`
      WITH m AS (INSERT INTO merchant.merchant (name, email) VALUES ('Shop', 'shop@example.com') RETURNING id)
      INSERT INTO payment.payment (merchant_id, amount, currency, status, method, processor)
      SELECT id, 100, 'USD', 'SUCCEEDED', 'CARD', 'sandbox' FROM m`
      await sql.end()
      const ready = await platform.start({ ...live, DATABASE_URL: database.url })
      expect(platform.output).toContain('1 payments were made in the payment sandbox of a test deployment')
      const readiness = await fetch(new URL('/readyz', ready.graphqlUrl))
      expect(await readiness.json()).toMatchObject({
        status: 'degraded',
        checks: { sandboxPayments: expect.stringContaining('1 payments') as unknown },
      })
    },
  )

  test('refuses a database with the demo shop of a test deployment', async () => {
    const platform = await createPlatform()
    await expect(platform.start({ ...live, DATABASE_URL: await demoDatabaseUrl() })).rejects.toThrow(
      'holds the demo shop of a test deployment',
    )
  })
})

describe('a key that Stripe refuses', { timeout: timeoutMs }, () => {
  const withKey = async (stripe: { readonly url: string }) => ({
    STRIPE_SECRET_KEY: 'sk_test_4eC39HqLyjWDarjtT1zdp7dc',
    STRIPE_API_URL: stripe.url,
    DATABASE_URL: await demoDatabaseUrl(),
  })

  test('stops the start', async () => {
    const stripe = await startStripeThatRefuses('refusing')
    cleanUps.push(() => stripe.close())
    const platform = await createPlatform()
    await expect(platform.start(await withKey(stripe))).rejects.toThrow(
      'STRIPE_SECRET_KEY is refused by Stripe: Invalid API Key provided',
    )
  })

  test('fails a later payment at once, leaves the order payable by other methods, and logs an error', async () => {
    const stripe = await startStripeThatRefuses()
    cleanUps.push(() => stripe.close())
    const platform = await createPlatform()
    const ready = await platform.start(await withKey(stripe))
    stripe.revoke()
    const { data, errors } = await payByCard(ready)
    expect(data?.processPayment).toEqual({ status: 'FAILED', error: { code: 'processor_unavailable' } })
    expect(errors).toMatchObject([{ extensions: { id: 'SVC_BIZ_002' } }])
    const alarm = platform.output
      .split('\n')
      .find((line) => line.includes('Stripe refuses STRIPE_SECRET_KEY'))
    expect(JSON.parse(alarm ?? '{}')).toMatchObject({ level: 50 })
    // /readyz caches its answer for a second.
    const readiness = async (): Promise<unknown> => (await fetch(new URL('/readyz', ready.graphqlUrl))).json()
    await expect.poll(readiness, { timeout: 5_000 }).toMatchObject({
      status: 'degraded',
      checks: { cardPayments: 'Stripe refuses STRIPE_SECRET_KEY' },
    })
  })
})
