import { hashApiKey } from '@commerce-graph/auth-webhook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Session } from '../action/session.ts'
import { dataOf, found, openTestShop, staff, type TestMerchant, type TestShop } from '../testing/test-shop.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const create = (input: object, session?: Session) =>
  shop.call(
    merchant,
    'createApiKey',
    { input: { name: 'CI', mode: 'LIVE', permissions: ['orders:read'], ...input } },
    session ? { session } : {},
  )

describe('createApiKey', () => {
  test('shows the key once and stores only its hash and prefix', async () => {
    const { key, apiKeyId } = dataOf(await create({}))
    expect(key).toMatch(/^cg_live_main_[A-Za-z0-9_-]{43}$/)
    const [row] = await shop.database<{ hash: Buffer; prefix: string }[]>`
      SELECT k.*, h.hash FROM merchant.api_key k JOIN merchant.api_key_hash h ON h.key_id = k.id
      WHERE k.id = ${String(apiKeyId)}`
    const stored = found(row)
    expect(stored.hash).toEqual(hashApiKey(String(key)))
    expect(String(key).startsWith(stored.prefix)).toBe(true)
    expect(JSON.stringify(stored)).not.toContain(String(key))
    expect(dataOf(await create({ mode: 'TEST' })).key).toMatch(/^cg_test_/)
  })

  test('can’t grant a permission that the caller lacks', async () => {
    const session = { ...staff(merchant), permissions: new Set(['api_keys:write', 'orders:read']) }
    expect(await create({ permissions: ['orders:read', 'orders:write'] }, session)).toMatchObject({
      status: 403,
      id: 'SVC_AUTH_003',
    })
    dataOf(await create({ permissions: ['orders:read'] }, session))
  })

  test('can’t create a key that expires later than the caller’s own, and neither can rotating', async () => {
    const end = new Date(Date.now() + 86_400_000)
    const keyId = String(dataOf(await create({ expiresAt: end.toISOString() })).apiKeyId)
    const session = { ...staff(merchant), keyId }
    const refused = (field: string) => ({ kind: 'invalid', errors: [{ field, code: 'INVALID_VALUE' }] })
    expect(await create({}, session)).toMatchObject(refused('expiresAt'))
    expect(await create({ expiresAt: new Date(end.getTime() + 1000).toISOString() }, session)).toMatchObject(
      refused('expiresAt'),
    )
    dataOf(await create({ expiresAt: end.toISOString() }, session))
    const endless = String(dataOf(await create({})).apiKeyId)
    const rotate = (id: string) =>
      shop.call(merchant, 'rotateApiKey', { id, overlapSeconds: 60 }, { session })
    expect(await rotate(endless)).toMatchObject(refused('id'))
    expect(await rotate('01a1f000-0000-7000-8000-000000000000')).toMatchObject({
      errors: [{ code: 'NOT_FOUND' }],
    })
    dataOf(await rotate(keyId))
  })

  test('by a user can create keys without an expiry', async () => {
    const { merchantId } = merchant
    const { permissions } = staff(merchant)
    const session: Session = { role: 'merchant', merchantId, userId: crypto.randomUUID(), permissions }
    dataOf(await create({}, session))
  })

  test('names wrong input: unknown permissions, no name, another mode, a time in the past', async () => {
    expect(await create({ permissions: ['orders:read', 'orders:steal'] })).toMatchObject({
      errors: [{ field: 'permissions.1', code: 'NOT_FOUND' }],
    })
    const wrong = { name: '', mode: 'prod', permissions: [], expiresAt: '2020-01-01T00:00:00Z' }
    const answer = await create(wrong)
    expect(answer.kind === 'invalid' && answer.errors.map(({ field, code }) => [field, code])).toEqual([
      ['name', 'REQUIRED_FIELD'],
      ['mode', 'INVALID_FORMAT'],
      ['permissions', 'REQUIRED_FIELD'],
      ['expiresAt', 'INVALID_VALUE'],
    ])
  })
})

test('revokeApiKey ends a key once, and repeats its answer', async () => {
  const { apiKeyId: id } = dataOf(await create({}))
  const revoke = () => shop.call(merchant, 'revokeApiKey', { id })
  dataOf(await revoke())
  const revokedAt = await shop.database`SELECT revoked_at FROM merchant.api_key WHERE id = ${String(id)}`
  expect(found(revokedAt[0]).revoked_at).not.toBeNull()
  dataOf(await revoke())
  expect(await shop.database`SELECT revoked_at FROM merchant.api_key WHERE id = ${String(id)}`).toEqual(
    revokedAt,
  )
  expect(await shop.call(merchant, 'revokeApiKey', { id: crypto.randomUUID() })).toMatchObject({
    errors: [{ field: 'id', code: 'NOT_FOUND' }],
  })
})

test('createCustomerAccessToken gives a token with an expiry for a customer of the merchant only', async () => {
  const { accessToken, expiresAt } = dataOf(
    await shop.call(merchant, 'createCustomerAccessToken', { customerId: merchant.customerId }),
  )
  expect(String(accessToken).split('.')).toHaveLength(3)
  expect(Date.parse(String(expiresAt))).toBeGreaterThan(Date.now())
  const other = await shop.createMerchant()
  expect(
    await shop.call(merchant, 'createCustomerAccessToken', { customerId: other.customerId }),
  ).toMatchObject({ errors: [{ field: 'customerId', code: 'NOT_FOUND' }] })
})
