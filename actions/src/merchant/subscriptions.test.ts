import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Answer } from '../action/answer.ts'
import type { Session } from '../action/session.ts'
import { dataOf, found, openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'
import { sessionAs } from '../testing/test-team.ts'
import { beginPeriods } from './subscriptions.ts'

let shop: TestShop
let merchant: TestMerchant
let session: Session
beforeAll(async () => {
  shop = await openTestShop()
})
beforeEach(async () => {
  merchant = await shop.createMerchant()
  await shop.database`UPDATE merchant.subscription SET plan = 'FREE' WHERE merchant_id = ${merchant.merchantId}`
  session = await sessionAs(shop, merchant, 'Owner')
})
afterAll(() => shop.close())

const call = (name: string, input: object = {}): Promise<Answer> =>
  shop.call(merchant, name, input, { session })
const request = (plan: string) => call('changePlan', { plan })
const operator = { role: 'operator', operatorKeyId: '01a1f000-00ff-7000-8000-000000000009' } as const
const answer = (
  name: 'confirmPlanRequest' | 'declinePlanRequest' | 'setMerchantPlan',
  plan: string,
  whose = merchant,
) => shop.call(merchant, name, { merchantId: whose.merchantId, plan }, { session: operator })

/** Requests a plan and confirms it. */
async function choose(plan: string): Promise<void> {
  dataOf(await request(plan))
  if ((await subscription()).requested_plan !== null) dataOf(await answer('confirmPlanRequest', plan))
}

interface Row {
  readonly plan: string
  readonly status: string
  readonly next_plan: string | null
  readonly requested_plan: string | null
  readonly requested_at: Date | null
  readonly cancel_at_period_end: boolean
  readonly current_period_start: Date
  readonly current_period_end: Date
}

async function subscription(): Promise<Row> {
  const [row] = await shop.database<Row[]>`
    SELECT * FROM merchant.subscription WHERE merchant_id = ${merchant.merchantId}`
  return found(row)
}

const bill = (status: string) =>
  shop.call(merchant, 'setBillingStatus', { merchantId: merchant.merchantId, status }, { session: operator })

const endPeriod = (ago: string) => shop.database`
  UPDATE merchant.subscription
  SET current_period_start = now() - interval '10 years', current_period_end = now() - ${ago}::interval,
    periods_since = now() - interval '10 years'
  WHERE merchant_id = ${merchant.merchantId}`

describe('a plan', () => {
  test('that is requested changes nothing until an operator confirms it', async () => {
    const before = await subscription()
    dataOf(await request('ENTERPRISE'))
    const { requested_at: requestedAt, ...asked } = await subscription()
    expect(asked).toEqual({ ...before, requested_plan: 'ENTERPRISE', requested_at: undefined })
    expect(requestedAt).toBeInstanceOf(Date)
    dataOf(await request('ENTERPRISE'))
    expect(await subscription()).toMatchObject({ requested_at: requestedAt })
    dataOf(await answer('confirmPlanRequest', 'ENTERPRISE'))
    expect(await subscription()).toMatchObject({
      plan: 'ENTERPRISE',
      requested_plan: null,
      requested_at: null,
    })
  })

  test('can be confirmed by operators only', async () => {
    dataOf(await request('PRO'))
    for (const name of ['confirmPlanRequest', 'setMerchantPlan'])
      expect(await call(name, { merchantId: merchant.merchantId, plan: 'PRO' })).toMatchObject({
        kind: 'refused',
        id: 'SVC_AUTH_003',
      })
    expect(await shop.call(merchant, 'changePlan', { plan: 'PRO' }, { session: operator })).toMatchObject({
      kind: 'refused',
      id: 'SVC_AUTH_003',
    })
    expect(await subscription()).toMatchObject({ plan: 'FREE', requested_plan: 'PRO' })
  })

  test('can’t be confirmed in place of another one, twice, or for an unknown merchant', async () => {
    dataOf(await request('PRO'))
    dataOf(await request('STARTER'))
    const refused = { errors: [{ field: 'plan', code: 'INVALID_VALUE' }] }
    expect(await answer('confirmPlanRequest', 'PRO')).toMatchObject({
      errors: [{ field: 'plan', message: 'The merchant has asked for STARTER' }],
    })
    dataOf(await answer('confirmPlanRequest', 'STARTER'))
    expect(await answer('confirmPlanRequest', 'STARTER')).toMatchObject(refused)
    expect(await answer('declinePlanRequest', 'STARTER')).toMatchObject(refused)
    const absent = { ...merchant, merchantId: operator.operatorKeyId as TestMerchant['merchantId'] }
    for (const name of ['confirmPlanRequest', 'declinePlanRequest', 'setMerchantPlan'] as const)
      expect(await answer(name, 'PRO', absent)).toMatchObject({
        errors: [{ field: 'merchantId', code: 'NOT_FOUND' }],
      })
  })

  test('that is declined changes nothing', async () => {
    await choose('STARTER')
    const before = await subscription()
    dataOf(await request('PRO'))
    dataOf(await answer('declinePlanRequest', 'PRO'))
    expect(await subscription()).toEqual(before)
  })

  test('can be set by an operator at once, larger or smaller, whatever was requested; a late payment stays late', async () => {
    dataOf(await request('PRO'))
    dataOf(await answer('setMerchantPlan', 'ENTERPRISE'))
    expect(await subscription()).toMatchObject({ plan: 'ENTERPRISE', requested_plan: null })
    await shop.database`UPDATE merchant.subscription SET status = 'PAST_DUE' WHERE merchant_id = ${merchant.merchantId}`
    dataOf(await answer('setMerchantPlan', 'FREE'))
    expect(await subscription()).toMatchObject({ plan: 'FREE', next_plan: null, status: 'PAST_DUE' })
  })

  test('that is larger begins when it is confirmed, a smaller one with the next period', async () => {
    await choose('PRO')
    expect(await subscription()).toMatchObject({ plan: 'PRO', next_plan: null, status: 'ACTIVE' })
    await choose('STARTER')
    expect(await subscription()).toMatchObject({ plan: 'PRO', next_plan: 'STARTER' })
    await endPeriod('1 second')
    await beginPeriods(shop.database)
    expect(await subscription()).toMatchObject({ plan: 'STARTER', next_plan: null })
  })

  test('is kept by choosing it again, and by resuming', async () => {
    await choose('PRO')
    await choose('FREE')
    dataOf(await request('STARTER'))
    dataOf(await request('PRO'))
    expect(await subscription()).toMatchObject({ next_plan: null, requested_plan: null })
    dataOf(await request('STARTER'))
    dataOf(await call('cancelSubscription'))
    expect(await subscription()).toMatchObject({
      plan: 'PRO',
      cancel_at_period_end: true,
      requested_plan: null,
    })
    dataOf(await call('resumeSubscription'))
    expect(await subscription()).toMatchObject({ plan: 'PRO', cancel_at_period_end: false })
  })

  test('that was cancelled becomes the free one after its period, until another is chosen', async () => {
    await choose('PRO')
    dataOf(await call('cancelSubscription'))
    await endPeriod('1 second')
    await beginPeriods(shop.database)
    expect(await subscription()).toMatchObject({
      plan: 'FREE',
      status: 'CANCELLED',
      cancel_at_period_end: false,
    })
    expect(await call('cancelSubscription')).toMatchObject({ errors: [{ field: 'subscription' }] })
    dataOf(await request('STARTER'))
    expect(await subscription()).toMatchObject({ plan: 'FREE', status: 'CANCELLED' })
    dataOf(await answer('confirmPlanRequest', 'STARTER'))
    expect(await subscription()).toMatchObject({ plan: 'STARTER', status: 'ACTIVE' })
  })

  test('can’t be requested while a payment is late, or without the permission', async () => {
    await choose('PRO')
    await shop.database`UPDATE merchant.subscription SET status = 'PAST_DUE' WHERE merchant_id = ${merchant.merchantId}`
    expect(await request('ENTERPRISE')).toMatchObject({ errors: [{ field: 'plan', code: 'INVALID_VALUE' }] })
    session = await sessionAs(shop, merchant, 'Admin')
    expect(await request('ENTERPRISE')).toMatchObject({ kind: 'refused', id: 'SVC_AUTH_003' })
  })
})

test('a period that the job missed for long begins in the present, on the same day of the month, once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 2000 }), async (days) => {
      await choose('PRO')
      await endPeriod(`${days} days 1 second`)
      await Promise.all([beginPeriods(shop.database), beginPeriods(shop.database)])
      const [row] = await shop.database<{ present: boolean; month: boolean }[]>`
        SELECT
          now() >= current_period_start AND now() < current_period_end AS present,
          current_period_end - current_period_start BETWEEN interval '28 days' AND interval '31 days' AS month
        FROM merchant.subscription WHERE merchant_id = ${merchant.merchantId}`
      expect(row).toEqual({ present: true, month: true })
      expect(await beginPeriods(shop.database)).toBe(0)
    }),
    { numRuns: 15 },
  )
})

