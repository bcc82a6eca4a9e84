import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestShop, type TestShop } from '../../testing/test-shop.ts'
import { batchesOf } from '../batches.ts'
import { readJsonLines } from '../rows/read-rows.ts'
import { writerOf } from './record-writers.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())

const variant = (sku: string, price: number | null) => ({
  sku,
  price,
  options: [{ name: 'Size', value: sku }],
})

test('a new product is written once, with the prices and SKUs of its variants: its indexes cost the most', async () => {
  const { merchantId } = await shop.createMerchant()
  const row = {
    type: 'product',
    name: 'Tent',
    sku: 'TENT',
    price: 500,
    currency: 'USD',
    variants: [variant('TENT-S', 300), variant('TENT-M', null), variant('TENT-L', 900)],
  }
  const rows = readJsonLines(Readable.from([Buffer.from(JSON.stringify(row))]))
  const [batch] = await Array.fromAsync(batchesOf(rows, { defaultType: null, skip: 0, trying: false }))
  const records = (batch?.entries ?? []).flatMap(({ content }) => ('errors' in content ? [] : [content]))
  const options = { merchantId, importId: crypto.randomUUID(), update: false, checkOnly: false }
  const written = await shop.database.begin(async (sql) => {
    const outcomes = await writerOf('PRODUCT').write(sql, records, options)
    const [product] = await sql`
      SELECT p.lowest_price::int AS lowest, p.highest_price::int AS highest, p.variant_skus AS skus,
        pg_stat_get_xact_tuples_updated('catalog.product'::regclass)::int AS updates
      FROM catalog.product p WHERE p.merchant_id = ${merchantId}`
    return { outcomes: outcomes.map(({ outcome }) => outcome), product }
  })
  expect(written).toEqual({
    outcomes: ['imported'],
    product: { lowest: 300, highest: 900, skus: 'TENT-S\nTENT-M\nTENT-L', updates: 0 },
  })
})
