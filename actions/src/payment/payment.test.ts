import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ChargeAnswer,
  createStripeProcessor,
  manualProcessor,
  type PaymentProcessor,
} from '../processors/index.ts'
import { expectShopToAddUp } from '../testing/invariants.ts'
import {
  address,
  createCustomer,
  dataOf,
  found,
  openTestShop,
  shopper,
  silent,
  staff,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import type { Queryable } from '../database.ts'
import { overlap } from '../testing/overlap.ts'
import { actionsByDomain } from '../start-actions.ts'
import { createTokenIssuer } from '@commerce-graph/access-tokens'
import { beginPayment } from './payments.ts'
import { reconcilePayments } from './reconciliation.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

async function newOrder(price = 1999): Promise<string> {
  const product = await shop.createProduct(merchant, { price, stock: [5] })
  const items = [{ productId: product.id, quantity: 1 }]
  const input = { customerId: merchant.customerId, items, shippingAddress: address }
  return String(dataOf(await shop.call(merchant, 'createOrder', { input })).orderId)
}

const pay = (orderId: string, paymentMethodId: string, more: object = {}, options: object = {}) =>
  shop.call(
    merchant,
    'processPayment',
    { input: { orderId, method: 'CARD', paymentMethodId, ...more } },
    options,
  )

async function statusesOf(orderId: string) {
  const [row] = await shop.database`
    SELECT o.status AS order, r.status AS reservation, (
      SELECT array_agg(p.status ORDER BY p.created_at) FROM payment.payment p WHERE p.order_id = o.id
    ) AS payments
    FROM ordering.order o JOIN inventory.reservation r ON r.order_id = o.id WHERE o.id = ${orderId}`
  return found(row)
}

async function chargedIntents(orderId: string) {
  const rows = await shop.database`
    SELECT 1 FROM sandbox_processor.payment_intent
    WHERE body #>> '{metadata,order_id}' = ${orderId} AND body ->> 'status' = 'succeeded'`
  return rows.length
}

const reconcile = (processors: readonly PaymentProcessor[] = [shop.cardProcessor, manualProcessor]) =>
  reconcilePayments({ database: shop.database, processors, after: 0, logger: silent })

describe('a valid card', () => {
  test('confirms the order, commits its stock, counts its units and shows the card', async () => {
    const orderId = await newOrder(5_000_000_000)
    const { paymentId, error, requiresAction } = dataOf(await pay(orderId, 'pm_card_mastercard'))
    expect({ error, requiresAction }).toEqual({ error: null, requiresAction: null })
    expect(await statusesOf(orderId)).toEqual({
      order: 'CONFIRMED',
      reservation: 'COMMITTED',
      payments: ['SUCCEEDED'],
    })
    const [payment] = await shop.database`SELECT * FROM payment.payment WHERE id = ${String(paymentId)}`
    expect(payment).toMatchObject({
      amount: '5412500000',
      brand: 'mastercard',
      last4: '4444',
      expiry_month: 12,
      expiry_year: 2034,
    })
    const [product] = await shop.database`
      SELECT p.popularity FROM catalog.product p JOIN ordering.order_item i ON i.product_id = p.id WHERE i.order_id = ${orderId}`
    expect(product).toEqual({ popularity: '1' })
    expect(await pay(orderId, 'pm_card_visa')).toMatchObject({ id: 'SVC_BIZ_003', status: 409 })
  })

  test('is charged once by many concurrent requests', async () => {
    const orderId = await newOrder()
    const answers = await Promise.all(Array.from({ length: 6 }, () => pay(orderId, 'pm_card_visa')))
    expect(answers.filter((answer) => answer.kind === 'done')).toHaveLength(1)
    expect(await chargedIntents(orderId)).toBe(1)
    expect(await statusesOf(orderId)).toMatchObject({ payments: ['SUCCEEDED'] })
  })

  test('is not charged a second time while the first request is in progress', async () => {
    const orderId = await newOrder()
    const begin = (sql: Queryable) =>
      beginPayment(sql, staff(merchant), {
        orderId,
        method: 'CARD',
        amount: null,
        processor: 'sandbox',
        paymentMethodId: 'pm_card_visa',
        returnUrl: null,
        captureMethod: 'AUTOMATIC',
        awaited: false,
      })
    expect(await overlap(shop.database, begin, () => begin(shop.database))).toMatchObject([
      { outcome: 'begun' },
      { outcome: 'payment_open' },
    ])
  })

  test('is charged once by a repeated request with its Idempotency-Key, which gets the same answer', async () => {
    const orderId = await newOrder()
    const options = { idempotencyKey: crypto.randomUUID() }
    const first = await pay(orderId, 'pm_card_visa', {}, options)
    expect(await pay(orderId, 'pm_card_visa', {}, options)).toEqual(first)
    expect(await pay(orderId, 'pm_card_mastercard', {}, options)).toMatchObject({ id: 'SVC_VAL_004' })
    expect(await chargedIntents(orderId)).toBe(1)
  })
})

describe('a card’s number', () => {
  const testCard = '4242424242424242'
  const tables = async () => {
    const found = await shop.database<{ name: string }[]>`
      SELECT format('%I.%I', n.nspname, c.relname) AS name
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema')`
    return found.map(({ name }) => name)
  }

  test.each([testCard, `pm_${testCard}`, '4242 4242 4242 4242', 'visa', ''])(
    'is no id of a payment method: %j is refused with the field’s name',
    async (paymentMethodId) => {
      const answer = await pay(await newOrder(), paymentMethodId)
      expect(answer).toMatchObject({ kind: 'invalid', errors: [{ field: 'paymentMethodId' }] })
    },
  )

  test('is stored nowhere, whatever field it was sent in', async () => {
    const orderId = await newOrder()
    await pay(orderId, testCard)
    await pay(orderId, 'pm_card_visa', {
      returnUrl: `https://shop.example/?${testCard}`,
      paymentMethodId: testCard,
    })
    for (const table of await tables()) {
      const rows = await shop.database.unsafe(`SELECT 1 FROM ${table} t WHERE t::text LIKE '%${testCard}%'`)
      expect({ table, rows: rows.length }).toEqual({ table, rows: 0 })
    }
  })
})

test('an id that the processor does not know fails with a code, and does not echo the id', async () => {
  const orderId = await newOrder()
  const { paymentId } = dataOf(await pay(orderId, 'pm_nobodys'))
  const [payment] = await shop.database`SELECT * FROM payment.payment WHERE id = ${String(paymentId)}`
  expect(payment).toMatchObject({ status: 'FAILED', failure_code: 'resource_missing' })
  expect(String(payment?.['failure_reason'])).not.toContain('nobodys')
})

describe('a declined card', () => {
  const declines = [
    ['pm_card_chargeDeclined', 'card_declined', 'generic_decline'],
    ['pm_card_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card', 'expired_card'],
    ['pm_card_chargeDeclinedFraudulent', 'card_declined', 'fraudulent'],
  ] as const
  test.each(declines)(
    '%s leaves the order PENDING and the payment FAILED with its reason',
    async (card, code, declineCode) => {
      const orderId = await newOrder()
      const { error, paymentId } = dataOf(await pay(orderId, card))
      expect(error).toMatchObject({ code, declineCode })
      expect(await statusesOf(orderId)).toEqual({
        order: 'PENDING',
        reservation: 'ACTIVE',
        payments: ['FAILED'],
      })
      const [payment] =
        await shop.database`SELECT failure_code, decline_code FROM payment.payment WHERE id = ${String(paymentId)}`
      expect(payment).toEqual({ failure_code: code, decline_code: declineCode })
      dataOf(await pay(orderId, 'pm_card_visa'))
      expect(await statusesOf(orderId)).toMatchObject({
        order: 'CONFIRMED',
        payments: ['FAILED', 'SUCCEEDED'],
      })
    },
  )

  test('with an unknown payment method is declined, too', async () => {
    const { error } = dataOf(await pay(await newOrder(), 'pm_card_of_nobody'))
    expect(error).toMatchObject({ code: 'resource_missing' })
  })
})

describe('a card that needs 3-D Secure', () => {
  async function challenged(returnUrl: string | null = null) {
    const orderId = await newOrder()
    const data = dataOf(await pay(orderId, 'pm_card_authenticationRequired', { returnUrl }))
    const action = data.requiresAction as { type: string; clientSecret: string; redirectUrl: string }
    expect(action.clientSecret).not.toBe('')
    expect(await statusesOf(orderId)).toMatchObject({ order: 'PENDING', payments: ['PROCESSING'] })
    return { orderId, paymentId: String(data.paymentId), url: action.redirectUrl }
  }
  const decide = (url: string, outcome: string) =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ outcome }), redirect: 'manual' })
  const confirm = (id: string) => shop.call(merchant, 'confirmPayment', { id })

  test('is paid once the shopper has authenticated', async () => {
    const { orderId, paymentId, url } = await challenged('https://shop.example/thanks')
    expect(dataOf(await confirm(paymentId)).requiresAction).toMatchObject({ redirectUrl: url })
    expect(await (await fetch(url)).text()).toContain('Complete authentication')
    const back = await decide(url, 'complete')
    expect(back.headers.get('location')).toBe('https://shop.example/thanks')
    expect(dataOf(await confirm(paymentId))).toMatchObject({ requiresAction: null, error: null })
    expect(await statusesOf(orderId)).toMatchObject({ order: 'CONFIRMED', payments: ['SUCCEEDED'] })
    expect(dataOf(await confirm(paymentId))).toMatchObject({ error: null })
  })

  test('is FAILED after a failed authentication, and can’t be confirmed at the processor afterwards', async () => {
    const { orderId, paymentId, url } = await challenged()
    await decide(url, 'fail')
    expect(dataOf(await confirm(paymentId)).error).toMatchObject({
      code: 'payment_intent_authentication_failure',
    })
    expect(await statusesOf(orderId)).toMatchObject({ order: 'PENDING', payments: ['FAILED'] })
    const [intent] = await shop.database`
      SELECT body ->> 'status' AS status FROM sandbox_processor.payment_intent WHERE body #>> '{metadata,payment_id}' = ${paymentId}`
    expect(intent).toEqual({ status: 'canceled' })
  })

  test('can be replaced with another card', async () => {
    const { orderId } = await challenged()
    dataOf(await pay(orderId, 'pm_card_visa'))
    expect(await statusesOf(orderId)).toMatchObject({
      order: 'CONFIRMED',
      payments: ['CANCELLED', 'SUCCEEDED'],
    })
  })

  test('counts as paid if the shopper authenticated before the order was cancelled, and is refunded then', async () => {
    const { orderId, url } = await challenged()
    await decide(url, 'complete')
    const { refund } = dataOf(await shop.call(merchant, 'cancelOrder', { id: orderId, reason: 'Too late' }))
    expect(refund).toMatchObject({ status: 'SUCCEEDED' })
    expect(await statusesOf(orderId)).toMatchObject({ order: 'CANCELLED', payments: ['REFUNDED'] })
  })

  test('is settled by the reconciler if it is not confirmed, and given up after the window', async () => {
    const authenticated = await challenged()
    const abandoned = await challenged()
    await decide(authenticated.url, 'complete')
    await shop.database`UPDATE inventory.reservation SET expires_at = now() WHERE order_id = ${abandoned.orderId}`
    await reconcile()
    expect(await statusesOf(authenticated.orderId)).toMatchObject({
      order: 'CONFIRMED',
      payments: ['SUCCEEDED'],
    })
    expect(await statusesOf(abandoned.orderId)).toMatchObject({ payments: ['CANCELLED'] })
  })
})

