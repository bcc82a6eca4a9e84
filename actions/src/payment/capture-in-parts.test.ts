import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualProcessor, type PaymentProcessor } from '../processors/index.ts'
import { expectShopToAddUp } from '../testing/invariants.ts'
import { linesOf, paidOrder, statusOf } from '../testing/paid-order.ts'
import { heldByProcessor } from '../testing/processor-books.ts'
import {
  dataOf,
  found,
  openTestShop,
  silent,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import { createCashier, findProcessor } from './cashier.ts'
import { followProcessor } from './follow-processor.ts'
import { getPayment } from './payments.ts'
import { reconcilePayments } from './reconciliation.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const call = (name: string, input: object) => shop.call(merchant, name, input)

/** A card that can be captured once only. */
const onceCaptured = 'pm_card_credit_disableEnterpriseCardFeatures'

const reserved = (paymentMethodId = 'pm_card_visa') =>
  paidOrder(shop, merchant, [1], { payment: { captureMethod: 'MANUAL', paymentMethodId } })

const reconcile = (processor: PaymentProcessor = shop.cardProcessor) =>
  reconcilePayments({
    database: shop.database,
    processors: [processor, manualProcessor],
    after: 0,
    logger: silent,
  })

/** The payment's amounts on record, and what the processor has taken and holds of it. */
async function amountsOf(id: string) {
  const [row] = await shop.database<
    { status: string; captured: number; capturable: number; released: number; taken: number; held: number }[]
  >`
    SELECT p.status, p.captured_amount::integer AS captured, p.capturable_amount::integer AS capturable,
      p.released_amount::integer AS released, (i.body ->> 'amount_received')::integer AS taken,
      (i.body ->> 'amount_capturable')::integer AS held
    FROM payment.payment p JOIN sandbox_processor.payment_intent i ON i.id = p.processor_payment_intent_id
    WHERE p.id = ${id}`
  return found(row)
}

/** What `amountsOf` answers if record and processor agree. */
const agreed = (captured: number, capturable: number, released = 0) => ({
  captured,
  capturable,
  released,
  taken: captured,
  held: capturable,
})

describe('reserved money that is captured in parts', () => {
  test('confirms the order with the first part, and is all taken in the end', async () => {
    const { orderId, paymentId, total } = await reserved()
    dataOf(await call('capturePayment', { id: paymentId, amount: 400 }))
    expect(await statusOf(shop, orderId)).toBe('CONFIRMED')
    expect(await amountsOf(paymentId)).toMatchObject(agreed(400, total - 400))
    dataOf(await call('capturePayment', { id: paymentId, amount: 100 }))
    expect(await amountsOf(paymentId)).toMatchObject(agreed(500, total - 500))
    dataOf(await call('capturePayment', { id: paymentId }))
    expect(await amountsOf(paymentId)).toMatchObject({ status: 'SUCCEEDED', ...agreed(total, 0) })
    const events = await shop.database<{ amount: number }[]>`
      SELECT amount::integer FROM ordering.history_entry
      WHERE order_id = ${orderId} AND type = 'PAYMENT_SUCCEEDED' ORDER BY created_at, id`
    expect(events.map(({ amount }) => amount)).toEqual([400, 100, total - 500])
    await expectShopToAddUp(shop.database, merchant)
  })

  test('can be given back as far as it was taken, before and after the next part', async () => {
    const { orderId, paymentId, total } = await reserved()
    dataOf(await call('capturePayment', { id: paymentId, amount: 400 }))
    dataOf(await call('refundPayment', { id: paymentId, input: { amount: 300, reason: 'x' } }))
    const tooMuch = { id: paymentId, input: { amount: 101, reason: 'x' } }
    expect(await call('refundPayment', tooMuch)).toMatchObject({ errors: [{ field: 'amount' }] })
    dataOf(await call('capturePayment', { id: paymentId }))
    dataOf(await call('refundPayment', tooMuch))
    expect(await amountsOf(paymentId)).toMatchObject({ status: 'PARTIALLY_REFUNDED', ...agreed(total, 0) })
    expect(await statusOf(shop, orderId)).toBe('CONFIRMED')
    await expectShopToAddUp(shop.database, merchant)
  })

  test('is let go, and reported so, by a final capture, and where the card allows one capture only', async () => {
    const [final, once] = [await reserved(), await reserved(onceCaptured)]
    dataOf(await call('capturePayment', { id: final.paymentId, amount: 400, final: true }))
    dataOf(await call('capturePayment', { id: once.paymentId, amount: 400 }))
    for (const { paymentId, total } of [final, once]) {
      expect(await amountsOf(paymentId)).toMatchObject(agreed(400, 0, total - 400))
      for (const name of ['capturePayment', 'voidPayment'])
        expect(await call(name, { id: paymentId })).toMatchObject({ errors: [{ field: 'id' }] })
    }
  })

  test('is let go by voidPayment, and what was taken stays', async () => {
    const { orderId, paymentId, total } = await reserved()
    dataOf(await call('capturePayment', { id: paymentId, amount: 400 }))
    dataOf(await call('voidPayment', { id: paymentId }))
    expect(await amountsOf(paymentId)).toMatchObject({ status: 'SUCCEEDED', ...agreed(400, 0, total - 400) })
    expect(await statusOf(shop, orderId)).toBe('CONFIRMED')
    await expectShopToAddUp(shop.database, merchant)
  })

  test('is bounded by what was reserved, however many parts are asked for at once', async () => {
    const { paymentId, total } = await reserved()
    const part = Math.floor(total / 3)
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        call('capturePayment', { id: paymentId, amount: part + index }),
      ),
    )
    await reconcile()
    const amounts = await amountsOf(paymentId)
    expect(amounts).toMatchObject(agreed(amounts.captured, total - amounts.captured))
    expect(amounts.captured).toBeGreaterThanOrEqual(part)
    expect(await call('capturePayment', { id: paymentId, amount: amounts.capturable + 1 })).toMatchObject({
      errors: [{ field: 'amount', code: 'OUT_OF_RANGE' }],
    })
  })
})

