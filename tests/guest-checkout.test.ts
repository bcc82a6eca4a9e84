import { type MailCatcher, startMailCatcher } from '@commerce-graph/actions/testing/mail-catcher'
import postgres from '@commerce-graph/postgres-driver'
import { ratesFrom } from '@commerce-graph/rate-limits/rates'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGuestCart, type Page, type Payload, visitor } from './support/guest.ts'
import { bearer, createClient, type Client } from './support/graphql-client.ts'
import {
  createStockedProduct,
  payload,
  shippingAddress,
  type StockedProduct,
  succeeded,
} from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

const password = 'horses eat no cucumber'

let catcher: MailCatcher
let platform: TestPlatform
let sql: postgres.Sql
let owner: Client
let page: Page
let product: StockedProduct

beforeAll(async () => {
  catcher = await startMailCatcher()
  platform = await startTestPlatform({
    smtpUrl: catcher.url,
    rates: ratesFrom({ LIMIT_SHOPPER_REQUESTS_PER_MINUTE: '1000000' }),
  })
  sql = postgres(platform.databaseUrl, { max: 1, onnotice: () => undefined })
  owner = createClient(platform.graphqlUrl, bearer(platform.liveKey))
  const { key } = payload(
    await owner<Record<string, Payload & { key: string }>>(
      'mutation { createPublishableKey(input: { name: "Pages" }) { key errors { field message code } } }',
    ),
  )
  page = { key, origin: 'http://localhost:3000' }
  product = await createStockedProduct(owner, 1_000)
  await sql`UPDATE merchant.settings SET max_unpaid_orders = NULL, max_unpaid_units = NULL, accepts_bank_transfer = true`
}, 120_000)
afterAll(async () => {
  await sql.end()
  await platform.stop()
  await catcher.close()
})

const guest = (cartSecret?: string) => visitor(platform.graphqlUrl, page, cartSecret)
const as = (token: string) => createClient(platform.graphqlUrl, bearer(token))

interface Started extends Payload {
  readonly accessToken: string
  readonly refreshToken: string
  readonly customerId: string
}

async function startCheckout(email: string) {
  const cart = await createGuestCart(guest(), product.id)
  const started = payload(
    await guest(cart.secret)<Record<string, Started>>(
      `mutation ($input: StartGuestCheckoutInput!) {
        startGuestCheckout(input: $input) {
          accessToken refreshToken expiresAt customerId cartId errors { field message code }
        }
      }`,
      { input: { email, cartId: cart.id } },
    ),
  )
  return { ...started, cartId: cart.id, cartSecret: cart.secret }
}

async function buy(email: string) {
  const started = await startCheckout(email)
  const placed = payload(
    await as(started.accessToken)<Record<string, Payload & { order: { id: string; status: string } }>>(
      `mutation ($id: ID!, $address: AddressInput!) {
        checkoutCart(id: $id, input: { shippingAddress: $address }) {
          order { id status total } errors { field message code }
        }
      }`,
      { id: started.cartId, address: shippingAddress },
    ),
  )
  return { ...started, orderId: placed.order.id }
}

const register = async (email: string) =>
  payload(
    await guest()<Record<string, Started>>(
      `mutation ($input: RegisterCustomerInput!) {
        registerCustomer(input: $input) { accessToken refreshToken customerId errors { field message code } }
      }`,
      { input: { email, name: 'Ada', password } },
    ),
  )

const signIn = (email: string, secret = password) =>
  guest()<Record<string, Started>>(
    `mutation ($input: SignInCustomerInput!) {
      signInCustomer(input: $input) { accessToken customerId errors { field message code } }
    }`,
    { input: { email, password: secret } },
  )

async function ordersOf(token: string) {
  const answer = await as(token)<{ orders: { edges: { node: { id: string } }[] } }>(
    '{ orders(first: 50) { edges { node { id } } } }',
  )
  return succeeded(answer).orders.edges.map(({ node }) => node.id)
}

/** The token in the last mail to this address with these words in its subject. */
async function mailed(email: string, subject: string): Promise<string> {
  const mail = () =>
    catcher.mails.findLast(
      (caught) => caught.to.some((to) => to.toLowerCase() === email) && caught.subject.includes(subject),
    )
  await expect.poll(mail, { timeout: 15_000, interval: 50 }).toBeDefined()
  const [token] =
    /(?<![\w-])main_[\w-]{43}(?![\w-])/.exec((mail()?.source ?? '').replaceAll('=\r\n', '')) ?? []
  return token ?? ''
}

async function resetPassword(email: string, secret: string) {
  payload(
    await guest()<Record<string, Payload>>(
      'mutation ($email: EmailAddress!) { requestCustomerPasswordReset(email: $email) { success errors { field message } } }',
      { email },
    ),
  )
  payload(
    await guest()<Record<string, Payload>>(
      `mutation ($token: String!, $password: String!) {
        resetPassword(token: $token, password: $password) { success errors { field message } }
      }`,
      { token: await mailed(email, 'new password'), password: secret },
    ),
  )
}

