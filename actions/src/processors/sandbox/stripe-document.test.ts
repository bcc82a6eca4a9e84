import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { exerciseStripeClient } from '../../testing/exercise-stripe-client.ts'
import { openRecordedSandbox } from '../../testing/recorded-sandbox.ts'
import { readStripeDocument } from '../../testing/stripe-document.ts'
import { connectStripe } from '../stripe/connect-stripe.ts'

/** openapi/spec3.json of Stripe's repository stripe/openapi. */
const file = process.env['STRIPE_OPENAPI']

describe.skipIf(file === undefined)(
  `Stripe’s OpenAPI document${file === undefined ? ' (skipped: STRIPE_OPENAPI does not name it)' : ''}`,
  () => {
    test('describes every request of our client and every answer and event of the sandbox', async () => {
      await using recorded = await openRecordedSandbox()
      const { proxy, database } = recorded
      const document = readStripeDocument(file ?? '')
      await useDashboard(connectStripe({ secretKey: 'sk_test_exercise', apiUrl: proxy.url }), proxy.url)
      await exerciseStripeClient(proxy.url)
      const faults = proxy.exchanges.flatMap((exchange) => document.faultsOf(exchange))
      const events = await database<{ body: Stripe.Event }[]>`SELECT body FROM sandbox_processor.event`
      for (const { body } of events) {
        const { object } = body.data.object as { object: string }
        faults.push(
          ...document.faultsOfObject('event', body),
          ...document.faultsOfObject(object, body.data.object),
        )
      }
      expect([...new Set(faults)]).toEqual([])
      expect(events.length).toBeGreaterThan(10)
    }, 60_000)
  },
)

/** What a merchant does at Stripe, and our client doesn't. */
async function useDashboard(stripe: Stripe, url: string): Promise<void> {
  const { id } = await stripe.webhookEndpoints.create({ url: `${url}/nowhere`, enabled_events: ['*'] })
  expect(id).toMatch(/^we_/)
  const made = await stripe.paymentIntents.create({ amount: 100, currency: 'usd' })
  await stripe.paymentIntents.confirm(made.id, { payment_method: 'pm_card_amex' })
  for (const evidence of ['winning_evidence', null]) {
    const { id: intent } = await stripe.paymentIntents.create({
      amount: 500,
      currency: 'usd',
      confirm: true,
      payment_method: 'pm_card_createDispute',
    })
    const { data } = await stripe.disputes.list({ payment_intent: intent })
    const [dispute] = data
    if (dispute === undefined) throw new Error('The card was not disputed.')
    await (evidence === null
      ? stripe.disputes.close(dispute.id)
      : stripe.disputes.update(dispute.id, { evidence: { uncategorized_text: evidence } }))
  }
}
