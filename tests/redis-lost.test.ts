import { type MailCatcher, startMailCatcher } from '@commerce-graph/actions/testing/mail-catcher'
import { PlatformProcess } from '@commerce-graph/platform/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { bearer, createClient } from './support/graphql-client.ts'
import { longTest, longTests } from './support/long-tests.ts'
import { hasRedis, RedisProcess } from './support/redis-process.ts'
import { createCustomer, createOrder, createStockedProduct, payload, succeeded } from './support/shop.ts'

const orders = 24

const missing = hasRedis ? '' : ' (skipped: no redis-server is installed)'

describe.skipIf(!hasRedis)(`a Redis that dies and restarts empty${missing}`, () => {
  const started = new AsyncDisposableStack()
  afterEach(() => started.disposeAsync())

  test.skipIf(!longTests)(
    longTest('loses no event: every paid order is confirmed once'),
    async () => {
      const redis = await RedisProcess.start()
      started.defer(() => redis.stop())
      const catcher: MailCatcher = await startMailCatcher()
      started.defer(() => catcher.close())
      const platform = await PlatformProcess.create()
      started.defer(() => platform.remove())
      const ready = await platform.start({ SMTP_URL: catcher.url, REDIS_URL: redis.url })
      const merchant = createClient(ready.graphqlUrl, bearer(ready.liveKey))
      const product = await createStockedProduct(merchant, orders)
      const customerId = await createCustomer(merchant)
      const pay = async () => {
        const answer = await createOrder(merchant, customerId, [{ productId: product.id, quantity: 1 }])
        const orderId = succeeded(answer).createOrder?.order?.id
        payload(
          await merchant<Record<string, { errors: { field: string; message: string }[] }>>(
            'mutation ($input: PaymentInput!) { processPayment(input: $input) { errors { field message } } }',
            { input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa' } },
          ),
        )
      }
      const half = () => Promise.all(Array.from({ length: orders / 2 }, pay))
      await half()
      await redis.stop()
      await redis.start()
      await half()
      const confirmations = () => catcher.mails.filter(({ subject }) => subject.includes('is confirmed'))
      await expect.poll(() => confirmations().length, { timeout: 60_000 }).toBe(orders)
      expect(new Set(confirmations().map(({ subject }) => subject)).size).toBe(orders)
    },
    180_000,
  )
})
