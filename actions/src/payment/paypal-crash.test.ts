import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CustomerId } from '@commerce-graph/contract/ids'
import { transmissionHeaders } from '../processors/sandbox/paypal/paypal-signature.ts'
import { expectWholePurchases, type Scene, type Way } from '../testing/interruptions.ts'
import { createWebhook, decide, openPaypalSide, type PaypalSide, returnUrl } from '../testing/paypal-side.ts'
import { type Purchase, type Step, stepsOf } from '../testing/purchase-steps.ts'
import { openTestShop, type TestShop } from '../testing/test-shop.ts'

let shop: TestShop
let side: PaypalSide
let webhookId: string
beforeAll(async () => {
  shop = await openTestShop({ banksDecide: false })
  side = await openPaypalSide(shop)
  // The test sends the events.
  webhookId = await createWebhook(shop, side, 'http://127.0.0.1:1/nowhere', 'NEVER.HAPPENS')
})
afterAll(() => shop.close())

interface SandboxOrder {
  readonly id: string
  readonly status: string
  readonly units: object
  readonly url: string
}

const ordersOf = ({ customerId }: Pick<Purchase, 'customerId'>) => shop.database<SandboxOrder[]>`
  SELECT x.id, x.body ->> 'status' AS status, x.body -> 'purchase_units' AS units,
    jsonb_path_query_first(x.body, '$.links[*] ? (@.rel == "payer-action").href') #>> '{}' AS url
  FROM sandbox_processor.paypal_order x
  JOIN payment.payment p ON p.id::text = x.body #>> '{purchase_units,0,custom_id}'
  JOIN ordering.order o ON o.id = p.order_id WHERE o.customer_id = ${customerId}`

/** The customer, at PayPal's page. */
const approve: Step = async (_instance, purchase) => {
  for (const { url, status } of await ordersOf(purchase))
    if (status === 'PAYER_ACTION_REQUIRED') await decide(url, 'approve')
}

const webhook: Step = async (instance, purchase) => {
  const [order] = await ordersOf(purchase)
  if (order === undefined) return
  const { id, units } = order
  const body = JSON.stringify({
    id: `WH-${purchase.keys}`,
    event_type: 'CHECKOUT.ORDER.APPROVED',
    resource_type: 'checkout-order',
    resource: { id, purchase_units: units },
  })
  const response = await fetch(`${instance.webhookUrl}/paypal/${side.accountId}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      connection: 'close',
      ...transmissionHeaders(webhookId, body, `${shop.sandboxUrl}/paypal/certs/1`),
    },
    body,
  })
  expect(response.status).toBe(200)
}

/** The days for which PayPal reserves money are over. */
async function expire(customerId: CustomerId): Promise<void> {
  for (const { id } of await ordersOf({ customerId }))
    await shop.database`
      UPDATE sandbox_processor.paypal_order
      SET body = jsonb_set(body, '{purchase_units,0,payments,authorizations,0,expiration_time}', '"2026-01-01T00:00:00Z"')
      WHERE id = ${id} AND body #>> '{purchase_units,0,payments,authorizations,0,status}' = 'CREATED'`
}

type Steps = ReturnType<typeof stepsOf>

const request = { method: 'PAYPAL', returnUrl }

const reserved = { ...request, captureMethod: 'MANUAL' }

const ways: Readonly<Record<string, (steps: Steps) => Way>> = {
  'a payment': ({ order, pay, confirm, deliverEvents }) => ({
    before: [order],
    steps: [pay(request), approve, confirm, deliverEvents],
  }),
  'a payment that a webhook finishes': ({ order, pay, deliverEvents }) => ({
    before: [order, pay(request), approve],
    steps: [webhook, deliverEvents],
  }),
  'reserved money that is captured': ({ order, pay, confirm, capture, deliverEvents }) => ({
    before: [order, pay(reserved), approve],
    steps: [confirm, capture, deliverEvents],
  }),
  'reserved money that is released': ({ order, pay, confirm, release }) => ({
    before: [order, pay(reserved), approve, confirm],
    steps: [release],
  }),
  'a refund': ({ order, pay, confirm, refund, deliverEvents }) => ({
    before: [order, pay(request), approve, confirm, deliverEvents],
    steps: [refund, deliverEvents],
  }),
}

test.each(Object.entries(ways))(
  '%s at PayPal: interrupted before any statement or call, it is one order, one charge and one mail',
  async (_name, wayOf) => {
    const { merchant, product } = side
    const scene: Scene = { shop, merchant, product, stock: 10_000, webhook, expire }
    await expectWholePurchases(scene, wayOf(stepsOf(scene)))
  },
  120_000,
)
