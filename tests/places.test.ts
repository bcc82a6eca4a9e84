import { hashApiKey } from '@commerce-graph/auth-webhook'
import { type MailCatcher, startMailCatcher } from '@commerce-graph/actions/testing/mail-catcher'
import postgres from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { settlePlace } from '../platform/src/settle-place.ts'
import { bearer, createClient, type Client } from './support/graphql-client.ts'
import { createGuestCart, type Payload, visitor } from './support/guest.ts'
import { createStockedProduct, payload, succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

let catcher: MailCatcher
let platform: TestPlatform
let sql: postgres.Sql
let owner: Client

beforeAll(async () => {
  catcher = await startMailCatcher()
  platform = await startTestPlatform({ place: 'eu1', smtpUrl: catcher.url })
  sql = postgres(platform.databaseUrl, { max: 1, onnotice: () => undefined })
  owner = createClient(platform.graphqlUrl, bearer(platform.liveKey))
}, 120_000)
afterAll(async () => {
  await sql.end()
  await platform.stop()
  await catcher.close()
})

const as = (key: string) => createClient(platform.graphqlUrl, bearer(key))

/** Gives an existing key another text, as if it had been made so. */
async function keyWithText(text: string): Promise<void> {
  await sql`
    WITH key AS (
      INSERT INTO merchant.api_key (merchant_id, name, mode, prefix, permissions)
      SELECT ${platform.merchantId}, 'Of the test', 'live', 'cg_live_', array_agg(name) FROM merchant.permission
      RETURNING merchant_id, id
    )
    INSERT INTO merchant.api_key_hash (merchant_id, key_id, hash)
    SELECT merchant_id, id, ${hashApiKey(text)} FROM key ON CONFLICT DO NOTHING`
}

describe('what a deployment hands out names its place', () => {
  test('its keys do, new ones and rotated ones', async () => {
    expect(platform.liveKey).toMatch(/^cg_live_eu1_[\w-]{43}$/)
    expect(platform.testKey).toMatch(/^cg_test_eu1_[\w-]{43}$/)
    expect(platform.publishableKey).toMatch(/^cg_pub_eu1_[\w-]{43}$/)
    const created = payload(
      await owner<Record<string, Payload & { key: string; apiKey: { id: string; prefix: string } }>>(
        'mutation { createApiKey(input: { name: "One", permissions: ["products:read"] }) { key apiKey { id prefix } errors { field message code } } }',
      ),
    )
    expect(created.key).toMatch(/^cg_live_eu1_[\w-]{43}$/)
    expect(created.apiKey.prefix).toBe(created.key.slice(0, 'cg_live_eu1_'.length + 6))
    const rotated = payload(
      await owner<Record<string, Payload & { key: string }>>(
        'mutation ($id: ID!) { rotateApiKey(id: $id) { key errors { field message code } } }',
        { id: created.apiKey.id },
      ),
    )
    expect(rotated.key).toMatch(/^cg_live_eu1_[\w-]{43}$/)
  })

  test('the secret of a cart does, a guest’s and one that a key makes', async () => {
    const { id: productId } = await createStockedProduct(owner, 10)
    const page = { key: platform.publishableKey, origin: 'http://localhost:3000' }
    const { secret } = await createGuestCart(visitor(platform.graphqlUrl, page), productId)
    expect(secret).toMatch(/^cg_cart_eu1_[\w-]{43}$/)
    const made = payload(
      await owner<Record<string, Payload & { secret: string }>>(
        'mutation ($productId: ID!) { createCart(input: { items: [{ productId: $productId, quantity: 1 }] }) { secret errors { field message code } } }',
        { productId },
      ),
    )
    expect(made.secret).toMatch(/^cg_cart_eu1_[\w-]{43}$/)
  })

  test('a token in a mail does', async () => {
    payload(
      await owner<Record<string, Payload>>(
        'mutation { createUser(input: { email: "ada@places.example", name: "Ada", roleIds: [] }) { errors { field message code } } }',
      ),
    )
    await vi.waitFor(
      () => {
        const mail = catcher.mails.find(({ to }) => to.includes('ada@places.example'))
        expect(mail?.source).toMatch(/^eu1_[\w-]{43}\r?$/m)
      },
      { timeout: 20_000, interval: 100 },
    )
  })

  test('the reference of a payment does', async () => {
    const [row] = await sql<{ reference: string }[]>`
      SELECT payment.creditor_reference(platform.place(), 'ORD-00000042') AS reference`
    expect(row?.reference).toMatch(/^RF\d\dEU1ORD00000042$/)
  })
})

describe('a key', () => {
  test('of another place is refused before it is looked up, and the answer says no more', async () => {
    const known = `cg_live_us1_${'A'.repeat(43)}`
    await keyWithText(known)
    for (const key of [known, `cg_live_us1_${'B'.repeat(43)}`, `cg_pub_us1_${'B'.repeat(43)}`]) {
      const { status, errors } = await as(key)('{ viewer { kind } }')
      expect(status).toBe(401)
      expect(errors).toMatchObject([
        {
          extensions: {
            id: 'SVC_AUTH_001',
            details: { field: 'Authorization', reason: 'The key belongs to another deployment' },
          },
        },
      ])
    }
  })

  test('of before keys named a place works', async () => {
    const old = `cg_live_${'C'.repeat(43)}`
    await keyWithText(old)
    expect(succeeded(await as(old)('{ viewer { kind } }'))).toEqual({ viewer: { kind: 'KEY' } })
  })
})

test('a database keeps the place that its first start gave it', async () => {
  expect(await settlePlace(sql, undefined)).toBe('eu1')
  expect(await settlePlace(sql, 'eu1')).toBe('eu1')
  await expect(settlePlace(sql, 'us1')).rejects.toThrow('a database keeps its place')
})
