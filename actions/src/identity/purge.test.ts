import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Session } from '../action/session.ts'
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

describe('a guest who begins a checkout', () => {
  const visitor = (cartSecretHash: Buffer): Session => ({
    role: 'guest',
    merchantId: merchant.merchantId,
    permissions: new Set(['customer_sessions:write']),
    keyId: '00000000-0000-4000-8000-000000000001',
    cartSecretHash,
  })

  async function begin() {
    const secretHash = randomBytes(32)
    const made = await shop.call(merchant, 'createCart', { input: { items: await cartItems() } })
    const cartId = String(dataOf(made)['cartId'])
    await shop.database`UPDATE cart.cart SET secret_hash = ${secretHash} WHERE id = ${cartId}`
    const input = { email: `${randomUUID()}@example.com`, cartId }
    const session = visitor(secretHash)
    const started = dataOf(await shop.call(merchant, 'startGuestCheckout', { input }, { session }))
    return { cartId, customerId: String(started['customerId']) }
  }

  /** Lets days go by for the guest, and purges. */
  async function pass(customerId: string, days: number) {
    await shop.database`
      UPDATE identity.guest_check SET due_at = due_at - make_interval(days => ${days}) WHERE customer_id = ${customerId}`
    await purge()
  }

  const emptyCart = (cartId: string) => shop.database`DELETE FROM cart.cart WHERE id = ${cartId}`

  const isThere = async (customerId: string) => {
    const rows = await shop.database`SELECT FROM crm.customer WHERE id = ${customerId}`
    return rows.length > 0
  }

  test('and leaves nothing is deleted after a month', async () => {
    const { cartId, customerId } = await begin()
    await emptyCart(cartId)
    await pass(customerId, 30)
    expect(await isThere(customerId)).toBe(true)
    await pass(customerId, 2)
    expect(await isThere(customerId)).toBe(false)
  })

  test('and comes back to the cart is deleted once the cart is gone, however late', async () => {
    const { cartId, customerId } = await begin()
    for (let day = 0; day < 70; day += 1) await pass(customerId, 1)
    expect(await isThere(customerId)).toBe(true)
    await emptyCart(cartId)
    await pass(customerId, 2)
    expect(await isThere(customerId)).toBe(false)
  })

  test('stays while the merchant has a draft for the guest, which keeps its customer', async () => {
    const { cartId, customerId } = await begin()
    const input = { customerId, items: await cartItems() }
    const { draftOrderId } = dataOf(await shop.call(merchant, 'createDraftOrder', { input }))
    await emptyCart(cartId)
    await pass(customerId, 40)
    const drafts = () => shop.database`
      SELECT customer_id FROM ordering.draft_order WHERE id = ${String(draftOrderId)}`
    expect(await drafts()).toEqual([{ customer_id: customerId }])
    await shop.database`DELETE FROM ordering.draft_order WHERE id = ${String(draftOrderId)}`
    await pass(customerId, 2)
    expect(await isThere(customerId)).toBe(false)
  })

  test('and has ordered stays, and is not looked at again', async () => {
    const { cartId, customerId } = await begin()
    const input = { customerId, items: await cartItems(), shippingAddress: address }
    dataOf(await shop.call(merchant, 'createOrder', { input }))
    await emptyCart(cartId)
    await pass(customerId, 40)
    expect(await isThere(customerId)).toBe(true)
    expect(
      await shop.database`SELECT FROM identity.guest_check WHERE customer_id = ${customerId}`,
    ).toHaveLength(0)
  })
})
