import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { waitingEvents } from './messaging/triggers/waiting-events.ts'
import { type Actions, startActions } from './start-actions.ts'
import { address, openTestShop, silent, type TestMerchant, type TestShop } from './testing/test-shop.ts'

interface ActionsMetadata {
  readonly actions: readonly {
    readonly name: string
    readonly definition: { readonly handler: string }
    readonly permissions: readonly { readonly role: string }[]
  }[]
}

const metadata = parse(
  readFileSync(join(import.meta.dirname, '../../metadata/actions.yaml'), 'utf8'),
) as ActionsMetadata

const sharedSecret = 'the-secret'
let shop: TestShop
let merchant: TestMerchant
let service: Actions
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
  const { databaseUrl, secretBox, cardProcessor } = shop
  service = await startActions({
    port: 0,
    databaseUrl,
    secret: sharedSecret,
    secretBox,
    files: shop.files,
    cardProcessor,
    logger: silent,
  })
})
afterAll(async () => {
  await service.stop()
  await shop.close()
})

describe('metadata/actions.yaml', () => {
  test.each(metadata.actions)(
    '$name has a handler with the same roles',
    ({ name, definition, permissions }) => {
      const [, domain = '', action = ''] = definition.handler.replace('{{ACTIONS_BASE_URL}}', '').split('/')
      expect(action).toBe(name)
      const roles = permissions.map(({ role }) => role).sort()
      expect([...(shop.domains[domain]?.[action]?.roles ?? [])].sort()).toEqual(roles)
    },
  )

  test('lists every action that has a handler', () => {
    const served = Object.values(shop.domains).flatMap((actions) => Object.keys(actions))
    expect(served.sort()).toEqual(metadata.actions.map(({ name }) => name).sort())
  })
})

const session = (permissions: string) => ({
  'x-hasura-role': 'merchant',
  'x-hasura-merchant-id': merchant.merchantId,
  'x-hasura-permissions': permissions,
})
const call = (name: string, input: unknown, permissions = '{inventory:write,orders:write}') => ({
  action: { name },
  input,
  session_variables: session(permissions),
  request_query: '',
})

describe('from the process itself', () => {
  const ask = async (name: string, body: unknown, headers: Record<string, string> = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const reply = await service.findLocal(`inventory/${name}`)?.({
      headers,
      body: text,
      signal: new AbortController().signal,
    })
    return reply && { status: reply.status, body: JSON.parse(reply.body) as unknown }
  }

  test('an action replies as over HTTP: done, invalid, refused, and once for an Idempotency-Key', async () => {
    const product = await shop.createProduct(merchant, { stock: [3] })
    const reserve = (quantity: number) =>
      call('reserveInventory', { items: quantity === 0 ? [] : [{ sku: product.sku, quantity }] })
    const key = { 'idempotency-key': randomUUID() }
    const done = await ask('reserveInventory', reserve(2), key)
    expect(done).toMatchObject({ status: 200, body: { items: [{ reserved: 2 }], replayed: false } })
    expect(await ask('reserveInventory', reserve(2), key)).toEqual({
      status: 200,
      body: { ...(done?.body as object), replayed: true },
    })
    expect(await ask('reserveInventory', reserve(0))).toMatchObject({
      status: 200,
      body: { errors: [{ field: 'items', code: 'REQUIRED_FIELD' }] },
    })
    expect(await ask('reserveInventory', reserve(2))).toMatchObject({
      status: 400,
      body: { extensions: { code: 'SVC_BIZ_001' } },
    })
  })

  test('a body that is no call, or longer than over HTTP, is refused', async () => {
    expect(await ask('reserveInventory', {})).toMatchObject({ status: 400 })
    const long = call('reserveInventory', { items: [], note: 'x'.repeat(1024 * 1024) })
    expect(await ask('reserveInventory', long)).toMatchObject({ status: 413 })
  })

  test('there is no action of another name', () => {
    expect(service.findLocal('inventory/none')).toBeUndefined()
    expect(service.findLocal('reserveInventory')).toBeUndefined()
  })
})

