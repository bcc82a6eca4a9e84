import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Queryable } from '../database.ts'
import { openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'
import { followLanguages } from './index.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  merchant = await shop.createMerchant()
  await shop.createProduct(merchant, {})
})

const speakGerman = () => shop.database`
  UPDATE merchant.settings SET language = 'de' WHERE merchant_id = ${merchant.merchantId}`

/** Does `work` in a transaction, and commits once `meanwhile` is done. */
const beside = (work: (sql: Queryable) => Promise<unknown>, meanwhile: () => Promise<unknown>) =>
  shop.database.begin(async (sql) => {
    await work(sql)
    await meanwhile()
  })

/** Follows until nothing is left to do; then all documents must be German. */
async function expectGerman(): Promise<void> {
  await expect
    .poll(async () => {
      await followLanguages(shop.database)
      return shop.database`SELECT FROM search.changed_language WHERE merchant_id = ${merchant.merchantId}`
    })
    .toEqual([])
  expect(
    await shop.database`SELECT DISTINCT stemmer FROM search.document WHERE merchant_id = ${merchant.merchantId}`,
  ).toEqual([{ stemmer: 'german' }])
}

test('a document that is written while the language changes is written anew', async () => {
  await beside(
    (sql) => sql`
      INSERT INTO catalog.product (merchant_id, name, description, sku, price, currency, status)
      VALUES (${merchant.merchantId}, 'Mantel', '', 'MANTEL', 1000, 'USD', 'ACTIVE')`,
    async () => {
      await speakGerman()
      expect(await followLanguages(shop.database)).toBe(1)
      expect(await followLanguages(shop.database)).toBe(0)
    },
  )
  await expectGerman()
})

test('a document that is locked when its turn comes is written anew later', async () => {
  await speakGerman()
  await beside(
    (sql) => sql`SELECT FROM search.document WHERE merchant_id = ${merchant.merchantId} FOR NO KEY UPDATE`,
    async () => {
      expect(await followLanguages(shop.database)).toBe(0)
    },
  )
  await expectGerman()
})
