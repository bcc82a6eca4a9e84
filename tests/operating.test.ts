import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import path from 'node:path'
import { PlatformProcess, type Ready } from '@commerce-graph/platform/testing'
import postgres from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, createClient } from './support/graphql-client.ts'
import { longTest, longTests } from './support/long-tests.ts'
import { payByCard } from './support/pay-by-card.ts'
import { succeeded } from './support/shop.ts'
import { createSubscriptionClient } from './support/subscription-client.ts'

const timeoutMs = 180_000

const asksWhoItIs = '{ viewer { id } }'

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/** Throws from a timer on request, where no code can catch it. */
const throwing =
  'data:text/javascript,' +
  encodeURIComponent(`process.on('SIGUSR2', () => setImmediate(() => {
    throw new Error('out of a timer', { cause: new Error('the reason behind it') })
  }))`)

/** The tests follow one data folder from its first start on, in this order. */
describe('a platform on one machine', { timeout: timeoutMs }, () => {
  let platform: PlatformProcess
  let first: Ready
  /** In live mode, with nothing configured. */
  let second: Ready
  let customerId: string
  const readyFile = () => path.join(platform.dataDir, 'ready.json')
  beforeAll(async () => {
    platform = await PlatformProcess.create()
  })
  afterAll(() => platform.remove())

  test('does not start on a busy port, and says which port it is and what it is for', async () => {
    const squatter = createServer()
    await new Promise<void>((resolve) => squatter.listen(platform.port + 1, '127.0.0.1', resolve))
    try {
      await expect(platform.start()).rejects.toThrow(`${platform.port + 1}, meant for the Hasura engine`)
      expect(existsSync(readyFile())).toBe(false)
    } finally {
      squatter.close()
    }
  })

  test('accepts live and test keys in test mode', async () => {
    first = await platform.start({ SLOW_REQUEST_MILLISECONDS: '1', SLOW_STATEMENT_MILLISECONDS: '1' })
    for (const key of [first.liveKey, first.testKey]) {
      const answer = await createClient(first.graphqlUrl, bearer(key))(asksWhoItIs)
      expect(answer).toMatchObject({ status: 200, errors: [] })
    }
    const created = await createClient(
      first.graphqlUrl,
      bearer(first.liveKey),
    )<{
      createCustomer: { id: string }
    }>(`mutation { createCustomer(input: { email: "kept@example.com", name: "Kept" }) { id } }`)
    customerId = succeeded(created).createCustomer.id
  })

  test('follows the log of its Postgres, by which a subscriber hears of changes before they would be polled for', async () => {
    const sql = postgres(first.databaseUrl, { max: 1, onnotice: () => undefined })
    const client = createSubscriptionClient(first.graphqlUrl, bearer(first.liveKey))
    try {
      await expect
        .poll(async () => [...(await sql`SELECT plugin, temporary, active FROM pg_replication_slots`)])
        .toEqual([{ plugin: 'pgoutput', temporary: true, active: true }])
      const [product] = await sql<{ id: string }[]>`
        SELECT p.id FROM catalog.product p JOIN merchant.api_key k ON k.merchant_id = p.merchant_id LIMIT 1`
      const names: unknown[] = []
      const failed = new Promise((_, reject) => {
        client.subscribe<{ product: { name: string } | null }>(
          { query: `subscription { product(id: "${product?.id ?? ''}") { name } }` },
          { next: ({ data }) => names.push(data?.product?.name), error: reject, complete: () => undefined },
        )
      })
      failed.catch(() => undefined)
      await Promise.race([failed, expect.poll(() => names.length, { timeout: 5_000 }).toBe(1)])
      const waits: number[] = []
      for (let change = 1; change <= 15; change += 1) {
        await sql`UPDATE catalog.product SET name = ${`Name ${change}`} WHERE id = ${product?.id ?? ''}`
        const changed = performance.now()
        await expect.poll(() => names.at(-1), { timeout: 5_000, interval: 10 }).toBe(`Name ${change}`)
        waits.push(performance.now() - changed)
      }
      // With a poll each second, half of them would take 500 ms. On a busy machine, a few take as long anyway.
      expect(waits.toSorted((a, b) => a - b)[7]).toBeLessThan(300)
    } finally {
      await client.dispose()
      await sql.end()
    }
  })

  test('counts statements in its Postgres, and logs a slow request and its statement with the request’s id', async () => {
    const sql = postgres(first.databaseUrl, { max: 1, onnotice: () => undefined })
    const [counted] = await sql<{ found: boolean }[]>`
      SELECT EXISTS (SELECT FROM pg_stat_statements WHERE query LIKE '%crm%') AS found`
    await sql.end()
    expect(counted).toEqual({ found: true })
    const answer = await fetch(first.graphqlUrl, {
      method: 'POST',
      headers: { ...bearer(first.liveKey), 'content-type': 'application/json', 'x-request-id': 'slow-one' },
      body: JSON.stringify({
        query: '{ products(first: 100) { totalCount edges { node { name reviews { totalCount } } } } }',
      }),
    })
    expect(answer.status).toBe(200)
    const lines = () => platform.output.split('\n').filter((line) => line.includes('"requestId":"slow-one"'))
    // A request may have several statements, and a fast machine needs less than a millisecond for some.
    await expect
      .poll(() => lines().join(), { timeout: 5_000 })
      .toMatch(/"statement":"select.*a slow statement.*"fields":\["products"\].*a slow request/is)
  })

  describe.skipIf(!longTests)(longTest('started again'), () => {
    test('refuses a second start on the same data folder', async () => {
      await expect(platform.beside().start()).rejects.toThrow('is running on')
    })

    test('keeps its keys and data when it restarts, and has a ready.json only while it runs', async () => {
      await platform.stop()
      expect(existsSync(readyFile())).toBe(false)
      second = await platform.start({ COMMERCE_MODE: 'live' })
      expect(second.liveKey).toBe(first.liveKey)
      const found = succeeded(
        await createClient(second.graphqlUrl, bearer(second.liveKey))(
          'query ($id: ID!) { customer(id: $id) { email } }',
          { id: customerId },
        ),
      )
      expect(found).toEqual({ customer: { email: 'kept@example.com' } })
    })

    test('refuses test keys in live mode without saying why', async () => {
      const answer = await createClient(first.graphqlUrl, bearer(first.testKey))(asksWhoItIs)
      expect(answer.status).toBe(401)
      expect(answer.errors[0]?.extensions.id).toBe('SVC_AUTH_001')
      expect(answer.text).not.toMatch(/live|mode/)
    })

    test('in live mode declines cards without a processor, has no sandbox, and writes no secret to a log', async () => {
      expect(second.paymentSandboxUrl).toBeNull()
      await expect(fetch(`http://127.0.0.1:${platform.port + 4}/v1/payment_intents`)).rejects.toThrow()
      const { data, errors } = await payByCard(second)
      expect(data?.processPayment ?? null).toBeNull()
      expect(errors).toMatchObject([
        { message: 'Payment processing failed: method unsupported', extensions: { id: 'SVC_BIZ_002' } },
      ])
      const cart = await createClient(
        second.graphqlUrl,
        bearer(second.liveKey),
      )<{
        createCart: { cart: { availablePaymentMethods: readonly { method: string }[] } }
      }>('mutation { createCart(input: {}) { cart { availablePaymentMethods { method } } } }')
      const offered = succeeded(cart).createCart.cart.availablePaymentMethods
      expect(offered.map(({ method }) => method)).not.toContain('CARD')
      for (const secret of [second.adminSecret, second.liveKey, second.testKey])
        expect(platform.output).not.toContain(secret)
      expect(platform.output).toContain(path.join(platform.dataDir, 'ready.json'))
    })

    test('in live mode without a transport suppresses e-mail instead of storing it, and warns about that when it starts', async () => {
      const { graphqlUrl, liveKey } = second
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

    test('logs an uncaught error in full, stops its Postgres and ends with 1', async () => {
      await platform.stop()
      const { databaseUrl } = await platform.start({
        NODE_OPTIONS: `--import=${throwing}`,
        LOG_LEVEL: 'silent',
      })
      const child = platform.child()
      const ended = once(child, 'exit')
      child.kill('SIGUSR2')
      expect(await ended).toEqual([1, null])
      expect(platform.output).toContain('out of a timer')
      expect(platform.output).toContain('the reason behind it')
      expect(existsSync(path.join(platform.dataDir, 'ready.json'))).toBe(false)
      expect(await accepts(Number(new URL(databaseUrl).port))).toBe(false)
    })
  })
})
