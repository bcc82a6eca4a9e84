import { type Client, createClient } from 'graphql-ws'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { everyPermission, openTestGateway, type TestGateway } from '../testing/gateway.ts'
import { fixtureId } from '../testing/shop.ts'

interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly {
    readonly message: string
    readonly extensions?: Readonly<Record<string, unknown>>
  }[]
}

/** A browser's client, and how its connection was closed. */
function connect(gateway: TestGateway, authorization: string) {
  const closed = Promise.withResolvers<{ code: number; reason: string }>()
  const client = createClient({
    url: gateway.url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: authorization },
    retryAttempts: 0,
    on: { closed: (event) => closed.resolve(event as { code: number; reason: string }) },
  })
  return { client, closed: closed.promise }
}

/** A subscription whose answers the test reads one by one. */
function watch(client: Client, query: string, variables: Readonly<Record<string, unknown>> = {}) {
  const answers: Answer[] = []
  let ended: Promise<never> | 'ended' | undefined
  let wake = (): void => undefined
  const end = (how: Promise<never> | 'ended') => {
    ended = how
    if (how !== 'ended') how.catch(() => undefined)
    wake()
  }
  const leave = client.subscribe(
    { query, variables },
    {
      next: (answer) => {
        answers.push(answer as Answer)
        wake()
      },
      error: (reason) => end(Promise.reject(reason as Error)),
      complete: () => end('ended'),
    },
  )
  return {
    next: async (): Promise<Answer | 'ended'> => {
      while (answers.length === 0 && ended === undefined)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      return answers.shift() ?? ended ?? 'ended'
    },
    leave,
  }
}

/** The error that refuses a subscription. */
async function refusalOf(client: Client, query: string, variables = {}): Promise<unknown> {
  try {
    return await watch(client, query, variables).next()
  } catch (errors) {
    return Array.isArray(errors) ? (errors as NonNullable<Answer['errors']>)[0]?.extensions?.['id'] : errors
  }
}

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openTestGateway({ limits: { socketConnections: 4, socketSubscriptions: 3 } })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const keyFor = (permissions: readonly string[] = everyPermission, merchant: 1 | 2 = 1) =>
  gateway.createKey({ permissions, merchant })

async function open(permissions?: readonly string[], merchant?: 1 | 2) {
  const key = await keyFor(permissions, merchant)
  return { key, ...connect(gateway, `Bearer ${key}`) }
}

const productId = fixtureId('product', 1, 1)
const orderId = fixtureId('order', 1, 1)
const product = 'subscription ($id: ID!) { product(id: $id) { n: name inventory { available } } }'

describe('a subscription', () => {
  test('answers at once, and again after each change of its records', async () => {
    const { client } = await open()
    const shown = watch(client, product, { id: productId })
    expect(await shown.next()).toEqual({
      data: { product: { n: 'Product 01', inventory: { available: 40 } } },
    })
    await gateway.shop.sql(
      `UPDATE inventory.stock_level l SET available = available + 1 FROM inventory.stock_item i, inventory.warehouse w
       WHERE i.merchant_id = l.merchant_id AND i.id = l.stock_item_id AND i.sku = 'SKU-1-1' AND i.product_id = '${productId}'
         AND w.merchant_id = l.merchant_id AND w.id = l.warehouse_id AND w.code = 'W1'`,
    )
    expect(await shown.next()).toEqual({
      data: { product: { n: 'Product 01', inventory: { available: 41 } } },
    })
    shown.leave()
    await client.dispose()
  })

  test('shows an order, a cart and the stock of a SKU, and null for an unknown id', async () => {
    const { client } = await open()
    const first = async (query: string, variables = {}) => {
      const shown = watch(client, query, variables)
      const answer = await shown.next()
      shown.leave()
      return answer
    }
    expect(await first('subscription { order(id: "x") { id } }')).toEqual({ data: { order: null } })
    expect(
      await first('subscription ($id: ID!) { order(id: $id) { orderNumber status items { quantity } } }', {
        id: orderId,
      }),
    ).toMatchObject({ data: { order: { orderNumber: '1001' } } })
    expect(await first('subscription { inventory(sku: "SKU-2") { sku available } }')).toMatchObject({
      data: { inventory: { sku: 'SKU-2' } },
    })
    expect(
      await first('subscription ($id: ID!) { cart(id: $id) { itemCount total items { available } } }', {
        id: fixtureId('cart', 1, 1),
      }),
    ).toMatchObject({ data: { cart: { itemCount: expect.any(Number) as unknown } } })
    await client.dispose()
  })

  test('does not show another merchant’s records', async () => {
    const { client } = await open(everyPermission, 2)
    const shown = watch(client, product, { id: productId })
    expect(await shown.next()).toEqual({ data: { product: null } })
    await client.dispose()
  })

  test('needs permissions, values and a document as a query does', async () => {
    const { client } = await open(['products:read'])
    expect(await watch(client, product, { id: productId }).next()).toMatchObject({
      data: { product: { n: 'Product 01', inventory: null } },
      errors: [
        {
          path: ['product', 'inventory'],
          extensions: { id: 'SVC_AUTH_003', details: { permission: 'inventory:read' } },
        },
      ],
    })
    const totalSold = 'subscription ($id: ID!) { product(id: $id) { name totalSold } }'
    expect(await refusalOf(client, totalSold, { id: productId })).toBe('SVC_AUTH_003')
    expect(await refusalOf(client, 'subscription { orderCreated { id } }')).toBe('SVC_AUTH_003')
    expect(await refusalOf(client, product)).toBe('SVC_VAL_001')
    expect(await refusalOf(client, 'subscription { nothing }')).toBe('SVC_GQL_003')
    expect(await refusalOf(client, 'subscription { product { id } order(id: "x") { id } }')).toBe(
      'SVC_GQL_003',
    )
    expect(await refusalOf(client, 'subscription { product(id: "x") @skip(if: true) { id } }')).toBe(
      'SVC_GQL_003',
    )
    expect(
      await refusalOf(client, 'subscription ($s: Boolean!) { product(id: "x") @skip(if: $s) { id } }', {
        s: true,
      }),
    ).toBe('SVC_GQL_003')
    expect(await refusalOf(client, '{ viewer { id } }')).toBe('SVC_GQL_003')
    const deep = 'categories { products { edges { node { '.repeat(4)
    expect(
      await refusalOf(client, `subscription { product(id: "x") { ${deep} id ${'} } } }'.repeat(4)} } }`),
    ).toBe('SVC_GQL_001')
    const wide =
      'categories { products(first: 100) { edges { node { categories { products(first: 100) { edges { node { id name } } } } } } } }'
    expect(await refusalOf(client, `subscription { product(id: "x") { ${wide} } }`)).toBe('SVC_GQL_002')
    await client.dispose()
  })
})

