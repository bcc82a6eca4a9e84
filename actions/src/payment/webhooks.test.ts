import express from 'express'
import fc from 'fast-check'
import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { listen, type Listener } from '../http/listen.ts'
import { connectStripe } from '../processors/stripe/connect-stripe.ts'
import { webhookOptions } from '../start-actions.ts'
import { expectShopToAddUp } from '../testing/invariants.ts'
import { paidOrder, statusOf } from '../testing/paid-order.ts'
import {
  dataOf,
  found,
  openTestShop,
  silent,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import { paymentWebhooks } from './webhooks.ts'

let shop: TestShop
let listener: Listener
beforeAll(async () => {
  shop = await openTestShop()
  listener = await listenTo(shop.sandboxUrl)
})

/** The endpoint of webhooks of a platform whose processor is at this address. */
function listenTo(sandbox: string): Promise<Listener> {
  const { cardProcessor, secretBox, database } = shop
  const options = webhookOptions(
    { cardProcessor, secretBox, endpoints: { sandbox }, logger: silent },
    database,
  )
  return listen(express().use('/webhooks', paymentWebhooks(options)), { port: 0 })
}

afterAll(async () => {
  await listener.close()
  await shop.close()
})

interface Side {
  readonly merchant: TestMerchant
  readonly accountId: string
  readonly webhookSecret: string
  /** The merchant's Stripe dashboard. */
  readonly stripe: Stripe
}

let sides = 0
/** @param delivered whether the sandbox sends the account's events, as Stripe does */
async function openSide(delivered: boolean): Promise<Side> {
  const merchant = await shop.createMerchant()
  const secretKey = `sk_test_sandbox_w${process.pid}x${(sides += 1)}`
  const stripe = connectStripe({ secretKey, apiUrl: shop.sandboxUrl })
  const { paymentAccountId } = dataOf(
    await shop.call(merchant, 'connectPaymentAccount', { input: { processor: 'STRIPE', secretKey } }),
  )
  const accountId = String(paymentAccountId)
  const { secret: made } = delivered
    ? await stripe.webhookEndpoints.create({ url: urlOf(accountId), enabled_events: ['*'] })
    : { secret: `whsec_of_the_test_${sides}` }
  const webhookSecret = found(made)
  dataOf(await shop.call(merchant, 'updatePaymentAccount', { id: accountId, input: { webhookSecret } }))
  return { merchant, accountId, webhookSecret, stripe }
}

const urlOf = (accountId: string, at = listener) => `${at.url}/webhooks/stripe/${accountId}`

async function rowOf(paymentId: string) {
  const [row] = await shop.database`
    SELECT p.status, p.refunded_amount::integer AS refunded, p.attention,
      (SELECT array_agg(r.status ORDER BY r.created_at, r.id) FROM payment.refund r WHERE r.payment_id = p.id) AS refunds,
      (SELECT array_agg(d.status) FROM payment.dispute d WHERE d.payment_id = p.id) AS disputes
    FROM payment.payment p WHERE p.id = ${paymentId}`
  return found(row)
}

async function intentOf(paymentId: string): Promise<string> {
  const [row] = await shop.database<{ id: string }[]>`
    SELECT processor_payment_intent_id AS id FROM payment.payment WHERE id = ${paymentId}`
  return found(row).id
}

const pays = ({ merchant }: Side, paymentMethodId: string, more: object = {}) =>
  paidOrder(shop, merchant, [1], { payment: { paymentMethodId, ...more } })

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 15_000, interval: 100 })

