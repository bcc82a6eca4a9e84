import { createSecretBox, newEncryptionKey } from '@commerce-graph/secret-box'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualProcessor } from '../processors/index.ts'
import { expectShopToAddUp } from '../testing/invariants.ts'
import { decide, returnUrl } from '../testing/paypal-side.ts'
import {
  address,
  dataOf,
  found,
  openTestShop,
  silent,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import { credentialsOf, findAccount, openPaymentAccounts, resealAccounts, updateAccount } from './accounts.ts'
import { reconcilePayments } from './reconciliation.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())

let keys = 0
/** A new account of the sandbox for each call. */
const newKey = (): string => `sk_test_sandbox_${process.pid}x${(keys += 1)}`

const connect = async (merchant: TestMerchant, secretKey: string): Promise<string> =>
  String(
    dataOf(await shop.call(merchant, 'connectPaymentAccount', { input: { processor: 'STRIPE', secretKey } }))
      .paymentAccountId,
  )

async function newOrder(merchant: TestMerchant): Promise<string> {
  const { id: productId } = await shop.createProduct(merchant, { price: 1999, stock: [2] })
  const input = {
    customerId: merchant.customerId,
    items: [{ productId, quantity: 1 }],
    shippingAddress: address,
  }
  return String(dataOf(await shop.call(merchant, 'createOrder', { input })).orderId)
}

const pay = (merchant: TestMerchant, orderId: string, more: object = {}) =>
  shop.call(merchant, 'processPayment', {
    input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa', ...more },
  })

/** A new account at the sandbox's PayPal. Returns its client id. */
async function connectPaypal(merchant: TestMerchant): Promise<string> {
  const clientId = `sandbox_${process.pid}x${(keys += 1)}`
  const input = { processor: 'PAYPAL', clientId, secretKey: `${clientId}_secret` }
  dataOf(await shop.call(merchant, 'connectPaymentAccount', { input }))
  return clientId
}

/** Pays at PayPal, where the customer approves, if the order can be paid. Returns the payment's id. */
async function payAtPaypal(merchant: TestMerchant, orderId: string, more: object): Promise<string | null> {
  const answer = await pay(merchant, orderId, { method: 'PAYPAL', paymentMethodId: null, returnUrl, ...more })
  if (answer.kind !== 'done') return null
  const { paymentId: id, requiresAction } = answer.data
  await decide((requiresAction as { redirectUrl: string }).redirectUrl, 'approve')
  dataOf(await shop.call(merchant, 'confirmPayment', { id }))
  return String(id)
}

/** The money that a sandbox account has charged and not refunded, by the merchant that the charges name. */
async function heldIn(key: string): Promise<Readonly<Record<string, number>>> {
  const rows = await shop.database<{ merchantId: string; held: number }[]>`
    SELECT i.body #>> '{metadata,merchant_id}' AS "merchantId", sum((i.body ->> 'amount_received')::bigint - (
      SELECT coalesce(sum((r.body ->> 'amount')::bigint), 0) FROM sandbox_processor.refund r
      WHERE r.body ->> 'payment_intent' = i.id AND r.account = i.account
    ))::integer AS held
    FROM sandbox_processor.payment_intent i WHERE i.account = ${key} GROUP BY 1
    UNION ALL
    SELECT p.merchant_id::text, sum((
      SELECT coalesce(sum((c #>> '{amount,value}')::numeric), 0)
      FROM jsonb_array_elements(o.body #> '{purchase_units,0,payments,captures}') c
    ) * 100 - (
      SELECT coalesce(sum((r #>> '{amount,value}')::numeric), 0)
      FROM jsonb_array_elements(o.body #> '{purchase_units,0,payments,refunds}') r
    ) * 100)::integer
    FROM sandbox_processor.paypal_order o JOIN payment.payment p ON p.id::text = o.body #>> '{purchase_units,0,custom_id}'
    WHERE o.account = ${key} GROUP BY 1`
  return Object.fromEntries(rows.filter(({ held }) => held !== 0).map((row) => [row.merchantId, row.held]))
}

async function ledgerOf({ merchantId }: TestMerchant): Promise<number> {
  const [row] = await shop.database<{ held: number }[]>`
    SELECT coalesce(sum(captured_amount - refunded_amount), 0)::integer AS held
    FROM payment.payment WHERE merchant_id = ${merchantId}`
  return found(row).held
}

describe('a merchant’s own account', () => {
  test('takes the merchant’s later payments, and its secrets are sealed', async () => {
    const merchant = await shop.createMerchant()
    const key = newKey()
    const accountId = await connect(merchant, key)
    const orderId = await newOrder(merchant)
    dataOf(await pay(merchant, orderId))
    expect(await heldIn(key)).toEqual({ [merchant.merchantId]: 2164 })
    const [row] = await shop.database<{ account: string; processor: string; account_id: string }[]>`
      SELECT p.processor, p.account_id, a::text AS account
      FROM payment.payment p JOIN payment.account a ON a.merchant_id = p.merchant_id AND a.id = p.account_id
      WHERE p.order_id = ${orderId}`
    expect(row).toMatchObject({ processor: 'stripe', account_id: accountId })
    expect(found(row).account).not.toContain(key)
  })

  test('that is disabled takes no payments, and neither does the operator’s account instead; refunds use the original account', async () => {
    const merchant = await shop.createMerchant()
    const key = newKey()
    const id = await connect(merchant, key)
    const { paymentId } = dataOf(await pay(merchant, await newOrder(merchant)))
    dataOf(await shop.call(merchant, 'disablePaymentAccount', { id }))
    expect(await pay(merchant, await newOrder(merchant))).toMatchObject({
      id: 'SVC_BIZ_002',
      details: { code: 'method_unsupported' },
    })
    dataOf(await shop.call(merchant, 'refundPayment', { id: paymentId, input: { reason: 'Test' } }))
    expect(await heldIn(key)).toEqual({})
    expect(await ledgerOf(merchant)).toBe(0)
  })

  test('is the only active one: a new account replaces it, also with concurrent requests', async () => {
    const merchant = await shop.createMerchant()
    await Promise.all(Array.from({ length: 4 }, () => connect(merchant, newKey())))
    const rows = await shop.database<{ status: string }[]>`
      SELECT status FROM payment.account WHERE merchant_id = ${merchant.merchantId} ORDER BY status`
    expect(rows.map(({ status }) => status)).toEqual(['ACTIVE', 'DISABLED', 'DISABLED', 'DISABLED'])
  })

  test('keeps working with a replaced key, and a key that the processor refuses is not stored', async () => {
    const merchant = await shop.createMerchant()
    const before = newKey()
    const id = await connect(merchant, before)
    const after = newKey()
    dataOf(await shop.call(merchant, 'updatePaymentAccount', { id, input: { secretKey: after } }))
    dataOf(await pay(merchant, await newOrder(merchant)))
    expect(await heldIn(before)).toEqual({})
    expect(await heldIn(after)).toEqual({ [merchant.merchantId]: 2164 })
    for (const secretKey of ['sk_live_0123456789', 'pk_test_0123456789', 'sk_test_sandbox!refused'])
      for (const [name, input] of [
        ['connectPaymentAccount', { input: { processor: 'STRIPE', secretKey } }],
        ['updatePaymentAccount', { id, input: { secretKey } }],
      ] as const)
        expect(await shop.call(merchant, name, input)).toMatchObject({ errors: [{ field: 'secretKey' }] })
  })

  test('refuses the key of another account at Stripe once it has payments, and takes a new key of its own', async () => {
    const merchant = await shop.createMerchant()
    const key = newKey()
    const id = await connect(merchant, key)
    const { paymentId } = dataOf(await pay(merchant, await newOrder(merchant)))
    const replace = (secretKey: string) =>
      shop.call(merchant, 'updatePaymentAccount', { id, input: { secretKey } })
    expect(await replace(newKey())).toMatchObject({
      errors: [{ field: 'secretKey', message: expect.stringContaining('another account') as string }],
    })
    // No answer refuses, too. The SDK asks twice.
    const plan = { call: 'GET /v1/payment_intents/:id', trouble: 'error_before', times: '2' }
    const planned = await fetch(`${shop.sandboxUrl}/sandbox/troubles`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: new URLSearchParams(plan),
    })
    expect(planned.status).toBe(200)
    expect(await replace(`${key}_rolled_1`)).toMatchObject({ errors: [{ field: 'secretKey' }] })
    dataOf(await replace(`${key}_rolled_1`))
    dataOf(await shop.call(merchant, 'refundPayment', { id: paymentId, input: { reason: 'Test' } }))
    expect(await heldIn(key)).toEqual({})
  })

  test('refuses the client ID of another account at PayPal once it has payments, and not before', async () => {
    const merchant = await shop.createMerchant()
    await shop.database`
      INSERT INTO payment.payment_option (merchant_id, method, name) VALUES (${merchant.merchantId}, 'PAYPAL', 'PayPal')`
    await connectPaypal(merchant)
    const [account] = await shop.database<{ id: string }[]>`
      SELECT id FROM payment.account WHERE merchant_id = ${merchant.merchantId}`
    const { id } = found(account)
    const replace = () => {
      const clientId = `sandbox_${process.pid}x${(keys += 1)}`
      const input = { clientId, secretKey: `${clientId}_secret` }
      return shop.call(merchant, 'updatePaymentAccount', { id, input })
    }
    dataOf(await replace())
    expect(await payAtPaypal(merchant, await newOrder(merchant), {})).not.toBeNull()
    expect(await replace()).toMatchObject({
      errors: [{ field: 'secretKey', message: expect.stringContaining('another account') as string }],
    })
  })

  test('keeps each of two changes at once, or reports that it has changed', async () => {
    const merchant = await shop.createMerchant()
    const id = await connect(merchant, newKey())
    const update = (input: object) => shop.call(merchant, 'updatePaymentAccount', { id, input })
    const changed = { kind: 'invalid', errors: [{ field: 'id', code: 'INVALID_VALUE' }] }
    for (let round = 0; round < 10; round += 1) {
      const secretKey = newKey()
      const webhookSecret = `whsec_${'0'.repeat(10)}${round}`
      const answers = await Promise.all([update({ secretKey }), update({ webhookSecret })])
      const stored = credentialsOf(
        shop.secretBox,
        found((await findAccount(shop.database, merchant.merchantId, id)) ?? undefined),
      )
      for (const [answer, kept] of [
        [answers[0], stored.secretKey === secretKey],
        [answers[1], stored.webhookSecret === webhookSecret],
      ] as const) {
        if (answer.kind === 'done') expect(kept).toBe(true)
        else expect(answer).toMatchObject(changed)
      }
      expect(answers.some(({ kind }) => kind === 'done')).toBe(true)
    }
  })

  test('keeps its key if a first payment was made while another account’s key was checked', async () => {
    const merchant = await shop.createMerchant()
    const id = await connect(merchant, newKey())
    const account = found((await findAccount(shop.database, merchant.merchantId, id)) ?? undefined)
    dataOf(await pay(merchant, await newOrder(merchant)))
    const change = {
      name: null,
      credentials: { ...credentialsOf(shop.secretBox, account), secretKey: newKey() },
    }
    expect(
      await updateAccount(shop.database, shop.secretBox, account, { ...change, isUnused: true }),
    ).toEqual({ outcome: 'changed' })
    expect(
      await updateAccount(shop.database, shop.secretBox, account, { ...change, isUnused: false }),
    ).toEqual({ outcome: 'updated' })
  })

  test('keeps its webhook secret when only its name is changed, and loses it with null', async () => {
    const merchant = await shop.createMerchant()
    const id = await connect(merchant, newKey())
    const has = async (input: object) => {
      dataOf(await shop.call(merchant, 'updatePaymentAccount', { id, input }))
      const [row] = await shop.database<{ name: string; has: boolean }[]>`
        SELECT name, has_webhook_secret AS has FROM payment.account WHERE id = ${id}`
      return row
    }
    expect(await has({ webhookSecret: 'whsec_0123456789' })).toEqual({ name: 'Stripe', has: true })
    expect(await has({ name: 'Main' })).toEqual({ name: 'Main', has: true })
    expect(await has({ webhookSecret: null })).toEqual({ name: 'Main', has: false })
  })

  test('can be opened with the new encryption key after the old one was replaced', async () => {
    const merchant = await shop.createMerchant()
    const accountId = await connect(merchant, newKey())
    const newer = newEncryptionKey()
    const options = { database: shop.database, endpoints: { sandbox: shop.sandboxUrl } }
    const both = createSecretBox([newer, ...shop.encryptionKeys])
    expect(await resealAccounts({ ...options, secretBox: both })).toBeGreaterThan(0)
    expect(await resealAccounts({ ...options, secretBox: both })).toBe(0)
    const accounts = openPaymentAccounts({ ...options, secretBox: createSecretBox([newer]) })
    expect((await accounts.processorOf(merchant.merchantId, accountId)).name).toBe('stripe')
    await resealAccounts({ ...options, secretBox: createSecretBox([...shop.encryptionKeys, newer]) })
  })
})