test('a subscription with null for a value with a default is refused alone: others of its connection go on', async () => {
  const { client } = await open()
  const shown = watch(client, product, { id: productId })
  await shown.next()
  const [included, found] = [
    'subscription ($i: Boolean = true) { product(id: "x") { id name @include(if: $i) } }',
    'subscription ($i: ID = "x") { product(id: $i) { id } }',
  ]
  expect(await refusalOf(client, included, { i: null })).toBe('SVC_VAL_001')
  expect(await refusalOf(client, found, { i: null })).toBe('SVC_VAL_001')
  await gateway.shop.sql(`UPDATE catalog.product SET name = 'Renamed' WHERE id = '${productId}'`)
  expect(await shown.next()).toMatchObject({ data: { product: { n: 'Renamed' } } })
  await gateway.shop.sql(`UPDATE catalog.product SET name = 'Product 01' WHERE id = '${productId}'`)
  shown.leave()
  await client.dispose()
})

describe('new orders', () => {
  const orders =
    'subscription ($after: String) { orderCreated(after: $after) { number: orderNumber customer { id } } }'
  const numberOf = (answer: Answer | 'ended') =>
    answer === 'ended' ? answer : (answer.data?.['orderCreated'] as { number: string } | undefined)?.number
  const place = (numbers: readonly string[]) =>
    gateway.shop.sql(
      `INSERT INTO ordering."order" (merchant_id, id, order_number, customer_id, currency, subtotal, tax, shipping, discount, total, shipping_address_id)
       SELECT merchant_id, gen_random_uuid(), number, customer_id, currency, 0, 0, 0, 0, 0, shipping_address_id
       FROM ordering."order", unnest('{${numbers.join()}}'::text[]) AS number WHERE id = '${orderId}'`,
    )

  test('come one by one from now on, each once to each subscriber, or from a given number on', async () => {
    const { client } = await open()
    const [one, two] = [watch(client, orders), watch(client, orders)]
    const first = [one.next(), two.next()]
    await sleep(1_500)
    await place(['2001', '2002'])
    expect((await Promise.all(first)).map(numberOf)).toEqual(['2001', '2001'])
    expect(numberOf(await one.next())).toBe('2002')
    expect(numberOf(await two.next())).toBe('2002')
    const third = one.next()
    await place(['2003'])
    expect(numberOf(await third)).toBe('2003')
    const late = watch(client, orders, { after: '2001' })
    expect([numberOf(await late.next()), numberOf(await late.next())]).toEqual(['2002', '2003'])
    await client.dispose()
  })

  test('are those of the caller’s shop', async () => {
    const { client } = await open(everyPermission, 2)
    const foreign = watch(client, orders, { after: '1999' })
    const answer = foreign.next()
    expect(await Promise.race([answer, sleep(1_500, 'silence')])).toBe('silence')
    await client.dispose()
  })
})