describe('a processor’s webhooks record, without the reconciler,', () => {
  test('partial and full refunds that were made in the processor’s dashboard', async () => {
    const side = await openSide(true)
    const { paymentId, orderId } = await pays(side, 'pm_card_visa')
    await side.stripe.refunds.create({ payment_intent: await intentOf(paymentId), amount: 100 })
    await until(async () =>
      expect(await rowOf(paymentId)).toMatchObject({ status: 'PARTIALLY_REFUNDED', refunded: 100 }),
    )
    await side.stripe.refunds.create({ payment_intent: await intentOf(paymentId) })
    await until(async () => expect(await rowOf(paymentId)).toMatchObject({ status: 'REFUNDED' }))
    expect(await statusOf(shop, orderId)).toBe('REFUNDED')
    await expectShopToAddUp(shop.database, side.merchant)
  })

  test('captures and releases that were made in the dashboard', async () => {
    const side = await openSide(true)
    const captured = await pays(side, 'pm_card_visa', { captureMethod: 'MANUAL' })
    const released = await pays(side, 'pm_card_visa', { captureMethod: 'MANUAL' })
    await side.stripe.paymentIntents.capture(await intentOf(captured.paymentId))
    await side.stripe.paymentIntents.cancel(await intentOf(released.paymentId))
    await until(async () => {
      expect(await rowOf(captured.paymentId)).toMatchObject({ status: 'SUCCEEDED' })
      expect(await rowOf(released.paymentId)).toMatchObject({ status: 'CANCELLED' })
    })
    expect(await statusOf(shop, captured.orderId)).toBe('CONFIRMED')
  })

  test('a bank’s later decision: a direct debit that succeeds, and one that fails', async () => {
    const side = await openSide(true)
    const good = await pays(side, 'pm_success_de')
    const bad = await pays(side, 'pm_failed_de')
    await until(async () => {
      expect(await rowOf(good.paymentId)).toMatchObject({ status: 'SUCCEEDED' })
      expect(await rowOf(bad.paymentId)).toMatchObject({ status: 'FAILED' })
    })
    expect(await statusOf(shop, good.orderId)).toBe('CONFIRMED')
    expect(await statusOf(shop, bad.orderId)).toBe('PENDING')
  })

  test('a refund that fails after it had succeeded, which the merchant sees and can retry', async () => {
    const side = await openSide(true)
    const { paymentId } = await pays(side, 'pm_card_refundFail')
    const input = { amount: 100, reason: 'Test' }
    const { refundId } = dataOf(await shop.call(side.merchant, 'refundPayment', { id: paymentId, input }))
    await until(async () =>
      expect(await rowOf(paymentId)).toEqual({
        status: 'SUCCEEDED',
        refunded: 0,
        attention: 'REFUND_FAILED',
        refunds: ['FAILED'],
        disputes: null,
      }),
    )
    await expectShopToAddUp(shop.database, side.merchant)
    dataOf(await shop.call(side.merchant, 'retryRefund', { id: refundId, manually: true }))
    expect(await rowOf(paymentId)).toMatchObject({
      status: 'PARTIALLY_REFUNDED',
      refunded: 100,
      attention: null,
    })
    await expectShopToAddUp(shop.database, side.merchant)
  })

  test('a dispute, which the merchant sees until it is decided', async () => {
    const side = await openSide(true)
    const { paymentId } = await pays(side, 'pm_card_createDispute')
    await until(async () =>
      expect(await rowOf(paymentId)).toMatchObject({ attention: 'DISPUTED', disputes: ['NEEDS_RESPONSE'] }),
    )
    const { data } = await side.stripe.disputes.list({ payment_intent: await intentOf(paymentId) })
    await side.stripe.disputes.update(found(data[0]).id, {
      evidence: { uncategorized_text: 'winning_evidence' },
    })
    await until(async () =>
      expect(await rowOf(paymentId)).toMatchObject({ attention: null, disputes: ['WON'] }),
    )
  })
})

/** Posts an event as Stripe does. Returns the status. */
async function post(
  accountId: string,
  event: object,
  secret: string,
  { timestamp = Math.floor(Date.now() / 1000), at = listener } = {},
): Promise<number> {
  const body = JSON.stringify(event)
  const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp })
  const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
  return (await fetch(urlOf(accountId, at), { method: 'POST', headers, body })).status
}

let events = 0
const eventOf = (type: string, object: object) => ({
  id: `evt_${(events += 1)}`,
  object: 'event',
  type,
  data: { object },
})

