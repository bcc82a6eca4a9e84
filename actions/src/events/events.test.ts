import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { markAbandonedCarts } from '../cart/index.ts'
import { paidOrder } from '../testing/paid-order.ts'
import {
  createCustomer,
  dataOf,
  found,
  openTestShop,
  type TestMerchant,
  type TestProduct,
  type TestShop,
} from '../testing/test-shop.ts'
import { purgeEvents, sequenceEvents } from './sequence.ts'

let shop: TestShop
let merchant: TestMerchant
let product: TestProduct
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())

interface Told {
  readonly topic: string
  readonly position: string
  readonly record_id: string
  readonly version: string
  readonly record: Readonly<Record<string, unknown>>
  readonly changes: Readonly<Record<string, { readonly old: unknown; readonly new: unknown }>>
}

/** The events of a merchant from now on. */
async function freshShop() {
  merchant = await shop.createMerchant()
  product = await shop.createProduct(merchant, { stock: [50] })
  await sequenceEvents(shop.database)
  await shop.database`DELETE FROM events.event WHERE merchant_id = ${merchant.merchantId}`
}

async function told(): Promise<readonly Told[]> {
  await sequenceEvents(shop.database)
  return shop.database<Told[]>`
    SELECT topic, position, record_id, version, record, changes FROM events.event
    WHERE merchant_id = ${merchant.merchantId} ORDER BY position`
}

const topicsOf = (events: readonly Told[], id: string) =>
  events.filter((one) => one.record_id === id).map(({ topic }) => topic)

const rename = (name: string) => shop.database`
  UPDATE catalog.product SET name = ${name} WHERE merchant_id = ${merchant.merchantId} AND id = ${product.id}`

const setAvailable = (available: number) => shop.database`
  UPDATE inventory.stock_level l SET available = ${available} FROM inventory.stock_item i
  WHERE i.id = l.stock_item_id AND i.product_id = ${product.id}`

