import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRetiredProcessor } from '../processors/index.ts'
import { paidOrder } from '../testing/paid-order.ts'
import { found, openTestShop, silent, type TestMerchant, type TestShop } from '../testing/test-shop.ts'
import { createCashier } from './cashier.ts'
import { getPayment } from './payments.ts'
import { reconcilePayments } from './reconciliation.ts'
import { createRefunder } from './refunds.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

const processors = [createRetiredProcessor('sandbox')]

const statusOf = async (paymentId: string): Promise<string> =>
  (await getPayment(shop.database, merchant.merchantId, paymentId)).status

test('money that a removed processor holds can’t be captured: the payment fails and says why', async () => {
  const { paymentId } = await paidOrder(shop, merchant, [1], { payment: { captureMethod: 'MANUAL' } })
  expect(await statusOf(paymentId)).toBe('PROCESSING')
  await shop.database`UPDATE payment.payment SET capture_requested = amount WHERE id = ${paymentId}`
  const payment = await getPayment(shop.database, merchant.merchantId, paymentId)
  await createCashier(shop.database, processors).collect(payment, 'maybe')
  const [row] = await shop.database`
    SELECT status, captured_amount::integer, failure_reason FROM payment.payment WHERE id = ${paymentId}`
  expect(row).toMatchObject({
    status: 'FAILED',
    captured_amount: 0,
    failure_reason: expect.stringContaining('sandbox, which moved no money') as unknown,
  })
})

test('a refund by a removed processor fails and says why, and its open payments end', async () => {
  const { paymentId } = await paidOrder(shop, merchant, [1])
  const waiting = await paidOrder(shop, merchant, [1], { payment: { captureMethod: 'MANUAL' } })
  const [begun] = await shop.database<{ id: string }[]>`
    INSERT INTO payment.refund (merchant_id, payment_id, amount, reason, processor)
    VALUES (${merchant.merchantId}, ${paymentId}, 100, 'Broken', 'sandbox') RETURNING id`
  const refund = createRefunder(shop.database, processors)
  expect(await refund(merchant.merchantId, found(begun).id)).toMatchObject({ status: 'FAILED' })
  const [row] = await shop.database`
    SELECT r.failure_reason, p.attention FROM payment.refund r JOIN payment.payment p ON p.id = r.payment_id
    WHERE r.id = ${found(begun).id}`
  expect(row).toEqual({
    failure_reason: expect.stringContaining('sandbox, which moved no money') as unknown,
    attention: 'REFUND_FAILED',
  })
  await reconcilePayments({ database: shop.database, processors, after: 0, logger: silent })
  expect(await statusOf(waiting.paymentId)).toBe('FAILED')
})
