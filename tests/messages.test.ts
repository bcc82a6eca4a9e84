import { type MailCatcher, startMailCatcher } from '@commerce-graph/actions/testing/mail-catcher'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, bearer, type Client, createClient } from './support/graphql-client.ts'
import {
  shippingAddress,
  createCustomer,
  createOrder,
  createStockedProduct,
  payload,
  succeeded,
} from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

let catcher: MailCatcher
let platform: TestPlatform
let merchant: Client
let sql: Sql

beforeAll(async () => {
  catcher = await startMailCatcher()
  platform = await startTestPlatform({ smtpUrl: catcher.url })
  merchant = createClient(platform.graphqlUrl, bearer(platform.liveKey))
  sql = postgres(platform.databaseUrl, { max: 1, onnotice: () => undefined })
})
afterAll(async () => {
  await sql.end()
  await platform.stop()
  await catcher.close()
})
afterEach(() => catcher.answerWith({ kind: 'take' }))

interface Errors {
  readonly errors: readonly { readonly field: string | null; readonly message: string }[]
}

interface Delivery {
  readonly id: string
  readonly kind: string
  readonly status: string
  readonly subject: string
  readonly text: string
  readonly attempts: number
  readonly reason: string | null
}

const errors = 'errors { field code message }'
const patience = { timeout: 20_000, interval: 100 }

/** The entries of the delivery log for a customer. */
async function deliveriesTo(customerId: string): Promise<readonly Delivery[]> {
  const answer: Answer<{ emailDeliveries: { edges: { node: Delivery }[] } }> = await merchant(
    `query ($id: ID!) { emailDeliveries(filters: { customerId: $id }, sortOrder: ASC) {
      edges { node { id kind status subject text attempts reason } }
    } }`,
    { id: customerId },
  )
  return succeeded(answer).emailDeliveries.edges.map(({ node }) => node)
}

async function emailOf(customerId: string): Promise<string> {
  const answer = await merchant<{ customer: { email: string } }>(
    'query ($id: ID!) { customer(id: $id) { email } }',
    { id: customerId },
  )
  return succeeded(answer).customer.email
}

const mailsTo = (address: string) => catcher.mails.filter(({ to }) => to.includes(address))

const mutate = async <Payload extends object>(text: string, variables: object): Promise<Payload & Errors> =>
  payload(await merchant<Record<string, Payload & Errors>>(text, variables as Record<string, unknown>))

async function payForOrder(
  customerId: string,
): Promise<{ readonly orderId: string; readonly number: string }> {
  const product = await createStockedProduct(merchant, 100)
  const { createOrder: created } = succeeded(
    await createOrder(merchant, customerId, [{ productId: product.id, quantity: 2 }]),
  )
  const orderId = created?.order?.id ?? ''
  await mutate(
    'mutation ($input: PaymentInput!) { processPayment(input: $input) { status errors { field message } } }',
    {
      input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa' },
    },
  )
  const order = await merchant<{ order: { orderNumber: string } }>(
    'query ($id: ID!) { order(id: $id) { orderNumber } }',
    { id: orderId },
  )
  return { orderId, number: succeeded(order).order.orderNumber }
}

async function shopperOf(customerId: string): Promise<Client> {
  const { accessToken } = await mutate<{ accessToken: string }>(
    `mutation ($id: ID!) { createCustomerAccessToken(customerId: $id) { accessToken ${errors} } }`,
    { id: customerId },
  )
  return createClient(platform.graphqlUrl, bearer(accessToken))
}

/** Makes the engine deliver an event again, as it does when it got no answer. */
async function redeliver(trigger: string): Promise<void> {
  const events = await sql<
    { id: string }[]
  >`SELECT id FROM hdb_catalog.event_log WHERE trigger_name = ${trigger}`
  expect(events.length).toBeGreaterThan(0)
  for (const { id } of events) {
    const redelivered = async (): Promise<number> => {
      const { status } = await fetch(`${platform.hasuraUrl}/v1/metadata`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-hasura-admin-secret': platform.adminSecret },
        body: JSON.stringify({ type: 'pg_redeliver_event', args: { source: 'default', event_id: id } }),
      })
      return status
    }
    // The engine refuses to redeliver an event that it is delivering now.
    await expect.poll(redelivered, patience).toBe(200)
  }
}

