import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, type Client, createClient } from './support/graphql-client.ts'
import { succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

let platform: TestPlatform
let shop: Client
beforeAll(async () => {
  platform = await startTestPlatform()
  shop = createClient(platform.graphqlUrl, bearer(platform.liveKey))
}, 60_000)
afterAll(() => platform.stop())

interface Shopper {
  readonly id: string
  readonly call: Client
}

async function shopperOf(id: string): Promise<Shopper> {
  const { createCustomerAccessToken: made } = succeeded(
    await shop<{ createCustomerAccessToken: { accessToken: string } }>(
      'mutation ($id: ID!) { createCustomerAccessToken(customerId: $id) { accessToken } }',
      { id },
    ),
  )
  return { id, call: createClient(platform.graphqlUrl, bearer(made.accessToken)) }
}

async function twoShoppers(): Promise<readonly [Shopper, Shopper]> {
  const { customers } = succeeded(
    await shop<{ customers: { edges: { node: { id: string } }[] } }>(
      '{ customers(first: 2, filters: { hasAccount: true }) { edges { node { id } } } }',
    ),
  )
  const [one = '', two = ''] = customers.edges.map(({ node }) => node.id)
  return [await shopperOf(one), await shopperOf(two)]
}

interface SavedMethod {
  readonly id: string
  readonly status: string
  readonly last4: string
  readonly isDefault: boolean
}

async function save({ call }: Shopper, paymentMethodId: string) {
  const { savePaymentMethod: saved } = succeeded(
    await call<{
      savePaymentMethod: {
        savedPaymentMethod: SavedMethod
        requiresAction: { redirectUrl: string } | null
      }
    }>(
      `mutation ($input: SavePaymentMethodInput!) {
        savePaymentMethod(input: $input) {
          savedPaymentMethod { id status last4 isDefault } requiresAction { redirectUrl } error { code } errors { field message }
        }
      }`,
      { input: { paymentMethodId } },
    ),
  )
  return saved
}

async function methodsOf({ id, call }: Shopper, as = call) {
  const { customer } = succeeded(
    await as<{ customer: { savedPaymentMethods: SavedMethod[] } | null }>(
      'query ($id: ID!) { customer(id: $id) { savedPaymentMethods { id status last4 isDefault } } }',
      { id },
    ),
  )
  return customer?.savedPaymentMethods ?? null
}

async function orderOf({ id }: Shopper): Promise<string> {
  const { products } = succeeded(
    await shop<{ products: { edges: { node: { id: string } }[] } }>(
      '{ products(first: 1, filters: { searchQuery: "Compass" }) { edges { node { id } } } }',
    ),
  )
  const input = {
    customerId: id,
    items: [{ productId: products.edges[0]?.node.id, quantity: 1 }],
    shippingAddress: {
      line1: '1 Main Street',
      city: 'Springfield',
      state: 'IL',
      postalCode: '62701',
      country: 'US',
    },
  }
  const { createOrder } = succeeded(
    await shop<{ createOrder: { order: { id: string } } }>(
      'mutation ($input: CreateOrderInput!) { createOrder(input: $input) { order { id } errors { field message } } }',
      { input },
    ),
  )
  return createOrder.order.id
}

const pay = ({ call }: Shopper, input: object) =>
  call<{
    processPayment: { payment: { status: string; last4: string } | null; errors: { field: string }[] } | null
  }>(
    `mutation ($input: PaymentInput!) {
      processPayment(input: $input) { payment { status last4 } errors { field } }
    }`,
    { input: { method: 'CARD', ...input } },
  )

test('a shopper saves cards, pays with them and deletes them, and no other shopper sees or uses them', async () => {
  const [ada, other] = await twoShoppers()
  const { savedPaymentMethod: visa } = await save(ada, 'pm_card_visa')
  expect(visa).toMatchObject({ status: 'ACTIVE', last4: '4242', isDefault: true })

  const challenged = await save(ada, 'pm_card_authenticationRequiredOnSetup')
  const secured = challenged.savedPaymentMethod.id
  const body = new URLSearchParams({ outcome: 'complete' })
  await fetch(challenged.requiresAction?.redirectUrl ?? '', { method: 'POST', body })
  succeeded(
    await ada.call(
      'mutation ($id: ID!) { confirmSavedPaymentMethod(id: $id) { savedPaymentMethod { status } errors { field } } }',
      { id: secured },
    ),
  )
  succeeded(
    await ada.call(
      'mutation ($id: ID!) { setDefaultPaymentMethod(id: $id) { savedPaymentMethod { id } errors { field } } }',
      { id: secured },
    ),
  )
  const expected = [
    { id: secured, last4: '3155', isDefault: true },
    { id: visa.id, last4: '4242', isDefault: false },
  ]
  expect(await methodsOf(ada)).toMatchObject(expected)
  expect(await methodsOf(ada, shop)).toMatchObject(expected)
  expect(await methodsOf(ada, other.call)).toBeNull()
  expect(await methodsOf(other)).toEqual([])

  const paid = succeeded(await pay(ada, { orderId: await orderOf(ada), savedPaymentMethodId: secured }))
  expect(paid.processPayment?.payment).toEqual({ status: 'SUCCEEDED', last4: '3155' })
  const stolen = await pay(other, { orderId: await orderOf(other), savedPaymentMethodId: secured })
  expect(stolen.data?.processPayment).toMatchObject({
    payment: null,
    errors: [{ field: 'savedPaymentMethodId' }],
  })

  const { deleteSavedPaymentMethod: deleted } = succeeded(
    await ada.call<{ deleteSavedPaymentMethod: { success: boolean } }>(
      'mutation ($id: ID!) { deleteSavedPaymentMethod(id: $id) { success errors { field } } }',
      { id: secured },
    ),
  )
  expect(deleted.success).toBe(true)
  expect(await methodsOf(ada)).toMatchObject([{ id: visa.id, isDefault: true }])
}, 60_000)
