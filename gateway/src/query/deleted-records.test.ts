import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyPermission, fixtureId, keyPrincipal, openTestShop, type TestShop } from '../testing/shop.ts'
import { queryData } from '../testing/run.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
  // The fixture has a deleted product of its own.
  await shop.sql('DELETE FROM events.deletion')
})
afterAll(() => shop[Symbol.asyncDispose]())

const merchant = keyPrincipal(1)
const merchantId = fixtureId('merchant', 1, 0)

interface Deleted {
  readonly nodes: readonly { readonly type: string; readonly recordId: string }[]
}

async function deleted(principal = merchant, filters = '') {
  const text = `{ deletedRecords(first: 100 ${filters}) { nodes { type recordId deletedAt } } }`
  return ((await queryData(shop, principal, text))['deletedRecords'] as Deleted).nodes.map(
    ({ type, recordId }) => [type, recordId],
  )
}

test('a deleted row, and a product that no list shows any more with its variants, are among the deleted records', async () => {
  const product = fixtureId('product', 1, 1)
  const variants = await shop.sql(
    `SELECT id FROM catalog.product_variant WHERE merchant_id = '${merchantId}' AND product_id = '${product}' AND deleted_at IS NULL`,
  )
  expect(variants.length).toBeGreaterThan(0)
  const [row] = await shop.sql(`DELETE FROM catalog.review WHERE merchant_id = '${merchantId}' AND id IN
    (SELECT id FROM catalog.review WHERE merchant_id = '${merchantId}' LIMIT 1) RETURNING id`)
  await shop.sql(
    `UPDATE catalog.product SET deleted_at = now() WHERE merchant_id = '${merchantId}' AND id = '${product}'`,
  )
  expect((await deleted()).sort()).toEqual(
    [
      ['Review', row?.['id']],
      ['Product', product],
      ...variants.map(({ id }) => ['ProductVariant', id]),
    ].sort(),
  )
  expect(await deleted(merchant, ', filters: { types: ["Product"] }')).toEqual([['Product', product]])
  expect(await deleted(merchant, ', filters: { deletedBefore: "2020-01-01T00:00:00Z" }')).toEqual([])
})

test('a deletion shows to those who may read the type, and never to another merchant', async () => {
  await shop.sql(`INSERT INTO promotion.campaign (merchant_id, name) VALUES ('${merchantId}', 'Gone');
    DELETE FROM promotion.campaign WHERE merchant_id = '${merchantId}' AND name = 'Gone'`)
  const types = async (...permissions: string[]) =>
    new Set((await deleted(keyPrincipal(1, ['events:read', ...permissions]))).map(([type]) => type))
  expect(await types('promotions:read')).toEqual(new Set(['PromotionCampaign']))
  expect(await types('products:read')).not.toContain('PromotionCampaign')
  expect(await types(...everyPermission)).toContain('PromotionCampaign')
  expect(await deleted(keyPrincipal(2))).toEqual([])
})
