import { createTestDatabase, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { connectStripe } from './connect-stripe.ts'
import { createStripeProcessor } from './stripe-processor.ts'
import type { ChargeAnswer, ChargeRequest, PaymentProcessor } from '../processor.ts'
import { startSandbox } from '../sandbox/index.ts'

let testDatabase: TestDatabase
let sandbox: Awaited<ReturnType<typeof startSandbox>>
let processor: PaymentProcessor
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  sandbox = await startSandbox({ port: 0, databaseUrl: testDatabase.url })
  processor = createStripeProcessor({ name: 'sandbox', ...connection() })
})
afterAll(async () => {
  await sandbox.stop()
  await testDatabase.drop()
})

const connection = () => ({ secretKey: 'sk_test_currencies', apiUrl: sandbox.url })

const key = () => crypto.randomUUID()

const chargeOf = (more: Partial<ChargeRequest>): ChargeRequest => ({
  idempotencyKey: key(),
  amount: 1999,
  currency: 'USD',
  method: 'CARD',
  paymentMethodId: 'pm_card_visa',
  manualCapture: false,
  returnUrl: null,
  metadata: { payment_id: key() },
  ...more,
})

const intentIdOf = (answer: ChargeAnswer): string =>
  ('intentId' in answer ? answer.intentId : null) ?? expect.unreachable(answer.status)

// Minor units by ISO 4217, and Stripe's.
const units = [
  { currency: 'HUF', amount: 199_900, part: 50, atStripe: 199_900 },
  { currency: 'ISK', amount: 1999, part: 5, atStripe: 199_900 },
  { currency: 'JPY', amount: 1999, part: 5, atStripe: 1999 },
  { currency: 'KWD', amount: 5120, part: 50, atStripe: 5120 },
  { currency: 'MGA', amount: 199_900, part: 500, atStripe: 1999 },
]

test.each(units)(
  'a charge in $currency, its refund and its dispute are in Stripe’s unit there, and in ours here',
  async ({ currency, amount, part, atStripe }) => {
    const charged = await processor.charge(
      chargeOf({ amount, currency, paymentMethodId: 'pm_card_createDispute' }),
    )
    expect(charged).toMatchObject({ status: 'succeeded', captured: amount, capturable: 0 })
    const intentId = intentIdOf(charged)
    expect(await connectStripe(connection()).paymentIntents.retrieve(intentId)).toMatchObject({
      amount: atStripe,
      currency: currency.toLowerCase(),
    })
    const refund = { idempotencyKey: key(), intentId, amount: part, currency }
    expect(await processor.refund(refund)).toMatchObject({ status: 'succeeded' })
    expect(await processor.activity(intentId)).toMatchObject({
      refunds: [{ amount: part }],
      disputes: [{ amount, currency }],
    })
  },
)

test.each(units)('reserved money in $currency is captured in parts', async ({ currency, amount, part }) => {
  const intentId = intentIdOf(await processor.charge(chargeOf({ amount, currency, manualCapture: true })))
  const capture = (total: number, captured: number, final: boolean) =>
    processor.capture({ idempotencyKey: key(), intentId, total, captured, currency, final })
  expect(await capture(part, 0, false)).toMatchObject({ captured: part, capturable: amount - part })
  expect(await capture(2 * part, part, false)).toMatchObject({ captured: 2 * part })
  expect(await capture(3 * part, 2 * part, true)).toMatchObject({ captured: 3 * part, capturable: 0 })
})

// Nothing listens there, so an answer that is known was made without a request.
const unreachable = () =>
  createStripeProcessor({ name: 'stripe', secretKey: 'sk_test_1', apiUrl: 'http://127.0.0.1:1' })

test.each([
  [5124, 'KWD', 'decimals_not_supported'],
  [199_950, 'MGA', 'decimals_not_supported'],
  [1000, 'LYD', 'currency_not_supported'],
])('%i minor units of %s are refused before anything is sent: %s', async (amount, currency, code) => {
  const stripe = unreachable()
  const declined = { status: 'declined', decline: { code } }
  expect(await stripe.charge(chargeOf({ amount, currency }))).toMatchObject(declined)
  const request = { idempotencyKey: key(), intentId: 'pi_1', currency }
  expect(await stripe.capture({ ...request, total: amount, captured: 0, final: true })).toMatchObject({
    intentId: 'pi_1',
    ...declined,
  })
  expect(await stripe.refund({ ...request, amount })).toEqual({
    status: 'failed',
    refundId: null,
    reason: code,
  })
})

test('the sandbox takes no part of a króna, and no last digit of a dinar, as Stripe', async () => {
  const stripe = connectStripe(connection())
  const create = (amount: number, currency: string) =>
    stripe.paymentIntents.create({ amount, currency, confirm: true, payment_method: 'pm_card_visa' })
  const code = 'invalid_charge_amount_no_decimal_compatible'
  await expect(create(1999, 'isk')).rejects.toMatchObject({ code, param: 'amount' })
  await expect(create(5124, 'kwd')).rejects.toMatchObject({ code, param: 'amount' })
  const { id } = await create(199_900, 'isk')
  await expect(stripe.refunds.create({ payment_intent: id, amount: 50 })).rejects.toMatchObject({ code })
})

/** The sandbox for a restricted key that may not read disputes. */
async function startWithoutDisputes(): Promise<string> {
  const server = createServer((request, response) => {
    const pass = async (): Promise<void> => {
      const { url = '/', method = 'GET', headers } = request
      if (url.startsWith('/v1/disputes')) {
        const error = {
          type: 'invalid_request_error',
          message: 'The provided key does not have the required permissions.',
        }
        response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
        return
      }
      const body = await text(request)
      const answer = await fetch(`${sandbox.url}${url}`, {
        method,
        headers: {
          authorization: headers.authorization ?? '',
          'content-type': headers['content-type'] ?? '',
        },
        ...(method !== 'GET' && { body }),
      })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    }
    void pass()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a key that may not read disputes sees the refunds, and no disputes', async () => {
  const apiUrl = await startWithoutDisputes()
  const restricted = createStripeProcessor({ name: 'sandbox', ...connection(), apiUrl })
  const charged = await restricted.charge(chargeOf({ paymentMethodId: 'pm_card_createDispute' }))
  const intentId = intentIdOf(charged)
  await processor.refund({ idempotencyKey: key(), intentId, amount: 500, currency: 'USD' })
  expect(await restricted.activity(intentId)).toMatchObject({
    status: 'known',
    refunds: [{ amount: 500 }],
    disputes: [],
  })
})