describe('processPayment refuses', () => {
  test('an amount other than the total, an unknown order, another shopper’s order', async () => {
    const orderId = await newOrder(1000)
    expect(await pay(orderId, 'pm_card_visa', { amount: 1 })).toMatchObject({
      errors: [{ field: 'amount', code: 'INVALID_VALUE' }],
    })
    expect(await pay(crypto.randomUUID(), 'pm_card_visa')).toMatchObject({
      errors: [{ field: 'orderId', code: 'NOT_FOUND' }],
    })
    const stranger = shopper(merchant, await createCustomer(shop.database, merchant.merchantId))
    expect(await pay(orderId, 'pm_card_visa', {}, { session: stranger })).toMatchObject({
      errors: [{ field: 'orderId' }],
    })
    dataOf(
      await pay(
        orderId,
        'pm_card_visa',
        { amount: '1083' },
        { session: shopper(merchant, merchant.customerId) },
      ),
    )
  })

  test.each(['javascript:alert(1)', 'thanks', 'https://shop.example/\0'])(
    '%j as a return URL',
    async (returnUrl) => {
      expect(await pay(await newOrder(), 'pm_card_visa', { returnUrl })).toMatchObject({
        errors: [{ field: 'returnUrl', code: 'INVALID_FORMAT' }],
      })
    },
  )

  test('unknown methods, cash recorded by a shopper, and a card without its token', async () => {
    const input = { orderId: await newOrder(), method: 'PAYPAL' }
    const unsupported = {
      id: 'SVC_BIZ_002',
      status: 402,
      message: 'Payment processing failed: method unsupported',
    }
    expect(await shop.call(merchant, 'processPayment', { input })).toMatchObject(unsupported)
    const session = shopper(merchant, merchant.customerId)
    const cash = { input: { ...input, method: 'CASH' } }
    expect(await shop.call(merchant, 'processPayment', cash, { session })).toMatchObject(unsupported)
    const card = { input: { ...input, method: 'CARD' } }
    expect(await shop.call(merchant, 'processPayment', card)).toMatchObject({
      errors: [{ field: 'paymentMethodId', code: 'REQUIRED_FIELD' }],
    })
    dataOf(await shop.call(merchant, 'processPayment', cash))
  })
})

