import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queryData } from '../../testing/run.ts'
import { fixtureId, keyPrincipal, openTestShop, type TestShop } from '../../testing/shop.ts'

let shop: TestShop
const merchantId = fixtureId('merchant', 1, 0)

beforeAll(async () => {
  shop = await openTestShop()
  const products: readonly (readonly [string, string])[] = [
    ['Larch Tent', 'For two, three seasons'],
    ['Alpine Tent', 'For four'],
    ['Foothill Boot', 'For hiking and hikes of a day'],
    ['Storm Jacket', 'Keeps the rain out'],
    ['Sleeping Bag', 'Down, to minus ten'],
    ['Berry Jam', 'Of one berry'],
    ['Wollmantel', 'Ein Mantel für Kinder'],
  ]
  for (const [index, [name, description]] of products.entries())
    await shop.sql(`
      INSERT INTO catalog.product (merchant_id, name, description, sku, price, currency, status)
      VALUES ('${merchantId}', '${name}', '${description}', 'INFL-${index}', ${1000 * (index + 1)}, 'USD', 'ACTIVE')`)
  await shop.sql(`
    INSERT INTO search.article (merchant_id, name, body, status)
    VALUES ('${merchantId}', 'How to pitch', 'Tents, boots, jackets and bags need care.', 'PUBLISHED')`)
})
afterAll(() => shop[Symbol.asyncDispose]())

async function found(query: string): Promise<readonly string[]> {
  const { search } = await queryData(
    shop,
    keyPrincipal(1),
    `query ($query: String!) {
      search(query: $query, first: 50, filters: { types: [PRODUCT] }) { results { ... on Product { name } } }
    }`,
    { query },
  )
  return (search as { results: readonly { name: string }[] }).results.map(({ name }) => name).sort()
}

async function suggested(query: string): Promise<readonly string[]> {
  const data = await queryData(
    shop,
    keyPrincipal(1),
    'query ($query: String!) { searchSuggestions(query: $query, first: 20) { text } }',
    { query },
  )
  return (data['searchSuggestions'] as readonly { text: string }[]).map(({ text }) => text).sort()
}

describe('an inflected word', () => {
  // The article contains the plurals, so that they are words of the shop and not typing errors.
  test.each([
    ['tents', 'tent', ['Alpine Tent', 'Larch Tent']],
    ['boots', 'boot', ['Foothill Boot']],
    ['hiking boots', 'hiking boot', ['Foothill Boot']],
    ['rain jackets', 'rain jacket', ['Storm Jacket']],
    ['sleeping bags', 'sleeping bag', ['Sleeping Bag']],
    ['sleping bags', 'sleeping bag', ['Sleeping Bag']],
    ['berries', 'berry', ['Berry Jam']],
    ['hikes', 'hike', ['Foothill Boot']],
  ])('%s finds what %s finds', async (plural, singular, products) => {
    expect(await found(plural)).toEqual(products)
    expect(await found(singular)).toEqual(products)
  })

  test('gives the same suggestions', async () => {
    expect(await suggested('tents')).toEqual(['Alpine Tent', 'Larch Tent'])
    expect(await suggested('boots')).toEqual(['Foothill Boot'])
  })

  test('is not confused with a different word', async () => {
    expect(await found('pants')).toEqual([])
  })
})

test('a shop with a new language is searched in it once its documents are indexed again', async () => {
  const rewrite = () => shop.sql('SELECT search.rewrite_documents(3) AS written')
  expect(await found('berries')).toEqual(['Berry Jam'])
  await shop.sql(`UPDATE merchant.settings SET language = 'de' WHERE merchant_id = '${merchantId}'`)
  let runs = 0
  while ((await rewrite())[0]?.['written'] !== 0) runs += 1
  expect(runs).toBeGreaterThan(2)
  expect(await found('berries')).toEqual([])
  expect(await found('kindern')).toEqual(['Wollmantel'])
  expect(
    await shop.sql(`SELECT DISTINCT stemmer FROM search.document WHERE merchant_id = '${merchantId}'`),
  ).toEqual([{ stemmer: 'german' }])
  // Transactions that are older than the last run must have ended first.
  await expect
    .poll(async () => {
      await rewrite()
      return shop.sql('SELECT FROM search.changed_language')
    })
    .toEqual([])
})