test('periods end on the day of the month on which the first began, also after a month that is too short for it', async () => {
  await choose('PRO')
  await shop.database`
    UPDATE merchant.subscription
    SET
      periods_since = '2025-10-31 09:00+00', current_period_start = '2026-01-31 09:00+00',
      current_period_end = '2026-02-28 09:00+00'
    WHERE merchant_id = ${merchant.merchantId}`
  await beginPeriods(shop.database)
  const [row] = await shop.database`
    SELECT
      extract(day FROM current_period_end AT TIME ZONE 'UTC') = least(
        31,
        extract(day FROM date_trunc('month', current_period_end AT TIME ZONE 'UTC') + interval '1 month - 1 day')
      ) AS ends_at_the_end,
      now() >= current_period_start AND now() < current_period_end AS present
    FROM merchant.subscription WHERE merchant_id = ${merchant.merchantId}`
  expect(row).toEqual({ ends_at_the_end: true, present: true })
})

describe('an API key', () => {
  test('is rotated: the new one has the same permissions, and the old one works for a while', async () => {
    const input = { name: 'CI', mode: 'TEST', permissions: ['orders:read'] }
    const { apiKeyId } = dataOf(await call('createApiKey', { input }))
    const rotated = dataOf(await call('rotateApiKey', { id: apiKeyId, overlapSeconds: 60 }))
    expect(rotated.key).toMatch(/^cg_test_/)
    const rows = await shop.database`
      SELECT id = ${String(apiKeyId)} AS old, name, permissions,
        round(extract(epoch FROM expires_at - now()) / 60)::int AS minutes
      FROM merchant.api_key WHERE merchant_id = ${merchant.merchantId} ORDER BY created_at`
    expect(rows).toEqual([
      { old: true, name: 'CI', permissions: ['orders:read'], minutes: 1 },
      { old: false, name: 'CI', permissions: ['orders:read'], minutes: null },
    ])
    dataOf(await call('revokeApiKey', { id: apiKeyId }))
    expect(await call('rotateApiKey', { id: apiKeyId })).toMatchObject({ errors: [{ field: 'id' }] })
  })

  test('with more permissions than the caller can’t be rotated by it', async () => {
    const input = { name: 'Big', mode: 'LIVE', permissions: ['billing:write'] }
    const { apiKeyId } = dataOf(await call('createApiKey', { input }))
    session = await sessionAs(shop, merchant, 'Admin')
    expect(await call('rotateApiKey', { id: apiKeyId })).toMatchObject({
      kind: 'refused',
      id: 'SVC_AUTH_003',
    })
  })
})