describe('a part that the processor can’t take', () => {
  test('is refused before it is on record, and the money stays reserved', async () => {
    const { paymentId } = await paidOrder(shop, merchant, [1], {
      prices: [40_000],
      currency: 'KWD',
      payment: { captureMethod: 'MANUAL' },
    })
    expect(await call('capturePayment', { id: paymentId, amount: 1234 })).toMatchObject({
      errors: [{ field: 'amount', code: 'INVALID_VALUE' }],
    })
    dataOf(await call('capturePayment', { id: paymentId, amount: 1230 }))
    const refund = { id: paymentId, input: { amount: 1229, reason: 'x' } }
    expect(await call('refundPayment', refund)).toMatchObject({ errors: [{ field: 'amount' }] })
    dataOf(await call('capturePayment', { id: paymentId }))
    expect(await amountsOf(paymentId)).toMatchObject({ status: 'SUCCEEDED' })
  })
})

describe('a further capture', () => {
  const begun = async () => {
    const order = await reserved()
    dataOf(await call('capturePayment', { id: order.paymentId, amount: 400 }))
    // As a crash leaves it, before or after the processor was asked.
    await shop.database`
      UPDATE payment.payment SET capture_requested = 600, capture_final = false WHERE id = ${order.paymentId}`
    return order
  }

  test.each([
    ['before', () => Promise.resolve()],
    [
      'after',
      async (intentId: string, paymentId: string) => {
        await shop.cardProcessor.capture({
          idempotencyKey: `${paymentId}:capture:600`,
          intentId,
          total: 600,
          captured: 400,
          currency: 'USD',
          final: false,
        })
      },
    ],
  ] as const)(
    'that a crash interrupted %s the processor took it is made once by the reconciler',
    async (_, ask) => {
      const { paymentId, total } = await begun()
      const { intentId } = await getPayment(shop.database, merchant.merchantId, paymentId)
      await ask(intentId ?? '', paymentId)
      await Promise.all([reconcile(), reconcile()])
      await reconcile()
      expect(await amountsOf(paymentId)).toMatchObject(agreed(600, total - 600))
    },
  )

  test('keeps other captures and a release waiting while it has no answer', async () => {
    const { paymentId } = await begun()
    expect(await call('capturePayment', { id: paymentId, amount: 100 })).toMatchObject({
      errors: [{ field: 'id' }],
    })
    expect(await call('voidPayment', { id: paymentId })).toMatchObject({ errors: [{ field: 'id' }] })
    dataOf(await call('capturePayment', { id: paymentId, amount: 200 }))
    expect(await amountsOf(paymentId)).toMatchObject({ captured: 600, taken: 600 })
  })

  test('that the processor refuses is over, and says so', async () => {
    const { paymentId, total } = await reserved()
    dataOf(await call('capturePayment', { id: paymentId, amount: 400 }))
    const refusing: PaymentProcessor = {
      ...shop.cardProcessor,
      capture: ({ intentId }) =>
        Promise.resolve({
          status: 'declined',
          intentId,
          card: null,
          decline: { code: 'card_declined', message: 'No.', declineCode: null },
        }),
    }
    await shop.database`UPDATE payment.payment SET capture_requested = 600 WHERE id = ${paymentId}`
    await reconcile(refusing)
    expect(await amountsOf(paymentId)).toMatchObject(agreed(400, total - 400))
    dataOf(await call('capturePayment', { id: paymentId, amount: 100 }))
    expect(await amountsOf(paymentId)).toMatchObject(agreed(500, total - 500))
  })
})

