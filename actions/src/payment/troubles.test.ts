import express from 'express'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { listen, type Listener } from '../http/listen.ts'
import { manualProcessor } from '../processors/index.ts'
import { connectStripe } from '../processors/stripe/connect-stripe.ts'
import { webhookOptions } from '../start-actions.ts'
import { paidOrder } from '../testing/paid-order.ts'
import {
  dataOf,
  found,
  openTestShop,
  silent,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import { reconcilePayments } from './reconciliation.ts'
import { paymentWebhooks } from './webhooks.ts'

/** Milliseconds: long enough for an answer of the sandbox, and shorter than a late one. */
const processorTimeout = 600

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop({ processorTimeout })
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const operator = 'sk_test_sandbox'

const ask = (method: string, body: Record<string, string>, account = operator) =>
  fetch(`${shop.sandboxUrl}/sandbox/troubles`, {
    method,
    headers: { authorization: `Bearer ${account}` },
    body: new URLSearchParams(body),
  })

/** The next calls of this kind have the trouble. */
async function plan(call: string, trouble: string, times = 1, account = operator): Promise<void> {
  const response = await ask('POST', { call, trouble, times: String(times) }, account)
  expect(response.status).toBe(200)
}

/** A try, and its repetition by the client. */
const bothTries = 2

const reconcile = () =>
  reconcilePayments({
    database: shop.database,
    processors: [shop.cardProcessor, manualProcessor],
    accounts: shop.accounts,
    after: 0,
    logger: silent,
  })

async function rowsOf(paymentId: string) {
  const [row] = await shop.database`
    SELECT p.status, p.captured_amount::integer AS captured, o.status AS order,
      ARRAY(SELECT r.status FROM payment.refund r WHERE r.payment_id = p.id) AS refunds,
      ARRAY(SELECT d.status || ' ' || d.reason FROM payment.dispute d WHERE d.payment_id = p.id) AS disputes,
      (SELECT count(*)::integer FROM sandbox_processor.payment_intent i
        WHERE i.body #>> '{metadata,payment_id}' = p.id::text) AS charges,
      (SELECT count(*)::integer FROM sandbox_processor.refund r
        WHERE r.body ->> 'payment_intent' = p.processor_payment_intent_id) AS "refundsThere"
    FROM payment.payment p JOIN ordering.order o ON o.merchant_id = p.merchant_id AND o.id = p.order_id
    WHERE p.id = ${paymentId}`
  return found(row)
}

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 15_000, interval: 50 })

const pays = (paymentMethodId: string, more: object = {}) =>
  paidOrder(shop, merchant, [1], { payment: { paymentMethodId, ...more } })

test('cards whose charge gets no good answer are PENDING, and charged once when the reconciler has asked again', async () => {
  const troubles = ['errorBefore', 'errorAfter', 'timeout', 'late']
  const orders = await Promise.all(troubles.map((trouble) => pays(`pm_trouble_${trouble}`)))
  for (const { paymentId } of orders)
    expect(await rowsOf(paymentId)).toMatchObject({ status: 'PENDING', order: 'PENDING' })
  await until(async () => {
    await reconcile()
    for (const { paymentId, total } of orders)
      expect(await rowsOf(paymentId)).toMatchObject({ status: 'SUCCEEDED', captured: total, charges: 1 })
  })
})

describe('a refund', () => {
  test.each(['error_after', 'timeout_before'])(
    'with the trouble %s is PENDING, and made once when the reconciler has asked again',
    async (trouble) => {
      const { paymentId } = await pays('pm_card_visa')
      await plan('POST /v1/refunds', trouble, bothTries)
      const input = { amount: 100, reason: 'Test' }
      dataOf(await shop.call(merchant, 'refundPayment', { id: paymentId, input }))
      expect(await rowsOf(paymentId)).toMatchObject({ refunds: ['PENDING'] })
      await until(async () => {
        await reconcile()
        expect(await rowsOf(paymentId)).toMatchObject({ refunds: ['SUCCEEDED'], refundsThere: 1 })
      })
      expect(await rowsOf(paymentId)).toMatchObject({ status: 'PARTIALLY_REFUNDED' })
    },
  )

  test('that is refused has FAILED, and is made when it is retried', async () => {
    const { paymentId } = await pays('pm_card_visa')
    await plan('POST /v1/refunds', 'refuse')
    const input = { amount: 100, reason: 'Test' }
    const { refundId } = dataOf(await shop.call(merchant, 'refundPayment', { id: paymentId, input }))
    expect(await rowsOf(paymentId)).toMatchObject({ refunds: ['FAILED'], refundsThere: 0 })
    dataOf(await shop.call(merchant, 'retryRefund', { id: refundId }))
    expect(await rowsOf(paymentId)).toMatchObject({ refunds: ['SUCCEEDED'], refundsThere: 1 })
  })
})

test('reserved money is taken once, although the capture was answered with an error', async () => {
  const { paymentId } = await pays('pm_card_visa', { captureMethod: 'MANUAL' })
  await plan('POST /v1/payment_intents/:id/capture', 'error_after', bothTries)
  await shop.call(merchant, 'capturePayment', { id: paymentId, amount: 100 })
  await until(async () => {
    await reconcile()
    expect(await rowsOf(paymentId)).toMatchObject({ status: 'SUCCEEDED', captured: 100, order: 'CONFIRMED' })
  })
})

