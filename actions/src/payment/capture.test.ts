import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualProcessor, type PaymentProcessor } from '../processors/index.ts'
import { lapseUnpaidOrders } from '../ordering/index.ts'
import { expectShopToAddUp } from '../testing/invariants.ts'
import { paidOrder, statusOf } from '../testing/paid-order.ts'
import {
  dataOf,
  found,
  openTestShop,
  shopper,
  silent,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import { reconcilePayments } from './reconciliation.ts'
import { createRefunder } from './refunds.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const call = (name: string, input: object) => shop.call(merchant, name, input)
const reserved = () => paidOrder(shop, merchant, [1], { payment: { captureMethod: 'MANUAL' } })
const reconcile = (processors: readonly PaymentProcessor[] = [shop.cardProcessor, manualProcessor]) =>
  reconcilePayments({ database: shop.database, processors, after: 0, logger: silent })

async function paymentOf(id: string) {
  const [row] = await shop.database<
    {
      status: string
      captured_amount: string
      capturable_amount: string
      released_amount: string
      authorized: boolean
      attention: string | null
      intent: { status: string; amount_received: number } | null
    }[]
  >`
    SELECT p.status, p.captured_amount, p.capturable_amount, p.released_amount, p.authorized_at IS NOT NULL AND p.capture_before > now() AS authorized, p.attention,
      (SELECT i.body FROM sandbox_processor.payment_intent i WHERE i.id = p.processor_payment_intent_id) AS intent
    FROM payment.payment p WHERE p.id = ${id}`
  return found(row)
}

describe('reserved money', () => {
  test('is not yet a payment, and holds the order until it is captured', async () => {
    const { orderId, paymentId, total } = await reserved()
    expect(await paymentOf(paymentId)).toMatchObject({
      status: 'PROCESSING',
      authorized: true,
      captured_amount: '0',
      intent: { status: 'requires_capture' },
    })
    expect(await statusOf(shop, orderId)).toBe('PENDING')
    const again = { input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa' } }
    expect(await call('processPayment', again)).toMatchObject({ id: 'SVC_BIZ_003' })
    await shop.database`UPDATE inventory.reservation SET expires_at = now() WHERE order_id = ${orderId}`
    await lapseUnpaidOrders(shop.database)
    await reconcile()
    expect(await statusOf(shop, orderId)).toBe('PENDING')
    dataOf(await call('capturePayment', { id: paymentId }))
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'SUCCEEDED', captured_amount: String(total) })
    expect(await statusOf(shop, orderId)).toBe('CONFIRMED')
    await expectShopToAddUp(shop.database, merchant)
  })

  test('can be captured in part: only that part can be refunded', async () => {
    const { paymentId, total } = await reserved()
    const spent = () => shop.database<{ total_spent: string }[]>`
      SELECT total_spent FROM crm.customer_total WHERE customer_id = ${merchant.customerId}`
    expect(await call('capturePayment', { id: paymentId, amount: total + 1 })).toMatchObject({
      errors: [{ field: 'amount', code: 'OUT_OF_RANGE' }],
    })
    const [before] = await spent()
    dataOf(await call('capturePayment', { id: paymentId, amount: 400 }))
    const [after] = await spent()
    expect(Number(after?.total_spent) - Number(before?.total_spent)).toBe(400)
    expect(await paymentOf(paymentId)).toMatchObject({
      captured_amount: '400',
      capturable_amount: String(total - 400),
      released_amount: '0',
      intent: { status: 'requires_capture', amount_received: 400 },
    })
    expect(await call('refundPayment', { id: paymentId, input: { amount: 401, reason: 'x' } })).toMatchObject(
      { errors: [{ field: 'amount' }] },
    )
    dataOf(await call('refundPayment', { id: paymentId, input: { reason: 'x' } }))
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'REFUNDED' })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('is released by voidPayment, and the order can be paid again', async () => {
    const { orderId, paymentId } = await reserved()
    dataOf(await call('voidPayment', { id: paymentId }))
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'CANCELLED', intent: { status: 'canceled' } })
    for (const name of ['voidPayment', 'capturePayment'])
      expect(await call(name, { id: paymentId })).toMatchObject({ errors: [{ field: 'id' }] })
    dataOf(
      await call('processPayment', { input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa' } }),
    )
    expect(await statusOf(shop, orderId)).toBe('CONFIRMED')
  })

  test('of a concurrent capture and cancellation, one wins, and money and order agree', async () => {
    for (let round = 0; round < 6; round++) {
      const { orderId, paymentId } = await reserved()
      await Promise.all([
        call('capturePayment', { id: paymentId }),
        call('cancelOrder', { id: orderId, reason: 'x' }),
      ])
      await reconcile()
      const { status, intent } = await paymentOf(paymentId)
      const order = await statusOf(shop, orderId)
      if (status === 'CANCELLED') {
        expect(intent).toMatchObject({ status: 'canceled' })
        expect(['CANCELLED', 'PENDING']).toContain(order)
      } else {
        expect(intent).toMatchObject({ status: 'succeeded' })
        expect([status, order]).toEqual(
          order === 'CANCELLED' ? ['REFUNDED', 'CANCELLED'] : ['SUCCEEDED', 'CONFIRMED'],
        )
      }
    }
    await expectShopToAddUp(shop.database, merchant)
  })

  test('is released if it is not captured in time, and the order lapses', async () => {
    const { orderId, paymentId } = await reserved()
    await shop.database`UPDATE payment.payment SET capture_before = now() WHERE id = ${paymentId}`
    await shop.database`UPDATE inventory.reservation SET expires_at = now() WHERE order_id = ${orderId}`
    // The processor still reports that it holds the money; the time that it gave first decides.
    await shop.database`
      UPDATE sandbox_processor.payment_intent
      SET body = jsonb_set(body, '{latest_charge,payment_method_details,card,capture_before}', '1')
      WHERE body #>> '{metadata,payment_id}' = ${paymentId}`
    await reconcile()
    await lapseUnpaidOrders(shop.database)
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'CANCELLED' })
    expect(await statusOf(shop, orderId)).toBe('CANCELLED')
    await expectShopToAddUp(shop.database, merchant)
  })

  test('can’t be captured after its time, even before the job has released it', async () => {
    const { orderId, paymentId } = await reserved()
    await shop.database`UPDATE payment.payment SET capture_before = now() WHERE id = ${paymentId}`
    for (const amount of [undefined, 100])
      expect(await call('capturePayment', { id: paymentId, amount })).toMatchObject({
        errors: [{ field: 'id' }],
      })
    expect(await paymentOf(paymentId)).toMatchObject({
      status: 'PROCESSING',
      captured_amount: '0',
      intent: { status: 'requires_capture', amount_received: 0 },
    })
    expect(await statusOf(shop, orderId)).toBe('PENDING')
  })

  test('is captured once by a capture that a crash left on record', async () => {
    const { orderId, paymentId, total } = await reserved()
    await shop.database`UPDATE payment.payment SET capture_requested = amount WHERE id = ${paymentId}`
    await Promise.all([reconcile(), reconcile()])
    expect(await paymentOf(paymentId)).toMatchObject({
      status: 'SUCCEEDED',
      intent: { amount_received: total },
    })
    expect(await statusOf(shop, orderId)).toBe('CONFIRMED')
  })

  test('can be requested by staff only', async () => {
    const { orderId } = await paidOrder(shop, merchant, [1], {
      payment: { paymentMethodId: 'pm_card_chargeDeclined' },
    })
    const input = { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa', captureMethod: 'MANUAL' }
    const session = shopper(merchant, merchant.customerId)
    expect(await shop.call(merchant, 'processPayment', { input }, { session })).toMatchObject({
      errors: [{ field: 'captureMethod' }],
    })
  })
})