describe('a webhook', () => {
  test('is refused with a wrong signature, too late, for an unknown account, or if the account has no secret', async () => {
    const { accountId, webhookSecret, merchant } = await openSide(false)
    const event = eventOf('payment_intent.succeeded', { object: 'payment_intent', id: 'pi_1' })
    const now = Math.floor(Date.now() / 1000)
    expect(await post(accountId, event, webhookSecret)).toBe(200)
    expect(await post(accountId, event, 'whsec_of_another')).toBe(400)
    expect(await post(accountId, event, webhookSecret, { timestamp: now - 3600 })).toBe(400)
    expect(await post(crypto.randomUUID(), event, webhookSecret)).toBe(404)
    expect(await post('x', event, webhookSecret)).toBe(404)
    const unsigned = await fetch(urlOf(accountId), { method: 'POST', body: JSON.stringify(event) })
    expect(unsigned.status).toBe(400)
    dataOf(
      await shop.call(merchant, 'updatePaymentAccount', { id: accountId, input: { webhookSecret: null } }),
    )
    expect(await post(accountId, event, webhookSecret)).toBe(400)
  })

  test('has effect once, and only as a hint: the processor is asked about its content', async () => {
    const side = await openSide(false)
    const { paymentId } = await pays(side, 'pm_card_visa')
    const id = await intentOf(paymentId)
    // The event claims a refund and a failure that don't exist: the processor has neither.
    const event = eventOf('charge.refunded', {
      object: 'refund',
      id: 're_1',
      payment_intent: id,
      amount: 100,
    })
    for (let time = 0; time < 3; time += 1)
      expect(await post(side.accountId, event, side.webhookSecret)).toBe(200)
    expect(await rowOf(paymentId)).toMatchObject({ status: 'SUCCEEDED', refunded: 0, refunds: null })
    const rows = await shop.database`
      SELECT processed_at IS NOT NULL AS processed FROM payment.webhook_event WHERE account_id = ${side.accountId}`
    expect(rows).toEqual([{ processed: true }])
  })

  test('that was recorded without effect, as by a crash, has its effect when it is sent again', async () => {
    const side = await openSide(false)
    const { paymentId } = await pays(side, 'pm_card_visa')
    const refund = await side.stripe.refunds.create({
      payment_intent: await intentOf(paymentId),
      amount: 100,
    })
    const event = eventOf('refund.created', refund)
    await shop.database`
      INSERT INTO payment.webhook_event (merchant_id, account_id, event_id, type)
      VALUES (${side.merchant.merchantId}, ${side.accountId}, ${event.id}, ${event.type})`
    expect(await post(side.accountId, event, side.webhookSecret)).toBe(200)
    expect(await rowOf(paymentId)).toMatchObject({ refunded: 100 })
  })

  test('is answered with 503 while the processor is not reached, and has its effect when it is sent again', async () => {
    const side = await openSide(false)
    const { paymentId } = await pays(side, 'pm_card_visa')
    const refund = await side.stripe.refunds.create({
      payment_intent: await intentOf(paymentId),
      amount: 100,
    })
    const event = eventOf('refund.created', refund)
    const at = await listenTo('http://127.0.0.1:1')
    try {
      expect(await post(side.accountId, event, side.webhookSecret, { at })).toBe(503)
    } finally {
      await at.close()
    }
    expect(await rowOf(paymentId)).toMatchObject({ refunded: 0 })
    expect(await post(side.accountId, event, side.webhookSecret)).toBe(200)
    expect(await rowOf(paymentId)).toMatchObject({ refunded: 100 })
  })

  test('of a refund in the dashboard that is more than what our refunds leave needs attention, and books nothing', async () => {
    const side = await openSide(false)
    const { paymentId } = await pays(side, 'pm_card_visa')
    // One of ours that the processor doesn't know yet.
    await shop.database`
      SELECT payment.begin_refund(${side.merchant.merchantId}, ${paymentId}, 100, 'Test', '{SUCCEEDED}')`
    const refund = await side.stripe.refunds.create({ payment_intent: await intentOf(paymentId) })
    expect(await post(side.accountId, eventOf('refund.created', refund), side.webhookSecret)).toBe(200)
    expect(await rowOf(paymentId)).toMatchObject({
      attention: 'MISMATCH',
      refunded: 0,
      refunds: ['PENDING'],
    })
  })

  test('of one merchant’s account can’t change another merchant’s payment', async () => {
    const [victim, attacker] = [await openSide(false), await openSide(false)]
    const { paymentId } = await pays(victim, 'pm_card_visa', { captureMethod: 'MANUAL' })
    const id = await intentOf(paymentId)
    await victim.stripe.paymentIntents.capture(id)
    const event = eventOf('payment_intent.succeeded', {
      object: 'payment_intent',
      id,
      metadata: { payment_id: paymentId },
    })
    expect(await post(attacker.accountId, event, attacker.webhookSecret)).toBe(200)
    expect(await rowOf(paymentId)).toMatchObject({ status: 'PROCESSING' })
    expect(await post(victim.accountId, event, attacker.webhookSecret)).toBe(400)
    expect(await post(victim.accountId, event, victim.webhookSecret)).toBe(200)
    expect(await rowOf(paymentId)).toMatchObject({ status: 'SUCCEEDED' })
  })

  test('may come in any order, several times and concurrently: the payment ends in the processor’s state', async () => {
    const side = await openSide(false)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 3 }),
        fc.infiniteStream(fc.nat()),
        async (amounts, numbers) => {
          const { paymentId } = await pays(side, 'pm_card_visa')
          const id = await intentOf(paymentId)
          const made = []
          for (const amount of amounts)
            made.push(await side.stripe.refunds.create({ payment_intent: id, amount }))
          const queue = [
            eventOf('payment_intent.succeeded', { object: 'payment_intent', id }),
            ...made.map((refund) => eventOf('refund.created', refund)),
          ].flatMap((event) => [event, event])
          const shuffled = queue
            .map((event) => ({ event, order: numbers.next().value as number }))
            .sort((a, b) => a.order - b.order)
          await Promise.all(shuffled.map(({ event }) => post(side.accountId, event, side.webhookSecret)))
          expect(await rowOf(paymentId)).toMatchObject({
            refunded: amounts.reduce((sum, amount) => sum + amount, 0),
            refunds: amounts.map(() => 'SUCCEEDED'),
          })
        },
      ),
      { numRuns: 8 },
    )
    await expectShopToAddUp(shop.database, side.merchant)
  }, 60_000)
})
