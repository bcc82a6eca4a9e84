import { holdsCardNumber } from '@commerce-graph/contract/input'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { found, openTestShop, type TestMerchant, type TestShop } from './testing/test-shop.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const card = '4242 4242 4242 4242'

async function inDatabase(texts: readonly string[]): Promise<readonly boolean[]> {
  const rows = await shop.database<{ held: boolean }[]>`
    SELECT platform.holds_card_number(t.text) AS held
    FROM unnest(${texts}::text[]) WITH ORDINALITY AS t(text, place) ORDER BY t.place`
  return rows.map(({ held }) => held)
}

const digits = fc
  .array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 22 })
  .map((list) => list.join(''))
const piece = fc.oneof(
  { weight: 6, arbitrary: digits },
  fc.constantFrom(
    '4242424242424242',
    '4242',
    '378282246310005',
    '4006381333931',
    '036000291452',
    '000000000000',
  ),
  fc.constantFrom(
    ' ',
    '  ',
    '    ',
    '-',
    ' - ',
    '\u2013',
    '\u00a0',
    '\u2212',
    '\n',
    '\t',
    '.',
    ',',
    '/',
    'x',
    'a',
    'F',
  ),
  fc.constantFrom(
    'https://cdn.example.com/',
    'HTTP://x/',
    '2026-11-22',
    '1999-13-40',
    'deadbeef',
    '４２４２',
    '٤٢',
    'é',
  ),
  fc.constantFrom(
    'DE02 1203 0000 0000 2020 51',
    'AT026000000001349870',
    'ES79 2100 0813 6101 2345 6789',
    'DE03 1203 0000 0000 2020 51',
    'BANK',
    ' XYZ',
  ),
  fc.uuid(),
  fc.string({ unit: 'grapheme', maxLength: 5 }).filter((text) => !text.includes('\0')),
)

test('the database and the services find the same card numbers', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join('')),
        { minLength: 50, maxLength: 50 },
      ),
      async (texts) => {
        const answers = await inDatabase(texts)
        const differing = texts.filter((text, index) => answers[index] !== holdsCardNumber(text))
        expect(differing).toEqual([])
      },
    ),
    { numRuns: 60 },
  )
})

test('a row with a card number is refused on every way into the database, with the field’s name', async () => {
  const insert = (columns: object) =>
    shop.database`INSERT INTO catalog.product ${shop.database({
      merchant_id: merchant.merchantId,
      name: 'Mug',
      sku: crypto.randomUUID(),
      price: 1,
      currency: 'USD',
      ...columns,
    })} RETURNING id`
  const refusal = /holds what looks like a card number, which is never stored: constraint "no_card_number"/
  await expect(insert({ description: `pay with ${card}` })).rejects.toThrow(refusal)
  await expect(insert({ tags: ['fine', card] })).rejects.toThrow('Field tags holds')
  await expect(insert({ name: '676767000018' })).rejects.toThrow('Field name holds')
  await expect(insert({ name: '４２４２４２４２４２４２４２４２' })).rejects.toThrow('Field name holds')
  const [product] = await insert({ sku: '4242424242424242' })
  await expect(
    shop.database`UPDATE catalog.product SET name = ${card} WHERE id = ${String(found(product)['id'])}`,
  ).rejects.toThrow(refusal)
})

test('every text that a role may write through Hasura is checked', async () => {
  const rows = await shop.database<{ table: string }[]>`
    SELECT w.tgrelid::regclass::text AS table
    FROM (SELECT DISTINCT tgrelid FROM pg_trigger WHERE tgfoid = 'audit.record_rows'::regproc) w
    WHERE NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = w.tgrelid AND t.tgname = 'card_numbers_refused')
    ORDER BY 1`
  // These tables have no texts, or only a SKU.
  expect(rows.map(({ table }) => table)).toEqual([
    'booking.staff_service',
    'catalog.product_category',
    'inventory.stock_item',
  ])
})

test('the check for card numbers takes time linear in the text’s length', async () => {
  const long = ['4', '1 ', '1-', 'a1', 'http://', '0000-'].map((part) => part.repeat(20_000))
  expect(await inDatabase(long)).toEqual(long.map(() => false))
})
