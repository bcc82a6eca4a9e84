import { type Authenticator, createAuthenticator } from '@commerce-graph/auth-webhook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CustomerId } from '@commerce-graph/contract/ids'
import type { Session } from '../action/session.ts'
import {
  address,
  createCustomer,
  dataOf,
  found,
  openTestShop,
  shopper,
  silent,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import { sessionAs } from '../testing/test-team.ts'
import { answerPasswordResets, openMailedToken } from './mailed-tokens.ts'
import { purgeExpiredIdentities } from './purge.ts'

const password = 'correct horse battery staple'
const keyId = '11111111-1111-4111-8111-111111111111'

let shop: TestShop
let merchant: TestMerchant
let backend: Session
let authenticator: Authenticator
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
  const owner = await sessionAs(shop, merchant, 'Owner')
  backend = {
    ...owner,
    role: 'merchant',
    keyId,
    client: '203.0.113.7',
    device: 'Mozilla/5.0 (a telephone)',
  }
  authenticator = createAuthenticator({ databaseUrl: shop.databaseUrl, mode: 'live', logger: silent })
})
afterAll(async () => {
  await authenticator.close()
  await shop.close()
})

const call = (name: string, input: object, session: Session = backend) =>
  shop.call(merchant, name, input, { session })

interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
  readonly sessionId: string
}

interface Person {
  readonly id: CustomerId
  readonly email: string
}

let people = 0
async function registered(): Promise<Person & Tokens> {
  people += 1
  const email = `registered${people}@example.com`
  const input = { email, password, name: 'Ada' }
  const { customerId, ...tokens } = dataOf(await call('registerCustomer', { input }))
  return { ...(tokens as unknown as Tokens), id: customerId as CustomerId, email }
}

const tokenFor = async (customerId: string) =>
  dataOf(await call('createCustomerAccessToken', { customerId })) as unknown as Tokens
const signIn = (email: string) => call('signInCustomer', { input: { email, password } })

async function letsIn({ accessToken }: Pick<Tokens, 'accessToken'>): Promise<boolean> {
  const request = { authorization: `Bearer ${accessToken}`, remoteAddress: '192.0.2.1' }
  return (await authenticator.authenticate(request)).kind === 'authenticated'
}
const refused = (token: Pick<Tokens, 'accessToken'>) =>
  expect.poll(() => letsIn(token), { timeout: 1_000, interval: 20 }).toBe(false)

const sessionsOf = (customerId: string) =>
  shop.database`
    SELECT id, origin, opened_by_kind AS kind, opened_by_id AS by, device, network FROM identity.active_session
    WHERE customer_id = ${customerId} ORDER BY created_at`

async function mailedTo(email: string): Promise<string> {
  const [row] = await shop.database<{ merchantId: string; hash: string; sealed: string }[]>`
    SELECT merchant_id AS "merchantId", encode(hash, 'hex') AS hash, undelivered AS sealed
    FROM identity.one_time_token WHERE email = ${email} AND purpose = 'PASSWORD_RESET' AND undelivered IS NOT NULL`
  return openMailedToken(shop.secretBox, found(row))
}

const block = (id: string, reason = 'Card fraud') => call('blockCustomer', { id, reason })

