import { describe, expect, test } from 'vitest'
import { exercisePaypalClient } from '../../../testing/exercise-paypal-client.ts'
import { readPaypalDocuments } from '../../../testing/paypal-documents.ts'
import { callPaypal } from '../../../testing/paypal-side.ts'
import { openRecordedSandbox } from '../../../testing/recorded-sandbox.ts'

/** The folder `openapi` of PayPal's repository paypal/paypal-rest-api-specifications. */
const folder = process.env['PAYPAL_OPENAPI']

describe.skipIf(folder === undefined)(
  `PayPal’s OpenAPI documents${folder === undefined ? ' (skipped: PAYPAL_OPENAPI does not name them)' : ''}`,
  () => {
    test('describe every request of our client and every answer and event of the sandbox', async () => {
      await using recorded = await openRecordedSandbox()
      const { sandbox, proxy, database } = recorded
      const documents = readPaypalDocuments(folder ?? '')
      const webhook = { url: `${sandbox.url}/nowhere`, event_types: [{ name: '*' }] }
      const account = { clientId: 'sandbox_exercise' }
      await callPaypal({ sandboxUrl: proxy.url }, account, '/v1/notifications/webhooks', webhook)
      await exercisePaypalClient(proxy.url)
      const faults = proxy.exchanges
        .map((exchange) => ({ ...exchange, path: exchange.path.replace(/^\/paypal/, '') }))
        // The token's endpoint is in none of the documents, as it is of OAuth.
        .filter(({ path }) => path !== '/v1/oauth2/token')
        .flatMap((exchange) => documents.faultsOf(exchange))
      const events = await database<{ body: { resource_type: string; resource: unknown } }[]>`
        SELECT body FROM sandbox_processor.event`
      for (const { body } of events) faults.push(...documents.faultsOfEvent(body))
      expect([...new Set(faults)]).toEqual([])
      expect(events.length).toBeGreaterThan(6)
      expect(proxy.exchanges.length).toBeGreaterThan(30)
    }, 60_000)
  },
)
