import type { MerchantId } from '@commerce-graph/contract/ids'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { overlap } from '../testing/overlap.ts'
import { found, openTestShop, staff, type TestMerchant, type TestShop } from '../testing/test-shop.ts'
import type { Queryable } from '../database.ts'
import { deleteClosedMerchants } from './accounts.ts'

let shop: TestShop
let merchant: TestMerchant
let twin: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  merchant = await shop.createMerchant()
  await createKey(merchant, 'TEST')
  twin = { ...merchant, merchantId: await twinOf(merchant) }
})

const createKey = (of: TestMerchant, mode: 'LIVE' | 'TEST', session = staff(of)) =>
  shop.call(of, 'createApiKey', { input: { name: 'A key', mode, permissions: ['orders:read'] } }, { session })

async function twinOf({ merchantId }: TestMerchant): Promise<MerchantId> {
  const [row] = await shop.database<{ id: MerchantId }[]>`
    SELECT id FROM merchant.merchant WHERE twin_of = ${merchantId}`
  return found(row).id
}

test('a merchant’s first test key makes its test data, with its address, settings and plan; the next ones reach the same, also at once', async () => {
  const other = await shop.createMerchant()
  await shop.database`
    UPDATE merchant.settings SET currency = 'EUR', timezone = 'Europe/Berlin' WHERE merchant_id = ${other.merchantId}`
  const answers = await Promise.all(Array.from({ length: 5 }, () => createKey(other, 'TEST')))
  expect(answers.map(({ kind }) => kind)).toEqual(Array(5).fill('done'))
  const rows = await shop.database`
    SELECT m.email::text, s.currency, s.timezone, s.tax_rate::float AS "taxRate", p.plan,
      (SELECT count(*)::int FROM merchant.api_key k
        WHERE k.merchant_id = ${other.merchantId} AND k.reaches_merchant_id = m.id) AS keys,
      (SELECT count(*)::int FROM inventory.warehouse w WHERE w.merchant_id = m.id) AS warehouses
    FROM merchant.merchant m
    JOIN merchant.settings s ON s.merchant_id = m.id
    JOIN merchant.subscription p ON p.merchant_id = m.id
    WHERE m.twin_of = ${other.merchantId}`
  expect(rows).toEqual([
    {
      email: 'test@example.com',
      currency: 'EUR',
      timezone: 'Europe/Berlin',
      taxRate: 0.0825,
      plan: 'PRO',
      keys: 5,
      warehouses: 0,
    },
  ])
})

test('test data has no live keys, by an action or by SQL', async () => {
  expect(await createKey(twin, 'LIVE')).toMatchObject({ errors: [{ field: 'mode', code: 'INVALID_VALUE' }] })
  expect(await createKey(twin, 'TEST')).toMatchObject({ kind: 'done' })
  await expect(
    shop.database`
      INSERT INTO merchant.api_key (merchant_id, name, mode, prefix, permissions)
      VALUES (${twin.merchantId}, 'A key', 'live', 'cg_live', '{}')`,
  ).rejects.toMatchObject({ constraint_name: 'api_key_of_twin' })
})

test('a test key that expires makes no key that ends later', async () => {
  const [key] = await shop.database<{ id: string }[]>`
    UPDATE merchant.api_key SET expires_at = now() + interval '1 hour'
    WHERE reaches_merchant_id = ${twin.merchantId} RETURNING id`
  const session = { ...staff(twin), keyId: found(key).id }
  expect(await createKey(twin, 'TEST', session)).toMatchObject({ errors: [{ field: 'expiresAt' }] })
})

test('the plan of test data is the merchant’s, and changes with it only', async () => {
  const planOfTwin = async () => {
    const [row] = await shop.database<{ plan: string; status: string }[]>`
      SELECT plan, status FROM merchant.subscription WHERE merchant_id = ${twin.merchantId}`
    return row
  }
  const session = { ...staff(twin), permissions: new Set(['billing:write']) }
  expect(await shop.call(twin, 'changePlan', { plan: 'ENTERPRISE' }, { session })).toMatchObject({
    errors: [{ field: 'plan', code: 'INVALID_VALUE' }],
  })
  expect(await shop.call(twin, 'cancelSubscription', {}, { session })).toMatchObject({
    errors: [{ field: 'subscription', code: 'INVALID_VALUE' }],
  })
  expect(await asOperator('setMerchantPlan', { merchantId: twin.merchantId, plan: 'FREE' })).toMatchObject({
    errors: [{ field: 'merchantId', code: 'NOT_FOUND' }],
  })
  expect(await planOfTwin()).toEqual({ plan: 'PRO', status: 'ACTIVE' })
  await asOperator('setMerchantPlan', { merchantId: merchant.merchantId, plan: 'STARTER' })
  expect(await planOfTwin()).toEqual({ plan: 'STARTER', status: 'ACTIVE' })
  await asOperator('setBillingStatus', { merchantId: merchant.merchantId, status: 'PAST_DUE' })
  expect(await planOfTwin()).toEqual({ plan: 'STARTER', status: 'PAST_DUE' })
})

