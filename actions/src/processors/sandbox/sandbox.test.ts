import { createTestDatabase, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from './index.ts'

let testDatabase: TestDatabase
beforeAll(async () => {
  testDatabase = await createTestDatabase()
})
afterAll(() => testDatabase.drop())

async function withSandbox<T>(work: (stripe: Stripe, url: string) => Promise<T>): Promise<T> {
  const sandbox = await startSandbox({ port: 0, databaseUrl: testDatabase.url })
  const { hostname, port } = new URL(sandbox.url)
  const stripe = new Stripe('sk_test_1', {
    host: hostname,
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
  })
  try {
    return await work(stripe, sandbox.url)
  } finally {
    await sandbox.stop()
  }
}

const intent = (more: Partial<Stripe.PaymentIntentCreateParams> = {}): Stripe.PaymentIntentCreateParams => ({
  amount: 5000,
  currency: 'usd',
  confirm: true,
  payment_method: 'pm_card_visa',
  metadata: { order_id: '1' },
  ...more,
})

describe('the sandbox, called with Stripe’s own SDK', () => {
  test('keeps its state over a restart', async () => {
    const { id } = await withSandbox((stripe) => stripe.paymentIntents.create(intent()))
    const found = await withSandbox((stripe) => stripe.paymentIntents.retrieve(id))
    expect(found).toMatchObject({ id, status: 'succeeded', amount: 5000, metadata: { order_id: '1' } })
  })

  test('repeats the answer for an idempotency key, declines included, and refuses it with another request', async () => {
    const idempotencyKey = crypto.randomUUID()
    await withSandbox(async (stripe) => {
      const create = (parameters: Stripe.PaymentIntentCreateParams) =>
        stripe.paymentIntents.create(parameters, { idempotencyKey })
      const [first, second] = await Promise.all([create(intent()), create(intent())])
      expect(second.id).toBe(first.id)
      await expect(create(intent({ amount: 1 }))).rejects.toBeInstanceOf(Stripe.errors.StripeIdempotencyError)
    })
  })

  test('shows a charge in full only where it is asked to, in lists too', async () => {
    await withSandbox(async (stripe) => {
      const metadata = { order_id: crypto.randomUUID() }
      const { id, latest_charge: charge } = await stripe.paymentIntents.create(intent({ metadata }))
      expect(charge).toMatch(/^ch_/)
      const whole = await stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] })
      expect(whole.latest_charge).toMatchObject({ id: charge, amount_captured: 5000 })
      const query = `metadata['order_id']:'${metadata.order_id}'`
      const found = await stripe.paymentIntents.search({ query, expand: ['data.latest_charge'] })
      expect(found.data).toMatchObject([{ id, latest_charge: { id: charge } }])
      expect((await stripe.paymentIntents.search({ query })).data).toMatchObject([{ latest_charge: charge }])
    })
  })

  test('declines with Stripe’s errors', async () => {
    await withSandbox(async (stripe) => {
      const declined = stripe.paymentIntents.create(
        intent({ payment_method: 'pm_card_chargeDeclinedFraudulent' }),
      )
      await expect(declined).rejects.toMatchObject({
        type: 'StripeCardError',
        code: 'card_declined',
        decline_code: 'fraudulent',
        statusCode: 402,
      })
    })
  })

  test('confirms an intent that was created without a card, and cancels one that has not succeeded', async () => {
    await withSandbox(async (stripe) => {
      const made = await stripe.paymentIntents.create({ amount: 100, currency: 'usd' })
      expect(made.status).toBe('requires_payment_method')
      const confirmed = await stripe.paymentIntents.confirm(made.id, { payment_method: 'pm_card_amex' })
      expect(confirmed.status).toBe('succeeded')
      await expect(stripe.paymentIntents.cancel(made.id)).rejects.toMatchObject({
        code: 'payment_intent_unexpected_state',
      })
      const other = await stripe.paymentIntents.create({ amount: 100, currency: 'usd' })
      expect((await stripe.paymentIntents.cancel(other.id)).status).toBe('canceled')
    })
  })

  test('refunds in parts, and never more than was charged', async () => {
    await withSandbox(async (stripe) => {
      const { id } = await stripe.paymentIntents.create(intent())
      const refund = await stripe.refunds.create({ payment_intent: id, amount: 2000 })
      expect(refund).toMatchObject({ amount: 2000, status: 'succeeded' })
      await expect(stripe.refunds.create({ payment_intent: id, amount: 3001 })).rejects.toMatchObject({
        statusCode: 400,
      })
      await stripe.refunds.create({ payment_intent: id })
      await expect(stripe.refunds.create({ payment_intent: id })).rejects.toMatchObject({
        code: 'charge_already_refunded',
      })
    })
  })

  test('lists the refunds of an intent with their metadata, one page at most', async () => {
    await withSandbox(async (stripe) => {
      const [{ id }, other] = await Promise.all([
        stripe.paymentIntents.create(intent()),
        stripe.paymentIntents.create(intent()),
      ])
      for (const request of ['a', 'b'])
        await stripe.refunds.create({ payment_intent: id, amount: 1000, metadata: { request } })
      const listed = await stripe.refunds.list({ payment_intent: id })
      expect(listed.data.map(({ metadata }) => metadata?.['request']).toSorted()).toEqual(['a', 'b'])
      expect(listed.has_more).toBe(false)
      expect(await stripe.refunds.list({ payment_intent: id, limit: 1 })).toMatchObject({ has_more: true })
      expect((await stripe.refunds.list({ payment_intent: other.id })).data).toEqual([])
    })
  })

  test('needs the intent’s secret for authentication, and refuses live keys', async () => {
    await withSandbox(async (stripe, url) => {
      const made = await stripe.paymentIntents.create(
        intent({ payment_method: 'pm_card_authenticationRequired' }),
      )
      const body = new URLSearchParams({ outcome: 'complete' })
      const guessed = await fetch(`${url}/authenticate/${made.id}?client_secret=guess`, {
        method: 'POST',
        body,
      })
      expect(guessed.status).toBe(404)
      expect((await stripe.paymentIntents.retrieve(made.id)).status).toBe('requires_action')
      const live = await fetch(`${url}/v1/payment_intents/${made.id}`, {
        headers: { authorization: 'Bearer sk_live_1' },
      })
      expect(live.status).toBe(401)
    })
  })
})