describe('events', () => {
  test('of a paid order are told in the order in which it changed, with greater versions and positions', async () => {
    await freshShop()
    const { orderId, paymentId } = await paidOrder(shop, merchant, [2])
    const events = await told()
    expect(topicsOf(events, orderId)).toEqual([
      'order.created',
      'order.updated',
      'order.confirmed',
      'order.paid',
    ])
    expect(topicsOf(events, paymentId)).toContain('payment.succeeded')
    expect(events.map(({ topic }) => topic)).toContain('inventory.changed')
    const positions = events.map(({ position }) => position)
    expect(positions).toEqual([...new Set(positions)].sort())
    const versions = events.filter((one) => one.record_id === orderId).map(({ version }) => version)
    expect(versions).toEqual([...versions].sort())
  })

  test('carry the changed fields, old and new, and the record', async () => {
    await freshShop()
    await rename('Lantern')
    const [event] = await told()
    expect(event).toMatchObject({
      topic: 'product.updated',
      record: { name: 'Lantern', sku: product.sku },
      changes: { name: { new: 'Lantern' } },
    })
    expect(Object.keys(event?.changes ?? {})).toEqual(['name'])
  })

  test('of a deleted record have its last known fields', async () => {
    await freshShop()
    const customerId = await createCustomer(shop.database, merchant.merchantId)
    await shop.database`DELETE FROM crm.customer WHERE id = ${customerId}`
    const events = await told()
    expect(topicsOf(events, customerId)).toEqual(['customer.created', 'customer.deleted'])
    expect(events.at(-1)?.record).toMatchObject({ name: 'Ada' })
  })

  test('are not told of what was rolled back, imported, or changed in no field that is shown', async () => {
    await freshShop()
    await shop.database
      .begin(async (sql) => {
        await sql`UPDATE catalog.product SET name = 'Never' WHERE id = ${product.id}`
        throw new Error('undone')
      })
      .catch(() => undefined)
    await shop.database.begin(async (sql) => {
      await sql`SELECT set_config('platform.importing', 'on', TRUE)`
      await sql`UPDATE catalog.product SET name = 'Imported' WHERE id = ${product.id}`
    })
    await shop.database`UPDATE catalog.product SET popularity = popularity + 1 WHERE id = ${product.id}`
    expect(await told()).toEqual([])
  })

  test('of a transaction that commits late get later positions, and none is lost', async () => {
    await freshShop()
    const late = Promise.withResolvers<undefined>()
    const begun = Promise.withResolvers<undefined>()
    const slow = shop.database.begin(async (sql) => {
      await sql`UPDATE catalog.product SET name = 'Late' WHERE id = ${product.id}`
      begun.resolve(undefined)
      await late.promise
    })
    await begun.promise
    await createCustomer(shop.database, merchant.merchantId)
    const before = await told()
    late.resolve(undefined)
    await slow
    const after = await told()
    expect(before.map(({ topic }) => topic)).toEqual(['customer.created'])
    expect(after.map(({ topic }) => topic)).toEqual(['customer.created', 'product.updated'])
  })

  test('of one record have ascending versions, also where several tables tell of it in transactions that overlap', async () => {
    await freshShop()
    const late = Promise.withResolvers<undefined>()
    const begun = Promise.withResolvers<undefined>()
    const slow = shop.database.begin(async (sql) => {
      await sql`UPDATE catalog.product SET name = 'Late' WHERE id = ${product.id}`
      begun.resolve(undefined)
      await late.promise
    })
    await begun.promise
    await setAvailable(1)
    await told()
    late.resolve(undefined)
    await slow
    const ofProduct = (await told()).filter((one) => one.record_id === product.id)
    expect(ofProduct.map(({ topic }) => topic)).toEqual(['inventory.low', 'product.updated'])
    const versions = ofProduct.map(({ version }) => version)
    expect(versions).toEqual([...new Set(versions)].sort())
  })

  test('are told once, however many sequencers run at the same time', async () => {
    await freshShop()
    for (let index = 0; index < 20; index += 1) await rename(`Lantern ${index}`)
    await Promise.all(Array.from({ length: 6 }, () => sequenceEvents(shop.database)))
    expect((await told()).map(({ record }) => record['name'])).toEqual(
      Array.from({ length: 20 }, (_, index) => `Lantern ${index}`),
    )
  })

  test('tell a cart that was left for an hour, once, and again when it is left again', async () => {
    await freshShop()
    const items = [{ productId: product.id, quantity: 1 }]
    const { cartId } = dataOf(await shop.call(merchant, 'createCart', { input: { items } }))
    const leave = async () => {
      await shop.database`ALTER TABLE cart.cart DISABLE TRIGGER touch_updated_at`
      await shop.database`UPDATE cart.cart SET updated_at = now() - interval '61 minutes' WHERE id = ${String(cartId)}`
      await shop.database`ALTER TABLE cart.cart ENABLE TRIGGER touch_updated_at`
      return markAbandonedCarts(shop.database)
    }
    expect(await markAbandonedCarts(shop.database)).toBe(0)
    expect(await leave()).toBe(1)
    expect(await leave()).toBe(0)
    dataOf(await shop.call(merchant, 'addCartItem', { cartId, item: { productId: product.id, quantity: 1 } }))
    expect(await leave()).toBe(1)
    const topics = topicsOf(await told(), String(cartId))
    expect(topics.filter((topic) => topic === 'cart.abandoned')).toHaveLength(2)
  })

  test('tell stock that runs low and comes back', async () => {
    await freshShop()
    await setAvailable(1)
    await setAvailable(0)
    await setAvailable(50)
    const events = (await told()).filter(({ topic }) => /low|back/.test(topic))
    expect(events).toMatchObject([
      { topic: 'inventory.low', record_id: product.id, record: { sku: product.sku, available: 1 } },
      { topic: 'inventory.back_in_stock', record: { available: 50 } },
    ])
  })

  test('forget an anonymised customer and its purchases as a guest, except that they are', async () => {
    await freshShop()
    const customerId = await createCustomer(shop.database, merchant.merchantId)
    const [guest] = await shop.database<{ id: string }[]>`
      INSERT INTO crm.customer (merchant_id, email, name, has_account)
      SELECT merchant_id, email, 'Grace', FALSE FROM crm.customer WHERE id = ${customerId} RETURNING id`
    await shop.database`UPDATE crm.customer SET name = 'Grace' WHERE id = ${customerId}`
    await told()
    await shop.database`UPDATE crm.customer SET name = 'Grace Hopper' WHERE id = ${customerId}`
    dataOf(await shop.call(merchant, 'anonymizeCustomer', { id: customerId }))
    const events = await told()
    for (const id of [customerId, found(guest).id])
      expect(topicsOf(events, id)).toEqual(['customer.updated', 'customer.anonymized'])
    expect(JSON.stringify(events)).not.toMatch(/Grace|customer\d+@example/)
  })

  test('are deleted after 30 days', async () => {
    await freshShop()
    await rename('Old')
    await rename('New')
    await told()
    await shop.database`
      UPDATE events.event SET created_at = now() - interval '31 days'
      WHERE merchant_id = ${merchant.merchantId} AND record ->> 'name' = 'Old'`
    expect(await purgeEvents(shop.database, 30 * 24 * 60 * 60)).toBe(1)
    expect((await told()).map(({ record }) => record['name'])).toEqual(['New'])
  })
})
