import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualProcessor } from '../processors/index.ts'
import { statusOf } from '../testing/paid-order.ts'
import {
  address,
  dataOf,
  found,
  openTestShop,
  shopper,
  silent,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import { reconcilePayments } from './reconciliation.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  merchant = await shop.createMerchant()
})

const offer = (method: string, columns: object = {}) =>
  shop.database`
    INSERT INTO payment.payment_option ${shop.database({
      merchant_id: merchant.merchantId,
      method,
      name: method,
      ...columns,
    })}`

async function newOrder(): Promise<string> {
  const { id: productId } = await shop.createProduct(merchant, { price: 1000, stock: [2] })
  const input = {
    customerId: merchant.customerId,
    items: [{ productId, quantity: 1 }],
    shippingAddress: address,
  }
  return String(dataOf(await shop.call(merchant, 'createOrder', { input })).orderId)
}

const pay = (orderId: string, method: string, more: object = {}) =>
  shop.call(
    merchant,
    'processPayment',
    { input: { orderId, method, ...more } },
    { session: shopper(merchant, merchant.customerId) },
  )

async function paymentOf(id: unknown) {
  const [row] = await shop.database`SELECT * FROM payment.payment WHERE id = ${String(id)}`
  return found(row)
}

/** The methods that a shopper has for a purchase of 1.00. */
async function offered(): Promise<readonly string[]> {
  const rows = await shop.database<{ method: string }[]>`
    SELECT method FROM payment.offered_options(${merchant.merchantId}, NULL, 'USD', 'US', 100) ORDER BY position, method`
  return rows.map(({ method }) => method)
}

const unsupported = { id: 'SVC_BIZ_002', details: { code: 'method_unsupported' } }

describe('a method of payment', () => {
  test.each([
    ['CARD', { paymentMethodId: 'pm_card_visa' }],
    ['APPLE_PAY', { paymentMethodId: 'pm_card_visa' }],
    ['GOOGLE_PAY', { paymentMethodId: 'pm_card_mastercard' }],
    ['PAYPAL', { returnUrl: 'https://shop.example.com/thanks' }],
    ['BANK_TRANSFER', {}],
    ['CASH', {}],
    ['SEPA_DEBIT', { paymentMethodId: 'pm_success_de' }],
    ['INVOICE', {}],
    ['CASH_ON_DELIVERY', {}],
  ])('%s is taken where the merchant offers it, and not where it doesn’t', async (method, more) => {
    const orderId = await newOrder()
    await offer(method, { enabled: false })
    expect(await pay(orderId, method, more)).toMatchObject(unsupported)
    await shop.database`
      UPDATE payment.payment_option SET enabled = true WHERE merchant_id = ${merchant.merchantId}`
    const { paymentId } = dataOf(await pay(orderId, method, more))
    expect((await paymentOf(paymentId))['method']).toBe(method)
  })

  test('is offered for the currencies, countries and totals that the merchant says, and no others', async () => {
    const orderId = await newOrder()
    const total = 1083
    for (const [columns, offered] of [
      [{ currencies: ['EUR'] }, false],
      [{ currencies: ['EUR', 'USD'] }, true],
      [{ countries: ['DE'] }, false],
      [{ countries: ['DE', 'US'] }, true],
      [{ min_amount: total + 1 }, false],
      [{ max_amount: total - 1 }, false],
      [{ min_amount: total, max_amount: total }, true],
    ] as const) {
      await shop.database`DELETE FROM payment.payment_option WHERE merchant_id = ${merchant.merchantId}`
      await offer('INVOICE', columns)
      const answer = await pay(orderId, 'INVOICE')
      expect([columns, answer]).toMatchObject([columns, offered ? { kind: 'done' } : unsupported])
    }
  })

  test('is not offered while the account that takes it is disabled', async () => {
    await shop.database`UPDATE merchant.settings SET accepts_cash = true WHERE merchant_id = ${merchant.merchantId}`
    for (const [position, method] of ['APPLE_PAY', 'SEPA_DEBIT', 'PAYPAL'].entries())
      await offer(method, { position: position + 3 })
    const ofStripe = ['CARD', 'CASH', 'APPLE_PAY', 'SEPA_DEBIT', 'PAYPAL']
    expect(await offered()).toEqual(ofStripe)
    const connect = async (input: object) =>
      dataOf(await shop.call(merchant, 'connectPaymentAccount', { input })).paymentAccountId
    const disable = async (id: unknown) => dataOf(await shop.call(merchant, 'disablePaymentAccount', { id }))
    const stripe = await connect({ processor: 'STRIPE', secretKey: `sk_test_sandbox_offers_${process.pid}` })
    expect(await offered()).toEqual(ofStripe)
    await disable(stripe)
    expect(await offered()).toEqual(['CASH'])
    const clientId = `sandbox_offers_${process.pid}`
    const paypal = await connect({ processor: 'PAYPAL', clientId, secretKey: `${clientId}_secret` })
    expect(await offered()).toEqual(['CASH', 'PAYPAL'])
    expect(await pay(await newOrder(), 'CARD', { paymentMethodId: 'pm_card_visa' })).toMatchObject(
      unsupported,
    )
    await disable(paypal)
    expect(await offered()).toEqual(['CASH'])
  })

  test('without an option is as the settings say, and with one as the option says', async () => {
    expect(await offered()).toEqual(['CARD'])
    await shop.database`
      UPDATE merchant.settings SET accepts_cash = true, accepts_bank_transfer = true
      WHERE merchant_id = ${merchant.merchantId}`
    expect(await offered()).toEqual(['CARD', 'BANK_TRANSFER', 'CASH'])
    await offer('CARD', { position: 9 })
    await offer('CASH', { enabled: false })
    await offer('PAYPAL', { position: 1 })
    expect(await offered()).toEqual(['BANK_TRANSFER', 'PAYPAL', 'CARD'])
  })
})