describe('cancelOrder', () => {
  test('refunds the payment, returns the stock, and gives a repeated request the same answer', async () => {
    const orderId = await newOrder(1000)
    dataOf(await pay(orderId, 'pm_card_visa'))
    const options = { idempotencyKey: crypto.randomUUID() }
    const cancel = () =>
      shop.call(merchant, 'cancelOrder', { id: orderId, reason: 'Changed my mind' }, options)
    const first = await cancel()
    expect(dataOf(first).refund).toMatchObject({ amount: 1083, status: 'SUCCEEDED' })
    expect(await cancel()).toEqual(first)
    expect(await statusesOf(orderId)).toEqual({
      order: 'CANCELLED',
      reservation: 'RELEASED',
      payments: ['REFUNDED'],
    })
    const refunds = await shop.database`
      SELECT r.amount, r.status, r.reason FROM payment.refund r JOIN payment.payment p ON p.id = r.payment_id WHERE p.order_id = ${orderId}`
    expect(refunds).toEqual([{ amount: '1083', status: 'SUCCEEDED', reason: 'Changed my mind' }])
    await expectShopToAddUp(shop.database, merchant)
  })
})

describe('after a crash', () => {
  /** The state that a dying process leaves: the processor was called (or not), and its answer is not recorded. */
  async function crash(orderId: string, card: string, asked: boolean): Promise<void> {
    const request = {
      orderId,
      captureMethod: 'AUTOMATIC',
      awaited: false,
      method: 'CARD',
      amount: null,
      processor: 'sandbox',
      paymentMethodId: card,
      returnUrl: null,
    } as const
    const begun = await beginPayment(shop.database, staff(merchant), request)
    if (begun.outcome !== 'begun') throw new Error(begun.outcome)
    if (!asked) return
    const [order] = await shop.database<
      { total: string }[]
    >`SELECT total FROM ordering.order WHERE id = ${orderId}`
    await shop.cardProcessor.charge({
      idempotencyKey: begun.paymentId,
      amount: Number(found(order).total),
      currency: 'USD',
      method: 'CARD',
      paymentMethodId: card,
      manualCapture: false,
      returnUrl: null,
      metadata: { merchant_id: merchant.merchantId, order_id: orderId, payment_id: begun.paymentId },
    })
  }

  test.each([true, false])(
    'the reconciler settles a payment, charged once (processor asked before: %s)',
    async (asked) => {
      const orderId = await newOrder()
      await crash(orderId, 'pm_card_visa', asked)
      expect(await statusesOf(orderId)).toMatchObject({ order: 'PENDING', payments: ['PENDING'] })
      await Promise.all([reconcile(), reconcile()])
      expect(await statusesOf(orderId)).toMatchObject({ order: 'CONFIRMED', payments: ['SUCCEEDED'] })
      expect(await chargedIntents(orderId)).toBe(1)
    },
  )

  test('an order whose payment has no answer can’t be paid again, cancelled, modified or lapse', async () => {
    const orderId = await newOrder()
    await crash(orderId, 'pm_card_chargeDeclined', true)
    const refused = { id: 'SVC_BIZ_003', status: 409 }
    expect(await pay(orderId, 'pm_card_visa')).toMatchObject(refused)
    expect(await shop.call(merchant, 'cancelOrder', { id: orderId, reason: 'x' })).toMatchObject(refused)
    expect(
      await shop.call(merchant, 'modifyOrder', { id: orderId, modifications: { notes: 'x' } }),
    ).toMatchObject(refused)
    await reconcile()
    expect(await statusesOf(orderId)).toMatchObject({ order: 'PENDING', payments: ['FAILED'] })
    dataOf(await pay(orderId, 'pm_card_visa'))
  })

  test('a refund that was only on record is made once', async () => {
    const orderId = await newOrder()
    dataOf(await pay(orderId, 'pm_card_visa'))
    await shop.database`
      SELECT ordering.cancel_order(${merchant.merchantId}, ${orderId}, NULL, 'x', '{CONFIRMED}', 'CANCELLED', '{SUCCEEDED}')`
    await Promise.all([reconcile(), reconcile()])
    expect(await statusesOf(orderId)).toMatchObject({ order: 'CANCELLED', payments: ['REFUNDED'] })
    const refunds = await shop.database`
      SELECT r.status FROM sandbox_processor.refund x, sandbox_processor.payment_intent i, payment.refund r
      WHERE i.body #>> '{metadata,order_id}' = ${orderId} AND x.body ->> 'payment_intent' = i.id AND r.processor_refund_id = x.id`
    expect(refunds).toEqual([{ status: 'SUCCEEDED' }])
  })

  test('a processor that does not answer leaves the payment PENDING, and the reconciler asks again later', async () => {
    const orderId = await newOrder()
    const away = createStripeProcessor({
      name: 'sandbox',
      secretKey: 'sk_test_x',
      apiUrl: 'http://127.0.0.1:9',
    })
    const tokenIssuer = createTokenIssuer(shop)
    const domains = actionsByDomain({ cardProcessor: away, files: shop.files }, { ...shop, tokenIssuer })
    const answer = await found(domains.payment?.processPayment).run({
      action: 'processPayment',
      session: staff(merchant),
      input: { input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa' } },
      idempotencyKey: null,
      origin: null,
    })
    expect(dataOf(answer)).toMatchObject({ error: null, requiresAction: null })
    expect(await statusesOf(orderId)).toMatchObject({ payments: ['PENDING'] })
    await reconcile([away, manualProcessor])
    expect(await statusesOf(orderId)).toMatchObject({ payments: ['PENDING'] })
    await reconcile()
    expect(await statusesOf(orderId)).toMatchObject({ order: 'CONFIRMED', payments: ['SUCCEEDED'] })
    await tokenIssuer.close()
  })

  test('an answer that comes after the payment was settled changes nothing', async () => {
    const orderId = await newOrder()
    const late: PaymentProcessor = {
      ...shop.cardProcessor,
      charge: async (request): Promise<ChargeAnswer> => {
        await reconcile()
        return shop.cardProcessor.charge(request)
      },
    }
    const tokenIssuer = createTokenIssuer(shop)
    const domains = actionsByDomain({ cardProcessor: late, files: shop.files }, { ...shop, tokenIssuer })
    const answer = await found(domains.payment?.processPayment).run({
      action: 'processPayment',
      session: staff(merchant),
      input: { input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa' } },
      idempotencyKey: null,
      origin: null,
    })
    dataOf(answer)
    expect(await chargedIntents(orderId)).toBe(1)
    expect(await statusesOf(orderId)).toMatchObject({ order: 'CONFIRMED', payments: ['SUCCEEDED'] })
    await tokenIssuer.close()
  })
})
