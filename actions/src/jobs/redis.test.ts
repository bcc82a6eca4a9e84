import { connect } from 'node:net'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSmtpTransport } from '../mail/index.ts'
import { openTestShop, silent, type TestShop } from '../testing/test-shop.ts'
import { startWorkers } from './index.ts'

/** A database of Redis that nothing else uses; it is emptied afterwards. */
const REDIS_URL = process.env['TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379/15'

const isThere = await new Promise<boolean>((resolve) => {
  const { hostname, port } = new URL(REDIS_URL)
  const socket = connect({ host: hostname, port: Number(port || 6379), timeout: 1_000 })
  const answer = (there: boolean) => {
    socket.destroy()
    resolve(there)
  }
  socket.once('connect', () => answer(true))
  socket.once('timeout', () => answer(false))
  socket.once('error', () => answer(false))
})

// The default never needs Redis, so a machine without one has nothing to try here.
describe.skipIf(!isThere)(
  `with Redis${isThere ? '' : ' (skipped: no redis-server is installed)'}, the workers`,
  () => {
    let shop: TestShop
    let redis: Redis
    beforeAll(async () => {
      shop = await openTestShop()
      redis = new Redis(REDIS_URL)
    })
    afterAll(async () => {
      await redis.flushdb()
      redis.disconnect()
      await shop.close()
    })

    test('keep their queue there and purge what has expired', async () => {
      const merchant = await shop.createMerchant()
      await shop.database`
      INSERT INTO platform.idempotency_record (merchant_id, key, operation, fingerprint, response, expires_at)
      VALUES (${merchant.merchantId}, 'old', 'createOrder', '', '{}', now())`
      const workers = await startWorkers({
        databaseUrl: shop.databaseUrl,
        redisUrl: REDIS_URL,
        processors: [shop.cardProcessor],
        secretBox: shop.secretBox,
        mailer: createSmtpTransport('smtp://127.0.0.1:9'),
        unsubscribeUrl: 'http://127.0.0.1:9/unsubscribe',
        intervals: { 'purge-expired': 200 },
        logger: silent,
      })
      try {
        const records = () => shop.database`SELECT 1 FROM platform.idempotency_record WHERE key = 'old'`
        await expect.poll(records, { timeout: 10_000 }).toEqual([])
        expect((await redis.keys('*maintenance*')).length).toBeGreaterThan(0)
      } finally {
        await workers.stop()
      }
    })
  },
)
