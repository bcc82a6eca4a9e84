import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readRow } from './read-row.ts'
import { readCsv } from './read-rows.ts'

test('a number in a CSV cell is a text where the field takes texts, and a number where it takes numbers', async () => {
  const header =
    'sku,name,price,currency,tags,categories,stock.BEND,variants.0.sku,variants.0.options.Size,variants.0.stock'
  const file = `${header}\n10,500,1999,USD,2024,501|502,7,10-42,042,5\n`
  const [raw] = await Array.fromAsync(readCsv(Readable.from([Buffer.from(file)])))
  expect(raw && readRow(raw, 'PRODUCT')).toMatchObject({
    kind: 'valid',
    row: {
      values: {
        sku: '10',
        name: '500',
        price: 1999,
        tags: ['2024'],
        categories: ['501', '502'],
        stock: [{ warehouse: 'BEND', available: 7 }],
        variants: [{ sku: '10-42', options: [{ name: 'Size', value: '042' }], stock: [{ available: 5 }] }],
      },
    },
  })
})
