import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, found, openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const operator = { role: 'operator', operatorKeyId: '01a1f000-00ff-7000-8000-000000000009' } as const
const input = { name: 'Old Mill', email: 'mill@example.com', country: 'Germany', currency: 'EUR' }
const call = (name: string, args: object, idempotencyKey?: string) =>
  shop.call(merchant, name, args, { session: operator, ...(idempotencyKey && { idempotencyKey }) })

test('an operator creates a merchant, whose keys are stored as hashes, once per Idempotency-Key', async () => {
  const opened = dataOf(await call('createMerchant', { input }, 'open-1'))
  expect(dataOf(await call('createMerchant', { input }, 'open-1'))).toEqual(opened)
  const { merchantId, liveKey, testKey } = opened as Record<string, string>
  const [row] = await shop.database<{ country: string; currency: string; keys: string[]; rows: string }[]>`
    SELECT m.country, s.currency, array_agg(coalesce(k.mode, k.kind) ORDER BY k.mode) AS keys, string_agg(k::text, '') AS rows
    FROM merchant.merchant m
    JOIN merchant.settings s ON s.merchant_id = m.id
    JOIN merchant.api_key k ON k.merchant_id = m.id
    WHERE m.name = 'Old Mill' AND m.id = ${found(merchantId)}
    GROUP BY m.id, s.merchant_id`
  expect(row).toMatchObject({ country: 'DE', currency: 'EUR', keys: ['live', 'test', 'PUBLISHABLE'] })
  for (const key of [liveKey, testKey]) expect(row?.rows).not.toContain(found(key).slice(16))
  const [{ merchants } = { merchants: 0 }] = await shop.database<{ merchants: number }[]>`
    SELECT count(*)::int AS merchants FROM merchant.merchant WHERE name = 'Old Mill' AND twin_of IS NULL`
  expect(merchants).toBe(1)
})

test('only operators create, suspend, reinstate and close merchants', async () => {
  const { merchantId } = merchant
  const calls = [
    ['createMerchant', { input }],
    ['suspendMerchant', { merchantId }],
    ['reinstateMerchant', { merchantId }],
    ['closeMerchant', { merchantId }],
    ['confirmMerchantExport', { merchantId }],
  ] as const
  for (const [name, args] of calls)
    expect(await shop.call(merchant, name, args)).toMatchObject({ kind: 'refused', id: 'SVC_AUTH_003' })
})

test('a new merchant’s wrong input is reported by field', async () => {
  const wrong = { ...input, country: 'Atlantis', currency: 'EURO' }
  expect(await call('createMerchant', { input: wrong })).toMatchObject({
    errors: [{ field: 'country' }, { field: 'currency' }],
  })
  expect(await call('createMerchant', { input: { ...input, language: 'xx' } })).toMatchObject({
    errors: [{ field: 'language', code: 'INVALID_VALUE' }],
  })
})

test('messages of a suspended merchant wait until it is reinstated', async () => {
  const { merchantId } = merchant
  await shop.database`
    INSERT INTO email.delivery (merchant_id, kind, subject_key, recipient, status, facts)
    VALUES (${merchantId}, 'ORDER_SHIPPED', 'of the test', 'ada@example.com', 'QUEUED', '{}')`
  const claimed = async () =>
    (
      await shop.database`
        SELECT FROM email.claim(10, interval '1 minute', 3) WHERE merchant_id = ${merchantId}`
    ).length
  dataOf(await call('suspendMerchant', { merchantId, reason: 'spam' }))
  expect(await claimed()).toBe(0)
  expect(await call('suspendMerchant', { merchantId })).toMatchObject({
    errors: [{ field: 'merchantId', code: 'INVALID_VALUE' }],
  })
  dataOf(await call('reinstateMerchant', { merchantId }))
  expect(await claimed()).toBe(1)
})

