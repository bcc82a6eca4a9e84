import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualProcessor } from '../processors/index.ts'
import { expectShopToAddUp } from '../testing/invariants.ts'
import {
  beginPaypal,
  callPaypal,
  capturesOf,
  decide,
  openPaypalSide,
  paymentRow,
  type PaypalSide,
  placeOrder,
  returnUrl,
} from '../testing/paypal-side.ts'
import { dataOf, found, openTestShop, shopper, silent, type TestShop } from '../testing/test-shop.ts'
import { reconcilePayments } from './reconciliation.ts'

let shop: TestShop
let side: PaypalSide
beforeAll(async () => {
  shop = await openTestShop()
  side = await openPaypalSide(shop)
})
afterAll(() => shop.close())

const confirm = (id: string) => shop.call(side.merchant, 'confirmPayment', { id })

const reconcile = () =>
  reconcilePayments({
    database: shop.database,
    processors: [manualProcessor, shop.cardProcessor],
    accounts: shop.accounts,
    after: 0,
    logger: silent,
  })

/** A payment that the customer has approved and the storefront has confirmed. */
async function paid(more: object = {}, outcome = 'approve') {
  const payment = await beginPaypal(shop, side, more)
  await decide(payment.redirectUrl, outcome)
  return { ...payment, answer: dataOf(await confirm(payment.paymentId)) }
}

describe('a payment at PayPal', () => {
  test('is taken when the customer has approved it and comes back, once', async () => {
    const { paymentId, redirectUrl } = await beginPaypal(shop, side)
    const before = await paymentRow(shop, paymentId)
    expect(before).toMatchObject({ status: 'PROCESSING', processor: 'paypal' })
    const location = found((await decide(redirectUrl, 'approve')) ?? undefined)
    expect(location.startsWith(`${returnUrl}?token=`)).toBe(true)
    expect(await capturesOf(shop, paymentId)).toEqual([])
    await Promise.all([confirm(paymentId), confirm(paymentId), confirm(paymentId)])
    dataOf(await confirm(paymentId))
    expect(await paymentRow(shop, paymentId)).toMatchObject({
      status: 'SUCCEEDED',
      captured: 2164,
      order: 'CONFIRMED',
    })
    expect(await capturesOf(shop, paymentId)).toMatchObject([{ status: 'COMPLETED', value: '21.64' }])
    await expectShopToAddUp(shop.database, side.merchant)
  })

  test('is taken by the reconciler alone', async () => {
    const { paymentId, redirectUrl } = await beginPaypal(shop, side)
    await decide(redirectUrl, 'approve')
    await reconcile()
    expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'SUCCEEDED', order: 'CONFIRMED' })
  })

  test('still waits when the customer cancels at PayPal, and is given up for another attempt', async () => {
    const { orderId, paymentId, redirectUrl } = await beginPaypal(shop, side)
    expect(await decide(redirectUrl, 'cancel')).toMatch(/^https:\/\/shop\.example\.com\/thanks\?token=/)
    expect(dataOf(await confirm(paymentId))).toMatchObject({ requiresAction: { redirectUrl } })
    const input = { orderId, method: 'PAYPAL', returnUrl }
    const again = dataOf(await shop.call(side.merchant, 'processPayment', { input }))
    expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'CANCELLED' })
    // The customer, with the first payment's page still open.
    await decide(redirectUrl, 'approve')
    await reconcile()
    expect(await capturesOf(shop, paymentId)).toEqual([])
    expect(await paymentRow(shop, String(again['paymentId']))).toMatchObject({ status: 'PROCESSING' })
  })

  test('fails with PayPal’s reason when the customer’s card is declined, and the order can be paid again', async () => {
    const { answer, paymentId, orderId } = await paid({}, 'decline')
    expect(answer['error']).toEqual({
      code: 'payment_method_provider_decline',
      message: 'PayPal declined the payment.',
      declineCode: 'instrument_declined',
    })
    expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'FAILED', order: 'PENDING' })
    const input = { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa' }
    expect((await shop.call(side.merchant, 'processPayment', { input })).kind).toBe('done')
  })

  test('is PROCESSING while a bank takes its time, and SUCCEEDED afterwards', async () => {
    const { paymentId } = await paid({}, 'pending')
    expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'PROCESSING', order: 'PENDING' })
    await expect
      .poll(
        async () => {
          await reconcile()
          const { status } = await paymentRow(shop, paymentId)
          return String(status)
        },
        { timeout: 15_000, interval: 200 },
      )
      .toBe('SUCCEEDED')
  })

  test('whose capture is on record to be taken is not given up, although PayPal has not heard of it yet', async () => {
    const { orderId, paymentId, redirectUrl } = await beginPaypal(shop, side)
    await decide(redirectUrl, 'approve')
    // As after a crash between the record and the request.
    await shop.database`UPDATE payment.payment SET approved_at = now() WHERE id = ${paymentId}`
    expect((await shop.call(side.merchant, 'cancelOrder', { id: orderId, reason: 'Test' })).kind).not.toBe(
      'done',
    )
    expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'PROCESSING', order: 'PENDING' })
    await reconcile()
    expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'SUCCEEDED', order: 'CONFIRMED' })
  })
})