describe('a payment whose answer was lost', () => {
  const unanswered: PaymentProcessor = {
    ...manualProcessor,
    name: 'sandbox',
    charge: () => Promise.resolve({ status: 'unknown', cause: null }),
    find: () => Promise.resolve({ status: 'unknown', cause: null }),
  }
  const age = (id: string, hours: number) =>
    shop.database`UPDATE payment.payment SET created_at = now() - make_interval(hours => ${hours}) WHERE id = ${id}`

  test('is shown to the merchant after an hour, until it is answered', async () => {
    const { orderId, paymentId } = await reserved()
    await shop.database`
      UPDATE payment.payment SET status = 'PENDING', authorized_at = NULL, capture_before = NULL WHERE id = ${paymentId}`
    await age(paymentId, 2)
    await reconcile([unanswered, manualProcessor])
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'PENDING', attention: 'UNANSWERED' })
    await reconcile()
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'PROCESSING', attention: null })
    expect(await statusOf(shop, orderId)).toBe('PENDING')
  })

  test.each([
    ['as charged if the processor has it', true, 'SUCCEEDED', 'CONFIRMED'],
    ['as not requested if the processor does not have it', false, 'CANCELLED', 'PENDING'],
  ] as const)('counts after a day %s, and is never charged again', async (_, known, status, order) => {
    const { orderId, paymentId } = await paidOrder(shop, merchant, [1])
    await shop.database`UPDATE ordering.order SET status = 'PENDING' WHERE id = ${orderId}`
    await shop.database`UPDATE inventory.reservation SET status = 'ACTIVE' WHERE order_id = ${orderId}`
    await shop.database`UPDATE payment.payment SET status = 'PENDING', captured_amount = 0 WHERE id = ${paymentId}`
    if (!known)
      await shop.database`DELETE FROM sandbox_processor.payment_intent WHERE body #>> '{metadata,payment_id}' = ${paymentId}`
    await age(paymentId, 24)
    await reconcile()
    expect(await paymentOf(paymentId)).toMatchObject({ status })
    expect(await statusOf(shop, orderId)).toBe(order)
    const intents = await shop.database`
      SELECT 1 FROM sandbox_processor.payment_intent WHERE body #>> '{metadata,payment_id}' = ${paymentId}`
    expect(intents).toHaveLength(known ? 1 : 0)
  })
})