describe('PayPal', () => {
  test('sends the customer away, and is paid when they come back', async () => {
    await offer('PAYPAL')
    const orderId = await newOrder()
    expect(await pay(orderId, 'PAYPAL')).toMatchObject({
      errors: [{ field: 'returnUrl', code: 'REQUIRED_FIELD' }],
    })
    const answer = dataOf(await pay(orderId, 'PAYPAL', { returnUrl: 'https://shop.example.com/thanks' }))
    const { redirectUrl } = answer['requiresAction'] as { redirectUrl: string }
    const page = await fetch(redirectUrl, {
      method: 'POST',
      body: new URLSearchParams({ outcome: 'complete' }),
      redirect: 'manual',
    })
    expect(page.headers.get('location')).toBe('https://shop.example.com/thanks')
    dataOf(await shop.call(merchant, 'confirmPayment', { id: answer['paymentId'] }))
    expect(await paymentOf(answer['paymentId'])).toMatchObject({ status: 'SUCCEEDED', last4: null })
    expect(await statusOf(shop, orderId)).toBe('CONFIRMED')
  })
})

test('a direct debit is PROCESSING until the bank has decided, and the order waits for it', async () => {
  await offer('SEPA_DEBIT')
  const orderId = await newOrder()
  const { paymentId } = dataOf(await pay(orderId, 'SEPA_DEBIT', { paymentMethodId: 'pm_success_de' }))
  expect(await paymentOf(paymentId)).toMatchObject({ status: 'PROCESSING' })
  await expect
    .poll(
      async () => {
        await reconcilePayments({
          database: shop.database,
          processors: [shop.cardProcessor, manualProcessor],
          after: 0,
          logger: silent,
        })
        return statusOf(shop, orderId)
      },
      { timeout: 10_000 },
    )
    .toBe('CONFIRMED')
})

describe('money from outside', () => {
  test('comes with the merchant’s instructions and a reference that a bank statement shows', async () => {
    await offer('INVOICE', { instructions: 'Pay to DE89 3704 0044 0532 0130 00', payment_minutes: 20_160 })
    const orderId = await newOrder()
    const { paymentId } = dataOf(await pay(orderId, 'INVOICE'))
    const payment = await paymentOf(paymentId)
    expect(payment).toMatchObject({ awaited: true, instructions: 'Pay to DE89 3704 0044 0532 0130 00' })
    const [row] = await shop.database<{ minutes: number; number: string }[]>`
      SELECT round(extract(epoch FROM ordering.payment_due_at(o) - o.created_at) / 60)::int AS minutes, order_number AS number
      FROM ordering.order o WHERE id = ${orderId}`
    expect(found(row).minutes).toBe(20_160)
    expect(payment['reference']).toMatch(/^RF\d\d/)
    expect(payment['reference']).toContain(found(row).number.replace(/\W/g, ''))
    // What was asked of the customer stays when the merchant changes its mind.
    await shop.database`UPDATE payment.payment_option SET instructions = 'Other' WHERE merchant_id = ${merchant.merchantId}`
    expect(await paymentOf(paymentId)).toMatchObject({ instructions: 'Pay to DE89 3704 0044 0532 0130 00' })
  })

  test('has references whose check digits are those of ISO 11649', async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[A-Z0-9-]{1,20}$/), async (text) => {
        fc.pre(/[A-Z0-9]/.test(text))
        const [row] = await shop.database<{ reference: string }[]>`
          SELECT payment.creditor_reference('', ${text}) AS reference`
        const { reference } = found(row)
        const digits = (reference.slice(4) + reference.slice(0, 4)).replaceAll(/./g, (sign) =>
          String(parseInt(sign, 36)),
        )
        expect(BigInt(digits) % 97n).toBe(1n)
        expect(reference.length).toBeLessThanOrEqual(25)
      }),
      { numRuns: 40 },
    )
  })
})