test('a processor that answers no question for a while is asked again', async () => {
  const { paymentId } = await pays('pm_card_visa', { captureMethod: 'MANUAL' })
  await plan('GET /v1/payment_intents/:id', 'error_before', bothTries)
  await reconcile()
  expect(await rowsOf(paymentId)).toMatchObject({ status: 'PROCESSING' })
  dataOf(await shop.call(merchant, 'capturePayment', { id: paymentId }))
  expect(await rowsOf(paymentId)).toMatchObject({ status: 'SUCCEEDED' })
})

describe('troubles', () => {
  test('are asked for by account and call, and can be ended', async () => {
    for (const wrong of [
      { call: 'GET /v1/nowhere', trouble: 'late' },
      { call: 'POST /v1/refunds', trouble: 'lose' },
      { call: 'webhook', trouble: 'error_after' },
    ])
      expect((await ask('POST', wrong)).status).toBe(400)
    await plan('GET /v1/refunds', 'refuse', 10)
    const stripe = (secretKey: string) => connectStripe({ secretKey, apiUrl: shop.sandboxUrl })
    const list = (secretKey: string) => stripe(secretKey).refunds.list({ payment_intent: 'pi_1' })
    await expect(list(operator)).rejects.toMatchObject({ statusCode: 400 })
    expect((await list('sk_test_sandbox_other')).data).toEqual([])
    await ask('DELETE', {})
    expect((await list(operator)).data).toEqual([])
  })
})

describe('webhooks', () => {
  const account = 'sk_test_sandbox_troubles'
  const stripe = () => connectStripe({ secretKey: account, apiUrl: shop.sandboxUrl })
  let listener: Listener
  /** The refunds that were told of, as they came in. */
  const told: string[] = []
  beforeAll(async () => {
    const { secretBox, sandboxUrl, database } = shop
    const options = { cardProcessor: null, secretBox, endpoints: { sandbox: sandboxUrl }, logger: silent }
    const app = express().use('/webhooks', (request, _response, next) => {
      request.on('data', (chunk: Buffer) =>
        told.push(...(/"id":\s*"(re_\w+)"/.exec(String(chunk))?.slice(1) ?? [])),
      )
      next()
    })
    app.use('/webhooks', paymentWebhooks(webhookOptions(options, database)))
    listener = await listen(app, { port: 0 })
    merchant = await shop.createMerchant()
    await shop.database`
      INSERT INTO payment.payment_option (merchant_id, method, name) VALUES (${merchant.merchantId}, 'SEPA_DEBIT', 'Debit')`
    const input = { processor: 'STRIPE', secretKey: account }
    const { paymentAccountId: id } = dataOf(await shop.call(merchant, 'connectPaymentAccount', { input }))
    const { secret: webhookSecret } = await stripe().webhookEndpoints.create({
      url: `${listener.url}/webhooks/stripe/${String(id)}`,
      enabled_events: ['refund.created', 'charge.dispute.created'],
    })
    dataOf(await shop.call(merchant, 'updatePaymentAccount', { id, input: { webhookSecret } }))
  })
  afterAll(() => listener.close())

  /** Gives money back at the processor, as in its dashboard. Returns the refund's id there. */
  async function refundThere(paymentId: string, amount: number): Promise<string> {
    const [row] = await shop.database<{ intent: string }[]>`
      SELECT processor_payment_intent_id AS intent FROM payment.payment WHERE id = ${paymentId}`
    const { id } = await stripe().refunds.create({ payment_intent: found(row).intent, amount })
    return id
  }

  test('that come twice have effect once', async () => {
    const { paymentId } = await pays('pm_card_visa')
    await plan('webhook', 'duplicate', 1, account)
    const refund = await refundThere(paymentId, 100)
    await until(() => {
      expect(told.filter((id) => id === refund)).toHaveLength(2)
      return Promise.resolve()
    })
    await until(async () => expect(await rowsOf(paymentId)).toMatchObject({ refunds: ['SUCCEEDED'] }))
  })

  test('that are late are overtaken, and those that are lost are made up for by the next', async () => {
    const { paymentId } = await pays('pm_card_visa')
    await plan('webhook', 'late', 1, account)
    await plan('webhook', 'lose', 1, account)
    const late = await refundThere(paymentId, 100)
    const lost = await refundThere(paymentId, 110)
    const next = await refundThere(paymentId, 120)
    await until(() => {
      expect(told).toEqual(expect.arrayContaining([next, late]))
      return Promise.resolve()
    })
    expect(told.indexOf(next)).toBeLessThan(told.indexOf(late))
    expect(told).not.toContain(lost)
    await until(async () =>
      expect(await rowsOf(paymentId)).toMatchObject({ refunds: ['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED'] }),
    )
  })

  test('tell of a direct debit that succeeds, and that the customer’s bank takes back', async () => {
    const { paymentId } = await pays('pm_disputed_de', { method: 'SEPA_DEBIT' })
    expect(await rowsOf(paymentId)).toMatchObject({ status: 'PROCESSING' })
    await until(async () =>
      expect(await rowsOf(paymentId)).toMatchObject({
        status: 'SUCCEEDED',
        order: 'CONFIRMED',
        disputes: ['LOST debit_not_authorized'],
      }),
    )
  })
})