describe('a token that a back end has requested', () => {
  test('opens its own session, which shows who requested it and for which device', async () => {
    const customerId = await createCustomer(shop.database, merchant.merchantId)
    const token = await tokenFor(customerId)
    expect(await letsIn(token)).toBe(true)
    expect(await sessionsOf(customerId)).toEqual([
      {
        id: token.sessionId,
        origin: 'BACKEND',
        kind: 'KEY',
        by: keyId,
        device: 'Mozilla/5.0 (a telephone)',
        network: '203.0.113.7',
      },
    ])
  })

  test('ends when the customer signs out everywhere', async () => {
    const customer = await registered()
    const token = await tokenFor(customer.id)
    expect(await letsIn(token)).toBe(true)
    dataOf(await call('signOut', { refreshToken: customer.refreshToken, everywhere: true }))
    await refused(token)
  })

  test('ends with a new password, but not when another session is signed out', async () => {
    const customer = await registered()
    const other = dataOf(await signIn(customer.email)) as unknown as Tokens
    const token = await tokenFor(customer.id)
    dataOf(await call('signOut', { refreshToken: other.refreshToken }))
    expect(await letsIn(token)).toBe(true)
    const change = { currentPassword: password, newPassword: `${password}!` }
    dataOf(await call('changePassword', change, shopper(merchant, customer.id)))
    await refused(token)
  })

  test('is deleted after its expiry, without closing other access', async () => {
    const customerId = await createCustomer(shop.database, merchant.merchantId)
    const { sessionId } = await tokenFor(customerId)
    await shop.database`UPDATE identity.session SET expires_at = now() - interval '1 second' WHERE id = ${sessionId}`
    await purgeExpiredIdentities(shop.database, 24 * 60 * 60)
    expect(await shop.database`SELECT FROM identity.session WHERE id = ${sessionId}`).toEqual([])
  })
})

describe('a session', () => {
  test('can be ended alone: by its shopper, or by the merchant', async () => {
    const customer = await registered()
    const [first, second, third] = [
      await tokenFor(customer.id),
      await tokenFor(customer.id),
      await tokenFor(customer.id),
    ]
    dataOf(await call('revokeSession', { id: first.sessionId }, shopper(merchant, customer.id)))
    await refused(first)
    dataOf(await call('revokeSession', { id: second.sessionId }))
    await refused(second)
    expect(await letsIn(third)).toBe(true)
    dataOf(await call('revokeSession', { id: second.sessionId }))
  })

  test('of another shopper, of another merchant, or without the permission is not found', async () => {
    const customer = await registered()
    const { sessionId } = await tokenFor(customer.id)
    const stranger = await createCustomer(shop.database, merchant.merchantId)
    const elsewhere = await shop.createMerchant()
    const none = { kind: 'invalid', errors: [{ field: 'id', code: 'NOT_FOUND' }] }
    for (const session of [
      shopper(merchant, stranger),
      { ...backend, merchantId: elsewhere.merchantId },
      { ...backend, permissions: new Set(['customers:read']) },
    ])
      expect(await call('revokeSession', { id: sessionId }, session)).toMatchObject(none)
    expect(await sessionsOf(customer.id)).toHaveLength(2)
  })

  test('ends after idle time, which each refresh extends', async () => {
    const customer = await registered()
    await shop.database`
      UPDATE identity.session SET idle_until = now() + interval '1 hour', last_used_at = now() - interval '1 day'
      WHERE customer_id = ${customer.id}`
    dataOf(await call('refreshSession', { refreshToken: customer.refreshToken }))
    expect(
      await shop.database`
        SELECT expires_at > now() + interval '29 days' AS later, last_used_at > now() - interval '1 minute' AS used
        FROM identity.active_session WHERE customer_id = ${customer.id}`,
    ).toEqual([{ later: true, used: true }])
    await shop.database`UPDATE identity.session SET idle_until = now() WHERE customer_id = ${customer.id}`
    expect(await sessionsOf(customer.id)).toEqual([])
  })
})

