import { afterAll, beforeAll, expect, test } from 'vitest'
import { minute } from '../testing/booking-calendar.ts'
import {
  address,
  createCustomer,
  dataOf,
  openTestShop,
  shopper,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

/** The merchant's tables that contain a text. */
async function tablesThatTell(text: string): Promise<readonly string[]> {
  const tables = await shop.database<{ name: string }[]>`
    SELECT format('%I.%I', c.table_schema, c.table_name) AS name
    FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE c.column_name = 'merchant_id' AND t.table_type = 'BASE TABLE' ORDER BY 1`
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await shop.database.unsafe(
      `SELECT FROM ${name} t WHERE merchant_id = $1 AND strpos(to_jsonb(t)::text, $2) > 0`,
      [merchant.merchantId, text],
    )
    if (rows.length > 0) found.push(name)
  }
  return found
}

const anonymize = (id: string) => shop.call(merchant, 'anonymizeCustomer', { id })

test('anonymizing a customer removes all personal data and keeps the orders', async () => {
  const customerId = await createCustomer(shop.database, merchant.merchantId)
  const product = await shop.createProduct(merchant, { stock: [5] })
  const items = [{ productId: product.id, quantity: 1 }]
  const placed = dataOf(
    await shop.call(merchant, 'createOrder', {
      input: { customerId, items, shippingAddress: address, notes: 'Leave it with Grace' },
    }),
  )
  const request = { input: { customerId, items: [] } }
  dataOf(await shop.call(merchant, 'createCart', request, { idempotencyKey: 'carts of the customer' }))
  const session = shopper(merchant, customerId)
  const wish = { input: { items } }
  dataOf(await shop.call(merchant, 'createCart', wish, { session, idempotencyKey: 'Ada’s first cart' }))
  dataOf(await shop.call(merchant, 'createCart', { input: { customerId, items } }))
  await shop.database`UPDATE ordering.order SET notes = 'Ring at Hopper' WHERE id = ${String(placed['orderId'])}`
  await shop.database`
    INSERT INTO identity.sign_in_attempt (merchant_id, subject, email, client)
    SELECT merchant_id, 'CUSTOMER', email, '192.0.2.1' FROM crm.customer WHERE id = ${customerId}`
  await shop.database`
    UPDATE crm.customer SET phone = '+1 555', notes = 'Likes tea', tags = '{vip}', marketing_opt_in = true WHERE id = ${customerId}`
  await shop.database`
    INSERT INTO crm.contact (merchant_id, customer_id, name) VALUES (${merchant.merchantId}, ${customerId}, 'Grace')`
  await shop.database`
    INSERT INTO crm.interaction (merchant_id, customer_id, type, subject) VALUES (${merchant.merchantId}, ${customerId}, 'NOTE', 'Tea')`
  await shop.database`
    INSERT INTO catalog.review (merchant_id, product_id, customer_id, author_name, rating)
    VALUES (${merchant.merchantId}, ${product.id}, ${customerId}, 'Ada L.', 5)`
  await shop.database`
    INSERT INTO email.delivery (merchant_id, kind, subject_key, recipient, recipient_name, customer_id, status, facts, text)
    SELECT merchant_id, 'ORDER_SHIPPED', 'x', email, name, id, 'FAILED', json_build_object('email', email), 'Hello ' || email
    FROM crm.customer WHERE id = ${customerId}`
  await shop.database`
    INSERT INTO identity.credential (merchant_id, customer_id, password_hash) VALUES (${merchant.merchantId}, ${customerId}, 'x')`
  const [{ email } = { email: '' }] = await shop.database<{ email: string }[]>`
    SELECT email FROM crm.customer WHERE id = ${customerId}`
  expect(await tablesThatTell(email)).toEqual(
    expect.arrayContaining(['email.delivery', 'identity.sign_in_attempt']),
  )
  expect(await tablesThatTell('Ring at Hopper')).toContain('ordering.history_entry')
  expect(await anonymize(customerId)).toMatchObject({
    errors: [{ field: 'id', message: 'The customer has orders under way' }],
  })
  dataOf(await shop.call(merchant, 'cancelOrder', { id: placed['orderId'], reason: 'Moving away' }))

  expect(dataOf(await anonymize(customerId))).toEqual({ merchantId: merchant.merchantId, customerId })
  const [customer] = await shop.database`
    SELECT c.name, c.email::text, c.phone, c.notes, c.tags, c.marketing_opt_in, c.anonymized_at IS NOT NULL AS anonymized,
      (SELECT count(*)::integer FROM crm.address a WHERE a.customer_id = c.id) AS addresses,
      (SELECT count(*)::integer FROM crm.contact a WHERE a.customer_id = c.id) AS contacts,
      (SELECT count(*)::integer FROM crm.interaction a WHERE a.customer_id = c.id) AS interactions,
      (SELECT count(*)::integer FROM cart.cart a WHERE a.customer_id = c.id) AS carts,
      (SELECT count(*)::integer FROM ordering.order a WHERE a.customer_id = c.id) AS orders,
      (SELECT string_agg(a.author_name, ',') FROM catalog.review a WHERE a.customer_id = c.id) AS authors
    FROM crm.customer c WHERE c.id = ${customerId}`
  expect(customer).toEqual({
    name: 'Anonymized customer',
    email: `anonymized-${customerId}@customer.invalid`,
    phone: null,
    notes: null,
    tags: [],
    marketing_opt_in: false,
    anonymized: true,
    addresses: 0,
    contacts: 0,
    interactions: 0,
    carts: 0,
    orders: 1,
    authors: 'Anonymous',
  })
  expect(await tablesThatTell(email)).toEqual([])
  expect(await tablesThatTell('Leave it with Grace')).toEqual([])
  expect(await tablesThatTell('Ring at Hopper')).toEqual([])
  expect(await shop.database`SELECT key FROM platform.idempotency_record`).toEqual([])
  expect(
    await shop.database`SELECT status FROM email.delivery WHERE merchant_id = ${merchant.merchantId}`,
  ).toEqual([{ status: 'CANCELLED' }])
  expect(await shop.database`SELECT FROM identity.credential WHERE customer_id = ${customerId}`).toHaveLength(
    0,
  )
  dataOf(await anonymize(customerId))
})

test('a customer with a future appointment can’t be anonymized, and another merchant’s neither', async () => {
  const customerId = await createCustomer(shop.database, merchant.merchantId)
  const start = minute(new Date(Math.ceil(Date.now() / 60_000 + 60) * 60_000))
  await shop.database`
    WITH service AS (
      INSERT INTO booking.service (merchant_id, name, duration, price, currency)
      VALUES (${merchant.merchantId}, 'Repair', 30, 0, 'USD') RETURNING id
    ), staff AS (
      INSERT INTO booking.staff_member (merchant_id, name, email) VALUES (${merchant.merchantId}, 'Sam', 'sam@example.com') RETURNING id
    )
    INSERT INTO booking.appointment (merchant_id, service_id, staff_id, customer_id, start_time, end_time)
    SELECT ${merchant.merchantId}, service.id, staff.id, ${customerId}, ${start}::text::timestamptz, ${start}::text::timestamptz + interval '30 minutes'
    FROM service, staff`
  expect(await anonymize(customerId)).toMatchObject({
    errors: [{ field: 'id', message: 'The customer has appointments ahead' }],
  })
  const stranger = await shop.createMerchant()
  expect(await shop.call(stranger, 'anonymizeCustomer', { id: customerId })).toMatchObject({
    errors: [{ field: 'id', code: 'NOT_FOUND' }],
  })
})
