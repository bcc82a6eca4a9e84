import { expect, test } from 'vitest'
import { csvOf, readFile } from './testing/read-file.ts'

async function pricesOf(prices: readonly string[]): Promise<readonly unknown[]> {
  const rows = prices.map((price, at) => ({
    ID: `${at}`,
    Type: 'simple',
    Name: 'Mug',
    'Regular price': price,
  }))
  const found = await readFile('woocommerce-products', csvOf(rows))
  return found.map((row) => (row as { readonly price?: number }).price)
}

test.each([
  ['a comma', ['12,50', '1.234,56', '7,5', '19', '0,999'], [1250, 123_456, 750, 1900, 100]],
  ['a point', ['12.50', '1,234.56', '7.5', '19', '0.999'], [1250, 123_456, 750, 1900, 100]],
  ['a comma, which one price tells,', ['1,234', '1.234', '8,40'], [123, 123_400, 840]],
  ['a point, which one price tells,', ['1,234', '1.234', '8.40'], [123_400, 123, 840]],
  ['a comma, which thousands tell,', ['1,234', '1.234.567'], [123, 123_456_700]],
  ['both signs', ['12,50', '12.50'], [1250, 1250]],
  ['an amount or none', ['12,50', 'free', ''], [1250, undefined, undefined]],
])('prices of WooCommerce with %s are those of the shop', async (_, prices, expected) => {
  expect(await pricesOf(prices)).toEqual(expected)
})

test("a sale and a variation of WooCommerce have the shop's decimal comma, too", async () => {
  const tee = { ID: '88', Type: 'variable', SKU: 'TEE', Name: 'Tee', 'Attribute 1 name': 'Size' }
  const variation = {
    ...tee,
    ID: '90',
    Type: 'variation',
    Parent: 'TEE',
    SKU: 'TEE-L',
    'Attribute 1 value(s)': 'L',
  }
  const rows = [{ ...variation, 'Regular price': '20,00', 'Sale price': '1,234' }, tee]
  expect(await readFile('woocommerce-products', csvOf(rows))).toMatchObject([
    { price: 123, variants: [{ price: 123, compareAtPrice: 2000 }] },
  ])
})

test.each([
  [
    'no other price tells the sign',
    ['5', '1,234'],
    /line 3, column "Regular price": 1,234 .*\(1234\).*\(1,2340\)/,
  ],
  ['the others disagree on it', ['12.50', '12,50', '1.234'], /line 4, column "Regular price": 1\.234 /],
])(
  'a price of WooCommerce that is a thousand or a fraction ends the reading if %s',
  async (_, prices, message) => {
    await expect(pricesOf(prices)).rejects.toThrow(message)
  },
)
