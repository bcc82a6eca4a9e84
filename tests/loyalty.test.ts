import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, createClient, type Client } from './support/graphql-client.ts'
import { createCustomer, createOrder, createStockedProduct, payload, succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

let platform: TestPlatform
let merchant: Client
let shopper: Client
let customerId: string

beforeAll(async () => {
  platform = await startTestPlatform()
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
  readonly errors: readonly { readonly field: string | null; readonly message: string }[]
}

const errors = 'errors { field code message }'

async function pay(orderId: string, total: number): Promise<void> {
  payload(
    await merchant<Record<string, Errors>>(
      `mutation ($input: PaymentInput!) { processPayment(input: $input) { id status errors { field message } } }`,
      { input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa', amount: total } },
    ),
  )
}

async function standing(client: Client): Promise<object> {
  const { customer } = succeeded(
    await client<{ customer: object }>(
      `query ($id: ID!) { customer(id: $id) {
        loyaltyPoints loyaltyTier loyaltyEntries(first: 10) { totalCount edges { node { type points balance orderId couponCode } } }
      } }`,
      { id: customerId },
    ),
  )
  return customer
}

test('a shopper earns points with an order, reaches a tier, spends points on a coupon, and pays less with it', async () => {
  const name = `Starter ${randomUUID()}`
  const tier = payload(
    await merchant<Record<string, Errors & { tier: { id: string } }>>(
      `mutation ($input: LoyaltyTierInput!) { createLoyaltyTier(input: $input) { tier { id } ${errors} } }`,
      { input: { name, threshold: 20, benefits: 'A sticker' } },
    ),
  ).tier
  const program = payload(
    await merchant<Record<string, Errors & { program: { earnPoints: number; tiers: object[] } }>>(
      `mutation ($input: UpdateLoyaltyProgramInput!) {
        updateLoyaltyProgram(input: $input) { program { earnPoints earnAmount tiers { name threshold } } ${errors} }
      }`,
      { input: { earnPoints: 1, earnAmount: 100, pointsExpireAfterDays: null } },
    ),
  ).program
  expect(program.tiers[0]).toEqual({ name, threshold: 20 })
  const reward = payload(
    await merchant<Record<string, Errors & { reward: { id: string } }>>(
      `mutation ($input: LoyaltyRewardInput!) { createLoyaltyReward(input: $input) { reward { id validDays } ${errors} } }`,
      { input: { name: `Three off ${randomUUID()}`, points: 20, discountAmount: 300 } },
    ),
  ).reward

  const product = await createStockedProduct(merchant, 10, 2000)
  const items = [{ productId: product.id, quantity: 1 }]
  const first = succeeded(await createOrder(shopper, customerId, items)).createOrder?.order
  if (!first) throw new Error('the order was refused')
  await pay(first.id, first.total)
  const earned = Math.floor(first.total / 100)
  const entry = { type: 'EARNED', points: earned, balance: earned, orderId: first.id, couponCode: null }
  const after = { loyaltyPoints: earned, loyaltyTier: name }
  expect(await standing(shopper)).toMatchObject({
    ...after,
    loyaltyEntries: { totalCount: 1, edges: [{ node: entry }] },
  })

  const redeem = `mutation ($input: RedeemLoyaltyRewardInput!) {
    redeemLoyaltyReward(input: $input) { couponCode entry { points balance } ${errors} } }`
  const redeemed = payload(
    await shopper<Record<string, Errors & { couponCode: string; entry: object }>>(redeem, {
      input: { customerId, rewardId: reward.id },
    }),
  )
  expect(redeemed.entry).toEqual({ points: -20, balance: earned - 20 })
  const again = succeeded(
    await shopper<{ redeemLoyaltyReward: Errors }>(redeem, { input: { customerId, rewardId: reward.id } }),
  )
  expect(again.redeemLoyaltyReward.errors).toMatchObject([{ field: 'rewardId', code: 'INVALID_VALUE' }])

  const quoted = succeeded(
    await shopper<{ createOrder: Errors & { order: { discount: number } } }>(
      `mutation ($input: CreateOrderInput!) { createOrder(input: $input) { order { discount } ${errors} } }`,
      {
        input: {
          customerId,
          items,
          couponCode: redeemed.couponCode,
          shippingAddress: { line1: '1', city: 'P', state: 'M', postalCode: '1', country: 'US' },
        },
      },
    ),
  )
  expect(quoted.createOrder).toEqual({ order: { discount: 300 }, errors: [] })

  const inTier = succeeded(
    await merchant<{ customers: { totalCount: number } }>(
      `query ($id: ID!) { customers(filters: { loyaltyTierId: $id }) { totalCount } }`,
      { id: tier.id },
    ),
  )
  expect(inTier.customers.totalCount).toBeGreaterThan(0)
})

test('a shopper sees no other customer’s points and no reasons, and can’t grant points', async () => {
  const other = await createCustomer(merchant)
  payload(
    await merchant<Record<string, Errors>>(
      `mutation ($input: AdjustLoyaltyPointsInput!) { adjustLoyaltyPoints(input: $input) { entry { reason } ${errors} } }`,
      { input: { customerId: other, points: 1000, reason: 'Sorry' } },
    ),
  )
  const hidden = await shopper('query ($id: ID!) { customer(id: $id) { loyaltyPoints } }', { id: other })
  expect(succeeded(hidden)).toEqual({ customer: null })
  const reasons = await shopper(
    'query ($id: ID!) { customer(id: $id) { loyaltyEntries { edges { node { reason } } } } }',
    { id: customerId },
  )
  expect(reasons.status).toBe(403)
  const gift = await shopper(
    `mutation ($input: AdjustLoyaltyPointsInput!) { adjustLoyaltyPoints(input: $input) { ${errors} } }`,
    { input: { customerId, points: 1000, reason: 'Because' } },
  )
  expect(gift.status).toBe(403)
  const direct = createClient(`${platform.hasuraUrl}/v1/graphql`, bearer(platform.liveKey))
  const written = await direct(
    'mutation { insert_crm_loyalty_entry_one(object: { type: "ADJUSTED", points: 5, reason: "x" }) { id } }',
  )
  expect(written.text).toContain('validation-failed')
})

test('a shopper pays an order with points and a card, as the merchant values a point', async () => {
  payload(
    await merchant<Record<string, Errors>>(
      `mutation ($input: UpdateLoyaltyProgramInput!) { updateLoyaltyProgram(input: $input) { program { pointValue } ${errors} } }`,
      { input: { pointValue: 2 } },
    ),
  )
  payload(
    await merchant<Record<string, Errors>>(
      `mutation ($input: AdjustLoyaltyPointsInput!) { adjustLoyaltyPoints(input: $input) { ${errors} } }`,
      { input: { customerId, points: 100, reason: 'Birthday' } },
    ),
  )
  const { loyaltyPoints: points } = (await standing(shopper)) as { loyaltyPoints: number }
  const product = await createStockedProduct(merchant, 10, 2000)
  const items = [{ productId: product.id, quantity: 1 }]
  const order = succeeded(await createOrder(shopper, customerId, items)).createOrder?.order
  if (!order) throw new Error('the order was refused')
  const payPart = `mutation ($input: PaymentInput!) {
    processPayment(input: $input) { payment { status amount order { status } } ${errors} } }`
  const paid = payload(
    await shopper<Record<string, Errors & { payment: object }>>(payPart, {
      input: { orderId: order.id, method: 'LOYALTY_POINTS', partial: true },
    }),
  )
  expect(paid.payment).toEqual({ status: 'SUCCEEDED', amount: points * 2, order: { status: 'PENDING' } })
  const entry = { type: 'SPENT', points: -points, balance: 0, orderId: order.id }
  expect(await standing(shopper)).toMatchObject({
    loyaltyPoints: 0,
    loyaltyEntries: { edges: [{ node: entry }, {}, {}, {}] },
  })
  const rest = { orderId: order.id, method: 'CARD', paymentMethodId: 'pm_card_visa' }
  const completed = payload(
    await shopper<Record<string, Errors & { payment: object }>>(payPart, { input: rest }),
  )
  expect(completed.payment).toMatchObject({ status: 'SUCCEEDED', order: { status: 'CONFIRMED' } })
})
