import express from 'express'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { listen, type Listener } from '../http/listen.ts'
import { transmissionHeaders } from '../processors/sandbox/paypal/paypal-signature.ts'
import { webhookOptions } from '../start-actions.ts'
import { expectShopToAddUp } from '../testing/invariants.ts'
import {
  beginPaypal,
  callPaypal,
  capturesOf,
  createWebhook,
  decide,
  openPaypalSide,
  paymentRow,
  type PaypalSide,
} from '../testing/paypal-side.ts'
import { dataOf, found, openTestShop, silent, type TestShop } from '../testing/test-shop.ts'
import { paymentWebhooks } from './webhooks.ts'

let shop: TestShop
let listener: Listener
beforeAll(async () => {
  shop = await openTestShop()
  listener = await listenTo(shop.sandboxUrl)
})
afterAll(async () => {
  await listener.close()
  await shop.close()
})

/** The endpoint of webhooks of a platform whose PayPal is at this address. */
function listenTo(sandbox: string): Promise<Listener> {
  const { cardProcessor, secretBox, database } = shop
  const options = webhookOptions(
    { cardProcessor, secretBox, endpoints: { sandbox }, logger: silent },
    database,
  )
  return listen(express().use('/webhooks', paymentWebhooks(options)), { port: 0 })
}

const urlOf = (accountId: string, at = listener) => `${at.url}/webhooks/paypal/${accountId}`

/** @param delivered whether the sandbox sends the account's events */
async function openSide(delivered: boolean): Promise<PaypalSide & { readonly webhookId: string }> {
  const side = await openPaypalSide(shop)
  const event = delivered ? '*' : 'NEVER.HAPPENS'
  return { ...side, webhookId: await createWebhook(shop, side, urlOf(side.accountId), event) }
}

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 15_000, interval: 100 })

/** Nothing but the customer's approval: no confirmPayment, and no reconciler. */
async function approved(side: PaypalSide, more: object = {}, outcome = 'approve') {
  const payment = await beginPaypal(shop, side, more)
  await decide(payment.redirectUrl, outcome)
  return payment
}

async function paid(side: PaypalSide, more: object = {}) {
  const payment = await approved(side, more)
  dataOf(await shop.call(side.merchant, 'confirmPayment', { id: payment.paymentId }))
  return payment
}

const captureOf = async (paymentId: string) => found((await capturesOf(shop, paymentId))[0]).id

describe('PayPal’s webhooks alone', () => {
  test('take what the customer has approved', async () => {
    const side = await openSide(true)
    const { paymentId } = await approved(side)
    await until(async () =>
      expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'SUCCEEDED', order: 'CONFIRMED' }),
    )
    expect(await capturesOf(shop, paymentId)).toHaveLength(1)
    await expectShopToAddUp(shop.database, side.merchant)
  })

  test('settle a payment that a bank decides on later', async () => {
    const side = await openSide(true)
    const { paymentId } = await approved(side, {}, 'pending')
    await until(async () => expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'SUCCEEDED' }))
  })

  test('record refunds that were made in PayPal’s dashboard, in part and in full', async () => {
    const side = await openSide(true)
    const { paymentId } = await paid(side)
    const refund = `/v2/payments/captures/${await captureOf(paymentId)}/refund`
    await callPaypal(shop, side, refund, { amount: { currency_code: 'USD', value: '1.64' } })
    await until(async () =>
      expect(await paymentRow(shop, paymentId)).toMatchObject({
        status: 'PARTIALLY_REFUNDED',
        refunded: 164,
      }),
    )
    await callPaypal(shop, side, refund)
    await until(async () =>
      expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'REFUNDED', refunded: 2164 }),
    )
    await expectShopToAddUp(shop.database, side.merchant)
  })

  test('record that reserved money was captured, or released, in the dashboard', async () => {
    const side = await openSide(true)
    const payments = [
      { ...(await approved(side, { captureMethod: 'MANUAL' })), action: 'capture', status: 'SUCCEEDED' },
      { ...(await approved(side, { captureMethod: 'MANUAL' })), action: 'void', status: 'CANCELLED' },
    ]
    for (const { paymentId, action, status } of payments) {
      await until(async () => expect(await paymentRow(shop, paymentId)).toMatchObject({ authorized: true }))
      const [row] = await shop.database<{ id: string }[]>`
        SELECT body #>> '{purchase_units,0,payments,authorizations,0,id}' AS id FROM sandbox_processor.paypal_order
        WHERE body #>> '{purchase_units,0,custom_id}' = ${paymentId}`
      await callPaypal(shop, side, `/v2/payments/authorizations/${found(row).id}/${action}`)
      await until(async () => expect(await paymentRow(shop, paymentId)).toMatchObject({ status }))
    }
  })
})

test.each([
  ['SELLER_FAVOR', 'WON'],
  ['BUYER_FAVOR', 'LOST'],
])('a dispute is shown by webhooks alone until PayPal has decided it: %s is %s', async (outcome, status) => {
  const side = await openSide(true)
  const { paymentId } = await approved(side, {}, 'dispute')
  const disputes = () => shop.database`
    SELECT p.attention, d.status, d.amount::integer, d.reason FROM payment.payment p
    LEFT JOIN payment.dispute d ON d.payment_id = p.id WHERE p.id = ${paymentId}`
  const dispute = { amount: 2164, reason: 'merchandise_or_service_not_received' }
  await until(async () =>
    expect(await disputes()).toEqual([{ attention: 'DISPUTED', status: 'NEEDS_RESPONSE', ...dispute }]),
  )
  const [row] = await shop.database<{ id: string }[]>`
    SELECT id FROM sandbox_processor.paypal_dispute WHERE account = ${side.clientId}`
  const body = { adjudication_outcome: outcome }
  await callPaypal(shop, side, `/v1/customer/disputes/${found(row).id}/adjudicate`, body)
  await until(async () => expect(await disputes()).toEqual([{ attention: null, status, ...dispute }]))
})

