import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CustomerId } from '@commerce-graph/contract/ids'
import {
  address,
  createCustomer,
  dataOf,
  found,
  openTestShop,
  shopper,
  silent,
  type TestMerchant,
  type TestProduct,
  type TestShop,
} from '../../testing/test-shop.ts'
import { reconcilePayments } from '../reconciliation.ts'

let shop: TestShop
let merchant: TestMerchant
let product: TestProduct
let customerId: CustomerId
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
  product = await shop.createProduct(merchant, { price: 1999, stock: [5000] })
})
beforeEach(async () => {
  customerId = await account(merchant)
})
afterAll(() => shop.close())

async function account(of: TestMerchant): Promise<CustomerId> {
  return createCustomer(shop.database, of.merchantId)
}

const as = (id = customerId, of = merchant) => ({ session: shopper(of, id) })

const save = (paymentMethodId: string, more: object = {}) =>
  shop.call(merchant, 'savePaymentMethod', { input: { paymentMethodId, ...more } }, as())

const saved = async (paymentMethodId = 'pm_card_visa'): Promise<string> =>
  String(dataOf(await save(paymentMethodId))['savedPaymentMethodId'])

interface Row {
  readonly id: string
  readonly status: string
  readonly last4: string | null
  readonly is_default: boolean
  readonly offered: boolean
}

const methods = (of = customerId) => shop.database<Row[]>`
  SELECT id, status, last4, is_default, offered FROM payment.saved_payment_method
  WHERE customer_id = ${of} ORDER BY created_at, id`

async function order(of = customerId): Promise<string> {
  const items = [{ productId: product.id, quantity: 1 }]
  const input = { customerId: of, items, shippingAddress: address }
  return String(dataOf(await shop.call(merchant, 'createOrder', { input }))['orderId'])
}

async function pay(input: object, options: object = as()) {
  const orderId = await order()
  return shop.call(merchant, 'processPayment', { input: { orderId, method: 'CARD', ...input } }, options)
}

async function paymentOf(answer: Awaited<ReturnType<typeof pay>>) {
  const id = String(dataOf(answer)['paymentId'])
  const [row] = await shop.database<{ status: string; last4: string | null; failure_code: string | null }[]>`
    SELECT status, last4, failure_code FROM payment.payment WHERE id = ${id}`
  return { id, ...found(row) }
}

async function decide(answer: Awaited<ReturnType<typeof save>>, outcome: 'complete' | 'fail') {
  const { redirectUrl } = dataOf(answer)['requiresAction'] as { redirectUrl: string }
  expect((await fetch(redirectUrl, { method: 'POST', body: new URLSearchParams({ outcome }) })).status).toBe(
    200,
  )
}

const reconcile = () =>
  reconcilePayments({
    database: shop.database,
    processors: [shop.cardProcessor],
    accounts: shop.accounts,
    after: 0,
    logger: silent,
  })

async function trouble(call: string, kind: string, times = 2) {
  const response = await fetch(`${shop.sandboxUrl}/sandbox/troubles`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk_test_sandbox' },
    body: new URLSearchParams({ call, trouble: kind, times: String(times) }),
  })
  expect(response.ok).toBe(true)
}

const endTroubles = () =>
  fetch(`${shop.sandboxUrl}/sandbox/troubles`, {
    method: 'DELETE',
    headers: { authorization: 'Bearer sk_test_sandbox' },
  })

const attached = (id: string) => shop.database<{ customer: string | null }[]>`
  SELECT m.body ->> 'customer' AS customer FROM sandbox_processor.payment_method m
  JOIN payment.saved_method s ON s.processor_method_id = m.id WHERE s.id = ${id}`