describe('over HTTP', () => {
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-actions-secret': sharedSecret, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  test('an answer is JSON with errors, empty on success', async () => {
    const product = await shop.createProduct(merchant, { stock: [3] })
    const items = [{ sku: product.sku, quantity: 2 }]
    const response = await post('/inventory/reserveInventory', call('reserveInventory', { items }))
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      merchantId: merchant.merchantId,
      items: [{ sku: product.sku, quantity: 2, reserved: 2 }],
      errors: [],
    })
    const invalid = await post('/inventory/reserveInventory', call('reserveInventory', { items: [] }))
    expect(invalid.status).toBe(200)
    expect(await invalid.json()).toMatchObject({ errors: [{ field: 'items', code: 'REQUIRED_FIELD' }] })
  })

  test('a catalogued refusal has its status, id and details', async () => {
    const product = await shop.createProduct(merchant, { stock: [3] })
    const items = [{ sku: product.sku, quantity: 4 }]
    const response = await post('/inventory/reserveInventory', call('reserveInventory', { items }))
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      message: 'Insufficient inventory. Available: 3, Requested: 4',
      extensions: { code: 'SVC_BIZ_001', details: { field: 'items.0.quantity', sku: product.sku } },
    })
  })

  test('a call without the secret, or without the permission, is refused', async () => {
    const body = call('reserveInventory', { items: [] }, '{inventory:read}')
    expect((await post('/inventory/reserveInventory', body, { 'x-actions-secret': 'guess' })).status).toBe(
      401,
    )
    // An event that Hasura did not send is refused as well: nothing is queued.
    const event = { id: randomUUID(), event: { op: 'INSERT', data: { old: null, new: {} } } }
    for (const secret of ['guess', ''])
      expect((await post('/events/order_placed', event, { 'x-actions-secret': secret })).status).toBe(401)
    const forbidden = await post('/inventory/reserveInventory', body)
    expect(forbidden.status).toBe(403)
    expect(await forbidden.json()).toMatchObject({ extensions: { code: 'SVC_AUTH_003' } })
  })

  test('an event is stored before Hasura gets its answer, and stored once however often it is sent', async () => {
    const id = randomUUID()
    const row = { merchant_id: merchant.merchantId, id: randomUUID() }
    const data = { old: { ...row, status: 'PENDING' }, new: { ...row, status: 'CONFIRMED' } }
    const event = { id, trigger: { name: 'order_status_changed' }, event: { op: 'UPDATE', data } }
    const { waiting } = await waitingEvents(shop.database)
    for (let sent = 0; sent < 2; sent += 1) {
      expect((await post('/events/order_status_changed', event)).status).toBe(202)
      expect((await waitingEvents(shop.database)).waiting).toBe(waiting + 1)
    }
    expect((await post('/events/order_placed', event)).status).toBe(400)
  })

  test('an action does not run if the audit log can’t record it', async () => {
    const product = await shop.createProduct(merchant, { stock: [3] })
    const reserve = () =>
      post(
        '/inventory/reserveInventory',
        call('reserveInventory', { items: [{ sku: product.sku, quantity: 1 }] }),
      )
    const reserved = () => shop.database`
      SELECT FROM inventory.reservation_line l JOIN inventory.stock_item i ON i.merchant_id = l.merchant_id AND i.id = l.stock_item_id
      WHERE i.sku = ${product.sku}`
    await shop.database`ALTER FUNCTION audit.append(jsonb) RENAME TO append_away`
    try {
      expect((await reserve()).status).toBe(500)
      expect(await reserved()).toHaveLength(0)
    } finally {
      await shop.database`ALTER FUNCTION audit.append_away(jsonb) RENAME TO append`
    }
    expect((await reserve()).status).toBe(200)
    expect(await reserved()).toHaveLength(1)
  })

  test('an Idempotency-Key that Hasura forwards has effect', async () => {
    const product = await shop.createProduct(merchant, { stock: [3] })
    const input = {
      customerId: merchant.customerId,
      items: [{ productId: product.id, quantity: 1 }],
      shippingAddress: address,
    }
    const send = () =>
      post('/ordering/createOrder', call('createOrder', { input }), { 'idempotency-key': 'once' })
    const first = (await (await send()).json()) as object
    expect(first).toMatchObject({ errors: [], replayed: false })
    expect(await (await send()).json()).toEqual({ ...first, replayed: true })
    const tooLong = await post('/ordering/createOrder', call('createOrder', { input }), {
      'idempotency-key': 'x'.repeat(256),
    })
    expect(await tooLong.json()).toMatchObject({
      errors: [{ field: 'Idempotency-Key', code: 'INVALID_FORMAT' }],
    })
  })

  test.each([
    ['no JSON', '{', 400],
    ['no call of an action', {}, 400],
    ['a call of another action', { action: { name: 'createOrder' } }, 400],
    ['a body above the bound', JSON.stringify({ pad: 'x'.repeat(1_100_000) }), 413],
  ])('%s is refused without internals in the answer', async (_what, body, status) => {
    const response = await post('/inventory/reserveInventory', body)
    expect(response.status).toBe(status)
    expect(await response.text()).not.toMatch(/at .*\.ts|node_modules/)
  })

  test('an unknown action is 404, and /healthz answers', async () => {
    expect((await post('/inventory/takeItAll', call('takeItAll', {}))).status).toBe(404)
    expect(await (await fetch(`${service.url}/healthz`)).json()).toEqual({ status: 'ok' })
  })

  test('a request with incomplete headers blocks no other request', async () => {
    const slow = request(`${service.url}/inventory/reserveInventory`, { method: 'POST' })
    slow.on('error', () => undefined)
    slow.write('{')
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    slow.destroy()
  })
})
