import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queryData, runQuery } from '../testing/run.ts'
import { fixtureId, keyPrincipal, openTestShop, type TestShop } from '../testing/shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop[Symbol.asyncDispose]())

const merchant = keyPrincipal(1)
const merchantId = fixtureId('merchant', 1, 0)
const productId = fixtureId('product', 1, 1)
const early = '2020-01-01T00:00:00Z'

interface List {
  readonly nodes: readonly { readonly id: string; readonly status: string }[]
}

async function changed(list: string, filters: string): Promise<readonly string[]> {
  const data = await queryData(
    shop,
    merchant,
    `{ ${list}(first: 100, sortBy: UPDATED_AT, sortOrder: ASC, filters: { ${filters} }) { nodes { id } } }`,
  )
  return (data[list] as List).nodes.map(({ id }) => id)
}

/** Makes the row look as if it was last changed long ago, past the trigger. */
const age = (table: string, id: string) =>
  shop.sql(`ALTER TABLE ${table} DISABLE TRIGGER touch_updated_at;
    UPDATE ${table} SET updated_at = '${early}' WHERE merchant_id = '${merchantId}' AND id = '${id}';
    ALTER TABLE ${table} ENABLE TRIGGER touch_updated_at`)

describe('updatedAfter and updatedBefore', () => {
  test('are a half-open span of time', async () => {
    await age('catalog.product', productId)
    const one = 'updatedAfter: "2020-01-01T00:00:00Z", updatedBefore:'
    expect(await changed('products', `${one} "2020-01-01T00:00:01Z"`)).toEqual([productId])
    expect(await changed('products', `${one} "2020-01-01T00:00:00Z"`)).toEqual([])
    expect(await changed('products', 'updatedAfter: "2020-01-01T00:00:00.000001Z"')).not.toContain(productId)
  })

  test.each([
    [
      'an image',
      `INSERT INTO catalog.product_image (merchant_id, product_id, url) VALUES ('${merchantId}', '${productId}', 'https://example.com/x.png')`,
    ],
    [
      'a category',
      `DELETE FROM catalog.product_category WHERE merchant_id = '${merchantId}' AND product_id = '${productId}'`,
    ],
  ])('a product that gets or loses %s has changed', async (_part, statement) => {
    await shop.sql(`INSERT INTO catalog.product_category (merchant_id, product_id, category_id)
      SELECT '${merchantId}', '${productId}', id FROM catalog.category WHERE merchant_id = '${merchantId}' LIMIT 1
      ON CONFLICT DO NOTHING`)
    await age('catalog.product', productId)
    await shop.sql(statement)
    expect(await changed('products', 'updatedAfter: "2021-01-01T00:00:00Z"')).toContain(productId)
  })

  test('an order whose line has changed has changed', async () => {
    const orderId = fixtureId('order', 1, 1)
    await age('ordering.order', orderId)
    expect(await changed('orders', 'updatedBefore: "2021-01-01T00:00:00Z"')).toEqual([orderId])
    await shop.sql(
      `UPDATE ordering.order_item SET packed_quantity = packed_quantity WHERE merchant_id = '${merchantId}' AND order_id = '${orderId}'`,
    )
    expect(await changed('orders', 'updatedBefore: "2021-01-01T00:00:00Z"')).toEqual([])
  })

  test('the links of a deleted category leave its products as they are', async () => {
    await shop.sql(
      `INSERT INTO catalog.category (merchant_id, name, slug) VALUES ('${merchantId}', 'Gone', 'gone');
       INSERT INTO catalog.product_category (merchant_id, product_id, category_id)
         SELECT '${merchantId}', '${productId}', id FROM catalog.category WHERE merchant_id = '${merchantId}' AND slug = 'gone'`,
    )
    await age('catalog.product', productId)
    await shop.sql(`DELETE FROM catalog.category WHERE merchant_id = '${merchantId}' AND slug = 'gone'`)
    expect(await changed('products', 'updatedBefore: "2021-01-01T00:00:00Z"')).toEqual([productId])
  })
})

describe('statuses', () => {
  const list = async (filters: string) => {
    const data = await queryData(
      shop,
      merchant,
      `{ products(first: 100, filters: { ${filters} }) { nodes { status } } }`,
    )
    return new Set((data['products'] as List).nodes.map(({ status }) => status))
  }

  test('are alternatives, and beside a status both must hold', async () => {
    expect(await list('statuses: [DRAFT, ARCHIVED]')).toEqual(new Set(['DRAFT', 'ARCHIVED']))
    expect(await list('status: DRAFT, statuses: [DRAFT, ARCHIVED]')).toEqual(new Set(['DRAFT']))
    expect(await list('status: ACTIVE, statuses: [DRAFT, ARCHIVED]')).toEqual(new Set())
  })

  test('without any are refused, and so are more than there can be', async () => {
    for (const statuses of ['[]', `[${'PENDING '.repeat(21)}]`]) {
      const answer = await runQuery(
        shop,
        merchant,
        `{ orders(filters: { statuses: ${statuses} }) { totalCount } }`,
      )
      expect(answer).toMatchObject({
        kind: 'refused',
        errors: [{ id: 'SVC_VAL_003', details: { field: 'filters.statuses' } }],
      })
    }
  })

  test('reach through to the draft’s computed status', async () => {
    const answer = await queryData(
      shop,
      merchant,
      '{ draftOrders(filters: { statuses: [OPEN, EXPIRED] }) { totalCount } }',
    )
    expect(answer['draftOrders']).toEqual({ totalCount: expect.any(Number) as number })
  })
})