describe('a saved method', () => {
  test('pays orders, and the first is the default', async () => {
    const first = await saved('pm_card_visa')
    const second = await saved('pm_card_amex')
    expect(await methods()).toMatchObject([
      { id: first, status: 'ACTIVE', last4: '4242', is_default: true, offered: true },
      { id: second, status: 'ACTIVE', last4: '8431', is_default: false, offered: true },
    ])
    for (const [id, last4] of [
      [first, '4242'],
      [second, '8431'],
    ])
      expect(await paymentOf(await pay({ savedPaymentMethodId: id }))).toMatchObject({
        status: 'SUCCEEDED',
        last4,
      })
  })

  test('that asks for 3-D Secure is saved when its owner has proved to own it, and pays without asking again', async () => {
    const answer = await save('pm_card_authenticationRequiredOnSetup', {
      returnUrl: 'https://shop.example/back',
    })
    const id = String(dataOf(answer)['savedPaymentMethodId'])
    expect(await methods()).toMatchObject([{ id, status: 'PENDING', offered: false }])
    expect(await pay({ savedPaymentMethodId: id })).toMatchObject({ kind: 'invalid' })
    const { redirectUrl } = dataOf(answer)['requiresAction'] as { redirectUrl: string }
    await fetch(redirectUrl, {
      method: 'POST',
      body: new URLSearchParams({ outcome: 'complete' }),
      redirect: 'manual',
    })
    dataOf(await shop.call(merchant, 'confirmSavedPaymentMethod', { id }, as()))
    expect(await methods()).toMatchObject([{ id, status: 'ACTIVE', last4: '3155', is_default: true }])
    expect(await paymentOf(await pay({ savedPaymentMethodId: id }))).toMatchObject({ status: 'SUCCEEDED' })
  })

  test('may ask for 3-D Secure when it pays, and may be declined', async () => {
    const answer = await save('pm_card_authenticationRequired')
    const id = String(dataOf(answer)['savedPaymentMethodId'])
    await decide(answer, 'complete')
    expect(dataOf(await shop.call(merchant, 'confirmSavedPaymentMethod', { id }, as()))['error']).toBeNull()
    const challenged = await pay({ savedPaymentMethodId: id })
    expect(dataOf(challenged)['requiresAction']).toMatchObject({ type: 'redirect_to_url' })
    await decide(challenged, 'complete')
    const { id: paymentId } = await paymentOf(challenged)
    expect(
      await paymentOf(await shop.call(merchant, 'confirmPayment', { id: paymentId }, as())),
    ).toMatchObject({
      status: 'SUCCEEDED',
    })
    const failing = await saved('pm_card_chargeCustomerFail')
    expect(await paymentOf(await pay({ savedPaymentMethodId: failing }))).toMatchObject({
      status: 'FAILED',
      failure_code: 'card_declined',
    })
  })

  test('that the bank or its owner refuses is FAILED, and says why', async () => {
    const declined = dataOf(await save('pm_card_chargeDeclined'))
    expect(declined['error']).toMatchObject({ code: 'card_declined', declineCode: 'generic_decline' })
    const answer = await save('pm_card_authenticationRequired')
    await decide(answer, 'fail')
    const id = String(dataOf(answer)['savedPaymentMethodId'])
    const { error } = dataOf(await shop.call(merchant, 'confirmSavedPaymentMethod', { id }, as()))
    expect(error).toMatchObject({ code: 'setup_intent_authentication_failure' })
    expect(await methods()).toMatchObject([{ status: 'FAILED' }, { status: 'FAILED' }])
    const [setup] = await shop.database<{ status: string }[]>`
      SELECT x.body ->> 'status' AS status FROM sandbox_processor.setup_intent x
      JOIN payment.saved_method s ON s.processor_setup_id = x.id WHERE s.id = ${id}`
    expect(setup).toEqual({ status: 'canceled' })
  })

  test('can be saved while paying, also with reserved money, and not if the payment fails', async () => {
    const keep = { savePaymentMethod: true }
    await paymentOf(await pay({ paymentMethodId: 'pm_card_visa', ...keep }))
    const reserved = { captureMethod: 'MANUAL', paymentMethodId: 'pm_card_amex', ...keep }
    await paymentOf(await pay(reserved, {}))
    await paymentOf(await pay({ paymentMethodId: 'pm_card_chargeDeclined', ...keep }))
    expect(await methods()).toMatchObject([
      { status: 'ACTIVE', last4: '4242', is_default: true },
      { status: 'ACTIVE', last4: '8431', is_default: false },
      { status: 'FAILED', is_default: false },
    ])
    const [{ id }] = (await methods()) as unknown as [Row]
    expect(await paymentOf(await pay({ savedPaymentMethodId: id }))).toMatchObject({ status: 'SUCCEEDED' })
  })

  test('of a payment that waits for 3-D Secure is saved with it', async () => {
    const answer = await pay({ paymentMethodId: 'pm_card_authenticationRequired', savePaymentMethod: true })
    expect(await methods()).toMatchObject([{ status: 'PENDING' }])
    await decide(answer, 'complete')
    const { id } = await paymentOf(answer)
    await shop.call(merchant, 'confirmPayment', { id }, as())
    expect(await methods()).toMatchObject([{ status: 'ACTIVE', last4: '3184' }])
  })

  test('is chosen as the default, of which there is one, however many choose at once', async () => {
    const ids = [await saved(), await saved(), await saved()]
    await Promise.all(
      [...ids, ...ids].map((id) => shop.call(merchant, 'setDefaultPaymentMethod', { id }, as())),
    )
    expect((await methods()).filter((row) => row.is_default)).toHaveLength(1)
    dataOf(await shop.call(merchant, 'setDefaultPaymentMethod', { id: ids[1] }, as()))
    expect((await methods()).map((row) => row.is_default)).toEqual([false, true, false])
    await expect(
      shop.database`UPDATE payment.saved_method SET is_default = TRUE WHERE id = ${found(ids[0])}`,
    ).rejects.toMatchObject({ constraint_name: 'saved_method_one_default' })
  })

  test('is deleted at the processor too, and the default passes on to the newest', async () => {
    const ids = [await saved(), await saved(), await saved()]
    const [first = ''] = ids
    expect(dataOf(await shop.call(merchant, 'deleteSavedPaymentMethod', { id: first }, as()))).toMatchObject({
      success: true,
    })
    expect(await methods()).toMatchObject([
      { id: ids[1], is_default: false },
      { id: ids[2], is_default: true },
    ])
    expect(await shop.call(merchant, 'deleteSavedPaymentMethod', { id: first }, as())).toMatchObject({
      kind: 'invalid',
    })
  })

  test('that the processor doesn’t answer for stays on record, unusable, until it is gone there', async () => {
    const id = await saved()
    await trouble('POST /v1/payment_methods/:id/detach', 'error_before')
    const deleted = await shop.call(merchant, 'deleteSavedPaymentMethod', { id }, as())
    await endTroubles()
    expect(dataOf(deleted)).toMatchObject({ success: false })
    expect(await methods()).toMatchObject([{ id, status: 'REMOVING', is_default: false, offered: false }])
    expect((await attached(id))[0]?.customer).toMatch(/^cus_/)
    expect(await pay({ savedPaymentMethodId: id })).toMatchObject({ kind: 'invalid' })
    await reconcile()
    expect(await methods()).toEqual([])
  })

  test.each(['POST /v1/customers', 'POST /v1/setup_intents'])(
    'whose answer to %s is lost is saved once, by the job',
    async (call) => {
      await trouble(call, 'error_after')
      const answer = await save('pm_card_visa')
      await endTroubles()
      await reconcile()
      const id = String(dataOf(answer)['savedPaymentMethodId'])
      expect(await methods()).toMatchObject([{ id, status: 'ACTIVE' }])
      const setups = await shop.database`
        SELECT FROM sandbox_processor.setup_intent WHERE body #>> '{metadata,saved_method_id}' = ${id}`
      expect(setups).toHaveLength(1)
    },
  )

  test('is given up when its owner doesn’t come back for a day', async () => {
    const id = await saved('pm_card_authenticationRequired')
    await shop.database`UPDATE payment.saved_method SET created_at = created_at - interval '2 days' WHERE id = ${id}`
    await reconcile()
    expect(await methods()).toMatchObject([{ id, status: 'FAILED' }])
    await shop.database`ALTER TABLE payment.saved_method DISABLE TRIGGER touch_updated_at`
    await shop.database`UPDATE payment.saved_method SET updated_at = updated_at - interval '2 days' WHERE id = ${id}`
    await shop.database`ALTER TABLE payment.saved_method ENABLE TRIGGER touch_updated_at`
    await reconcile()
    expect(await methods()).toEqual([])
  })

  test('is saved once per Idempotency-Key', async () => {
    const idempotencyKey = crypto.randomUUID()
    const input = { paymentMethodId: 'pm_card_visa' }
    const call = () => shop.call(merchant, 'savePaymentMethod', { input }, { ...as(), idempotencyKey })
    const answers = await Promise.all([call(), call(), call()])
    expect(new Set(answers.map((answer) => dataOf(answer)['savedPaymentMethodId'])).size).toBe(1)
    expect(await methods()).toHaveLength(1)
  })
})