test('a new shop sees what it still needs to sell, and nothing required once it can', async () => {
  const opened = dataOf(await call('createMerchant', { input })) as Record<string, string>
  const undone = async (merchantId: string) => {
    const rows = await shop.database<{ name: string }[]>`
      SELECT name FROM merchant.readiness_check
      WHERE merchant_id = ${merchantId} AND NOT done AND missing IS NOT NULL ORDER BY position`
    return rows.map(({ name }) => name)
  }
  expect(await undone(found(opened['merchantId']))).toEqual([
    'PRODUCT',
    'STOCK',
    'SHIPPING_METHOD',
    'PAYMENT_METHOD',
    'TAX_RATE',
    'OWNER',
    'REPLY_ADDRESS',
    'PAYMENT_ACCOUNT',
    'SENDER',
  ])
  const { merchantId } = merchant
  await shop.createProduct(merchant, { stock: [0], status: 'ACTIVE' })
  expect(await undone(merchantId)).toContain('STOCK')
  await shop.createProduct(merchant, { stock: [1], status: 'DRAFT' })
  expect(await undone(merchantId)).toContain('STOCK')
  await shop.createProduct(merchant, { stock: [1] })
  await shop.database`
    WITH zone AS (
      INSERT INTO merchant.shipping_zone (merchant_id, name) VALUES (${merchantId}, 'Z') RETURNING merchant_id, id
    )
    INSERT INTO merchant.shipping_method (merchant_id, shipping_zone_id, name, price)
    SELECT merchant_id, id, 'Parcel', 1 FROM zone`
  await shop.database`UPDATE merchant.settings SET accepts_cash = true WHERE merchant_id = ${merchantId}`
  expect(await undone(merchantId)).toEqual(['OWNER', 'REPLY_ADDRESS', 'PAYMENT_ACCOUNT', 'SENDER'])
})

test('a merchant is closed only with its data in its hands, and reinstated only before its deletion is due', async () => {
  const { merchantId } = dataOf(await call('createMerchant', { input })) as { merchantId: string }
  const refused = { errors: [{ field: 'merchantId', code: 'INVALID_VALUE' }] }
  const exportedDaysAgo = (days: number) => shop.database`
    UPDATE merchant.merchant SET data_exported_at = now() - make_interval(days => ${days}) WHERE id = ${merchantId}`
  const days = async () => {
    const [row] = await shop.database<{ status: string; days: number | null }[]>`
      SELECT status, extract(day FROM deletes_at - status_since)::int AS days
      FROM merchant.merchant WHERE id = ${merchantId}`
    return row
  }
  expect(await call('closeMerchant', { merchantId })).toMatchObject(refused)
  await exportedDaysAgo(31)
  expect(await call('closeMerchant', { merchantId })).toMatchObject(refused)
  dataOf(await call('confirmMerchantExport', { merchantId }))
  expect(await call('closeMerchant', { merchantId, deleteAfterDays: 0 })).toMatchObject({
    errors: [{ field: 'deleteAfterDays' }],
  })
  expect(await days()).toEqual({ status: 'ACTIVE', days: null })
  dataOf(await call('closeMerchant', { merchantId }))
  expect(await days()).toEqual({ status: 'CLOSED', days: 30 })
  for (const name of ['closeMerchant', 'suspendMerchant'])
    expect(await call(name, { merchantId })).toMatchObject(refused)
  dataOf(await call('reinstateMerchant', { merchantId }))
  expect(await days()).toEqual({ status: 'ACTIVE', days: null })
  dataOf(await call('closeMerchant', { merchantId, deleteAfterDays: 7 }))
  expect(await days()).toEqual({ status: 'CLOSED', days: 7 })
  await shop.database`UPDATE merchant.merchant SET deletes_at = now() WHERE id = ${merchantId}`
  expect(await call('reinstateMerchant', { merchantId })).toMatchObject(refused)
})

test('an unknown merchant can be neither suspended, reinstated nor closed', async () => {
  const { operatorKeyId: merchantId } = operator
  for (const name of ['suspendMerchant', 'reinstateMerchant', 'confirmMerchantExport', 'closeMerchant'])
    expect(await call(name, { merchantId })).toMatchObject({
      errors: [{ field: 'merchantId', code: 'NOT_FOUND' }],
    })
})
