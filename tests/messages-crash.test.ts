import { type MailCatcher, startMailCatcher } from '@commerce-graph/actions/testing/mail-catcher'
import { PlatformProcess } from '@commerce-graph/platform/testing'
import postgres from '@commerce-graph/postgres-driver'
import { afterEach, expect, test } from 'vitest'
import type { TestDatabase } from '@commerce-graph/local-postgres/testing'
import { createDemoDatabase } from './support/demo-database.ts'
import { bearer, createClient } from './support/graphql-client.ts'
import { createCustomer, createOrder, createStockedProduct, payload, succeeded } from './support/shop.ts'
import { longTest, longTests } from './support/long-tests.ts'

let database: TestDatabase | undefined
let platform: PlatformProcess | undefined
let catcher: MailCatcher | undefined
afterEach(async () => {
  await platform?.remove()
  await catcher?.close()
  await database?.drop()
})

const patience = { timeout: 120_000, interval: 200 }

test.skipIf(!longTests)(
  longTest('a platform that is killed while it sends confirmations sends one for each paid order'),
  async () => {
    catcher = await startMailCatcher()
    database = await createDemoDatabase()
    platform = await PlatformProcess.create()
    const { mails } = catcher
    // The server accepts the recipient and then does not answer, so that the kill interrupts the SMTP dialogue.
    catcher.answerWith({ kind: 'hang' })
    const env = { SMTP_URL: catcher.url, DATABASE_URL: database.url }
    const ready = await platform.start(env)
    const merchant = createClient(ready.graphqlUrl, bearer(ready.liveKey))
    const product = await createStockedProduct(merchant, 100)
    const customerId = await createCustomer(merchant)
    const orders = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const answer = await createOrder(merchant, customerId, [{ productId: product.id, quantity: 1 }])
        return succeeded(answer).createOrder?.order?.id ?? ''
      }),
    )
    await Promise.all(
      orders.map(async (orderId) =>
        payload(
          await merchant<Record<string, { errors: { field: string; message: string }[] }>>(
            'mutation ($input: PaymentInput!) { processPayment(input: $input) { errors { field message } } }',
            { input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa' } },
          ),
        ),
      ),
    )
    await expect.poll(catcher.begun, patience).toBeGreaterThan(0)
    await platform.kill()
    catcher.answerWith({ kind: 'take' })
    expect(mails).toEqual([])

    await platform.start(env)
    const sql = postgres(ready.databaseUrl, { max: 1 })
    try {
      const deliveries = () => sql<{ subject_key: string; status: string }[]>`
      SELECT subject_key, status FROM email.delivery WHERE customer_id = ${customerId} ORDER BY subject_key`
      await expect
        // The claims of the dead run out by themselves, after seconds.
        .poll(async () => (await deliveries()).map(({ subject_key, status }) => `${subject_key} ${status}`), {
          timeout: 60_000,
          interval: 200,
        })
        .toEqual(orders.map((id) => `${id} SENT`).sort())
    } finally {
      await sql.end()
    }
    // The demo shop sends mails, too.
    const confirmations = mails.filter(({ subject }) => subject.includes('is confirmed'))
    expect(confirmations).toHaveLength(orders.length)
    expect(new Set(confirmations.map(({ subject }) => subject)).size).toBe(orders.length)
  },
  300_000,
)
