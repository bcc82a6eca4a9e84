import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  address,
  createCustomer,
  dataOf,
  openTestShop,
  shopper,
  staff,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import postgres from '@commerce-graph/postgres-driver'
import { checkoutCart, OrderPlacements } from '../ordering/index.ts'
import { paidOrder } from '../testing/paid-order.ts'
import { idempotencyKeys } from './idempotency-keys.ts'
import { KeyedRequest } from './keyed-request.ts'
import type { AnySession } from './session.ts'
import type { CustomerId } from '@commerce-graph/contract/ids'

let shop: TestShop
let merchant: TestMerchant
/** Every permission. */
let everything: ReadonlySet<string>
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
  const names = await shop.database<{ name: string }[]>`SELECT name FROM merchant.permission`
  everything = new Set(names.map(({ name }) => name))
})
afterAll(() => shop.close())

async function order() {
  const product = await shop.createProduct(merchant, { stock: [50] })
  const items = [{ productId: product.id, quantity: 1 }]
  return { input: { customerId: merchant.customerId, items, shippingAddress: address } }
}

async function ordersOf(customerId: string) {
  const rows = await shop.database`SELECT id FROM ordering.order WHERE customer_id = ${customerId}`
  return rows.length
}

describe('an idempotency key', () => {
  test.each([
    ['createDraftOrder', 'draftOrderId', 'ordering.draft_order'],
    ['createOrder', 'orderId', 'ordering.order'],
  ])(
    'that is sent many times at once runs %s once, and all requests get the same answer',
    async (action, id, table) => {
      const request = await order()
      const idempotencyKey = randomUUID()
      const count = async () =>
        Number((await shop.database.unsafe(`SELECT count(*) FROM ${table}`))[0]?.['count'])
      const before = await count()
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => shop.call(merchant, action, request, { idempotencyKey })),
      )
      expect(new Set(answers.map((answer) => dataOf(answer)[id])).size).toBe(1)
      expect(await count()).toBe(before + 1)
    },
  )

  const onRecord = 'CREATE TRIGGER fault BEFORE INSERT ON platform.idempotency_record FOR EACH ROW'
  const onEffect =
    'CREATE CONSTRAINT TRIGGER fault AFTER UPDATE ON inventory.stock_level DEFERRABLE INITIALLY DEFERRED FOR EACH ROW'
  const killed = 'PERFORM pg_terminate_backend(pg_backend_pid())'
  test.each([
    ['is killed before the record is written', onRecord, killed],
    ['fails while the record is written', onRecord, "RAISE EXCEPTION 'no room'"],
    ['is killed while the effect is committed', onEffect, killed],
  ])(
    'is recorded in the transaction of its effect: an action that %s has changed nothing',
    async (_how, trigger, fault) => {
      const product = await shop.createProduct(merchant, { stock: [5] })
      const request = { input: { sku: product.sku, delta: 3, reason: 'Found' } }
      const idempotencyKey = randomUUID()
      const adjust = () => shop.call(merchant, 'adjustInventory', request, { idempotencyKey })
      const available = async () => {
        const [level] = await shop.database`
        SELECT l.available FROM inventory.stock_level l JOIN inventory.stock_item i ON i.id = l.stock_item_id
        WHERE i.merchant_id = ${merchant.merchantId} AND i.sku = ${product.sku}`
        return level?.['available'] as unknown
      }
      await shop.database.unsafe(`
      CREATE FUNCTION public.fault() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${fault}; RETURN NEW; END $$;
      ${trigger} EXECUTE FUNCTION public.fault();`)
      try {
        await expect(adjust()).rejects.toThrow()
      } finally {
        await shop.database.unsafe('DROP FUNCTION public.fault() CASCADE')
      }
      expect(await available()).toBe(5)
      dataOf(await adjust())
      dataOf(await adjust())
      expect(await available()).toBe(8)
    },
  )

  test.each([
    ['is killed before the record is written', onRecord, killed],
    ['fails while the record is written', onRecord, "RAISE EXCEPTION 'no room'"],
    ['is killed while the effect is committed', onEffect, killed],
  ])(
    'is recorded in the statement of its effect: an order that %s was not placed',
    async (_how, trigger, fault) => {
      const request = await order()
      const idempotencyKey = randomUUID()
      const place = () => shop.call(merchant, 'createOrder', request, { idempotencyKey })
      const before = await ordersOf(merchant.customerId)
      await shop.database.unsafe(`
      CREATE FUNCTION public.fault() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${fault}; RETURN NEW; END $$;
      ${trigger} EXECUTE FUNCTION public.fault();`)
      try {
        await expect(place()).rejects.toThrow()
      } finally {
        await shop.database.unsafe('DROP FUNCTION public.fault() CASCADE')
      }
      expect(await ordersOf(merchant.customerId)).toBe(before)
      const first = dataOf(await place())
      expect(dataOf(await place())).toEqual(first)
      expect(await ordersOf(merchant.customerId)).toBe(before + 1)
    },
  )

  test('of an order that was refused is free, and the order is judged anew', async () => {
    const product = await shop.createProduct(merchant, { stock: [0] })
    const items = [{ productId: product.id, quantity: 1 }]
    const request = { input: { customerId: merchant.customerId, items, shippingAddress: address } }
    const idempotencyKey = randomUUID()
    const place = () => shop.call(merchant, 'createOrder', request, { idempotencyKey })
    expect(await place()).toMatchObject({ kind: 'refused' })
    dataOf(
      await shop.call(merchant, 'adjustInventory', {
        input: { sku: product.sku, delta: 1, reason: 'Found' },
      }),
    )
    expect(dataOf(await place())).toEqual(dataOf(await place()))
  })

  test('of an order is remembered with the ids of its request and of the order', async () => {
    const request = await order()
    const idempotencyKey = randomUUID()
    const { orderId } = dataOf(await shop.call(merchant, 'createOrder', request, { idempotencyKey }))
    const [record] = await shop.database<{ record_ids: string[] }[]>`
      SELECT record_ids FROM platform.idempotency_record WHERE key = ${idempotencyKey}`
    expect(record?.record_ids).toEqual(
      expect.arrayContaining([merchant.customerId, request.input.items[0]?.productId, orderId]),
    )
  })

  test('of an order is answered after the disk has the commit', async () => {
    // The server of the tests waits for no disk, so these sessions ask it to.
    const pool = postgres(shop.databaseUrl, { max: 2, connection: { synchronous_commit: 'on' } })
    const keys = idempotencyKeys(pool, shop.secretBox)
    await shop.database.unsafe(`
      CREATE TABLE public.written (order_id uuid, at pg_lsn);
      CREATE FUNCTION public.note_position() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO public.written VALUES (NEW.id, pg_current_wal_insert_lsn()); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER note_position AFTER INSERT ON ordering.order DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION public.note_position();`)
    try {
      for (let placed = 0; placed < 10; placed += 1) {
        const { items, customerId } = (await order()).input
        const { cartId } = dataOf(await shop.call(merchant, 'createCart', { input: { customerId, items } }))
        const answer = await checkoutCart(new OrderPlacements(pool, keys)).run({
          action: 'checkoutCart',
          session: staff(merchant),
          input: { id: cartId, input: { shippingAddress: address } },
          idempotencyKey: { value: randomUUID(), part: '', replayed: false },
          origin: null,
        })
        const { orderId } = dataOf(answer)
        const [written] = await shop.database`
          SELECT pg_current_wal_flush_lsn() > at AS "isFlushed" FROM public.written WHERE order_id = ${String(orderId)}`
        expect(written).toEqual({ isFlushed: true })
      }
    } finally {
      await shop.database.unsafe('DROP FUNCTION public.note_position() CASCADE; DROP TABLE public.written')
      await pool.end()
    }
  })

  test('is recorded in the transaction of the first step, if an action has several', async () => {
    const { paymentId } = await paidOrder(shop, merchant, [1])
    const request = { id: paymentId, input: { reason: 'Broken' } }
    const idempotencyKey = randomUUID()
    const refund = () => shop.call(merchant, 'refundPayment', request, { idempotencyKey })
    const refunds = () => shop.database`SELECT FROM payment.refund WHERE payment_id = ${paymentId}`
    await shop.database.unsafe(`
      CREATE FUNCTION public.fault() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no room'; END $$;
      ${onRecord} EXECUTE FUNCTION public.fault();`)
    try {
      await expect(refund()).rejects.toThrow('no room')
    } finally {
      await shop.database.unsafe('DROP FUNCTION public.fault() CASCADE')
    }
    expect(await refunds()).toHaveLength(0)
    expect(dataOf(await refund())).toEqual(dataOf(await refund()))
    expect(await refunds()).toHaveLength(1)
  })

  test('belongs to its caller: another shopper, or the merchant, doesn’t get its answer', async () => {
    const [one, other] = await Promise.all([
      createCustomer(shop.database, merchant.merchantId),
      createCustomer(shop.database, merchant.merchantId),
    ])
    const product = await shop.createProduct(merchant, { stock: [5] })
    const items = [{ productId: product.id, quantity: 1 }]
    const { cartId } = dataOf(await shop.call(merchant, 'createCart', { input: { customerId: one, items } }))
    const idempotencyKey = randomUUID()
    const checkOut = (customerId: CustomerId) =>
      shop.call(
        merchant,
        'checkoutCart',
        { id: cartId, input: { shippingAddress: address } },
        { session: shopper(merchant, customerId), idempotencyKey },
      )
    const placed = dataOf(await checkOut(one))
    expect(await checkOut(other)).toMatchObject({ errors: [{ field: 'id', code: 'NOT_FOUND' }] })
    expect(dataOf(await checkOut(one))).toEqual(placed)
    // Clients choose their own keys, so that two clients may use the same one.
    const { cartId: own } = dataOf(
      await shop.call(merchant, 'createCart', { input: { customerId: other, items } }),
    )
    const request = { id: own, input: { shippingAddress: address } }
    const session = shopper(merchant, other)
    dataOf(await shop.call(merchant, 'checkoutCart', request, { session, idempotencyKey }))
    expect([await ordersOf(one), await ordersOf(other)]).toEqual([1, 1])
  })

  test('does not replay an answer to a caller who has lost the permission', async () => {
    const request = await order()
    const idempotencyKey = randomUUID()
    dataOf(await shop.call(merchant, 'createOrder', request, { idempotencyKey }))
    const session = { ...staff(merchant), permissions: new Set(['orders:read']) }
    expect(await shop.call(merchant, 'createOrder', request, { idempotencyKey, session })).toMatchObject({
      id: 'SVC_AUTH_003',
    })
  })

  test('does not prevent a sign-in attempt from being counted', async () => {
    const input = { email: 'ghost@example.com', password: 'a guess' }
    const attempt = () =>
      shop.call(merchant, 'signInUser', { input }, { idempotencyKey: randomUUID(), session: signingIn() })
    for (let i = 0; i < 5; i += 1) expect(await attempt()).toMatchObject({ kind: 'invalid' })
    expect(await attempt()).toMatchObject({ id: 'SVC_RATE_001' })
  })
})

