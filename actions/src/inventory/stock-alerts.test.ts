import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refused } from '../state-machine.ts'
import {
  dataOf,
  found,
  openTestShop,
  shopper,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import type { Queryable } from '../database.ts'
import { overlap } from '../testing/overlap.ts'
import { mostAlerts } from './stock-alerts.ts'
import { stockAlertMachine, type StockAlertStatus } from './stock-alert-machine.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const subscribe = (sku: string, email: string) => shop.call(merchant, 'subscribeStockAlert', { sku, email })
const setLevel = (sku: string, available: number) =>
  shop.call(merchant, 'setInventoryLevel', { input: { sku, available } })

async function claim(sku: string, sql: Queryable = shop.database): Promise<readonly string[]> {
  const rows = await sql<{ email: string }[]>`
    SELECT a.email FROM inventory.stock_item i, inventory.claim_stock_alerts(i.merchant_id, i.id, 100) a
    WHERE i.merchant_id = ${merchant.merchantId} AND i.sku = ${sku}`
  return rows.map(({ email }) => email).sort()
}

describe('a stock alert', () => {
  test('is unique per address, ignoring case, and shows the next expected delivery', async () => {
    const { sku } = await shop.createProduct(merchant, {})
    dataOf(
      await shop.call(merchant, 'createIncomingStock', {
        input: { sku, quantity: 3, expectedDate: '2027-03-01' },
      }),
    )
    const first = dataOf(await subscribe(sku, 'ada@example.com'))
    expect(first).toMatchObject({ status: 'PENDING', estimatedDate: '2027-03-01' })
    expect(dataOf(await subscribe(sku, 'ADA@example.com'))['id']).toBe(first['id'])
  })

  test('is claimed by one of several runs, when there is stock again', async () => {
    const { sku } = await shop.createProduct(merchant, {})
    for (const name of ['ada', 'bob', 'eve']) dataOf(await subscribe(sku, `${name}@example.com`))
    expect(await claim(sku)).toEqual([])
    dataOf(await setLevel(sku, 1))
    const claims = await Promise.all([claim(sku), claim(sku), claim(sku)])
    expect(claims.flat().sort()).toEqual(['ada@example.com', 'bob@example.com', 'eve@example.com'])
    dataOf(await setLevel(sku, 0))
    dataOf(await subscribe(sku, 'ada@example.com'))
    dataOf(await setLevel(sku, 2))
    expect(await shop.database`SELECT FROM inventory.stock_items_back(10)`).toHaveLength(1)
    expect(await claim(sku)).toEqual(['ada@example.com'])
  })

  test('is skipped while another run has claimed it', async () => {
    const { sku } = await shop.createProduct(merchant, {})
    dataOf(await subscribe(sku, 'ada@example.com'))
    dataOf(await setLevel(sku, 1))
    expect(
      await overlap(
        shop.database,
        (sql) => claim(sku, sql),
        () => claim(sku),
      ),
    ).toEqual([['ada@example.com'], []])
  })

  test('is refused for SKUs in stock, unknown SKUs and invalid addresses, all at once', async () => {
    const { sku } = await shop.createProduct(merchant, { stock: [1] })
    expect(await subscribe(sku, 'ada@example.com')).toMatchObject({
      errors: [{ field: 'sku', code: 'INVALID_VALUE' }],
    })
    expect(await subscribe('UNKNOWN-SKU', 'ada')).toMatchObject({
      errors: [
        { field: 'email', code: 'INVALID_FORMAT' },
        { field: 'sku', code: 'NOT_FOUND' },
      ],
    })
  })

  test('is for a variant, and refused for the SKU of a product that has variants', async () => {
    const { id, sku } = await shop.createProduct(merchant, {})
    await shop.database`
      INSERT INTO catalog.product_variant (merchant_id, product_id, sku)
      VALUES (${merchant.merchantId}, ${id}, ${`${sku}-M`})`
    expect(await subscribe(sku, 'ada@example.com')).toMatchObject({
      errors: [
        {
          field: 'sku',
          code: 'INVALID_VALUE',
          message: expect.stringContaining('name the SKU of a variant') as unknown,
        },
      ],
    })
    dataOf(await subscribe(`${sku}-M`, 'ada@example.com'))
  })

  test('of another customer can’t be cancelled by a shopper', async () => {
    const { sku } = await shop.createProduct(merchant, {})
    const { id } = dataOf(await subscribe(sku, 'ada@example.com'))
    const session = shopper(merchant, merchant.customerId)
    expect(await shop.call(merchant, 'unsubscribeStockAlert', { id }, { session })).toMatchObject({
      errors: [{ field: 'id', code: 'NOT_FOUND' }],
    })
    await shop.database`
      UPDATE crm.customer SET email_verified = true
      WHERE merchant_id = ${merchant.merchantId} AND id = ${merchant.customerId}`
    const [customer] = await shop.database<{ email: string }[]>`
      SELECT email::text FROM crm.customer WHERE merchant_id = ${merchant.merchantId} AND id = ${merchant.customerId}`
    const { email } = found(customer)
    const own = dataOf(await shop.call(merchant, 'subscribeStockAlert', { sku, email }, { session }))
    expect(
      dataOf(await shop.call(merchant, 'unsubscribeStockAlert', { id: own['id'] }, { session })),
    ).toMatchObject({ status: 'CANCELLED' })
  })

  test('goes to a shopper’s own verified address only', async () => {
    const { sku } = await shop.createProduct(merchant, {})
    const customer = shop.database`crm.customer WHERE merchant_id = ${merchant.merchantId} AND id = ${merchant.customerId}`
    const [own] = await shop.database<{ email: string }[]>`SELECT email::text FROM ${customer}`
    const subscribeAs = (email: string) =>
      shop.call(
        merchant,
        'subscribeStockAlert',
        { sku, email },
        { session: shopper(merchant, merchant.customerId) },
      )
    const refusal = { errors: [{ field: 'email', code: 'INVALID_VALUE' }] }
    await shop.database`
      UPDATE crm.customer SET email_verified = false
      WHERE merchant_id = ${merchant.merchantId} AND id = ${merchant.customerId}`
    expect(await subscribeAs(found(own).email)).toMatchObject(refusal)
    await shop.database`
      UPDATE crm.customer SET email_verified = true
      WHERE merchant_id = ${merchant.merchantId} AND id = ${merchant.customerId}`
    expect(await subscribeAs('victim@elsewhere.example')).toMatchObject(refusal)
    dataOf(await subscribeAs(found(own).email.toUpperCase()))

    await shop.database`
      UPDATE crm.customer SET email = 'victim@elsewhere.example'
      WHERE merchant_id = ${merchant.merchantId} AND id = ${merchant.customerId}`
    expect(await subscribeAs('victim@elsewhere.example')).toMatchObject(refusal)
  })

  test('is limited to fifty open ones per address', async () => {
    const email = 'eager@example.com'
    for (let count = 0; count < mostAlerts; count += 1) {
      const { sku } = await shop.createProduct(merchant, {})
      dataOf(await subscribe(sku, email))
    }
    const { sku } = await shop.createProduct(merchant, {})
    expect(await subscribe(sku, email)).toMatchObject({ errors: [{ field: 'email', code: 'INVALID_VALUE' }] })
  })

  test.each(Object.keys(stockAlertMachine) as StockAlertStatus[])(
    'in %s changes as the table says',
    async (status) => {
      for (const event of ['notify', 'cancel'] as const) {
        const { sku } = await shop.createProduct(merchant, {})
        const id = String(dataOf(await subscribe(sku, 'ada@example.com'))['id'])
        await shop.database`UPDATE inventory.stock_alert SET status = ${status} WHERE id = ${id}`
        if (event === 'cancel') await shop.call(merchant, 'unsubscribeStockAlert', { id })
        else {
          await setLevel(sku, 1)
          await claim(sku)
        }
        const [row] = await shop.database<
          { status: string }[]
        >`SELECT status FROM inventory.stock_alert WHERE id = ${id}`
        const to = stockAlertMachine[status][event]
        expect(found(row).status).toBe(to === refused ? status : to)
      }
    },
  )
})