describe('a paid order', () => {
  test('is confirmed by one e-mail and one notification, even if the event is delivered several times', async () => {
    const customerId = await createCustomer(merchant)
    const address = await emailOf(customerId)
    const { orderId, number } = await payForOrder(customerId)
    await expect.poll(() => mailsTo(address), patience).toHaveLength(1)
    expect(mailsTo(address)[0]).toMatchObject({ subject: `Your order ${number} is confirmed` })
    await redeliver('order_status_changed')
    // The same must hold if the queue no longer has the event's id.
    await sql`DELETE FROM bullmq.job WHERE name = 'order_status_changed' AND state = 'completed'`
    await redeliver('order_status_changed')
    await expect
      .poll(async () => {
        const [row] = await sql<{ open: number }[]>`
            SELECT count(*)::integer AS open FROM hdb_catalog.event_log WHERE NOT delivered AND NOT error`
        return row?.open
      }, patience)
      .toBe(0)
    const [delivery, ...others] = await deliveriesTo(customerId)
    expect(others).toEqual([])
    expect(delivery).toMatchObject({ kind: 'ORDER_CONFIRMATION', status: 'SENT', attempts: 1, reason: null })
    expect(delivery?.text).toContain('$39.98')
    expect(mailsTo(address)[0]?.messageId).toContain(delivery?.id)
    const shopper = await shopperOf(customerId)
    const { notifications } = succeeded(
      await shopper<{ notifications: unknown }>(
        '{ notifications { totalCount edges { node { id kind title data readAt } } } }',
      ),
    )
    expect(notifications).toMatchObject({
      totalCount: 1,
      edges: [
        { node: { kind: 'ORDER_CONFIRMATION', title: `Order ${number} is confirmed`, data: { orderId } } },
      ],
    })
  })

  test('that costs nothing, and has no payment, is confirmed by one e-mail, too', async () => {
    const customerId = await createCustomer(merchant)
    const address = await emailOf(customerId)
    const product = await createStockedProduct(merchant, 1)
    const promotion = { name: 'All free', code: 'ALLFREE', discountType: 'PERCENTAGE', discountValue: 100 }
    await mutate(
      `mutation ($input: CreatePromotionInput!) { createPromotion(input: $input) { ${errors} } }`,
      { input: { ...promotion, startDate: '2020-01-01T00:00:00Z', endDate: '2098-01-01T00:00:00Z' } },
    )
    const items = [{ productId: product.id, quantity: 1 }]
    const { order } = await mutate<{ order: { orderNumber: string; status: string; total: number } }>(
      `mutation ($input: CreateOrderInput!) {
        createOrder(input: $input) { order { orderNumber status total payment { id } } ${errors} }
      }`,
      { input: { customerId, items, couponCode: promotion.code, shippingAddress } },
    )
    expect(order).toMatchObject({ status: 'CONFIRMED', total: 0, payment: null })
    await expect.poll(() => mailsTo(address), patience).toHaveLength(1)
    // The log has it once the server has taken the mail, a moment after the server has it.
    const subject = `Your order ${order.orderNumber} is confirmed`
    await expect.poll(() => deliveriesTo(customerId), patience).toMatchObject([{ status: 'SENT', subject }])
    const [mail] = await deliveriesTo(customerId)
    expect(mail?.text).toContain('There is nothing to pay.')
    expect(mail?.text).not.toContain('payment')
  })

  test('causes mails when it is shipped, cancelled and refunded', async () => {
    const customerId = await createCustomer(merchant)
    const shipped = await payForOrder(customerId)
    const refunded = await payForOrder(customerId)
    const sent = async () =>
      (await deliveriesTo(customerId)).map(({ kind, status }) => `${kind} ${status}`).sort()
    // An order that is over is not thanked for any more.
    await expect.poll(sent, patience).toEqual(['ORDER_CONFIRMATION SENT', 'ORDER_CONFIRMATION SENT'])
    await mutate(`mutation ($id: ID!) { processOrder(id: $id) { ${errors} } }`, { id: shipped.orderId })
    await mutate(
      `mutation ($id: ID!, $input: FulfillOrderInput!) { fulfillOrder(id: $id, input: $input) { ${errors} } }`,
      { id: shipped.orderId, input: { carrier: 'UPS', trackingNumber: '1Z999' } },
    )
    await mutate(`mutation ($id: ID!) { cancelOrder(id: $id, reason: "Changed my mind") { ${errors} } }`, {
      id: refunded.orderId,
    })
    await expect
      .poll(sent, patience)
      .toEqual([
        'ORDER_CANCELLED SENT',
        'ORDER_CONFIRMATION SENT',
        'ORDER_CONFIRMATION SENT',
        'ORDER_REFUNDED SENT',
        'ORDER_SHIPPED SENT',
      ])
    const texts = (await deliveriesTo(customerId)).map(({ text }) => text).join('\n')
    expect(texts).toContain('1Z999')
    expect(texts).toContain('Changed my mind')
  })
})