const operator = { role: 'operator', operatorKeyId: '01a1f000-00ff-7000-8000-000000000009' } as const
const asOperator = (name: string, input: object) => shop.call(merchant, name, input, { session: operator })

test('operators suspend, close and reinstate test data with its merchant, and not alone', async () => {
  const statuses = async () => {
    const rows = await shop.database<{ status: string }[]>`
      SELECT status FROM merchant.merchant WHERE ${merchant.merchantId} IN (id, twin_of)`
    return rows.map(({ status }) => status)
  }
  for (const name of ['suspendMerchant', 'confirmMerchantExport', 'closeMerchant', 'reinstateMerchant'])
    expect(await asOperator(name, { merchantId: twin.merchantId })).toMatchObject({
      errors: [{ field: 'merchantId', code: 'NOT_FOUND' }],
    })
  const { merchantId } = merchant
  await asOperator('suspendMerchant', { merchantId })
  expect(await statuses()).toEqual(['SUSPENDED', 'SUSPENDED'])
  await asOperator('confirmMerchantExport', { merchantId })
  await asOperator('closeMerchant', { merchantId })
  expect(await statuses()).toEqual(['CLOSED', 'CLOSED'])
  await asOperator('reinstateMerchant', { merchantId })
  expect(await statuses()).toEqual(['ACTIVE', 'ACTIVE'])
  const shown = await shop.database`
    SELECT FROM operator.merchant WHERE id IN (${merchantId}, ${twin.merchantId})`
  expect(shown).toHaveLength(1)
})

const makeTwin = (sql: Queryable, id: MerchantId) => sql`SELECT merchant.test_twin(${id})`
const suspend = (sql: Queryable, id: MerchantId) =>
  sql`UPDATE merchant.merchant SET status = 'SUSPENDED' WHERE id = ${id}`
const downgrade = (sql: Queryable, id: MerchantId) =>
  sql`UPDATE merchant.subscription SET plan = 'FREE' WHERE merchant_id = ${id}`

test.each([
  { change: 'is suspended', apply: suspend, expected: { status: 'SUSPENDED', plan: 'PRO' } },
  { change: 'changes its plan', apply: downgrade, expected: { status: 'ACTIVE', plan: 'FREE' } },
])('a merchant that $change while it gets its test data changes it, too', async ({ apply, expected }) => {
  for (const [first, second] of [
    [makeTwin, apply],
    [apply, makeTwin],
  ] as const) {
    const { merchantId } = await shop.createMerchant()
    await overlap<unknown>(
      shop.database,
      (sql) => first(sql, merchantId),
      async () => second(shop.database, merchantId),
    )
    const rows = await shop.database`
      SELECT m.status, s.plan FROM merchant.merchant m JOIN merchant.subscription s ON s.merchant_id = m.id
      WHERE m.twin_of = ${merchantId}`
    expect(rows).toEqual([expected])
  }
})

test('with a closed merchant its test data is deleted', async () => {
  const { merchantId } = merchant
  await shop.createProduct(twin, { stock: [] })
  await asOperator('confirmMerchantExport', { merchantId })
  await asOperator('closeMerchant', { merchantId })
  await shop.database`UPDATE merchant.merchant SET deletes_at = now() WHERE id = ${merchantId}`
  await deleteClosedMerchants(shop.database, shop.files)
  const ids = [merchantId, twin.merchantId]
  expect(await shop.database`SELECT FROM merchant.merchant WHERE id = ANY (${ids})`).toHaveLength(0)
  expect(await shop.database`SELECT FROM merchant.api_key WHERE merchant_id = ANY (${ids})`).toHaveLength(0)
  expect(await shop.database`SELECT FROM operator.deleted_merchant WHERE id = ANY (${ids})`).toHaveLength(2)
})
