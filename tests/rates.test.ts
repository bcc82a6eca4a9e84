import { ratesFrom } from '@commerce-graph/rate-limits/rates'
import postgres from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEmptyShop } from './support/empty-shop.ts'
import { FirstProductDocument } from './support/generated/hasura-operations.ts'
import { createClient } from './support/graphql-client.ts'
import { type GatewayProcess, startGatewayProcess } from './support/gateway-process.ts'
import { hasRedis, RedisProcess } from './support/redis-process.ts'
import { sendRequests } from './support/send-requests.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startTestPlatform({ rates: ratesFrom({ LIMIT_GUESSES_PER_MINUTE: '8' }) })
}, 120_000)
afterAll(() => platform.stop())

/** A key of a new merchant on the plan. */
async function keyOn(plan: string): Promise<string> {
  const { merchantId, key } = await openEmptyShop(platform.databaseUrl)
  const sql = postgres(platform.databaseUrl, { max: 1 })
  await sql`UPDATE merchant.subscription SET plan = ${plan} WHERE merchant_id = ${merchantId}`
  await sql.end()
  return key
}

describe.skipIf(!hasRedis)(
  `three processes on one Redis${hasRedis ? '' : ' (skipped: no redis-server is installed)'}`,
  () => {
    let redis: RedisProcess
    let gateways: readonly GatewayProcess[]
    beforeAll(async () => {
      redis = await RedisProcess.start()
      gateways = await Promise.all([1, 2, 3].map(() => startGatewayProcess(platform.databaseUrl, redis.url)))
    }, 60_000)
    afterAll(async () => {
      await Promise.all(gateways.map((gateway) => gateway.stop()))
      await redis.stop()
    })

    const health = () =>
      Promise.all(
        gateways.map(async ({ url }) => {
          const response = await fetch(`${url}/readyz`)
          const { checks } = (await response.json()) as { checks: { rateLimits: string } }
          return [response.status, checks.rateLimits] as const
        }),
      )
    const everyoneSays = (what: string) =>
      expect.poll(health, { timeout: 20_000 }).toEqual(gateways.map(() => [200, what]))
    const send = (key: string, requests: number) =>
      sendRequests({ urls: gateways.map(({ url }) => `${url}/graphql`), key, requests, atOnce: 24 })

    test('hold a plan’s rate together, to the request', async () => {
      await everyoneSays('ok')
      const [free, pro] = await Promise.all([keyOn('FREE'), keyOn('PRO')])
      expect(await send(free, 300)).toEqual({ 200: 100, 429: 200 })
      expect(await send(pro, 1_300)).toEqual({ 200: 1_000, 429: 300 })
    })

    test.each([
      ['stops', () => redis.stop(), () => redis.start()],
      ['hangs', () => redis.freeze(), () => redis.thaw()],
    ])(
      'keep working when Redis %s, report it, and count together again when it is back',
      async (_how, lose, restore) => {
        await everyoneSays('ok')
        const key = await keyOn('PRO')
        expect(await send(key, 30)).toEqual({ 200: 30 })
        await lose()
        expect(await send(key, 300)).toEqual({ 200: 300 })
        const away = 'Redis is away: each process holds the limits for itself'
        await everyoneSays(away)
        // One process alone enforces the rate, too.
        const [first] = gateways
        const own = await keyOn('FREE')
        expect(
          await sendRequests({ urls: [`${first?.url ?? ''}/graphql`], key: own, requests: 150, atOnce: 8 }),
        ).toEqual({ 200: 100, 429: 50 })

        await restore()
        await everyoneSays('ok')
        expect(await send(await keyOn('FREE'), 300)).toEqual({ 200: 100, 429: 200 })
        for (const { log } of gateways) {
          expect(log.filter((line) => line.includes('Redis is away')).length).toBeGreaterThan(0)
          expect(log.filter((line) => line.includes('Redis is back')).length).toBeGreaterThan(0)
        }
      },
    )
  },
)

test('requests to /v1/graphql and to /graphql count towards the same limit', async () => {
  const key = await keyOn('FREE')
  const atHasura = (name: string) =>
    createClient(`${platform.hasuraUrl}/v1/graphql`, { authorization: `Bearer ${key}`, 'x-name': name })(
      FirstProductDocument,
    )
  for (let sent = 0; sent < 100; sent += 1)
    expect(await atHasura(String(sent))).toMatchObject({ status: 200, data: { catalog_product: [] } })
  // Hasura has no other error code for a webhook that answers 429.
  expect(await atHasura('one more')).toMatchObject({
    data: null,
    errors: [{ message: 'Invalid response from authorization hook', extensions: { code: 'unexpected' } }],
  })
  const contract = createClient(platform.graphqlUrl, { authorization: `Bearer ${key}` })
  expect((await contract('{ viewer { id } }')).status).toBe(429)
})

test('a client that tries many passwords is limited by its address, whatever the e-mail addresses', async () => {
  const { key } = await openEmptyShop(platform.databaseUrl)
  const client = createClient(platform.graphqlUrl, {
    authorization: `Bearer ${key}`,
    'x-client-address': '198.51.100.7',
  })
  const signIn = (email: string) =>
    client(`mutation ($input: SignInCustomerInput!) { signInCustomer(input: $input) { accessToken } }`, {
      input: { email, password: 'a password that many have' },
    })
  for (let tried = 0; tried < 8; tried += 1)
    expect((await signIn(`user${tried}@example.com`)).status).toBe(200)
  expect(await signIn('other-user@example.com')).toMatchObject({
    status: 429,
    errors: [{ extensions: { id: 'SVC_RATE_001', details: { limit: 'guesses' } } }],
  })
  expect((await client('{ viewer { id } }')).status).toBe(200)
})