const step = fc.record({
  merchant: fc.nat({ max: 1 }),
  kind: fc.constantFrom(
    'order',
    'pay',
    'pay',
    'reserve',
    'payAtPaypal',
    'reserveAtPaypal',
    'capture',
    'refund',
    'cancel',
    'switch',
    'switchPaypal',
    'reconcile',
  ),
  nth: fc.nat({ max: 3 }),
})

test('no money goes to a wrong account: two merchants with changing accounts, over any history', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => {
      const merchants = [await shop.createMerchant(), await shop.createMerchant()]
      const sides = await Promise.all(
        merchants.map(async (merchant) => {
          const key = newKey()
          await connect(merchant, key)
          await shop.database`
            INSERT INTO payment.payment_option (merchant_id, method, name) VALUES (${merchant.merchantId}, 'PAYPAL', 'PayPal')`
          const clientId = await connectPaypal(merchant)
          return {
            merchant,
            accountKeys: [key, clientId],
            orders: [] as { id: string; paymentId?: string | undefined }[],
          }
        }),
      )
      for (const { merchant: index, kind, nth } of steps) {
        const side = found(sides[index])
        const { merchant } = side
        const order = side.orders[nth % Math.max(1, side.orders.length)]
        if (kind === 'order') side.orders.push({ id: await newOrder(merchant) })
        else if (kind === 'switch') {
          const key = newKey()
          side.accountKeys.push(key)
          await connect(merchant, key)
        } else if (kind === 'switchPaypal') side.accountKeys.push(await connectPaypal(merchant))
        else if (kind === 'reconcile')
          await reconcilePayments({
            database: shop.database,
            processors: [shop.cardProcessor, manualProcessor],
            accounts: shop.accounts,
            after: 0,
            logger: silent,
          })
        else if (order !== undefined) {
          const { id, paymentId } = order
          if (kind === 'pay' || kind === 'reserve') {
            const captureMethod = kind === 'pay' ? 'AUTOMATIC' : 'MANUAL'
            const answer = await pay(merchant, id, { captureMethod })
            if (answer.kind === 'done') order.paymentId = String(answer.data.paymentId)
          } else if (kind === 'payAtPaypal' || kind === 'reserveAtPaypal') {
            const captureMethod = kind === 'payAtPaypal' ? 'AUTOMATIC' : 'MANUAL'
            order.paymentId = (await payAtPaypal(merchant, id, { captureMethod })) ?? order.paymentId
          } else if (kind === 'cancel') await shop.call(merchant, 'cancelOrder', { id, reason: 'Test' })
          else if (paymentId !== undefined && kind === 'capture')
            await shop.call(merchant, 'capturePayment', { id: paymentId })
          else if (paymentId !== undefined)
            await shop.call(merchant, 'refundPayment', {
              id: paymentId,
              input: { amount: 100, reason: 'Test' },
            })
        }
      }
      for (const { merchant, accountKeys } of sides) {
        const held = await Promise.all(accountKeys.map(heldIn))
        // Each account has only its own merchant's money, and all of it is on record.
        expect(
          held.flatMap((account) => Object.keys(account)).every((id) => id === merchant.merchantId),
        ).toBe(true)
        const sum = held.reduce((total, account) => total + (account[merchant.merchantId] ?? 0), 0)
        expect(sum).toBe(await ledgerOf(merchant))
        await expectShopToAddUp(shop.database, merchant)
      }
      const platform = await heldIn('sk_test_sandbox')
      for (const { merchant } of sides) expect(platform[merchant.merchantId]).toBeUndefined()
    }),
    { numRuns: 12 },
  )
}, 120_000)