describe('a mail server', () => {
  test('that refuses temporarily gets the mail again; after six attempts the delivery is FAILED and can be retried', async () => {
    catcher.answerWith({ kind: 'refuse', status: 451 })
    const customerId = await createCustomer(merchant)
    const address = await emailOf(customerId)
    await payForOrder(customerId)
    await expect
      .poll(() => deliveriesTo(customerId), patience)
      .toMatchObject([{ status: 'QUEUED', attempts: 1 }])
    // Makes the next attempts due now.
    await sql`UPDATE email.delivery SET attempts = 5, next_attempt_at = now() WHERE customer_id = ${customerId}`
    await expect
      .poll(() => deliveriesTo(customerId), patience)
      .toMatchObject([{ status: 'FAILED', attempts: 6 }])
    catcher.answerWith({ kind: 'take' })
    const [dead] = await deliveriesTo(customerId)
    expect(dead?.reason).toContain('451')
    await mutate(`mutation ($id: ID!) { retryEmailDelivery(id: $id) { delivery { status } ${errors} } }`, {
      id: dead?.id,
    })
    await expect
      .poll(() => deliveriesTo(customerId), patience)
      .toMatchObject([{ status: 'SENT', attempts: 1 }])
    expect(mailsTo(address)).toHaveLength(1)
  })

  test('that rejects the address bounces the message at once', async () => {
    catcher.answerWith({ kind: 'refuse', status: 550 })
    const customerId = await createCustomer(merchant)
    await payForOrder(customerId)
    await expect
      .poll(() => deliveriesTo(customerId), patience)
      .toMatchObject([{ status: 'BOUNCED', attempts: 1 }])
  })
})

describe('stock', () => {
  test('that comes back causes one mail to each subscriber of its alert', async () => {
    const product = await createStockedProduct(merchant, 0)
    const email = 'waiting@example.com'
    await mutate(
      `mutation ($sku: String!, $email: String!) { subscribeStockAlert(sku: $sku, email: $email) { id status ${errors} } }`,
      { sku: product.sku, email },
    )
    for (const available of [3, 0, 4]) {
      await mutate(
        `mutation ($input: SetInventoryLevelInput!) { setInventoryLevel(input: $input) { ${errors} } }`,
        { input: { sku: product.sku, available } },
      )
      await expect.poll(() => mailsTo(email), patience).toHaveLength(1)
    }
    expect(mailsTo(email)[0]?.subject).toBe(`Product ${product.sku} is back in stock`)
  })

  test('that runs low causes one notification to the merchant each time, not one per sale', async () => {
    const product = await createStockedProduct(merchant, 20)
    const set = (available: number) =>
      mutate(
        `mutation ($input: SetInventoryLevelInput!) { setInventoryLevel(input: $input) { ${errors} } }`,
        {
          input: { sku: product.sku, available },
        },
      )
    const alerts = async () => {
      const { notifications } = succeeded(
        await merchant<{ notifications: { edges: { node: { data: { sku: string } } }[] } }>(
          '{ notifications(filters: { kind: LOW_STOCK_ALERT }, first: 100) { edges { node { data } } } }',
        ),
      )
      return notifications.edges.filter(({ node }) => node.data.sku === product.sku).length
    }
    for (const available of [5, 4, 3]) await set(available)
    await expect.poll(alerts, patience).toBe(1)
    await set(20)
    await set(2)
    await expect.poll(alerts, patience).toBe(2)
    const mails = () => catcher.mails.filter(({ subject }) => subject.includes(product.sku))
    await expect.poll(mails, patience).toHaveLength(2)
  })
})

test('the demo shop’s seeds cause no mails', async () => {
  const deliveries = await sql`
    SELECT kind, recipient FROM email.delivery WHERE recipient LIKE '%.example' AND kind <> 'LOW_STOCK_ALERT' AND subject_key NOT LIKE 'seed-%'`
  expect(deliveries).toEqual([])
})
