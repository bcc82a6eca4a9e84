import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Queryable } from '../../database.ts'
import { overlap } from '../../testing/overlap.ts'
import { createCustomer, openTestShop, type TestShop } from '../../testing/test-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
  const merchant = await shop.createMerchant()
  const { merchantId } = merchant
  const customerId = await createCustomer(shop.database, merchantId)
  await shop.database`
    INSERT INTO email.delivery (merchant_id, kind, subject_key, recipient, facts)
    SELECT ${merchantId}, 'STOCK_ALERT', n::text, 'ada@example.com', '{}' FROM generate_series(1, 40) n`
  await shop.database`
    WITH device AS (
      INSERT INTO notification.device (merchant_id, customer_id, platform, token)
      VALUES (${merchantId}, ${customerId}, 'IOS', 'token') RETURNING merchant_id, id, customer_id
    )
    INSERT INTO notification.push_delivery (merchant_id, device_id, customer_id, kind, subject_key, title, body)
    SELECT merchant_id, id, customer_id, 'STOCK_ALERT', n::text, 'x', 'x' FROM device, generate_series(1, 40) n`
})
afterAll(() => shop.close())

const claims = ['email.claim', 'notification.claim_pushes'] as const

test.each(claims)('%s gives a message to one of two concurrent senders', async (claim) => {
  const { database } = shop
  const take = async (sql: Queryable, limit: number) =>
    sql.unsafe<{ id: string }[]>(`SELECT id FROM ${claim}(${limit}, interval '1 minute', 6)`)
  const [first, second] = await overlap<readonly { id: string }[]>(
    database,
    (sql) => take(sql, 10),
    () => take(database, 10),
  )
  const ids = [...first, ...second].map(({ id }) => id)
  expect(ids).toHaveLength(20)
  expect(new Set(ids).size).toBe(20)

  const rest = (await Promise.all(Array.from({ length: 10 }, () => take(database, 20)))).flat()
  expect(new Set(rest.map(({ id }) => id)).size).toBe(rest.length)
})
