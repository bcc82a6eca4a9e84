import postgres from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, type Client, createClient } from './support/graphql-client.ts'
import { succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

let platform: TestPlatform
let shop: Client
beforeAll(async () => {
  platform = await startTestPlatform()
  shop = createClient(platform.graphqlUrl, bearer(platform.liveKey))
  await refuseAcrossMerchants(platform.databaseUrl)
}, 60_000)
afterAll(() => platform.stop())

/** Across merchants, the actions find the account of a webhook and nothing else: what follows is in the scope of its merchant. */
async function refuseAcrossMerchants(databaseUrl: string): Promise<void> {
  const owner = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  try {
    for (const table of ['webhook_event', 'payment', 'refund', 'dispute'])
      await owner.unsafe(`CREATE POLICY of_one ON payment.${table} AS RESTRICTIVE TO commerce_actions
        USING (coalesce(current_setting('commerce.across_merchants', TRUE), '') = '')`)
  } finally {
    await owner.end()
  }
}

interface Account {
  readonly id: string
  readonly webhookPath: string
  readonly hasWebhookSecret: boolean
}

interface Disputed {
  readonly attention: string | null
  readonly disputes: readonly { readonly status: string; readonly reason: string }[]
}

const secretKey = 'sk_test_sandbox_of_the_shop'

/** Makes the sandbox send the account's events to the contract's port. Returns the secret that signs them. */
async function createEndpoint(webhookPath: string): Promise<string> {
  const url = new URL(webhookPath, platform.graphqlUrl).href
  const response = await fetch(`${platform.paymentSandboxUrl}/v1/webhook_endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}` },
    body: new URLSearchParams({ url, 'enabled_events[]': '*' }),
  })
  return ((await response.json()) as { secret: string }).secret
}

/** An order of one compass. Returns its id. */
async function createOrder(): Promise<string> {
  const { products, customers } = succeeded(
    await shop<{
      products: { edges: { node: { id: string } }[] }
      customers: { edges: { node: { id: string } }[] }
    }>(
      `{ products(first: 1, filters: { searchQuery: "Compass" }) { edges { node { id } } }
        customers(first: 1) { edges { node { id } } } }`,
    ),
  )
  const input = {
    customerId: customers.edges[0]?.node.id,
    items: [{ productId: products.edges[0]?.node.id, quantity: 1 }],
    shippingAddress: {
      line1: '1 Main Street',
      city: 'Springfield',
      state: 'IL',
      postalCode: '62701',
      country: 'US',
    },
  }
  const { created } = succeeded(
    await shop<{ created: { order: { id: string } } }>(
      'mutation ($input: CreateOrderInput!) { created: createOrder(input: $input) { order { id } errors { field message } } }',
      { input },
    ),
  )
  return created.order.id
}