describe('a blocked customer', () => {
  test('is refused everywhere: sessions end, none begin, and a mailed token does not work', async () => {
    const customer = await registered()
    const token = await tokenFor(customer.id)
    await call('requestCustomerPasswordReset', { email: customer.email })
    await answerPasswordResets(shop)
    const reset = await mailedTo(customer.email)
    expect(dataOf(await block(customer.id))).toMatchObject({ customerId: customer.id })

    await refused(token)
    await refused(customer)
    expect(await call('refreshSession', { refreshToken: customer.refreshToken })).toMatchObject({
      id: 'SVC_AUTH_002',
    })
    expect(await signIn(customer.email)).toMatchObject({ errors: [{ field: 'password' }] })
    expect(await call('createCustomerAccessToken', { customerId: customer.id })).toMatchObject({
      errors: [{ field: 'customerId', code: 'INVALID_VALUE', message: 'The customer is blocked' }],
    })
    expect(await call('resetPassword', { token: reset, password: `${password}?` })).toMatchObject({
      errors: [{ field: 'token' }],
    })
    await call('requestCustomerPasswordReset', { email: customer.email })
    await answerPasswordResets(shop)
    expect(
      await shop.database`SELECT FROM identity.one_time_token WHERE customer_id = ${customer.id}`,
    ).toEqual([])
  })

  test('can’t place orders, also from a cart, keeps the cart, and can order again when unblocked', async () => {
    const customer = await registered()
    const product = await shop.createProduct(merchant, { stock: [5] })
    const items = [{ productId: product.id, quantity: 1 }]
    const { cartId } = dataOf(await call('createCart', { input: { customerId: customer.id, items } }))
    await block(customer.id)
    const blocked = {
      kind: 'invalid',
      errors: [{ field: 'customerId', code: 'INVALID_VALUE', message: 'The customer is blocked' }],
    }
    const order = { input: { customerId: customer.id, items, shippingAddress: address } }
    const fromCart = { id: cartId, input: { shippingAddress: address } }
    expect(await call('createOrder', order)).toMatchObject(blocked)
    expect(await call('checkoutCart', fromCart)).toMatchObject(blocked)
    expect(await shop.database`SELECT FROM cart.cart WHERE id = ${String(cartId)}`).toHaveLength(1)
    dataOf(await call('unblockCustomer', { id: customer.id }))
    dataOf(await call('checkoutCart', fromCart))
    dataOf(await signIn(customer.email))
  })

  test('shows the time and reason, which a second block changes and unblocking removes', async () => {
    const { id } = await registered()
    const stored = async () =>
      found(
        (
          await shop.database<{ status: string; at: Date | null; reason: string | null }[]>`
            SELECT status, blocked_at AS at, blocked_reason AS reason FROM crm.customer WHERE id = ${id}`
        )[0],
      )
    dataOf(await block(id))
    const { at } = await stored()
    dataOf(await block(id, 'Chargebacks'))
    expect(await stored()).toEqual({ status: 'BLOCKED', at, reason: 'Chargebacks' })
    dataOf(await call('unblockCustomer', { id }))
    expect(await stored()).toEqual({ status: 'ACTIVE', at: null, reason: null })
    dataOf(await call('unblockCustomer', { id }))
  })

  test('that is anonymized loses the reason as well, and can’t be blocked again', async () => {
    const { id } = await registered()
    dataOf(await block(id, 'Known as Ada of Elm Street'))
    dataOf(await call('anonymizeCustomer', { id }))
    expect(await shop.database`SELECT blocked_reason FROM crm.customer WHERE id = ${id}`).toEqual([
      { blocked_reason: null },
    ])
    const anonymized = { kind: 'invalid', errors: [{ message: 'The customer was anonymized' }] }
    expect(await block(id)).toMatchObject(anonymized)
    expect(await call('createCustomerAccessToken', { customerId: id })).toMatchObject(anonymized)
  })

  test('keeps the address, so that no other customer can register with it', async () => {
    const { id, email } = await registered()
    dataOf(await block(id))
    expect(await call('registerCustomer', { input: { email, password, name: 'Ada' } })).toMatchObject({
      errors: [{ field: 'email', code: 'ALREADY_EXISTS' }],
    })
  })

  test('needs a valid reason', async () => {
    const { id } = await registered()
    expect(await block(id, ' ')).toMatchObject({ errors: [{ field: 'reason', code: 'REQUIRED_FIELD' }] })
    const unknown = { errors: [{ field: 'id', code: 'NOT_FOUND' }] }
    expect(await block(crypto.randomUUID())).toMatchObject(unknown)
    expect(await call('unblockCustomer', { id: crypto.randomUUID() })).toMatchObject(unknown)
    expect(await call('blockCustomer', { id, reason: 'x' }, shopper(merchant, id))).toMatchObject({
      id: 'SVC_AUTH_003',
    })
  })
})