interface Posted {
  readonly event: object
  readonly webhookId: string
  /** The body that is sent, if it isn't the one that is signed. */
  readonly sent?: string
  readonly certUrl?: string
  readonly at?: Listener
}

/** Posts an event as PayPal does. Returns the status. */
async function post(accountId: string, { event, webhookId, sent, certUrl, at }: Posted): Promise<number> {
  // With a space, which another JSON text of the same event would not have.
  const body = JSON.stringify(event).replace('{', '{ ')
  const headers = transmissionHeaders(webhookId, body, certUrl ?? `${shop.sandboxUrl}/paypal/certs/1`)
  const response = await fetch(urlOf(accountId, at), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: sent ?? body,
  })
  await response.body?.cancel()
  return response.status
}

let events = 0
const eventOf = (type: string, resource: object) => ({
  id: `WH-${(events += 1)}`,
  event_type: type,
  resource_type: 'any',
  resource,
})

async function orderOf(paymentId: string): Promise<string> {
  const [row] = await shop.database<{ id: string }[]>`
    SELECT processor_payment_intent_id AS id FROM payment.payment WHERE id = ${paymentId}`
  return found(row).id
}

describe('a webhook of PayPal', () => {
  test('is refused if PayPal does not know its signature, for an unknown account, and without a webhook ID', async () => {
    const { accountId, webhookId, merchant } = await openSide(false)
    const other = await openSide(false)
    const event = eventOf('CHECKOUT.ORDER.APPROVED', { id: 'none', purchase_units: [{}] })
    expect(await post(accountId, { event, webhookId })).toBe(200)
    const sent = JSON.stringify({ ...event, id: 'WH-forged' })
    expect(await post(accountId, { event, webhookId, sent })).toBe(400)
    expect(await post(accountId, { event, webhookId: other.webhookId })).toBe(400)
    expect(await post(accountId, { event, webhookId, certUrl: 'https://evil.example/cert' })).toBe(400)
    expect(await post(accountId, { event, webhookId, sent: '{' })).toBe(400)
    expect(await post(crypto.randomUUID(), { event, webhookId })).toBe(404)
    const body = JSON.stringify(event)
    expect((await fetch(urlOf(accountId), { method: 'POST', body })).status).toBe(400)
    const input = { webhookSecret: null }
    dataOf(await shop.call(merchant, 'updatePaymentAccount', { id: accountId, input }))
    expect(await post(accountId, { event, webhookId })).toBe(400)
  })

  test('has effect once, and only as a hint: PayPal is asked about its content', async () => {
    const side = await openSide(false)
    const { paymentId } = await paid(side)
    // The event claims a refund that doesn't exist.
    const event = eventOf('PAYMENT.CAPTURE.REFUNDED', {
      id: 'R1',
      amount: { currency_code: 'USD', value: '1.00' },
      links: [{ rel: 'up', href: `https://x.example/v2/payments/captures/${await captureOf(paymentId)}` }],
    })
    for (let time = 0; time < 3; time += 1)
      expect(await post(side.accountId, { event, webhookId: side.webhookId })).toBe(200)
    expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'SUCCEEDED', refunded: 0, refunds: [] })
    const rows = await shop.database`
      SELECT processed_at IS NOT NULL AS processed FROM payment.webhook_event WHERE account_id = ${side.accountId}`
    expect(rows).toEqual([{ processed: true }])
  })

  test('is answered with 503 while PayPal is not reached, and has its effect when it is sent again', async () => {
    const side = await openSide(false)
    const { paymentId } = await approved(side)
    const event = eventOf('CHECKOUT.ORDER.APPROVED', { id: await orderOf(paymentId), purchase_units: [{}] })
    const at = await listenTo('http://127.0.0.1:1')
    try {
      expect(await post(side.accountId, { event, webhookId: side.webhookId, at })).toBe(503)
    } finally {
      await at.close()
    }
    expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'PROCESSING' })
    // The answer to what the event is about is lost, after its signature was checked.
    const call = 'GET /v2/checkout/orders/:id'
    await callPaypal(shop, side, '/sandbox/troubles', { call, trouble: 'error_before', times: 2 })
    expect(await post(side.accountId, { event, webhookId: side.webhookId })).toBe(503)
    expect(await post(side.accountId, { event, webhookId: side.webhookId })).toBe(200)
    expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'SUCCEEDED' })
  })

  test('of one merchant’s account can’t change another merchant’s payment', async () => {
    const [victim, attacker] = [await openSide(false), await openSide(false)]
    const { paymentId } = await approved(victim)
    const event = eventOf('CHECKOUT.ORDER.APPROVED', {
      id: await orderOf(paymentId),
      purchase_units: [{ custom_id: paymentId }],
    })
    expect(await post(attacker.accountId, { event, webhookId: attacker.webhookId })).toBe(200)
    expect(await post(victim.accountId, { event, webhookId: attacker.webhookId })).toBe(400)
    expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'PROCESSING' })
    expect(await post(victim.accountId, { event, webhookId: victim.webhookId })).toBe(200)
    expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'SUCCEEDED' })
  })

  test.each(['duplicate', 'late'])('that is %s by the sandbox is acted on once', async (trouble) => {
    const side = await openSide(true)
    await callPaypal(shop, side, '/sandbox/troubles', { call: 'webhook', trouble })
    const { paymentId } = await approved(side)
    await until(async () => expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'SUCCEEDED' }))
    expect(await capturesOf(shop, paymentId)).toHaveLength(1)
  })
})
