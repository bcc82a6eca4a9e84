import { generateApiKey } from '@commerce-graph/auth-webhook'
import postgres from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AddWarehouseDocument, EnableIpAllowListDocument } from './support/generated/hasura-operations.ts'
import { bearer, createClient, type Client } from './support/graphql-client.ts'
import { createGuestCart, visitor } from './support/guest.ts'
import { createStockedProduct, shippingAddress, payload, succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

let platform: TestPlatform
let sql: postgres.Sql
let contract: Client
let hasura: Client

beforeAll(async () => {
  platform = await startTestPlatform()
  sql = postgres(platform.databaseUrl, { max: 1, onnotice: () => undefined })
  contract = createClient(platform.graphqlUrl, bearer(platform.liveKey))
  hasura = createClient(`${platform.hasuraUrl}/v1/graphql`, bearer(platform.liveKey))
})
afterAll(async () => {
  await sql.end()
  await platform.stop()
})

const setPlan = (plan: string) => sql`
  UPDATE merchant.subscription SET plan = ${plan} WHERE merchant_id = ${platform.merchantId}`

interface Payload {
  readonly errors: readonly { readonly field: string; readonly code: string; readonly message: string }[]
}
const errors = 'errors { field code message }'

describe('on a plan without several warehouses', () => {
  beforeAll(() => setPlan('FREE'))
  afterAll(() => setPlan('PRO'))

  test('/graphql refuses a second warehouse and names the feature and a plan that includes it', async () => {
    const answer = await contract(
      `mutation ($input: CreateWarehouseInput!) { createWarehouse(input: $input) { ${errors} } }`,
      { input: { name: 'North', code: 'NORTH', location: shippingAddress } },
    )
    expect(answer.status).toBe(403)
    expect(answer.errors[0]?.extensions).toMatchObject({
      id: 'SVC_AUTH_003',
      details: {
        reason: 'The plan FREE does not include multiple_warehouses; the plan STARTER has it',
        feature: 'multiple_warehouses',
        plan: 'FREE',
        requiredPlan: 'STARTER',
      },
    })
    expect(answer.text).not.toMatch(/constraint|relation|plan_feature/)
  })

  test('Hasura’s own API refuses a second warehouse, too', async () => {
    const { errors: refusals } = await hasura(AddWarehouseDocument, { name: 'North', code: 'NORTH' })
    expect(refusals[0]?.message).toContain(
      'the plan FREE does not include multiple_warehouses, which needs the plan STARTER',
    )
  })
})

test('a merchant that was created with only a name has a plan and settings, and can change them', async () => {
  const admin = createClient(`${platform.hasuraUrl}/v1/graphql`, {
    'x-hasura-admin-secret': platform.adminSecret,
  })
  const made = succeeded(
    await admin<{ insert_merchant_merchant_one: { id: string } }>(
      'mutation { insert_merchant_merchant_one(object: { name: "New", email: "new@example.com" }) { id } }',
    ),
  )
  const { key, hash, prefix } = generateApiKey('live')
  await sql`
    WITH key AS (
      INSERT INTO merchant.api_key (merchant_id, name, mode, prefix, permissions)
      VALUES (${made.insert_merchant_merchant_one.id}, 'first', 'live', ${prefix}, '{merchant:read,merchant:write}')
      RETURNING merchant_id, id
    )
    INSERT INTO merchant.api_key_hash (merchant_id, key_id, hash) SELECT merchant_id, id, ${hash} FROM key`
  const theirs = createClient(platform.graphqlUrl, bearer(key))
  expect(
    succeeded(
      await theirs(
        '{ merchantAccount { subscription { plan status } settings { currency timezone taxRate } } }',
      ),
    ),
  ).toEqual({
    merchantAccount: {
      subscription: { plan: 'FREE', status: 'ACTIVE' },
      settings: { currency: 'USD', timezone: 'UTC', taxRate: 0 },
    },
  })
  expect(
    succeeded(
      await theirs(
        `mutation { updateMerchantSettings(input: { currency: "EUR" }) { settings { currency } ${errors} } }`,
      ),
    ),
  ).toEqual({ updateMerchantSettings: { settings: { currency: 'EUR' }, errors: [] } })
  for (const table of ['settings', 'subscription'])
    await expect(
      sql`DELETE FROM ${sql(`merchant.${table}`)} WHERE merchant_id = ${made.insert_merchant_merchant_one.id}`,
    ).rejects.toMatchObject({ constraint_name: `${table}_kept` })
  await sql`DELETE FROM merchant.merchant WHERE id = ${made.insert_merchant_merchant_one.id}`
})

describe('an IP allow-list', () => {
  const enable = async (confirmLockout = false) =>
    succeeded(
      await contract<Record<string, Payload>>(
        `mutation ($confirmLockout: Boolean!) {
          updateMerchantAccount(input: { ipWhitelistEnabled: true }, confirmLockout: $confirmLockout) { ${errors} }
        }`,
        { confirmLockout },
      ),
    )['updateMerchantAccount']?.errors
  const add = async (ip: string) =>
    payload(
      await contract<Record<string, Payload & { ipAddress: string }>>(
        `mutation ($ip: String!) { addIPWhitelist(ip: $ip) { ipAddress ${errors} } }`,
        { ip },
      ),
    ).ipAddress
  const remove = async (network: string, confirmLockout = false) => {
    const [entry] = await sql<{ id: string }[]>`
      SELECT id FROM merchant.ip_allow_list_entry WHERE merchant_id = ${platform.merchantId} AND network = ${network}`
    return succeeded(
      await contract<Record<string, Payload>>(
        `mutation ($id: ID!, $confirmLockout: Boolean!) {
          removeIPWhitelist(id: $id, confirmLockout: $confirmLockout) { ${errors} }
        }`,
        { id: entry?.id ?? '', confirmLockout },
      ),
    )['removeIPWhitelist']?.errors
  }
  const worksAgain = () => expect.poll(async () => (await contract('{ viewer { id } }')).status).toBe(200)

  beforeEach(async () => {
    await sql`UPDATE merchant.merchant SET ip_allow_list_enabled = false WHERE id = ${platform.merchantId}`
    await sql`DELETE FROM merchant.ip_allow_list_entry WHERE merchant_id = ${platform.merchantId}`
    await worksAgain()
  })

  test('can’t be enabled without the caller’s own address, unless the caller confirms the lock-out', async () => {
    await add('192.0.2.0/24')
    expect(await enable()).toMatchObject([{ field: 'ipWhitelistEnabled', code: 'INVALID_VALUE' }])
    expect((await contract('{ viewer { id } }')).status).toBe(200)
    expect(await enable(true)).toEqual([])
    await expect
      .poll(async () => (await contract('{ viewer { id } }')).errors[0]?.extensions.id)
      .toBe('SVC_AUTH_004')
  })

  test('leaves the storefront open to visitors and shoppers from everywhere', async () => {
    const page = { key: platform.publishableKey, origin: 'http://localhost:3000' }
    const guest = visitor(platform.graphqlUrl, page)
    const { id, secret } = await createGuestCart(guest, (await createStockedProduct(contract, 1)).id)
    const { accessToken } = payload(
      await visitor(
        platform.graphqlUrl,
        page,
        secret,
      )<Record<string, Payload & { accessToken: string }>>(
        `mutation ($id: ID!) {
          startGuestCheckout(input: { email: "list@example.com", cartId: $id }) { accessToken ${errors} }
        }`,
        { id },
      ),
    )
    await add('192.0.2.0/24')
    expect(await enable(true)).toEqual([])
    await expect.poll(async () => (await contract('{ viewer { id } }')).status).toBe(403)
    expect((await guest('{ products { totalCount } }')).status).toBe(200)
    const shopper = createClient(platform.graphqlUrl, bearer(accessToken))
    expect(succeeded(await shopper('query ($id: ID!) { cart(id: $id) { id } }', { id }))).toEqual({
      cart: { id },
    })
  })

  test('keeps the caller’s own address, unless the caller confirms the lock-out', async () => {
    await add('192.0.2.0/24')
    await add('127.0.0.1')
    expect(await enable()).toEqual([])
    expect(await remove('127.0.0.1/32')).toMatchObject([{ field: 'id', code: 'INVALID_VALUE' }])
    expect(await remove('192.0.2.0/24')).toEqual([])
    await add('192.0.2.0/24')
    expect(await remove('127.0.0.1/32', true)).toEqual([])
  })

  test('stores an IPv4 range in IPv6 notation as IPv4', async () => {
    expect(await add('::ffff:127.0.0.0/120')).toBe('127.0.0.0/24')
    expect(await enable()).toEqual([])
    expect((await contract('{ viewer { id } }')).status).toBe(200)
  })

  test('can’t be enabled through Hasura’s own API, which doesn’t know the caller’s address', async () => {
    await add('127.0.0.1')
    const { errors: refusals } = await hasura(EnableIpAllowListDocument)
    expect(refusals[0]?.message).toContain('would not be on the list')
  })
})