const signingIn = () => ({ ...staff(merchant), permissions: new Set(['user_sessions:write']) })

describe('an answer with a secret', () => {
  const input = { name: 'CI', mode: 'LIVE', permissions: ['orders:read'] }
  const create = (idempotencyKey: string, keyId?: string) =>
    shop.call(
      merchant,
      'createApiKey',
      { input },
      {
        idempotencyKey,
        ...(keyId !== undefined && { session: { ...staff(merchant), role: 'merchant' as const, keyId } }),
      },
    )
  const passTime = (idempotencyKey: string, minutes: number) => shop.database`
    UPDATE platform.idempotency_record
    SET sealed_until = sealed_until - make_interval(mins => ${minutes}),
      expires_at = expires_at - make_interval(mins => ${minutes})
    WHERE key = ${idempotencyKey}`
  const keys = async () => (await shop.database`SELECT FROM merchant.api_key`).length

  test('is stored sealed, and replayed for minutes', async () => {
    const idempotencyKey = randomUUID()
    const first = dataOf(await create(idempotencyKey))
    const before = await keys()
    expect(dataOf(await create(idempotencyKey))).toEqual(first)
    await passTime(idempotencyKey, 9)
    expect(dataOf(await create(idempotencyKey))).toEqual(first)
    expect(await keys()).toBe(before)
    const [record] = await shop.database`
      SELECT * FROM platform.idempotency_record WHERE key = ${idempotencyKey}`
    expect(record).toMatchObject({ response: null })
    expect(JSON.stringify(record)).not.toContain(String(first['key']))
  })

  test('is deleted after that, and the key stays used', async () => {
    const idempotencyKey = randomUUID()
    dataOf(await create(idempotencyKey))
    const before = await keys()
    await passTime(idempotencyKey, 11)
    const refused = { kind: 'refused', id: 'SVC_VAL_004', details: { field: 'Idempotency-Key' } }
    expect(await create(idempotencyKey)).toMatchObject(refused)
    await shop.database`SELECT platform.purge_idempotency_records(${merchant.merchantId}, 500)`
    expect(
      await shop.database`SELECT sealed FROM platform.idempotency_record WHERE key = ${idempotencyKey}`,
    ).toEqual([{ sealed: null }])
    expect(await create(idempotencyKey)).toMatchObject(refused)
    expect(await keys()).toBe(before)
    await passTime(idempotencyKey, 24 * 60)
    dataOf(await create(idempotencyKey))
    expect(await keys()).toBe(before + 1)
  })

  test('is replayed only to the API key or user that got it', async () => {
    const idempotencyKey = randomUUID()
    dataOf(await create(idempotencyKey))
    expect(await create(idempotencyKey, randomUUID())).toMatchObject({ id: 'SVC_VAL_004' })
  })

  test('of refreshSession is repeated to the visitor with the token from another network, and to no other visitor', async () => {
    const visitor = (client?: string) => ({
      role: 'guest' as const,
      merchantId: merchant.merchantId,
      permissions: new Set(['customer_sessions:write']),
      keyId: '00000000-0000-4000-8000-000000000001',
      cartSecretHash: Buffer.alloc(0),
      client,
    })
    const registerAs = async (email: string) => {
      const person = { email, password: 'correct horse battery staple', name: 'Pat' }
      const answer = await shop.call(
        merchant,
        'registerCustomer',
        { input: person },
        { session: visitor('192.0.2.1') },
      )
      return String(dataOf(answer)['refreshToken'])
    }
    const [own, other] = [await registerAs('wifi@example.com'), await registerAs('mobile@example.com')]
    const idempotencyKey = randomUUID()
    const refresh = (refreshToken: string, client?: string) =>
      shop.call(merchant, 'refreshSession', { refreshToken }, { idempotencyKey, session: visitor(client) })
    const first = dataOf(await refresh(own, '192.0.2.1'))
    expect(dataOf(await refresh(own, '198.51.100.7'))).toEqual(first)
    expect(dataOf(await refresh(own))).toEqual(first)
    expect(dataOf(await refresh(other, '192.0.2.1'))).not.toEqual(first)
    const records = await shop.database`
      SELECT * FROM platform.idempotency_record WHERE key = ${idempotencyKey}`
    expect(records).toHaveLength(2)
    for (const secret of [own, other, first['refreshToken'], first['accessToken']])
      expect(JSON.stringify(records)).not.toContain(String(secret))
    // The session lives on.
    dataOf(
      await shop.call(
        merchant,
        'refreshSession',
        { refreshToken: first['refreshToken'] },
        { session: visitor('198.51.100.7') },
      ),
    )
  })

  test('and a password in the input are not readable in the record', async () => {
    const session = { ...staff(merchant), permissions: new Set(['customer_sessions:write']) }
    const person = { email: 'pat@example.com', password: 'correct horse battery staple', name: 'Pat' }
    const idempotencyKey = randomUUID()
    const register = () =>
      shop.call(merchant, 'registerCustomer', { input: person }, { idempotencyKey, session })
    const first = dataOf(await register())
    expect(dataOf(await register())).toEqual(first)
    const [record] = await shop.database`
      SELECT * FROM platform.idempotency_record WHERE key = ${idempotencyKey}`
    const stored = JSON.stringify(record)
    for (const secret of [first['refreshToken'], first['accessToken'], person.email, person.password])
      expect(stored).not.toContain(String(secret))
  })
})

