import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
})
beforeEach(async () => {
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const setPlan = (plan: string) => shop.database`
  UPDATE merchant.subscription SET plan = ${plan} WHERE merchant_id = ${merchant.merchantId}`
const addWarehouse = (code: string, merchantId: string = merchant.merchantId) => shop.database`
  INSERT INTO inventory.warehouse (merchant_id, name, code) VALUES (${merchantId}, 'North', ${code})`
const lacks = (feature: string, plan: string, requiredPlan: string | null) => ({
  constraint_name: 'plan_feature',
  detail: expect.stringContaining(`"feature": "${feature}"`) as string,
  message: expect.stringContaining(
    `the plan ${plan} does not include ${feature}, which needs the plan ${requiredPlan ?? 'NONE'}`,
  ) as string,
})

describe('after a downgrade', () => {
  test('warehouses stay and can be changed, but none can be added', async () => {
    await setPlan('FREE')
    await expect(addWarehouse('N')).rejects.toMatchObject(lacks('multiple_warehouses', 'FREE', 'STARTER'))
    const rows = await shop.database`
      UPDATE inventory.warehouse SET name = 'Renamed' WHERE merchant_id = ${merchant.merchantId} RETURNING id`
    expect(rows).toHaveLength(2)
    await setPlan('STARTER')
    await addWarehouse('N')
  })

  test('an allow-list stays on and can be switched off, but gets no new entry', async () => {
    const add = (network: string) => shop.database`
      INSERT INTO merchant.ip_allow_list_entry (merchant_id, network) VALUES (${merchant.merchantId}, ${network})`
    const enable = (on: boolean) => shop.database`
      UPDATE merchant.merchant SET ip_allow_list_enabled = ${on} WHERE id = ${merchant.merchantId}`
    await add('192.0.2.0/24')
    await enable(true)
    await setPlan('STARTER')
    await expect(add('198.51.100.0/24')).rejects.toMatchObject(lacks('ip_allow_list', 'STARTER', 'PRO'))
    await enable(false)
    await expect(enable(true)).rejects.toMatchObject(lacks('ip_allow_list', 'STARTER', 'PRO'))
  })
})

test('the free plan has one warehouse; of two concurrent first ones, one is refused', async () => {
  const [free] = await shop.database<[{ id: string }]>`
    INSERT INTO merchant.merchant (name, email) VALUES ('Free', 'free@example.com') RETURNING id`
  const added = await Promise.allSettled([addWarehouse('A', free.id), addWarehouse('B', free.id)])
  expect(added.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('an action beyond the plan is refused with the feature and a plan that has it', async () => {
  const { sku } = await shop.createProduct(merchant, { stock: [5] })
  await shop.database.begin(async (sql) => {
    await sql`DELETE FROM merchant.plan_feature WHERE feature = 'orders' AND plan <> 'ENTERPRISE'`
  })
  const [product] = await shop.database<[{ id: string }]>`SELECT id FROM catalog.product WHERE sku = ${sku}`
  const address = {
    line1: '1 Main Street',
    city: 'Springfield',
    state: 'IL',
    postalCode: '62701',
    country: 'US',
  }
  const answer = await shop.call(merchant, 'createOrder', {
    input: {
      customerId: merchant.customerId,
      items: [{ productId: product.id, quantity: 1 }],
      shippingAddress: address,
    },
  })
  await shop.database`
    INSERT INTO merchant.plan_feature (plan, feature) SELECT p, 'orders' FROM unnest('{FREE,STARTER,PRO}'::text[]) p`
  expect(answer).toMatchObject({
    kind: 'refused',
    status: 403,
    id: 'SVC_AUTH_003',
    details: {
      reason: 'The plan PRO does not include orders; the plan ENTERPRISE has it',
      feature: 'orders',
      plan: 'PRO',
      requiredPlan: 'ENTERPRISE',
    },
  })
  const orders = await shop.database`SELECT FROM ordering.order WHERE merchant_id = ${merchant.merchantId}`
  expect(orders).toHaveLength(0)
})

test('every feature of a plan is checked somewhere', async () => {
  const rows = await shop.database<{ feature: string; asked: boolean }[]>`
    SELECT DISTINCT f.feature, EXISTS (
      SELECT FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
      WHERE p.pronamespace = 'merchant'::regnamespace
        AND (encode(t.tgargs, 'escape') LIKE f.feature || '%' OR p.prosrc LIKE '%require_feature(%''' || f.feature || '''%')
    ) AS asked
    FROM merchant.plan_feature f`
  expect(rows.length).toBeGreaterThan(4)
  expect(rows.filter(({ asked }) => !asked)).toEqual([])
})
