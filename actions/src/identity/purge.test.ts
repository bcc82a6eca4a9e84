import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  address,
  createCustomer,
  dataOf,
  openTestShop,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import { purgeExpiredIdentities } from './purge.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const purge = () => purgeExpiredIdentities(shop.database, 24 * 60 * 60)

async function cartItems() {
  const product = await shop.createProduct(merchant, { stock: [5] })
  return [{ productId: product.id, quantity: 1 }]
}

describe('a session', () => {
  async function open() {
    const input = { email: `${randomUUID()}@example.com`, name: 'Ada', password: 'horses eat no cucumber' }
    const { customerId, refreshToken } = dataOf(await shop.call(merchant, 'registerCustomer', { input }))
    return { customerId: String(customerId), refreshToken: String(refreshToken) }
  }

  const isThere = async (customerId: string) => {
    const rows = await shop.database`SELECT FROM identity.session WHERE customer_id = ${customerId}`
    return rows.length > 0
  }

  test('that was signed out is deleted as long afterwards as one that has expired', async () => {
    const { customerId, refreshToken } = await open()
    dataOf(await shop.call(merchant, 'signOut', { refreshToken }))
    await purge()
    expect(await isThere(customerId)).toBe(true)
    await shop.database`
      UPDATE identity.session SET revoked_at = now() - interval '2 days' WHERE customer_id = ${customerId}`
    await purge()
    expect(await isThere(customerId)).toBe(false)
  })

  test('that lay idle is deleted as long afterwards as one that has expired', async () => {
    const { customerId } = await open()
    const idleFor = (days: number) => shop.database`
      UPDATE identity.session SET idle_until = now() - make_interval(days => ${days}) WHERE customer_id = ${customerId}`
    await idleFor(0)
    await purge()
    expect(await isThere(customerId)).toBe(true)
    await idleFor(2)
    await purge()
    expect(await isThere(customerId)).toBe(false)
  })

  test('of a guest stays while an order of the guest is unpaid, because it tells the network', async () => {
    const customerId = await createCustomer(shop.database, merchant.merchantId)
    const input = { customerId, items: await cartItems(), shippingAddress: address }
    const { orderId } = dataOf(await shop.call(merchant, 'createOrder', { input }))
    await shop.database`UPDATE crm.customer SET has_account = false WHERE id = ${customerId}`
    await shop.database`
      INSERT INTO identity.session (merchant_id, customer_id, network, expires_at)
      VALUES (${merchant.merchantId}, ${customerId}, '192.0.2.1', now() - interval '2 days')`
    await purge()
    expect(await isThere(customerId)).toBe(true)
    await shop.database`UPDATE ordering.order SET status = 'CONFIRMED' WHERE id = ${String(orderId)}`
    await purge()
    expect(await isThere(customerId)).toBe(false)
  })
})
