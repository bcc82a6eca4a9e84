import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsonOf } from '../database.ts'
import { sampleOccasion } from '../messaging/compose/sample-facts.ts'
import { createSmtpTransport } from '../messaging/transports/index.ts'
import { createService, createStaffMember, everyDay, minute } from '../testing/booking-calendar.ts'
import {
  address,
  dataOf,
  found,
  openTestShop,
  silent,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import { createCashier } from '../payment/index.ts'
import { getPayment } from '../payment/payments.ts'
import type { ChargeAnswer, PaymentProcessor } from '../processors/index.ts'
import { startMailCatcher } from '../testing/mail-catcher.ts'
import { startWorkers, type WorkersOptions } from './index.ts'
import { maintenanceJobs } from './maintenance.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

async function newOrder(): Promise<string> {
  const product = await shop.createProduct(merchant, { stock: [5] })
  const items = [{ productId: product.id, quantity: 1 }]
  const input = { customerId: merchant.customerId, items, shippingAddress: address }
  return String(dataOf(await shop.call(merchant, 'createOrder', { input })).orderId)
}

async function statusOf(orderId: string) {
  const [row] = await shop.database<
    { status: string }[]
  >`SELECT status FROM ordering.order WHERE id = ${orderId}`
  return found(row).status
}

const webhooks = { live: false, refusedNetworks: [], graphqlUrl: 'http://127.0.0.1:9/graphql' } as const

const start = (options: Partial<WorkersOptions> = {}) =>
  startWorkers({
    databaseUrl: shop.databaseUrl,
    processors: [shop.cardProcessor],
    secretBox: shop.secretBox,
    files: shop.files,
    filesUrl: 'http://127.0.0.1:9/files',
    graphqlUrl: 'http://127.0.0.1:9/graphql',
    mailer: createSmtpTransport('smtp://127.0.0.1:9'),
    unsubscribeUrl: 'http://127.0.0.1:9/unsubscribe',
    webhooks,
    intervals: {
      'expire-reservations': 200,
      'reconcile-payments': 200,
      'remind-of-appointments': 200,
      'refresh-rollups': 200,
      'purge-expired': 200,
    },
    reconcileAfter: 0,
    logger: silent,
    ...options,
  })

async function lapsingOrder(): Promise<string> {
  const orderId = await newOrder()
  await shop.database`UPDATE inventory.reservation SET expires_at = now() WHERE order_id = ${orderId}`
  return orderId
}

async function pendingPayment(): Promise<string> {
  const orderId = await newOrder()
  await shop.database`
    INSERT INTO payment.payment (merchant_id, order_id, amount, currency, method, processor, processor_payment_method_id)
    VALUES (${merchant.merchantId}, ${orderId}, 1083, 'USD', 'CARD', 'sandbox', 'pm_card_visa')`
  return orderId
}

describe('the workers', () => {
  test('let unpaid orders lapse, settle payments, remind of appointments and delete expired rows, with Postgres alone', async () => {
    const lapsing = await newOrder()
    const unsettled = await newOrder()
    await shop.database`UPDATE inventory.reservation SET expires_at = now() WHERE order_id = ${lapsing}`
    await shop.database`
      INSERT INTO payment.payment (merchant_id, order_id, amount, currency, method, processor, processor_payment_method_id)
      VALUES (${merchant.merchantId}, ${unsettled}, 1083, 'USD', 'CARD', 'sandbox', 'pm_card_visa')`
    await shop.database`
      INSERT INTO platform.idempotency_record (merchant_id, caller, key, operation, fingerprint, response, expires_at)
      VALUES (${merchant.merchantId}, 'merchant', 'old', 'createOrder', '', '{}', now())`
    const service = await createService(shop, merchant)
    const staffId = await createStaffMember(shop, merchant, {
      services: [service],
      schedule: everyDay('00:00', '24:00'),
    })
    const startTime = minute(new Date(Math.ceil(Date.now() / 60_000 + 60) * 60_000))
    const appointment = { serviceId: service.id, staffId, customerId: merchant.customerId, startTime }
    dataOf(await shop.call(merchant, 'createAppointment', { input: appointment }))
    const workers = await start()
    try {
      await expect
        .poll(() => shop.database`SELECT FROM booking.reminder`, { timeout: 10_000 })
        .toHaveLength(1)
      await expect.poll(() => statusOf(lapsing), { timeout: 10_000 }).toBe('CANCELLED')
      await expect.poll(() => statusOf(unsettled), { timeout: 10_000 }).toBe('CONFIRMED')
      await expect
        .poll(() => shop.database`SELECT 1 FROM platform.idempotency_record WHERE key = 'old'`, {
          timeout: 10_000,
        })
        .toEqual([])
    } finally {
      await workers.stop()
    }
  })

  test('continue after a restart, with one schedule however often they start', async () => {
    const first = await start()
    const second = await start()
    await first.stop()
    const lapsing = await newOrder()
    await shop.database`UPDATE inventory.reservation SET expires_at = now() WHERE order_id = ${lapsing}`
    await expect.poll(() => statusOf(lapsing), { timeout: 10_000 }).toBe('CANCELLED')
    await second.stop()
    const schedules = await shop.database`SELECT count(*)::integer AS schedules FROM bullmq.scheduler`
    expect(schedules).toEqual([{ schedules: maintenanceJobs.length }])
  })

  test('let orders lapse while a processor and a mail server don’t answer', async () => {
    const asked = Promise.withResolvers<undefined>()
    const held = Promise.withResolvers<ChargeAnswer>()
    const charge = () => {
      asked.resolve(undefined)
      return held.promise
    }
    const catcher = await startMailCatcher()
    catcher.answerWith({ kind: 'hang' })
    await shop.database`
      INSERT INTO email.delivery (merchant_id, kind, subject_key, recipient, customer_id, facts)
      VALUES (${merchant.merchantId}, 'STOCK_ALERT', 'hanging', 'a@example.com', ${merchant.customerId},
        ${jsonOf(shop.database, sampleOccasion('STOCK_ALERT').facts)})`
    await Promise.all(Array.from({ length: 12 }, pendingPayment))
    const workers = await start({
      processors: [{ ...shop.cardProcessor, charge }],
      mailer: createSmtpTransport(catcher.url),
      intervals: { 'expire-reservations': 200, 'reconcile-payments': 200, 'deliver-messages': 200 },
    })
    try {
      await asked.promise
      for (let round = 0; round < 3; round += 1) {
        const lapsing = await lapsingOrder()
        await expect.poll(() => statusOf(lapsing), { timeout: 10_000 }).toBe('CANCELLED')
      }
    } finally {
      held.resolve({ status: 'unknown', cause: null })
      await catcher.close()
      await workers.stop()
    }
  })

  test('stop while a job gets no answer, and the log names the job that is cut', async () => {
    const asked = Promise.withResolvers<undefined>()
    const held = Promise.withResolvers<ChargeAnswer>()
    const charge = () => {
      asked.resolve(undefined)
      return held.promise
    }
    await pendingPayment()
    const lines: unknown[] = []
    const workers = await start({
      processors: [{ ...shop.cardProcessor, charge }],
      intervals: { 'reconcile-payments': 200 },
      graceMs: 300,
      logger: pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) }),
    })
    await asked.promise
    await workers.stop()
    held.resolve({ status: 'unknown', cause: null })
    expect(lines).toContainEqual(
      expect.objectContaining({
        jobs: ['reconcile-payments'],
        msg: 'jobs under way are cut, and begin again in another process',
      }),
    )
  })

  test('restore deleted schedules by themselves', async () => {
    const workers = await start({ healEveryMs: 200 })
    try {
      await shop.database`TRUNCATE bullmq.scheduler, bullmq.job CASCADE`
      const lapsing = await lapsingOrder()
      await expect.poll(() => statusOf(lapsing), { timeout: 20_000 }).toBe('CANCELLED')
    } finally {
      await workers.stop()
    }
  })

  test('record when each job last finished', async () => {
    const workers = await start()
    try {
      await expect
        .poll(
          () => shop.database`
            SELECT every FROM platform.job_run WHERE job = 'expire-reservations' AND succeeded_at > now() - interval '1 minute'`,
          { timeout: 10_000 },
        )
        .toEqual([{ every: 200 }])
    } finally {
      await workers.stop()
    }
  })

  test('settle a payment whose answer was lost within seconds, even if an answer may take half a minute', async () => {
    const orderId = await newOrder()
    const lost: PaymentProcessor = {
      ...shop.cardProcessor,
      charge: () => Promise.resolve({ status: 'unknown', cause: null }),
    }
    const cashier = createCashier(shop.database, [lost])
    const [row] = await shop.database<{ id: string }[]>`
      INSERT INTO payment.payment (merchant_id, order_id, amount, currency, method, processor, processor_payment_method_id)
      VALUES (${merchant.merchantId}, ${orderId}, 1083, 'USD', 'CARD', 'sandbox', 'pm_card_visa') RETURNING id`
    await cashier.collect(await getPayment(shop.database, merchant.merchantId, found(row).id), 'maybe')
    const workers = await start({ reconcileAfter: 60 * 60 })
    try {
      await expect.poll(() => statusOf(orderId), { timeout: 10_000 }).toBe('CONFIRMED')
    } finally {
      await workers.stop()
    }
  })

  test('leave a job that keeps failing in the failed set, where operators can see it', async () => {
    const away = { ...shop.cardProcessor, name: 'elsewhere' }
    await shop.database`ALTER FUNCTION operator.purge_sign_ups(integer) RENAME TO purge_sign_ups_away`
    const workers = await startWorkers({
      databaseUrl: shop.databaseUrl,
      processors: [away],
      secretBox: shop.secretBox,
      files: shop.files,
      filesUrl: 'http://127.0.0.1:9/files',
      graphqlUrl: 'http://127.0.0.1:9/graphql',
      mailer: createSmtpTransport('smtp://127.0.0.1:9'),
      unsubscribeUrl: 'http://127.0.0.1:9/unsubscribe',
      webhooks,
      intervals: {
        'expire-reservations': 60_000,
        'reconcile-payments': 60_000,
        'remind-of-appointments': 60_000,
        'expire-points': 60_000,
        'refresh-rollups': 60_000,
        'purge-expired': 60_000,
      },
      logger: silent,
    })
    try {
      await expect
        .poll(
          async () => {
            const [row] = await shop.database<{ failed: number }[]>`
              SELECT count(*)::integer AS failed FROM bullmq.job WHERE state = 'failed' AND failed_reason LIKE '%purge_sign_ups%'`
            return row?.failed
          },
          { timeout: 20_000 },
        )
        .toBeGreaterThan(0)
    } finally {
      await workers.stop()
      await shop.database`ALTER FUNCTION operator.purge_sign_ups_away(integer) RENAME TO purge_sign_ups`
    }
  })
})