describe('a connection', () => {
  const live = 'subscription { product(id: "x") { id } }'

  test('is refused without a valid credential, and accepts one in the upgrade’s headers as well', async () => {
    for (const authorization of ['Bearer cg_live_nothing', 'x']) {
      const { client, closed } = connect(gateway, authorization)
      await expect(watch(client, live).next()).rejects.toMatchObject({ code: 4401 })
      expect(await closed).toMatchObject({
        code: 4401,
        reason: expect.stringMatching(/^SVC_AUTH_001/) as unknown,
      })
    }
    const socket = new WebSocket(gateway.url.replace('http', 'ws'), 'graphql-transport-ws', {
      headers: { authorization: `Bearer ${await keyFor()}` },
    })
    await new Promise((resolve) => socket.once('open', resolve))
    socket.send('{"type":"connection_init"}')
    expect(await messageOf(socket)).toEqual({ type: 'connection_ack' })
    socket.close()
  })

  test.each([
    ['the key is revoked', 'revoked_at = now()', 4401],
    ['the key expires', `expires_at = now() + interval '300 milliseconds'`, 4401],
    ['the key loses a permission', `permissions = '{products:read}'`, 4403],
  ])('is closed within a second after %s', async (_, change, code) => {
    const { client, closed, key } = await open()
    const shown = watch(client, live)
    await shown.next()
    const began = performance.now()
    const { hashApiKey } = await import('@commerce-graph/auth-webhook')
    await gateway.shop.sql(
      `UPDATE merchant.api_key SET ${change} WHERE id =
        (SELECT key_id FROM merchant.api_key_hash WHERE hash = '\\x${hashApiKey(key).toString('hex')}')`,
    )
    await expect(shown.next()).rejects.toMatchObject({ code })
    expect(await closed).toMatchObject({ code })
    expect(performance.now() - began).toBeLessThan(1_300)
  })

  test('is closed within a second after the merchant is suspended', async () => {
    const { client, closed } = await open(everyPermission, 2)
    const shown = watch(client, live)
    await shown.next()
    const merchant = fixtureId('merchant', 2, 0)
    await gateway.shop.sql(`UPDATE merchant.merchant SET status = 'SUSPENDED' WHERE id = '${merchant}'`)
    const began = performance.now()
    try {
      await expect(shown.next()).rejects.toMatchObject({ code: 4403 })
      expect(await closed).toMatchObject({ code: 4403 })
      expect(performance.now() - began).toBeLessThan(1_300)
    } finally {
      await gateway.shop.sql(`UPDATE merchant.merchant SET status = 'ACTIVE' WHERE id = '${merchant}'`)
    }
  })

  test('is closed within a second if the allow-list no longer has its address', async () => {
    const { client, closed } = await open(everyPermission, 2)
    const shown = watch(client, live)
    await shown.next()
    const merchant = fixtureId('merchant', 2, 0)
    await gateway.shop.sql(
      `UPDATE merchant.merchant SET ip_allow_list_enabled = true WHERE id = '${merchant}'`,
    )
    await expect(shown.next()).rejects.toMatchObject({ code: 4403 })
    expect(await closed).toMatchObject({ code: 4403 })
    await gateway.shop.sql(
      `UPDATE merchant.merchant SET ip_allow_list_enabled = false WHERE id = '${merchant}'`,
    )
  })

  test('and its subscriptions are counted by key', async () => {
    const { client, key } = await open()
    const held = [1, 2, 3].map(() => watch(client, live))
    await Promise.all(held.map((one) => one.next()))
    expect(await refusalOf(client, live)).toBe('SVC_RATE_001')
    held[0]?.leave()
    await sleep(100)
    const again = watch(client, live)
    expect(await again.next()).toEqual({ data: { product: null } })

    const more = [2, 3, 4].map(() => connect(gateway, `Bearer ${key}`))
    await Promise.all(more.map((one) => refusalOf(one.client, live)))
    const last = connect(gateway, `Bearer ${key}`)
    const sockets = await Promise.all([1, 2, 3].map(() => rawConnection(key)))
    await expect(watch(last.client, live).next()).rejects.toMatchObject({ code: 4429 })
    expect(await last.closed).toMatchObject({ code: 4429 })
    for (const socket of sockets) socket.close()
    await client.dispose()
  })

  test('is closed if it uses an id again while its subscription begins, and all of its subscriptions end', async () => {
    const key = await keyFor()
    for (let time = 0; time < 4; time += 1) {
      const socket = await rawConnection(key)
      const code = new Promise((resolve) => socket.once('close', resolve))
      const payload = { query: live }
      const { _socket: stream } = socket as unknown as { readonly _socket: Duplex }
      // In one packet, so that the server reads all three before it has begun the first.
      stream.cork()
      for (const message of [
        { id: '1', type: 'subscribe', payload },
        { id: '1', type: 'complete' },
        { id: '1', type: 'subscribe', payload },
      ])
        socket.send(JSON.stringify(message))
      stream.uncork()
      expect(await code).toBe(4409)
    }
    const { client } = connect(gateway, `Bearer ${key}`)
    const held = [1, 2, 3].map(() => watch(client, live))
    expect(await Promise.all(held.map((one) => one.next()))).toEqual(
      held.map(() => ({ data: { product: null } })),
    )
    await client.dispose()
  })

  test('is closed if it breaks the protocol: sends nothing, too much, or an invalid message', async () => {
    await using strict = await openTestGateway({
      limits: { socketInitMilliseconds: 200, socketMessagesPerSecond: 5, socketMessageBytes: 1_000 },
    })
    const key = await strict.createKey({ permissions: everyPermission })
    const closeOf = async (act: (socket: WebSocket) => void, protocol = 'graphql-transport-ws') => {
      const socket = new WebSocket(strict.url.replace('http', 'ws'), protocol)
      await new Promise((resolve) => socket.once('open', resolve))
      const code = new Promise((resolve) => socket.once('close', resolve))
      act(socket)
      return code
    }
    const init = JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${key}` } })
    expect(await closeOf(() => undefined)).toBe(4408)
    expect(
      await closeOf((socket) => socket.send('{"type":"subscribe","id":"1","payload":{"query":"{x}"}}')),
    ).toBe(4401)
    expect(await closeOf((socket) => socket.send('nonsense'))).toBe(4400)
    expect(await closeOf((socket) => socket.send('{"type":"next","id":"1","payload":{}}'))).toBe(4400)
    expect(await closeOf((socket) => socket.send(Buffer.from('{}')))).toBe(4400)
    expect(await closeOf((socket) => socket.send('x'.repeat(1_001)))).toBe(1009)
    expect(
      await closeOf((socket) => {
        socket.send(init)
        for (let i = 0; i < 6; i += 1) socket.send('{"type":"ping"}')
      }),
    ).toBe(4429)
    expect(
      await closeOf((socket) => {
        socket.send(init)
        socket.send(init)
      }),
    ).toBe(4429)
  })

  test('is cut if it does not answer pings', async () => {
    await using strict = await openTestGateway({ limits: { socketPingMilliseconds: 150 } })
    const socket = new WebSocket(strict.url.replace('http', 'ws'), 'graphql-transport-ws', {
      autoPong: false,
    })
    const code = await new Promise((resolve) => socket.once('close', resolve))
    expect(code).toBe(1006)
  })

  test('is closed with a reason when the server stops', async () => {
    const stopping = await openTestGateway()
    const key = await stopping.createKey({ permissions: everyPermission })
    const { client, closed } = connect(stopping, `Bearer ${key}`)
    const shown = watch(client, live)
    await shown.next()
    const next = shown.next().catch(() => undefined)
    await stopping[Symbol.asyncDispose]()
    expect(await closed).toMatchObject({ code: 1001 })
    await next
  })
})

test('a long message is compressed for a client that offers it, and read like any other', async () => {
  const received = async (perMessageDeflate: boolean) => {
    const headers = { authorization: `Bearer ${await keyFor()}` }
    const url = gateway.url.replace('http', 'ws')
    const socket = new WebSocket(url, 'graphql-transport-ws', { headers, perMessageDeflate })
    let bytes = 0
    socket.once('upgrade', ({ socket: line }) => line.on('data', (chunk: Buffer) => (bytes += chunk.length)))
    await new Promise((resolve) => socket.once('open', resolve))
    socket.send('{"type":"connection_init"}')
    await messageOf(socket)
    const names = Array.from({ length: 40 }, (_, index) => `${'n'.repeat(110)}${index}: name`).join(' ')
    const payload = {
      query: `subscription ($id: ID!) { product(id: $id) { ${names} } }`,
      variables: { id: productId },
    }
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }))
    const text = JSON.stringify(await messageOf(socket))
    socket.close()
    return { bytes, text }
  }
  const plain = await received(false)
  const compressed = await received(true)
  expect(plain.text.length).toBeGreaterThan(4_096)
  expect(compressed.text).toBe(plain.text)
  expect(compressed.bytes).toBeLessThan(plain.bytes / 2)
})

const messageOf = (socket: WebSocket): Promise<unknown> =>
  new Promise((resolve) => {
    socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString('utf8'))))
  })

/** A connection that has sent connection_init, and nothing else. */
async function rawConnection(key: string): Promise<WebSocket> {
  const socket = new WebSocket(gateway.url.replace('http', 'ws'), 'graphql-transport-ws')
  await new Promise((resolve) => socket.once('open', resolve))
  socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${key}` } }))
  await messageOf(socket)
  return socket
}
