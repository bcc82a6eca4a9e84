import { ratesFrom } from '@commerce-graph/rate-limits/rates'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, createClient, type Client } from './support/graphql-client.ts'
import { createGuestCart, type Page, visitor } from './support/guest.ts'
import { shippingAddress, createCustomer, createStockedProduct, payload, succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

let platform: TestPlatform
let merchant: Client
let shopper: Client
let customerId: string

beforeAll(async () => {
  platform = await startTestPlatform({ rates: ratesFrom({}) })
  merchant = createClient(platform.graphqlUrl, bearer(platform.liveKey))
  customerId = await createCustomer(merchant)
  const token = payload(
    await merchant<Record<string, Errors & { accessToken: string }>>(
      `mutation ($id: ID!) { createCustomerAccessToken(customerId: $id) { accessToken errors { field message } } }`,
      { id: customerId },
    ),
  )
  shopper = createClient(platform.graphqlUrl, bearer(token.accessToken))
})
afterAll(() => platform.stop())

interface Errors {
  readonly errors: readonly {
    readonly field: string | null
    readonly code?: string
    readonly message: string
  }[]
}

interface Cart {
  readonly id: string
  readonly discount: number
  readonly total: number
  readonly coupon: object | null
}

const cartFields = 'cart { id subtotal discount tax total coupon { code promotionId discountAmount } }'
const errors = 'errors { field code message }'

const applyCoupon = (cartId: string, code: string, client = shopper) =>
  client<{ applyCoupon: Errors & { cart: Cart | null } }>(
    `mutation ($cartId: ID!, $code: String!) { applyCoupon(cartId: $cartId, code: $code) { ${cartFields} ${errors} } }`,
    { cartId, code },
  )

async function createPromotion(code: string, more: object = {}): Promise<string> {
  const input = {
    name: code,
    code,
    discountType: 'PERCENTAGE',
    discountValue: 25,
    startDate: '2020-01-01T00:00:00Z',
    endDate: '2098-01-01T00:00:00Z',
    ...more,
  }
  const created = payload(
    await merchant<Record<string, Errors & { promotion: { id: string } }>>(
      `mutation ($input: CreatePromotionInput!) { createPromotion(input: $input) { promotion { id } ${errors} } }`,
      { input },
    ),
  )
  return created.promotion.id
}

async function createCart(productId: string, client = shopper): Promise<string> {
  const created = payload(
    await client<Record<string, Errors & { cart: Cart }>>(
      `mutation ($input: CreateCartInput!) { createCart(input: $input) { ${cartFields} ${errors} } }`,
      { input: { items: [{ productId, quantity: 2 }] } },
    ),
  )
  return created.cart.id
}

async function createPage(): Promise<Page> {
  const { key } = payload(
    await merchant<Record<string, Errors & { key: string }>>(
      `mutation { createPublishableKey(input: { name: "Pages" }) { key ${errors} } }`,
    ),
  )
  return { key, origin: 'http://localhost:3000' }
}

async function startGuestCheckout(visit: (secret?: string) => Client, productId: string, email: string) {
  const cart = await createGuestCart(visit(), productId)
  const { accessToken } = payload(
    await visit(cart.secret)<Record<string, Errors & { accessToken: string }>>(
      `mutation ($input: StartGuestCheckoutInput!) { startGuestCheckout(input: $input) { accessToken ${errors} } }`,
      { input: { email, cartId: cart.id } },
    ),
  )
  return { client: createClient(platform.graphqlUrl, bearer(accessToken)), cartId: cart.id }
}

test('a merchant’s coupon applies to a shopper’s cart and order, and its use is counted', async () => {
  const promotionId = await createPromotion('QUARTER', { usageLimit: 1 })
  const product = await createStockedProduct(merchant, 10, 1001)
  const cartId = await createCart(product.id)
  const applied = succeeded(await applyCoupon(cartId, 'quarter')).applyCoupon
  expect(applied).toMatchObject({
    cart: {
      subtotal: 2002,
      discount: 501,
      coupon: { code: 'QUARTER', promotionId, discountAmount: 501 },
    },
    errors: [],
  })
  const { order } = payload(
    await shopper<Record<string, Errors & { order: { id: string; total: number } }>>(
      `mutation ($id: ID!, $input: CheckoutCartInput!) { checkoutCart(id: $id, input: $input) {
        order { id total discount tax items { discount tax } coupon { code discountAmount } } ${errors}
      } }`,
      { id: cartId, input: { shippingAddress } },
    ),
  )
  expect(order).toMatchObject({
    total: applied.cart?.total,
    discount: 501,
    items: [{ discount: 501 }],
    coupon: { code: 'QUARTER', discountAmount: 501 },
  })
  const another = await createCart(product.id)
  expect(succeeded(await applyCoupon(another, 'QUARTER')).applyCoupon).toEqual({
    cart: null,
    errors: [
      { field: 'code', code: 'INVALID_COUPON', message: 'The coupon has been used as often as it can be' },
    ],
  })
  const usage = () =>
    merchant('query ($id: ID) { promotion(id: $id) { usageCount } }', { id: promotionId }).then(succeeded)
  expect(await usage()).toEqual({ promotion: { usageCount: 1 } })
  payload(
    await shopper<Record<string, Errors>>(
      `mutation ($id: ID!) { cancelOrder(id: $id, reason: "Changed my mind") { id ${errors} } }`,
      { id: order.id },
    ),
  )
  expect(await usage()).toEqual({ promotion: { usageCount: 0 } })
})

test('a shopper sees the coupon and its benefit, but neither its other customers nor other coupons', async () => {
  await createPromotion('SEEN')
  await createPromotion('UNSEEN')
  const product = await createStockedProduct(merchant, 10)
  const cartId = await createCart(product.id)
  succeeded(await applyCoupon(cartId, 'SEEN'))
  const text =
    'query ($id: ID!) { cart(id: $id) { coupon { expiresAt promotion { id name status discountValue } } } }'
  const seen = succeeded(
    await shopper<{ cart: { coupon: { promotion: { id: string } } } }>(text, { id: cartId }),
  )
  expect(seen).toMatchObject({
    cart: {
      coupon: { expiresAt: expect.any(String) as unknown, promotion: { name: 'SEEN', status: 'ACTIVE' } },
    },
  })
  expect(seen).toEqual(succeeded(await merchant(text, { id: cartId })))

  const refused = await shopper(
    'query ($id: ID!) { cart(id: $id) { coupon { code promotion { name usageLimit conditions { customerIds } } } } }',
    { id: cartId },
  )
  const place = ['cart', 'coupon', 'promotion']
  expect(refused.data).toEqual({
    cart: { coupon: { code: 'SEEN', promotion: { name: 'SEEN', usageLimit: null, conditions: null } } },
  })
  expect(refused.errors.map(({ path }) => path)).toEqual([
    [...place, 'usageLimit'],
    [...place, 'conditions'],
  ])

  const named = `query ($of: [_Any!]!) { _entities(representations: $of) { ... on Promotion { name } } }`
  const promotions = succeeded(
    await merchant<{ promotions: { edges: { node: { id: string } }[] } }>(
      '{ promotions(first: 100) { edges { node { id } } } }',
    ),
  ).promotions.edges.map(({ node }) => ({ __typename: 'Promotion', id: node.id }))
  expect(promotions.length).toBeGreaterThan(1)
  const found = succeeded(await shopper<{ _entities: unknown[] }>(named, { of: promotions }))
  expect(JSON.stringify(found)).toContain('"SEEN"')
  expect(JSON.stringify(found)).not.toContain('UNSEEN')
})

test('a shopper can try twenty invalid coupons an hour, over carts and orders together', async () => {
  await createPromotion('KNOWN')
  const product = await createStockedProduct(merchant, 10, 1001)
  const cartId = await createCart(product.id)
  expect((await applyCoupon(cartId, 'KNOWN')).status).toBe(200)
  const order = (couponCode: string) =>
    shopper(
      `mutation ($input: CreateOrderInput!) { createOrder(input: $input) { order { id } ${errors} } }`,
      {
        input: {
          customerId,
          items: [{ productId: product.id, quantity: 1 }],
          shippingAddress,
          couponCode,
        },
      },
    )
  const guesses = []
  for (let guess = 0; guess < 25; guess += 1)
    guesses.push((await (guess % 5 === 0 ? order : applyCoupon.bind(null, cartId))(`GUESS${guess}`)).status)
  // The coupons of the tests above count as well.
  expect(guesses.filter((status) => status === 200).length).toBeLessThanOrEqual(20)
  expect(guesses.slice(20)).toEqual([429, 429, 429, 429, 429])
  const refused = await applyCoupon(cartId, 'KNOWN')
  expect(refused.errors).toMatchObject([
    { extensions: { id: 'SVC_RATE_001', details: { limit: 'coupons' } } },
  ])
  const other = await createCustomer(merchant)
  const input = {
    customerId: other,
    items: [{ productId: product.id, quantity: 1 }],
    shippingAddress,
    couponCode: 'KNOWN',
  }
  payload(
    await merchant<Record<string, Errors>>(
      `mutation ($input: CreateOrderInput!) { createOrder(input: $input) { order { id } ${errors} } }`,
      { input },
    ),
  )
})

test('a visitor can try twenty invalid coupons an hour, over carts, guest checkouts and accounts together', async () => {
  const product = await createStockedProduct(merchant, 10, 1001)
  const page = await createPage()
  const visit = (secret?: string) => visitor(platform.graphqlUrl, page, secret)
  const tries = async (client: Client, cartId: string, times: number) => {
    const statuses = []
    for (let guess = 0; guess < times; guess += 1)
      statuses.push((await applyCoupon(cartId, `WRONG${guess}`, client)).status)
    return new Set(statuses)
  }
  const cart = await createGuestCart(visit(), product.id)
  expect(await tries(visit(cart.secret), cart.id, 5)).toEqual(new Set([200]))
  const first = await startGuestCheckout(visit, product.id, 'one@example.com')
  expect(await tries(first.client, first.cartId, 5)).toEqual(new Set([200]))
  const second = await startGuestCheckout(visit, product.id, 'two@example.com')
  expect(await tries(second.client, second.cartId, 5)).toEqual(new Set([200]))
  const { accessToken } = payload(
    await visit()<Record<string, Errors & { accessToken: string }>>(
      `mutation ($input: RegisterCustomerInput!) { registerCustomer(input: $input) { accessToken ${errors} } }`,
      { input: { email: 'three@example.com', name: 'Ada', password: 'horses eat no cucumber' } },
    ),
  )
  const account = createClient(platform.graphqlUrl, bearer(accessToken))
  const third = await createCart(product.id, account)
  expect(await tries(account, third, 5)).toEqual(new Set([200]))

  for (const refused of [
    await applyCoupon(second.cartId, 'WRONG', second.client),
    await applyCoupon(third, 'WRONG', account),
    await applyCoupon(cart.id, 'WRONG', visit(cart.secret)),
  ])
    expect(refused.errors).toMatchObject([
      { extensions: { id: 'SVC_RATE_001', details: { limit: 'coupons' } } },
    ])
})

test('a promotion without a code applies automatically, and the shopper sees its name but not its customers', async () => {
  const product = await createStockedProduct(merchant, 10, 1001)
  const promotionId = await createPromotion('Half off', {
    code: null,
    discountValue: 50,
    conditions: { productIds: [product.id] },
  })
  const cartId = await createCart(product.id)
  const applied = 'discount coupon { code } appliedPromotion { promotionId name discountAmount }'
  const seen = { discount: 1001, coupon: null }
  const appliedPromotion = { promotionId, name: 'Half off', discountAmount: 1001 }
  const cart = await shopper(`query ($id: ID!) { cart(id: $id) { ${applied} } }`, { id: cartId })
  expect(succeeded(cart)).toEqual({ cart: { ...seen, appliedPromotion } })
  const { order } = payload(
    await shopper<Record<string, Errors & { order: { id: string } }>>(
      `mutation ($id: ID!, $input: CheckoutCartInput!) {
        checkoutCart(id: $id, input: $input) { order { id ${applied} } ${errors} }
      }`,
      { id: cartId, input: { shippingAddress } },
    ),
  )
  expect(order).toMatchObject({ ...seen, appliedPromotion })
  const draft = await merchant<Record<string, Errors & { draftOrder: object }>>(
    `mutation ($input: CreateDraftOrderInput!) {
      createDraftOrder(input: $input) { draftOrder { discount appliedPromotion { name } } ${errors} }
    }`,
    { input: { items: [{ productId: product.id, quantity: 1 }] } },
  )
  expect(payload(draft)).toMatchObject({
    draftOrder: { discount: 501, appliedPromotion: { name: 'Half off' } },
  })
  succeeded(
    await merchant(
      'mutation ($id: ID!) { updatePromotion(id: $id, input: { disabled: true }) { errors { code } } }',
      { id: promotionId },
    ),
  )
  const without = await shopper(`query ($id: ID!) { order(id: $id) { ${applied} } }`, { id: order.id })
  expect(succeeded(without)).toEqual({ order: { ...seen, appliedPromotion } })
  const other = await createCart((await createStockedProduct(merchant, 10)).id)
  const nothing = await shopper(`query ($id: ID!) { cart(id: $id) { ${applied} } }`, { id: other })
  expect(succeeded(nothing)).toEqual({ cart: { discount: 0, coupon: null, appliedPromotion: null } })
})