describe('a refund whose answer was lost a day ago', () => {
  /**
   * A refund on record, as a crash leaves it. The processor has deleted the key, but still has the refund if it made
   * one.
   */
  async function lostRefund(done: 'made' | 'never made') {
    const { paymentId } = await paidOrder(shop, merchant, [2])
    const amount = 500
    const [row] = await shop.database<{ id: string; intent: string }[]>`
      SELECT payment.begin_refund(${merchant.merchantId}, ${paymentId}, ${amount}, 'x', '{SUCCEEDED}') ->> 'refundId' AS id,
        (SELECT p.processor_payment_intent_id FROM payment.payment p WHERE p.id = ${paymentId}) AS intent`
    const { id, intent } = found(row)
    if (done === 'made')
      await shop.cardProcessor.refund({ idempotencyKey: id, intentId: intent, amount, currency: 'USD' })
    await shop.database`DELETE FROM sandbox_processor.idempotent_answer WHERE key = ${id}`
    await shop.database`UPDATE payment.refund SET attempted_at = now() - interval '24 hours' WHERE id = ${id}`
    const state = async () => {
      const [refund] = await shop.database`
        SELECT r.status, r.failure_reason, p.attention,
          (SELECT count(*)::integer FROM sandbox_processor.refund s WHERE s.body ->> 'payment_intent' = ${intent}) AS made
        FROM payment.refund r JOIN payment.payment p ON p.id = r.payment_id WHERE r.id = ${id}`
      return found(refund)
    }
    return { id, state }
  }

  test('is found at the processor that made it, and not requested again', async () => {
    const { state } = await lostRefund('made')
    await Promise.all([reconcile(), reconcile()])
    expect(await state()).toMatchObject({ status: 'SUCCEEDED', attention: null, made: 1 })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('fails if the processor did not make it, and is requested again only by retryRefund', async () => {
    const { id, state } = await lostRefund('never made')
    await reconcile()
    await reconcile()
    expect(await state()).toMatchObject({
      status: 'FAILED',
      failure_reason: 'The processor did not answer for a day, and has no such refund',
      attention: 'REFUND_FAILED',
      made: 0,
    })
    dataOf(await call('retryRefund', { id }))
    expect(await state()).toMatchObject({ status: 'SUCCEEDED', attention: null, made: 1 })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('stays on record while the processor does not answer', async () => {
    const { state } = await lostRefund('made')
    const silence: PaymentProcessor = {
      ...shop.cardProcessor,
      findRefund: () => Promise.resolve({ status: 'unknown', cause: null }),
    }
    await reconcile([silence, manualProcessor])
    expect(await state()).toMatchObject({ status: 'PENDING', made: 1 })
  })
})

test('a refund that two requests ask the processor for at once is counted once', async () => {
  const { paymentId } = await paidOrder(shop, merchant, [1])
  const { merchantId } = merchant
  const [begun] = await shop.database<{ id: string }[]>`
    SELECT payment.begin_refund(${merchantId}, ${paymentId}, 100, 'Test', '{SUCCEEDED}') ->> 'refundId' AS id`
  const refundId = found(begun).id
  // Both requests reach the processor before either gets its answer.
  let asked = 0
  let release: () => void = () => undefined
  const bothAsked = new Promise<void>((resolve) => {
    release = resolve
  })
  const processor: PaymentProcessor = {
    ...shop.cardProcessor,
    async refund(request) {
      asked += 1
      if (asked === 2) release()
      await bothAsked
      return shop.cardProcessor.refund(request)
    },
  }
  const complete = createRefunder(shop.database, [processor])
  const answers = await Promise.all([complete(merchantId, refundId), complete(merchantId, refundId)])
  expect(answers.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED'])
  const [payment] = await shop.database`
    SELECT status, refunded_amount::integer, refund_requested_amount::integer FROM payment.payment WHERE id = ${paymentId}`
  expect(payment).toEqual({
    status: 'PARTIALLY_REFUNDED',
    refunded_amount: 100,
    refund_requested_amount: 100,
  })
  await expectShopToAddUp(shop.database, merchant)
})

describe('a refund that the processor refuses', () => {
  test('needs attention, keeps its share of the money, and is made by a retry or by other means', async () => {
    const { orderId, paymentId, total } = await paidOrder(shop, merchant, [2])
    // The processor has already returned all the money.
    const giveBack = (amount: number) => shop.database`
      UPDATE sandbox_processor.payment_intent
      SET body = jsonb_set(body, '{latest_charge,amount_refunded}', to_jsonb(${amount}::bigint))
      WHERE body #>> '{metadata,payment_id}' = ${paymentId}`
    await giveBack(total)
    const input = { amount: 500, reason: 'Test' }
    const { refundId } = dataOf(await call('refundPayment', { id: paymentId, input }))
    const other = dataOf(await call('refundPayment', { id: paymentId, input })).refundId
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'SUCCEEDED', attention: 'REFUND_FAILED' })
    expect(
      await call('refundPayment', { id: paymentId, input: { amount: total - 999, reason: 'x' } }),
    ).toMatchObject({ errors: [{ field: 'amount' }] })
    await giveBack(0)
    dataOf(await call('retryRefund', { id: refundId }))
    expect(await paymentOf(paymentId)).toMatchObject({
      status: 'PARTIALLY_REFUNDED',
      attention: 'REFUND_FAILED',
    })
    dataOf(await call('retryRefund', { id: other, manually: true }))
    expect(await paymentOf(paymentId)).toMatchObject({ attention: null })
    expect(await call('retryRefund', { id: refundId })).toMatchObject({ errors: [{ field: 'id' }] })
    expect(await statusOf(shop, orderId)).toBe('CONFIRMED')
    await expectShopToAddUp(shop.database, merchant)
  })
})