test('a dispute of a merchant’s own account shows over the contract, by a webhook to the contract’s port, and the merchant is told', async () => {
  const { connected } = succeeded(
    await shop<{ connected: { paymentAccount: Account } }>(
      `mutation ($key: String!) {
        connected: connectPaymentAccount(input: { processor: STRIPE, secretKey: $key }) {
          paymentAccount { id webhookPath hasWebhookSecret } errors { field message }
        }
      }`,
      { key: secretKey },
    ),
  )
  const { id, webhookPath } = connected.paymentAccount
  const webhookSecret = await createEndpoint(webhookPath)
  const { changed } = succeeded(
    await shop<{ changed: { paymentAccount: Account } }>(
      `mutation ($id: ID!, $webhookSecret: String!) {
        changed: updatePaymentAccount(id: $id, input: { webhookSecret: $webhookSecret }) {
          paymentAccount { id webhookPath hasWebhookSecret } errors { field message }
        }
      }`,
      { id, webhookSecret },
    ),
  )
  expect(changed.paymentAccount.hasWebhookSecret).toBe(true)

  const orderId = await createOrder()
  const { paid } = succeeded(
    await shop<{ paid: { payment: { id: string; status: string } } }>(
      `mutation ($orderId: ID!) {
        paid: processPayment(input: { orderId: $orderId, method: CARD, paymentMethodId: "pm_card_createDispute" }) {
          payment { id status } errors { field message }
        }
      }`,
      { orderId },
    ),
  )
  expect(paid.payment.status).toBe('SUCCEEDED')
  const disputed = async (): Promise<Disputed> =>
    succeeded(
      await shop<{ payment: Disputed }>(
        'query ($id: ID!) { payment(id: $id) { attention disputes { status reason } } }',
        { id: paid.payment.id },
      ),
    ).payment
  await expect
    .poll(disputed, { timeout: 20_000, interval: 200 })
    .toEqual({ attention: 'DISPUTED', disputes: [{ status: 'NEEDS_RESPONSE', reason: 'fraudulent' }] })

  const told = async () =>
    succeeded(
      await shop(`{
        notifications(filters: { kind: PAYMENT_DISPUTED }) { edges { node { title data } } }
        emailDeliveries(filters: { kind: PAYMENT_DISPUTED }) { edges { node { subject } } }
      }`),
    )
  const headline = 'A payment of $42.22 is disputed'
  await expect.poll(told, { timeout: 20_000, interval: 200 }).toEqual({
    notifications: { edges: [{ node: { title: headline, data: { paymentId: paid.payment.id } } }] },
    emailDeliveries: { edges: [{ node: { subject: headline } }] },
  })
}, 60_000)

/** A call of the sandbox's PayPal with the account's credentials. */
async function callPaypal(path: string, body: object): Promise<{ readonly id: string }> {
  const credentials = Buffer.from('sandbox_of_the_shop:sandbox_secret_of_the_shop').toString('base64')
  const response = await fetch(`${platform.paymentSandboxUrl}/paypal${path}`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await response.json()) as { id: string }
}

test('a payment at PayPal that its customer approves is taken by a webhook to the contract’s port alone', async () => {
  const { connected } = succeeded(
    await shop<{ connected: { paymentAccount: Account & { processor: string; mode: string } } }>(
      `mutation {
        connected: connectPaymentAccount(input: {
          processor: PAYPAL, clientId: "sandbox_of_the_shop", secretKey: "sandbox_secret_of_the_shop"
        }) { paymentAccount { id processor mode webhookPath } errors { field message } }
        createPaymentOption(input: { method: PAYPAL, name: "PayPal" }) { errors { message } }
      }`,
    ),
  )
  const { id, webhookPath, ...account } = connected.paymentAccount
  expect(account).toEqual({ processor: 'PAYPAL', mode: 'TEST' })
  const url = new URL(webhookPath, platform.graphqlUrl).href
  const webhook = await callPaypal('/v1/notifications/webhooks', { url, event_types: [{ name: '*' }] })
  succeeded(
    await shop(
      `mutation ($id: ID!, $webhookSecret: String!) {
        updatePaymentAccount(id: $id, input: { webhookSecret: $webhookSecret }) { errors { message } }
      }`,
      { id, webhookSecret: webhook.id },
    ),
  )
  const { begun } = succeeded(
    await shop<{ begun: { payment: { id: string }; requiresAction: { redirectUrl: string } } }>(
      `mutation ($orderId: ID!) {
        begun: processPayment(input: { orderId: $orderId, method: PAYPAL, returnUrl: "https://shop.example/thanks" }) {
          payment { id } requiresAction { redirectUrl } errors { field message }
        }
      }`,
      { orderId: await createOrder() },
    ),
  )
  const page = {
    method: 'POST',
    body: new URLSearchParams({ outcome: 'approve' }),
    redirect: 'manual',
  } as const
  expect((await fetch(begun.requiresAction.redirectUrl, page)).status).toBe(303)
  const paid = async () =>
    succeeded(
      await shop<{ payment: object }>('query ($id: ID!) { payment(id: $id) { status order { status } } }', {
        id: begun.payment.id,
      }),
    ).payment
  await expect
    .poll(paid, { timeout: 20_000, interval: 200 })
    .toEqual({ status: 'SUCCEEDED', order: { status: 'CONFIRMED' } })
}, 60_000)
