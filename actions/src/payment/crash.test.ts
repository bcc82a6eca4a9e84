import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CustomerId } from '@commerce-graph/contract/ids'
import { openStore, type Store } from '../processors/sandbox/store.ts'
import { settleLater } from '../processors/sandbox/settle-later.ts'
import { expectWholePurchases, type Way } from '../testing/interruptions.ts'
import { type Purchase, type Shelf, type Step, stepsOf } from '../testing/purchase-steps.ts'
import { dataOf, found, openTestShop, type TestShop } from '../testing/test-shop.ts'

const webhookSecret = 'whsec_of_the_crash_test'
const stock = 10_000

let shop: TestShop
let sandbox: Store
let shelf: Shelf
let accountId: string
beforeAll(async () => {
  shop = await openTestShop({ banksDecide: false })
  sandbox = await openStore({ databaseUrl: shop.databaseUrl })
  const merchant = await shop.createMerchant()
  const product = await shop.createProduct(merchant, { price: 1999, stock: [stock] })
  const input = { processor: 'STRIPE', secretKey: 'sk_test_sandbox_crash', webhookSecret }
  const { paymentAccountId } = dataOf(await shop.call(merchant, 'connectPaymentAccount', { input }))
  accountId = String(paymentAccountId)
  await shop.database`
    INSERT INTO payment.payment_option (merchant_id, method, name) VALUES (${merchant.merchantId}, 'SEPA_DEBIT', 'Debit')`
  await shop.database`
    UPDATE crm.loyalty_program SET enabled = true, point_value = 1 WHERE merchant_id = ${merchant.merchantId}`
  shelf = { shop, merchant, product }
})
afterAll(async () => {
  await sandbox.close()
  await shop.close()
})

/** The processor tells of the payment, again until it is heard. */
const webhook: Step = async (instance, purchase) => {
  const [intent] = await intentsOf(purchase)
  if (intent === undefined) return
  const event = {
    id: `evt_${purchase.keys}`,
    object: 'event',
    type: `payment_intent.${intent.status}`,
    data: { object: { object: 'payment_intent', ...intent } },
  }
  const payload = JSON.stringify(event)
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret })
  const response = await fetch(`${instance.webhookUrl}/stripe/${accountId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close', 'stripe-signature': signature },
    body: payload,
  })
  expect(response.status).toBe(200)
}

const givePoints: Step = async (_instance, { customerId }) => {
  const input = { customerId, points: 10_000, reason: 'Test' }
  dataOf(await shop.call(shelf.merchant, 'adjustLoyaltyPoints', { input }))
}

/** The customer, at the processor's page. */
const authenticate: Step = async (_instance, purchase) => {
  const [intent] = await intentsOf(purchase)
  const url = found(intent).url
  const body = new URLSearchParams({ outcome: 'complete' })
  if (url !== null) expect((await fetch(url, { method: 'POST', body })).status).toBe(200)
}

/** The customer's bank, days later. */
const bankDecides: Step = async (_instance, { orderId }) => {
  await shop.database`
    UPDATE sandbox_processor.payment_intent SET body = jsonb_set(body, '{created}', '1')
    WHERE body #>> '{metadata,order_id}' = ${orderId}`
  await sandbox.transact(null, settleLater)
}

interface Intent {
  readonly id: string
  readonly status: string
  readonly metadata: object
  readonly url: string | null
}

const intentsOf = ({ customerId }: Purchase) => shop.database<Intent[]>`
  SELECT i.id, i.body ->> 'status' AS status, i.body -> 'metadata' AS metadata, i.body #>> '{next_action,redirect_to_url,url}' AS url
  FROM sandbox_processor.payment_intent i
  JOIN ordering.order o ON o.id::text = i.body #>> '{metadata,order_id}' WHERE o.customer_id = ${customerId}`

/** The time until which the sandbox reserves money is over. */
async function expire(customerId: CustomerId): Promise<void> {
  await shop.database`
    UPDATE sandbox_processor.payment_intent i
    SET body = jsonb_set(i.body, '{latest_charge,payment_method_details,card,capture_before}', '1')
    FROM ordering.order o
    WHERE i.body ->> 'status' = 'requires_capture' AND o.id::text = i.body #>> '{metadata,order_id}' AND o.customer_id = ${customerId}`
}

type Steps = ReturnType<typeof stepsOf>

const card = (paymentMethodId: string, more: object = {}) => ({ method: 'CARD', paymentMethodId, ...more })

const debit = card('pm_success_de', { method: 'SEPA_DEBIT' })

const points = { method: 'LOYALTY_POINTS' }

const reserved = card('pm_card_visa', { captureMethod: 'MANUAL' })

const ways: Readonly<Record<string, (steps: Steps) => Way>> = {
  'a card': ({ order, pay, deliverEvents }) => ({
    before: [],
    steps: [order, pay(card('pm_card_visa')), deliverEvents],
  }),
  'a card that is saved': ({ order, pay, deliverEvents }) => ({
    before: [order],
    steps: [pay(card('pm_card_visa', { savePaymentMethod: true })), deliverEvents],
  }),
  'a card with 3-D Secure': ({ order, pay, confirm, deliverEvents }) => ({
    before: [order],
    steps: [pay(card('pm_card_authenticationRequired')), authenticate, confirm, deliverEvents],
  }),
  'reserved money that is captured': ({ order, pay, capture, deliverEvents }) => ({
    before: [order],
    steps: [pay(reserved), capture, deliverEvents],
  }),
  'the second part of reserved money': ({ order, pay, capturePart, capture, deliverEvents }) => ({
    before: [order, pay(reserved), capturePart],
    steps: [capture, deliverEvents],
  }),
  'reserved money that is released': ({ order, pay, release }) => ({
    before: [order, pay(reserved)],
    steps: [release],
  }),
  'a direct debit': ({ order, pay, deliverEvents }) => ({
    before: [order],
    steps: [pay(debit), bankDecides, webhook, deliverEvents],
  }),
  'a direct debit that the reconciler settles': ({ order, pay, reconcile, deliverEvents }) => ({
    before: [order, pay(debit), bankDecides],
    steps: [reconcile, deliverEvents],
  }),
  'loyalty points': ({ order, pay, deliverEvents }) => ({
    before: [givePoints, order],
    steps: [pay(points), deliverEvents],
  }),
  'loyalty points that come back': ({ order, pay, cancel, deliverEvents }) => ({
    before: [givePoints, order, pay(points), deliverEvents],
    steps: [cancel, deliverEvents],
  }),
  'a refund': ({ order, pay, refund, deliverEvents }) => ({
    before: [order, pay(card('pm_card_visa')), deliverEvents],
    steps: [refund, deliverEvents],
  }),
  'a cancellation': ({ order, pay, cancel, deliverEvents }) => ({
    before: [order, pay(card('pm_card_visa')), deliverEvents],
    steps: [cancel, deliverEvents],
  }),
}

test.each(Object.entries(ways))(
  '%s: interrupted before any statement or call, it is one order, one charge and one mail',
  async (_name, wayOf) => {
    await expectWholePurchases({ ...shelf, stock, webhook, expire }, wayOf(stepsOf(shelf)))
  },
  120_000,
)