describe('an allow-list', () => {
  beforeEach(
    () =>
      shop.database`UPDATE merchant.subscription SET plan = 'PRO' WHERE merchant_id = ${merchant.merchantId}`,
  )
  const enable = () => shop.database`
    UPDATE merchant.merchant SET ip_allow_list_enabled = true WHERE id = ${merchant.merchantId}`
  const add = () => shop.database`
    INSERT INTO merchant.ip_allow_list_entry (merchant_id, network)
    VALUES (${merchant.merchantId}, '10.0.0.0/8'), (${merchant.merchantId}, '192.0.2.0/24')`

  test('can’t be switched on while it is empty', async () => {
    await expect(enable()).rejects.toMatchObject({ constraint_name: 'merchant_allow_list_some' })
    await add()
    await enable()
  })

  test('keeps an entry while it is switched on, even if concurrent requests remove them all', async () => {
    await add()
    await enable()
    const entries = await shop.database<{ id: string }[]>`
      SELECT id FROM merchant.ip_allow_list_entry WHERE merchant_id = ${merchant.merchantId}`
    const removals = await Promise.allSettled(
      entries.map(({ id }) => shop.database`DELETE FROM merchant.ip_allow_list_entry WHERE id = ${id}`),
    )
    expect(removals.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await shop.database`UPDATE merchant.merchant SET ip_allow_list_enabled = false WHERE id = ${merchant.merchantId}`
    await shop.database`DELETE FROM merchant.ip_allow_list_entry WHERE merchant_id = ${merchant.merchantId}`
    await shop.database`DELETE FROM merchant.merchant WHERE id = ${merchant.merchantId}`
  })
})

describe('the payment of a plan', () => {
  test('can be late, given up and paid after all, with no other changes of status', async () => {
    expect(await bill('UNPAID')).toMatchObject({ errors: [{ field: 'status', code: 'INVALID_VALUE' }] })
    expect(await bill('PAID')).toMatchObject({ errors: [{ field: 'status', code: 'INVALID_VALUE' }] })
    for (const [said, status] of [
      ['PAST_DUE', 'PAST_DUE'],
      ['UNPAID', 'UNPAID'],
      ['PAID', 'ACTIVE'],
      ['PAST_DUE', 'PAST_DUE'],
      ['PAID', 'ACTIVE'],
    ] as const) {
      dataOf(await bill(said))
      expect(await subscription()).toMatchObject({ status })
    }
  })

  test('that is late restricts nothing; one that is given up blocks new records until it is paid', async () => {
    const { id } = await shop.createProduct(merchant, { stock: [1] })
    dataOf(await bill('PAST_DUE'))
    await shop.createProduct(merchant, {})
    dataOf(await bill('UNPAID'))
    await expect(shop.createProduct(merchant, {})).rejects.toMatchObject({
      constraint_name: 'plan_feature',
      message: expect.stringContaining('UNPAID') as string,
    })
    await shop.database`UPDATE catalog.product SET name = 'Renamed' WHERE id = ${id}`
    dataOf(await bill('PAID'))
    await shop.createProduct(merchant, {})
  })

  test('can’t be recorded by a merchant', async () => {
    expect(
      await call('setBillingStatus', { merchantId: merchant.merchantId, status: 'PAST_DUE' }),
    ).toMatchObject({ kind: 'refused', id: 'SVC_AUTH_003' })
  })
})