test('a payment that is confirmed while its order is cancelled is either taken and on record, or neither', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { orderId, paymentId, redirectUrl } = await beginPaypal(shop, side)
    await decide(redirectUrl, 'approve')
    await Promise.all([
      confirm(paymentId),
      shop.call(side.merchant, 'cancelOrder', { id: orderId, reason: 'Test' }),
      reconcile(),
    ])
    await reconcile()
    const { status } = await paymentRow(shop, paymentId)
    const captures = await capturesOf(shop, paymentId)
    const held = captures.map((capture) => capture.status)
    // A cancellation that comes after the capture gives the money back.
    const possible: Readonly<Record<string, readonly string[]>> = {
      CANCELLED: [],
      SUCCEEDED: ['COMPLETED'],
      REFUNDED: ['REFUNDED'],
    }
    expect(held).toEqual(possible[String(status)])
  }
  await expectShopToAddUp(shop.database, side.merchant)
}, 60_000)

describe('money that is reserved at PayPal', () => {
  const manual = { captureMethod: 'MANUAL' }

  test('is captured in part later, and the rest is let go', async () => {
    const { paymentId } = await paid(manual)
    expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'PROCESSING', authorized: true })
    dataOf(await shop.call(side.merchant, 'capturePayment', { id: paymentId, amount: 1000 }))
    expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'SUCCEEDED', captured: 1000 })
    expect(await capturesOf(shop, paymentId)).toMatchObject([{ status: 'COMPLETED', value: '10.00' }])
  })

  test('is released by voidPayment, and nothing of it can be captured then', async () => {
    const { paymentId } = await paid(manual)
    dataOf(await shop.call(side.merchant, 'voidPayment', { id: paymentId }))
    expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'CANCELLED' })
    expect((await shop.call(side.merchant, 'capturePayment', { id: paymentId })).kind).toBe('invalid')
    expect(await capturesOf(shop, paymentId)).toEqual([])
  })

  test('is either captured or released, not both, if both are asked for at once', async () => {
    const { paymentId } = await paid(manual)
    await Promise.all([
      shop.call(side.merchant, 'capturePayment', { id: paymentId }),
      shop.call(side.merchant, 'voidPayment', { id: paymentId }),
    ])
    await reconcile()
    const captures = await capturesOf(shop, paymentId)
    const { status } = await paymentRow(shop, paymentId)
    expect([captures.length, status]).toEqual(captures.length === 1 ? [1, 'SUCCEEDED'] : [0, 'CANCELLED'])
  })

  test('is not for shoppers', async () => {
    const orderId = await placeOrder(shop, side)
    const [row] = await shop.database<{ id: never }[]>`
      SELECT customer_id AS id FROM ordering.order WHERE id = ${orderId}`
    const input = { orderId, method: 'PAYPAL', returnUrl, ...manual }
    const session = shopper(side.merchant, found(row).id)
    expect(await shop.call(side.merchant, 'processPayment', { input }, { session })).toMatchObject({
      errors: [{ field: 'captureMethod' }],
    })
  })
})

