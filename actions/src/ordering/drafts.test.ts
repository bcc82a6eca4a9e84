import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectShopToAddUp } from '../testing/invariants.ts'
import {
  address,
  createShippingMethod,
  dataOf,
  found,
  openTestShop,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import { purgeExpiredDrafts } from './drafts.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const call = (name: string, input: object) => shop.call(merchant, name, input)

const draft = async (input: object): Promise<string> =>
  String(dataOf(await call('createDraftOrder', { input })).draftOrderId)

test('a draft shows its total, holds no stock, and becomes one order with the same total', async () => {
  const product = await shop.createProduct(merchant, { price: 333, stock: [5] })
  const { code } = await shop.createPromotion(merchant, { value: 15 })
  const shippingMethodId = await createShippingMethod(shop.database, merchant, 700)
  const items = [{ productId: product.id, quantity: 2 }]
  const id = await draft({ items, couponCode: code, tags: ['phone'] })
  expect(await call('completeDraftOrder', { id })).toMatchObject({
    errors: [
      { field: 'customerId', code: 'REQUIRED_FIELD' },
      { field: 'shippingAddress', code: 'REQUIRED_FIELD' },
    ],
  })
  dataOf(
    await call('updateDraftOrder', {
      id,
      input: {
        customerId: merchant.customerId,
        shippingAddress: address,
        shippingMethodId,
        items: [{ productId: product.id, quantity: 3 }],
      },
    }),
  )
  const totals = async () => {
    const [row] = await shop.database`
      SELECT status, subtotal, tax, shipping, discount, total FROM ordering.draft_order_total WHERE draft_order_id = ${id}`
    return found(row)
  }
  const before = await totals()
  expect(before).toMatchObject({ status: 'OPEN', subtotal: '999', discount: '150', shipping: '700' })
  const [level] =
    await shop.database`SELECT available FROM inventory.sku_inventory WHERE sku = ${product.sku}`
  expect(level).toEqual({ available: 5 })
  const answers = await Promise.all(Array.from({ length: 4 }, () => call('completeDraftOrder', { id })))
  expect(new Set(answers.map((answer) => dataOf(answer).orderId)).size).toBe(1)
  expect(await totals()).toEqual({ ...before, status: 'COMPLETED' })
  const [order] = await shop.database<
    { total: number; tags: string[] }[]
  >`SELECT total, tags FROM ordering.order WHERE id = ${String(dataOf(found(answers[0])).orderId)}`
  expect(order).toEqual({ total: before.total as unknown, tags: ['phone'] })
  expect(await call('updateDraftOrder', { id, input: { notes: 'x' } })).toMatchObject({
    errors: [{ field: 'id' }],
  })
  await expectShopToAddUp(shop.database, merchant)
})

test('a draft beyond the bound of money has no totals', async () => {
  const product = await shop.createProduct(merchant, { price: 9_000_000_000_000_000, stock: [5] })
  const id = await draft({ items: [{ productId: product.id, quantity: 1 }] })
  expect(
    await shop.database`SELECT subtotal, total FROM ordering.draft_order_total WHERE draft_order_id = ${id}`,
  ).toEqual([{ subtotal: null, total: null }])
})

test('a product that is not on sale is refused when the draft is created and when it is completed', async () => {
  const product = await shop.createProduct(merchant, { stock: [1] })
  const items = [
    { productId: crypto.randomUUID(), quantity: 1 },
    { productId: product.id, quantity: 1 },
  ]
  expect(await call('createDraftOrder', { input: { items, customerId: crypto.randomUUID() } })).toMatchObject(
    {
      errors: [{ field: 'items.0.productId' }, { field: 'customerId', code: 'NOT_FOUND' }],
    },
  )
  const id = await draft({
    items: [{ productId: product.id, quantity: 2 }],
    customerId: merchant.customerId,
    shippingAddress: address,
  })
  expect(await call('completeDraftOrder', { id })).toMatchObject({ id: 'SVC_BIZ_001' })
  await shop.database`UPDATE catalog.product SET status = 'ARCHIVED' WHERE id = ${product.id}`
  expect(await call('completeDraftOrder', { id })).toMatchObject({ errors: [{ field: 'items.0.productId' }] })
})

test('an expired draft can’t be completed, and is deleted a month later', async () => {
  const product = await shop.createProduct(merchant, { stock: [1] })
  const id = await draft({
    items: [{ productId: product.id, quantity: 1 }],
    customerId: merchant.customerId,
    shippingAddress: address,
  })
  await shop.database`UPDATE ordering.draft_order SET expires_at = now() WHERE id = ${id}`
  expect(await call('completeDraftOrder', { id })).toMatchObject({
    errors: [{ field: 'id', message: 'The draft order is EXPIRED' }],
  })
  await purgeExpiredDrafts(shop.database)
  expect(await shop.database`SELECT 1 FROM ordering.draft_order WHERE id = ${id}`).toHaveLength(1)
  await shop.database`UPDATE ordering.draft_order SET expires_at = now() - interval '31 days' WHERE id = ${id}`
  await purgeExpiredDrafts(shop.database)
  expect(await shop.database`SELECT 1 FROM ordering.draft_order WHERE id = ${id}`).toHaveLength(0)
})