describe('a guest', () => {
  test('buys with an e-mail address and pays, and sees only this order', async () => {
    const { orderId, accessToken, customerId } = await buy('one@example.com')
    const other = await buy('two@example.com')
    payload(
      await as(accessToken)<Record<string, Payload>>(
        `mutation ($input: PaymentInput!) {
          processPayment(input: $input) { payment { status } errors { field message code } }
        }`,
        { input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa' } },
      ),
    )
    expect(await ordersOf(accessToken)).toEqual([orderId])
    const asked = `query ($id: ID!) { order(id: $id) { status total customer { id email hasAccount } } }`
    expect(succeeded(await as(accessToken)(asked, { id: orderId }))).toMatchObject({
      order: {
        status: 'CONFIRMED',
        customer: { id: customerId, email: 'one@example.com', hasAccount: false },
      },
    })
    expect(succeeded(await as(accessToken)(asked, { id: other.orderId }))).toEqual({ order: null })
    expect(
      succeeded(
        await owner('{ customers(filters: { hasAccount: false, email: "one@example.com" }) { totalCount } }'),
      ),
    ).toEqual({ customers: { totalCount: 1 } })
  })

  test('with the address of an account gets a new record, and the same answer', async () => {
    const account = await register('known@example.com')
    const known = await buy('known@example.com')
    const unknown = await buy('unknown@example.com')
    expect(Object.keys(known).sort()).toEqual(Object.keys(unknown).sort())
    expect(known.customerId).not.toBe(account.customerId)
    expect(await ordersOf(account.accessToken)).toEqual([])
    const again = await buy('known@example.com')
    expect(again.customerId).not.toBe(known.customerId)
  })

  test('neither resets the wrong passwords of the account with its address, nor becomes a known client', async () => {
    await register('target@example.com')
    for (let attempt = 0; attempt < 3; attempt++) await signIn('target@example.com', 'wrong')
    const attempts = async () => {
      const [row] = await sql<{ attempts: number }[]>`
        SELECT sum(attempts)::integer AS attempts FROM identity.sign_in_attempt WHERE email = 'target@example.com'`
      return row?.attempts
    }
    const before = await attempts()
    const { customerId } = await startCheckout('target@example.com')
    expect(before).toBeGreaterThan(0)
    expect(await attempts()).toBe(before)
    expect(await sql`SELECT FROM identity.known_client WHERE customer_id = ${customerId}`).toHaveLength(0)
  })

  test('can’t sign in with a password, because it has none', async () => {
    await buy('unknown@example.com')
    const answer = await signIn('unknown@example.com')
    expect(answer.data?.['signInCustomer']?.errors).toMatchObject([{ field: 'password' }])
  })

  test('is limited to one shopper’s unpaid orders, with any number of addresses', async () => {
    await sql`UPDATE merchant.settings SET max_unpaid_orders = 2`
    await sql`UPDATE ordering.order SET status = 'CONFIRMED' WHERE status = 'PENDING'`
    await buy('many-1@example.com')
    await buy('many-2@example.com')
    const third = await startCheckout('many-3@example.com')
    const answer = await as(third.accessToken)<Record<string, Payload>>(
      `mutation ($id: ID!, $address: AddressInput!) {
        checkoutCart(id: $id, input: { shippingAddress: $address }) { order { id } errors { field message code } }
      }`,
      { id: third.cartId, address: shippingAddress },
    )
    await sql`UPDATE merchant.settings SET max_unpaid_orders = NULL`
    expect(answer.data?.['checkoutCart']?.errors).toMatchObject([{ field: 'customerId' }])
  })
})

test('the cart’s secret opens it no more once the checkout has begun', async () => {
  const { cartId, cartSecret } = await startCheckout('secret@example.com')
  const answer = await guest(cartSecret)<Record<string, Payload>>(
    `mutation ($id: ID!, $item: CartItemInput!) { addCartItem(cartId: $id, item: $item) { errors { field code } } }`,
    { id: cartId, item: { productId: product.id, quantity: 1 } },
  )
  expect(answer.data?.['addCartItem']?.errors).toEqual([{ field: 'cartId', code: 'NOT_FOUND' }])
  expect(
    succeeded(await guest(cartSecret)('query ($id: ID!) { cart(id: $id) { id } }', { id: cartId })),
  ).toEqual({ cart: null })
})

describe('a guest’s orders', () => {
  test('can be claimed by mail: with a first password, the address gets an account with all its orders', async () => {
    const first = await buy('claims@example.com')
    const second = await buy('Claims@example.com')
    await resetPassword('claims@example.com', password)
    const account = payload(await signIn('claims@example.com'))
    expect([first.customerId, second.customerId]).not.toContain(account.customerId)
    expect(new Set(await ordersOf(account.accessToken))).toEqual(new Set([first.orderId, second.orderId]))
    // The session of the person who gave the address ends, because it may be another person's address.
    await expect.poll(async () => (await as(first.accessToken)('{ viewer { id } }')).status).toBe(401)
    expect(await sql`SELECT FROM crm.customer WHERE email = 'claims@example.com'`).toHaveLength(1)
  })

  test('stay with the guest until the account’s address is verified by mail', async () => {
    const bought = await buy('later@example.com')
    const account = await register('later@example.com')
    expect(await ordersOf(account.accessToken)).toEqual([])
    payload(
      await guest()<Record<string, Payload>>(
        'mutation ($token: String!) { verifyEmail(token: $token) { success errors { field message } } }',
        { token: await mailed('later@example.com', 'Confirm your e-mail address') },
      ),
    )
    expect(await ordersOf(account.accessToken)).toEqual([bought.orderId])
  })

  test('stay with a guest who verifies an address that another person has registered', async () => {
    const squatter = await register('squatted@example.com')
    await mailed('squatted@example.com', 'Confirm your e-mail address')
    const bought = await buy('squatted@example.com')
    const mails = catcher.mails.length
    payload(
      await as(bought.accessToken)<Record<string, Payload>>(
        'mutation { requestEmailVerification { success errors { field message } } }',
      ),
    )
    await expect.poll(() => catcher.mails.length, { timeout: 15_000, interval: 50 }).toBeGreaterThan(mails)
    payload(
      await guest()<Record<string, Payload>>(
        'mutation ($token: String!) { verifyEmail(token: $token) { success errors { field message } } }',
        { token: await mailed('squatted@example.com', 'Confirm your e-mail address') },
      ),
    )
    expect(await ordersOf(squatter.accessToken)).toEqual([])
    expect(await ordersOf(bought.accessToken)).toEqual([bought.orderId])
  })

  test('of another address, or of a blocked guest, are not moved', async () => {
    const blocked = await buy('mixed@example.com')
    const other = await buy('mixed2@example.com')
    const own = await buy('mixed@example.com')
    payload(
      await owner<Record<string, Payload>>(
        'mutation ($id: ID!) { blockCustomer(id: $id, reason: "fraud") { errors { field message } } }',
        { id: blocked.customerId },
      ),
    )
    await resetPassword('mixed@example.com', password)
    const account = payload(await signIn('mixed@example.com'))
    expect(await ordersOf(account.accessToken)).toEqual([own.orderId])
    expect(await ordersOf(other.accessToken)).toEqual([other.orderId])
  })
})

describe('the link in the messages about a guest’s order', () => {
  const open = (token: string) =>
    guest()<Record<string, Started & { readonly orderId: string }>>(
      `mutation ($token: String!) {
        openGuestOrder(token: $token) { accessToken refreshToken customerId orderId errors { field message code } }
      }`,
      { token },
    )

  async function payAndReadMail(email: string): Promise<{ orderId: string; source: string }> {
    const { orderId, accessToken } = await buy(email)
    payload(
      await as(accessToken)<Record<string, Payload>>(
        'mutation ($input: PaymentInput!) { processPayment(input: $input) { errors { field message code } } }',
        { input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa' } },
      ),
    )
    const mail = () =>
      catcher.mails.findLast((caught) => caught.to.includes(email) && caught.subject.includes('is confirmed'))
    await expect.poll(mail, { timeout: 15_000, interval: 50 }).toBeDefined()
    return { orderId, source: (mail()?.source ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=') }
  }

  test('leads back to the order, shows in no log, can not be forged, and ends when the order is claimed', async () => {
    payload(
      await owner<Record<string, Payload>>(
        `mutation { setEmailLink(input: { kind: GUEST_ORDER, url: "https://shop.example/order#{token}" }) {
          errors { field message }
        } }`,
      ),
    )
    const { orderId, source } = await payAndReadMail('link@example.com')
    const [, token = ''] = /https:\/\/shop\.example\/order#([\w.-]+)/.exec(source) ?? []
    expect(token.startsWith(`main_${orderId}`)).toBe(true)
    // Links of before they named a place work.
    payload(await open(token.slice('main_'.length)))
    const opened = payload(await open(token))
    expect(opened.orderId).toBe(orderId)
    expect(await ordersOf(opened.accessToken)).toEqual([orderId])
    const logged = await owner(
      '{ emailDeliveries(filters: { recipient: "link@example.com" }) { edges { node { html text } } } }',
    )
    expect(logged.text).not.toContain(token)
    expect(logged.text).toContain('•••')

    const other = await buy('other-link@example.com')
    const signature = token.slice(`main_${orderId}`.length)
    for (const forged of [
      `main_${other.orderId}${signature}`,
      `${other.orderId}${signature}`,
      `${token.slice(0, -2)}xx`,
      orderId,
      'x',
    ])
      expect((await open(forged)).data?.['openGuestOrder']?.errors).toMatchObject([{ field: 'token' }])

    await resetPassword('link@example.com', password)
    expect((await open(token)).data?.['openGuestOrder']?.errors).toMatchObject([{ field: 'token' }])
  })
})