describe('who may save a method', () => {
  test('a customer has 20 at most, however many are saved at once', async () => {
    await shop.database`
      INSERT INTO payment.processor_customer (merchant_id, customer_id, processor)
      VALUES (${merchant.merchantId}, ${customerId}, 'sandbox')`
    await shop.database`
      INSERT INTO payment.saved_method (merchant_id, customer_id, processor_customer_id, requested_method_id)
      SELECT h.merchant_id, h.customer_id, h.id, 'pm_card_visa' FROM payment.processor_customer h, generate_series(1, 18)
      WHERE h.customer_id = ${customerId}`
    const answers = await Promise.all(Array.from({ length: 5 }, () => save('pm_card_visa')))
    expect(answers.filter(({ kind }) => kind === 'done')).toHaveLength(2)
    expect(answers.find(({ kind }) => kind === 'invalid')).toMatchObject({
      errors: [{ field: 'customerId' }],
    })
    const paid = await pay({ paymentMethodId: 'pm_card_visa', savePaymentMethod: true })
    expect(paid).toMatchObject({ kind: 'invalid', errors: [{ field: 'savePaymentMethod' }] })
    const payments = await shop.database`
      SELECT FROM payment.payment p JOIN ordering.order o ON o.id = p.order_id WHERE o.customer_id = ${customerId}`
    expect(payments).toHaveLength(0)
  })

  test('a guest can’t, and PayPal and money from outside can’t be saved', async () => {
    const guestId = await account(merchant)
    await shop.database`UPDATE crm.customer SET has_account = FALSE WHERE id = ${guestId}`
    const input = { paymentMethodId: 'pm_card_visa' }
    const refused = await shop.call(merchant, 'savePaymentMethod', { input }, as(guestId))
    expect(refused).toMatchObject({ errors: [{ message: expect.stringContaining('guest') as string }] })
    const orderId = await order(guestId)
    const keep = { orderId, method: 'CARD', ...input, savePaymentMethod: true }
    expect(await shop.call(merchant, 'processPayment', { input: keep }, as(guestId))).toMatchObject({
      errors: [{ field: 'savePaymentMethod' }],
    })
    for (const method of ['PAYPAL', 'CASH', 'SEPA_DEBIT'])
      expect(await save('pm_card_visa', { method })).toMatchObject({
        errors: [{ field: 'method', message: expect.stringContaining(`${method} can't be saved`) as string }],
      })
    const cash = { orderId, method: 'CASH', savePaymentMethod: true }
    expect(await shop.call(merchant, 'processPayment', { input: cash })).toMatchObject({
      errors: [{ field: 'savePaymentMethod' }],
    })
  })

  test('a merchant’s key saves for a customer that it names', async () => {
    const input = { paymentMethodId: 'pm_card_visa' }
    expect(await shop.call(merchant, 'savePaymentMethod', { input })).toMatchObject({
      errors: [{ field: 'customerId' }],
    })
    dataOf(await shop.call(merchant, 'savePaymentMethod', { input: { ...input, customerId } }))
    expect(await methods()).toMatchObject([{ status: 'ACTIVE' }])
  })

  test('a shopper’s, and another merchant’s, methods are not found', async () => {
    const id = await saved()
    const other = await account(merchant)
    const stranger = await shop.createMerchant()
    for (const options of [as(other), as(await account(stranger), stranger)])
      for (const action of [
        'confirmSavedPaymentMethod',
        'setDefaultPaymentMethod',
        'deleteSavedPaymentMethod',
      ])
        expect(await shop.call(merchant, action, { id }, options)).toMatchObject({
          kind: 'invalid',
          errors: [{ field: 'id', code: 'NOT_FOUND' }],
        })
    const input = { orderId: await order(other), method: 'CARD', savedPaymentMethodId: id }
    for (const options of [as(other), {}])
      expect(await shop.call(merchant, 'processPayment', { input }, options)).toMatchObject({
        errors: [{ field: 'savedPaymentMethodId' }],
      })
    const foreign = { customerId, paymentMethodId: 'pm_card_visa' }
    expect(await shop.call(merchant, 'savePaymentMethod', { input: foreign }, as(other))).toMatchObject({
      errors: [{ field: 'customerId' }],
    })
    expect(await methods()).toMatchObject([{ id, status: 'ACTIVE' }])
  })
})