describe('the rest of captured money', () => {
  const partly = async () => {
    const order = await reserved()
    dataOf(await call('capturePayment', { id: order.paymentId, amount: 400 }))
    return order
  }

  test.each([
    [
      'the time of the reservation is over',
      async ({ paymentId }: Awaited<ReturnType<typeof reserved>>) => {
        await shop.database`UPDATE payment.payment SET capture_before = now() WHERE id = ${paymentId}`
      },
      'SUCCEEDED',
    ],
    [
      'the order is cancelled',
      async ({ orderId }: Awaited<ReturnType<typeof reserved>>) => {
        dataOf(await call('cancelOrder', { id: orderId, reason: 'x' }))
      },
      'REFUNDED',
    ],
    [
      'all of it is given back',
      async ({ paymentId }: Awaited<ReturnType<typeof reserved>>) => {
        dataOf(await call('refundPayment', { id: paymentId, input: { reason: 'x' } }))
      },
      'REFUNDED',
    ],
  ] as const)('is let go by the reconciler once %s', async (_, end, status) => {
    const order = await partly()
    await end(order)
    await reconcile()
    expect(await amountsOf(order.paymentId)).toMatchObject({ status, ...agreed(400, 0, order.total - 400) })
    await expectShopToAddUp(shop.database, merchant)
  })

  test.each(['pm_card_visa', 'pm_card_pendingRefund'])(
    'is not taken once the order is cancelled, whether its refund has come back (%s)',
    async (card) => {
      const { orderId, paymentId, total } = await reserved(card)
      dataOf(await call('capturePayment', { id: paymentId, amount: 400 }))
      dataOf(await call('cancelOrder', { id: orderId, reason: 'x' }))
      expect(await call('capturePayment', { id: paymentId })).toMatchObject({ errors: [{ field: 'id' }] })
      await reconcile()
      expect(await amountsOf(paymentId)).toMatchObject(agreed(400, 0, total - 400))
    },
  )

  test('that was asked for before the order was cancelled, and never taken, is not taken later', async () => {
    const { orderId, paymentId, total } = await partly()
    await shop.database`UPDATE payment.payment SET capture_requested = 600 WHERE id = ${paymentId}`
    dataOf(await call('cancelOrder', { id: orderId, reason: 'x' }))
    await reconcile()
    await reconcile()
    expect(await amountsOf(paymentId)).toMatchObject({ status: 'REFUNDED', ...agreed(400, 0, total - 400) })
    expect(await heldByProcessor(shop, 'order_id', orderId)).toBe(0)
  })

  test('that was taken when the order was being cancelled goes back, too', async () => {
    const { orderId, paymentId, total } = await partly()
    const { intentId } = await getPayment(shop.database, merchant.merchantId, paymentId)
    await shop.database`UPDATE payment.payment SET capture_requested = 600 WHERE id = ${paymentId}`
    await shop.cardProcessor.capture({
      idempotencyKey: `${paymentId}:capture:600`,
      intentId: intentId ?? '',
      total: 600,
      captured: 400,
      currency: 'USD',
      final: false,
    })
    dataOf(await call('cancelOrder', { id: orderId, reason: 'x' }))
    await reconcile()
    await reconcile()
    expect(await amountsOf(paymentId)).toMatchObject({ status: 'REFUNDED', ...agreed(600, 0, total - 600) })
    expect(await heldByProcessor(shop, 'order_id', orderId)).toBe(0)
    await expectShopToAddUp(shop.database, merchant)
  })

  test('that is taken after some units were refunded goes back with the last of them', async () => {
    const payment = { captureMethod: 'MANUAL' }
    const { orderId, paymentId, total } = await paidOrder(shop, merchant, [2], { prices: [10_000], payment })
    dataOf(await call('capturePayment', { id: paymentId, amount: total / 2 }))
    const [orderItemId] = await linesOf(shop, orderId)
    const refundUnit = async () => {
      const input = { items: [{ orderItemId, quantity: 1 }], reason: 'x' }
      dataOf(await call('refundOrder', { id: orderId, input }))
    }
    await refundUnit()
    expect(await heldByProcessor(shop, 'order_id', orderId)).toBe(total / 2 - Math.round(total / 4))
    dataOf(await call('capturePayment', { id: paymentId }))
    await refundUnit()
    expect(await heldByProcessor(shop, 'order_id', orderId)).toBe(0)
    expect(await statusOf(shop, orderId)).toBe('REFUNDED')
    await expectShopToAddUp(shop.database, merchant)
  })

  test('is asked for again while the processor does not answer', async () => {
    const { paymentId, total } = await partly()
    await shop.database`UPDATE payment.payment SET capture_before = now() WHERE id = ${paymentId}`
    const silence: PaymentProcessor = {
      ...shop.cardProcessor,
      retrieve: () => Promise.resolve({ status: 'unknown', cause: null }),
      release: () => Promise.resolve({ status: 'unknown', cause: null }),
    }
    await reconcile(silence)
    expect(await amountsOf(paymentId)).toMatchObject(agreed(400, total - 400))
    await shop.database`UPDATE payment.payment SET unanswered_calls = 0 WHERE id = ${paymentId}`
    await reconcile()
    expect(await amountsOf(paymentId)).toMatchObject(agreed(400, 0, total - 400))
  })

  test('is on record as it was captured or released in the processor’s dashboard', async () => {
    const { paymentId, total } = await partly()
    const { intentId } = await getPayment(shop.database, merchant.merchantId, paymentId)
    const capture = (captured: number, made: number) =>
      shop.cardProcessor.capture({
        idempotencyKey: `dashboard:${paymentId}:${made}`,
        intentId: intentId ?? '',
        total: made,
        captured,
        currency: 'USD',
        final: false,
      })
    const follow = async () => {
      const processors = [shop.cardProcessor, manualProcessor]
      const cashier = createCashier(shop.database, processors)
      const payment = await getPayment(shop.database, merchant.merchantId, paymentId)
      await followProcessor(
        { database: shop.database, cashier, processorOf: findProcessor(processors) },
        payment,
      )
    }
    await capture(400, 700)
    await follow()
    expect(await amountsOf(paymentId)).toMatchObject(agreed(700, total - 700))
    await shop.cardProcessor.release(intentId ?? '')
    await follow()
    expect(await amountsOf(paymentId)).toMatchObject(agreed(700, 0, total - 700))
    await expectShopToAddUp(shop.database, merchant)
  })
})

test('points are earned by parts as by the whole', async () => {
  await shop.database`
    INSERT INTO crm.loyalty_program (merchant_id, enabled, earn_points, earn_amount)
    VALUES (${merchant.merchantId}, true, 1, 300)
    ON CONFLICT (merchant_id) DO UPDATE SET enabled = true, earn_points = 1, earn_amount = 300`
  const { paymentId, total } = await reserved()
  for (const amount of [250, 250, undefined]) dataOf(await call('capturePayment', { id: paymentId, amount }))
  const [earned] = await shop.database`
    SELECT sum(points)::integer AS points FROM crm.loyalty_entry WHERE payment_id = ${paymentId} AND type = 'EARNED'`
  expect(earned).toEqual({ points: Math.floor(total / 300) })
})
