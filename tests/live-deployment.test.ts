import { existsSync } from 'node:fs'
import path from 'node:path'
import { createTestDatabase } from '@commerce-graph/local-postgres/testing'
import { PlatformProcess } from '@commerce-graph/platform/testing'
import postgres from '@commerce-graph/postgres-driver'
import { afterEach, describe, expect, test } from 'vitest'
import { createDemoDatabase } from './support/demo-database.ts'
import { payByCard } from './support/pay-by-card.ts'
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

describe('a live deployment', { timeout: timeoutMs }, () => {
  // platform/src/configuration.test.ts has what else it refuses, and operating.test.ts what one does with nothing configured.
  test('does not start with an example secret, and names the variable', async () => {
    const platform = await createPlatform()
    const env = { ...live, HASURA_GRAPHQL_ADMIN_SECRET: 'change-me-sixteen-characters-or-more' }
    await expect(platform.start(env)).rejects.toThrow('HASURA_GRAPHQL_ADMIN_SECRET holds')
    expect(existsSync(path.join(platform.dataDir, 'postgres'))).toBe(false)
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

describe.skipIf(!longTests)(longTest('a key that Stripe refuses'), { timeout: timeoutMs }, () => {
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

  test.skipIf(!longTests)(
    longTest('fails a later payment at once, leaves the order payable by other methods, and logs an error'),
    async () => {
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
      const readiness = async (): Promise<unknown> =>
        (await fetch(new URL('/readyz', ready.graphqlUrl))).json()
      await expect.poll(readiness, { timeout: 5_000 }).toMatchObject({
        status: 'degraded',
        checks: { cardPayments: 'Stripe refuses STRIPE_SECRET_KEY' },
      })
    },
  )
})