test('methods of a replaced account are not offered, and new ones take the default', async () => {
  const own = await shop.createMerchant()
  const shopperId = await account(own)
  const call = (name: string, input: object) =>
    shop.call(own, name, { input }, name === 'savePaymentMethod' ? as(shopperId, own) : {})
  const connect = () =>
    call('connectPaymentAccount', {
      processor: 'STRIPE',
      secretKey: `sk_test_sandbox_${crypto.randomUUID().replaceAll('-', '')}`,
    })
  for (let count = 0; count < 2; count += 1) {
    dataOf(await connect())
    dataOf(await call('savePaymentMethod', { paymentMethodId: 'pm_card_visa' }))
  }
  const [first, second] = await methods(shopperId)
  expect(first).toMatchObject({ status: 'ACTIVE', is_default: false, offered: false })
  expect(second).toMatchObject({ status: 'ACTIVE', is_default: true, offered: true })
  expect(await shop.call(own, 'setDefaultPaymentMethod', { id: found(first).id })).toMatchObject({
    kind: 'invalid',
  })
})

test('a shopper who is forgotten is deleted at the processor, with all methods', async () => {
  await saved()
  const [holder] = await shop.database<{ id: string }[]>`
    SELECT processor_customer_id AS id FROM payment.processor_customer WHERE customer_id = ${customerId}`
  const left = () => shop.database`
    SELECT FROM sandbox_processor.payment_method WHERE body ->> 'customer' = ${found(holder).id}`
  expect(await left()).toHaveLength(1)
  dataOf(await shop.call(merchant, 'anonymizeCustomer', { id: customerId }))
  expect(await methods()).toEqual([])
  await reconcile()
  expect(await left()).toHaveLength(0)
  const waiting = await shop.database`
    SELECT FROM payment.customer_removal WHERE processor_customer_id = ${found(holder).id}`
  expect(waiting).toHaveLength(0)
})