/**
 * The actions that wait for a payment processor between their transactions. payment.test.ts and other files test
 * their repetition.
 */
const actionsInSteps = [
  'cancelAppointment',
  'cancelOrder',
  'capturePayment',
  'checkEmailSender',
  'completeFileUpload',
  'confirmPayment',
  'confirmSavedPaymentMethod',
  'connectPaymentAccount',
  'createExport',
  'deleteSavedPaymentMethod',
  'markAppointmentNoShow',
  'payAppointment',
  'processPayment',
  'recordPayment',
  'refundOrder',
  'refundPayment',
  'refundReturn',
  'retryRefund',
  'savePaymentMethod',
  'updatePaymentAccount',
  'voidPayment',
]

const actionsInOneStatement = ['checkoutCart', 'createOrder']

const tellingSecrets = [
  'confirmMfa',
  'createApiKey',
  'createCart',
  'createCustomerAccessToken',
  'createFileUpload',
  'createImport',
  'createMerchant',
  'createWebhookEndpoint',
  'enrollMfa',
  'openGuestOrder',
  'refreshSession',
  'registerCustomer',
  'rotateApiKey',
  'rotateWebhookSecret',
  'signInCustomer',
  'signInUser',
  'startGuestCheckout',
]

describe('every action', () => {
  const all = () => Object.values(shop.domains).flatMap((actions) => Object.entries(actions))
  const sessionFor = (roles: readonly string[]): AnySession =>
    roles.includes('merchant')
      ? { ...staff(merchant), permissions: everything }
      : { role: 'operator', operatorKeyId: randomUUID() }

  test('runs in one transaction with its key’s record, unless it waits for a payment processor', () => {
    const inSteps = all().flatMap(([name, { keeping }]) => (keeping === 'in steps' ? [name] : []))
    expect(inSteps.sort()).toEqual(actionsInSteps)
    const inOneStatement = all().flatMap(([name, { keeping }]) =>
      keeping === 'in one statement' ? [name] : [],
    )
    expect(inOneStatement.sort()).toEqual(actionsInOneStatement)
  })

  test('with a secret in its answer stores the answer sealed', () => {
    const sealed = all().flatMap(([name, { answersSecret }]) => (answersSecret ? [name] : []))
    expect(sealed.sort()).toEqual(tellingSecrets)
    // The results in metadata/actions.graphql that have such a field.
    const sdl = readFileSync(join(import.meta.dirname, '../../../metadata/actions.graphql'), 'utf8')
    const secret = /^ {2}(key|\w+Key|secret|accessToken|refreshToken|recoveryCodes|url|upload): /m
    const results = [...sdl.matchAll(/^type (\w+Result) \{\n([^}]*)\}/gm)].flatMap(
      ([, name = '', fields = '']) => (secret.test(fields) ? [name] : []),
    )
    const telling = [...sdl.matchAll(/^ {2}(\w+)[^\n]*: (\w+)!$/gm)].flatMap(([, name = '', result = '']) =>
      results.includes(result) && name in Object.fromEntries(all()) ? [name] : [],
    )
    // A publishable key is no secret.
    expect(telling.filter((name) => !tellingSecrets.includes(name))).toEqual(['createPublishableKey'])
    // An endpoint's secret is a field of the endpoint.
    expect(tellingSecrets.filter((name) => !telling.includes(name))).toEqual([
      'createWebhookEndpoint',
      'rotateWebhookSecret',
    ])
  })

  test('repeats the recorded answer to a repeated key, and does not run again', async () => {
    const served = all().filter(([, { keeping }]) => keeping === 'in one transaction')
    const wrong: string[] = []
    for (const [action, definition] of served) {
      const session = sessionFor(definition.roles)
      const key = { value: randomUUID(), part: '', replayed: false }
      // An input that no action accepts, so that none can run.
      const call = { action, session, input: { nothing: 'of use' }, idempotencyKey: key, origin: null }
      const { secretBox } = shop
      const recorded = { recorded: action }
      await new KeyedRequest(call, key, { secretBox, ...definition }).remember(shop.database, recorded)
      const answer = await definition.run(call)
      if (!key.replayed || answer.kind !== 'done' || answer.data['recorded'] !== action) wrong.push(action)
    }
    expect(wrong).toEqual([])
    expect(served.length + actionsInSteps.length + actionsInOneStatement.length).toBe(all().length)
  })
})