describe('a refund at PayPal', () => {
  test('is of a part, then of the rest', async () => {
    const { paymentId } = await paid()
    const refund = (input: object) =>
      shop.call(side.merchant, 'refundPayment', { id: paymentId, input: { reason: 'Test', ...input } })
    dataOf(await refund({ amount: 164 }))
    expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'PARTIALLY_REFUNDED', refunded: 164 })
    dataOf(await refund({}))
    expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'REFUNDED', refunded: 2164 })
    expect(await capturesOf(shop, paymentId)).toMatchObject([{ status: 'REFUNDED' }])
    await expectShopToAddUp(shop.database, side.merchant)
  })

  test.each([
    ['error_before', 'SUCCEEDED'],
    ['error_after', 'SUCCEEDED'],
    ['refuse', 'FAILED'],
  ])('with the trouble %s is %s in the end, and gives nothing back twice', async (trouble, status) => {
    const { paymentId } = await paid()
    const call = 'POST /v2/payments/captures/:id/refund'
    await callPaypal(shop, side, '/sandbox/troubles', { call, trouble, times: trouble === 'refuse' ? 1 : 2 })
    const input = { amount: 100, reason: 'Test' }
    dataOf(await shop.call(side.merchant, 'refundPayment', { id: paymentId, input }))
    await reconcile()
    const refunded = status === 'SUCCEEDED' ? 100 : 0
    expect(await paymentRow(shop, paymentId)).toMatchObject({ refunds: [status], refunded })
    const [made] = await shop.database<{ sum: string | null }[]>`
      SELECT sum((r #>> '{amount,value}')::numeric * 100)::integer AS sum FROM sandbox_processor.paypal_order o,
        jsonb_array_elements(o.body #> '{purchase_units,0,payments,refunds}') r
      WHERE o.body #>> '{purchase_units,0,custom_id}' = ${paymentId}`
    expect(Number(found(made).sum)).toBe(refunded)
  })
})

test.each([
  ['POST /v2/checkout/orders', 'error_before'],
  ['POST /v2/checkout/orders', 'error_after'],
  ['POST /v2/checkout/orders/:id/capture', 'error_before'],
  ['POST /v2/checkout/orders/:id/capture', 'error_after'],
  ['GET /v2/checkout/orders/:id', 'error_before'],
])('%s with the trouble %s: the payment is taken once in the end', async (call, trouble) => {
  const orderId = await placeOrder(shop, side)
  await callPaypal(shop, side, '/sandbox/troubles', { call, trouble, times: 2 })
  const input = { orderId, method: 'PAYPAL', returnUrl }
  const { paymentId: id } = dataOf(await shop.call(side.merchant, 'processPayment', { input }))
  const paymentId = String(id)
  const { requiresAction } = dataOf(await confirm(paymentId))
  // The order's address comes with the first answer; without it, with the next.
  const known = requiresAction ?? dataOf(await confirm(paymentId))['requiresAction']
  await decide((known as { redirectUrl: string }).redirectUrl, 'approve')
  await confirm(paymentId)
  await reconcile()
  expect(await paymentRow(shop, paymentId)).toMatchObject({ status: 'SUCCEEDED', order: 'CONFIRMED' })
  expect(await capturesOf(shop, paymentId)).toHaveLength(1)
})

describe('an account at PayPal', () => {
  const connect = (input: object) =>
    shop.call(side.merchant, 'connectPaymentAccount', { input: { processor: 'PAYPAL', ...input } })

  test('needs a client ID, and credentials that PayPal takes; Stripe’s has no client ID', async () => {
    const secretKey = 'sandbox_secret'
    expect(await connect({ secretKey })).toMatchObject({
      errors: [{ field: 'clientId', code: 'REQUIRED_FIELD' }],
    })
    expect(await connect({ clientId: 'sandbox_other', secretKey: 'wrong_secret' })).toMatchObject({
      errors: [{ field: 'secretKey' }],
    })
    expect(await connect({ clientId: 'sandbox other', secretKey })).toMatchObject({
      errors: [{ field: 'secretKey' }],
    })
    const input = { processor: 'STRIPE', clientId: 'sandbox_other', secretKey: 'sk_test_sandbox_1' }
    expect(await shop.call(side.merchant, 'connectPaymentAccount', { input })).toMatchObject({
      errors: [{ field: 'clientId' }],
    })
  })

  test('of one merchant has no money of another, and the operator’s takes none once it is disabled', async () => {
    const [one, other] = [await openPaypalSide(shop), await openPaypalSide(shop)]
    for (const owner of [one, other]) {
      const { paymentId, redirectUrl } = await beginPaypal(shop, owner)
      await decide(redirectUrl, 'approve')
      dataOf(await shop.call(owner.merchant, 'confirmPayment', { id: paymentId }))
      const rows = await shop.database<{ account: string }[]>`
        SELECT account FROM sandbox_processor.paypal_order WHERE body #>> '{purchase_units,0,custom_id}' = ${paymentId}`
      expect(rows).toEqual([{ account: owner.clientId }])
      const foreign = owner === one ? other : one
      expect((await shop.call(foreign.merchant, 'confirmPayment', { id: paymentId })).kind).toBe('invalid')
    }
    dataOf(await shop.call(one.merchant, 'disablePaymentAccount', { id: one.accountId }))
    const input = { orderId: await placeOrder(shop, one), method: 'PAYPAL', returnUrl }
    expect(await shop.call(one.merchant, 'processPayment', { input })).toMatchObject({
      details: { code: 'method_unsupported' },
    })
  })
})
