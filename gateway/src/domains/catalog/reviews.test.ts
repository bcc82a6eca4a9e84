import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  fixtureId,
  customerPrincipal,
  keyPrincipal,
  openTestShop,
  type TestShop,
} from '../../testing/shop.ts'
import { queryData } from '../../testing/run.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop[Symbol.asyncDispose]())

const merchantId = fixtureId('merchant', 1, 0)
const product = fixtureId('product', 1, 1)

async function write(rating: number, status: string, customer: string | null, name: string): Promise<void> {
  const writer = customer === null ? 'NULL' : `'${customer}'`
  await shop.sql(`
    INSERT INTO catalog.review (merchant_id, product_id, customer_id, author_name, rating, status)
    VALUES ('${merchantId}', '${product}', ${writer}, '${name}', ${rating}, '${status}')`)
}

test('a product’s rating counts its published reviews, shoppers see no others, and reviews of buyers can be found', async () => {
  await shop.sql(`DELETE FROM catalog.review WHERE product_id = '${product}'`)
  const [buyer] = await shop.sql(`
    SELECT o.customer_id FROM ordering.product_order l JOIN ordering.order o ON o.id = l.order_id
    WHERE l.product_id = '${product}' LIMIT 1`)
  const customer = String(buyer?.['customer_id'])
  await shop.sql(
    `UPDATE ordering.order SET status = 'CONFIRMED' WHERE customer_id = '${customer}' AND status = 'PENDING'`,
  )
  await write(5, 'APPROVED', customer, 'buyer')
  await write(2, 'APPROVED', null, 'passer-by')
  await write(1, 'PENDING', null, 'unseen')
  await write(1, 'REJECTED', null, 'refused')
  const rated = `product(id: "${product}") { averageRating reviewCount reviews { totalCount } }`
  expect(await queryData(shop, keyPrincipal(1), `{ ${rated} }`)).toEqual({
    product: { averageRating: 3.5, reviewCount: 2, reviews: { totalCount: 4 } },
  })
  const stranger = customerPrincipal(1, 2)
  expect(await queryData(shop, stranger, `{ ${rated} }`)).toMatchObject({
    product: { averageRating: 3.5, reviewCount: 2, reviews: { totalCount: 2 } },
  })
  const moderated = await queryData(
    shop,
    keyPrincipal(1),
    `{ reviews(filters: { status: PENDING, productId: "${product}" }) { edges { node { authorName } } }
       bought: reviews(filters: { verifiedPurchase: true, productId: "${product}" }) { edges { node { authorName } } } }`,
  )
  expect(moderated).toEqual({
    reviews: { edges: [{ node: { authorName: 'unseen' } }] },
    bought: { edges: [{ node: { authorName: 'buyer' } }] },
  })
})
