import { once } from 'node:events'
import { type IncomingMessage, type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type TestDatabase, createTestDatabase } from '@commerce-graph/local-postgres/testing'
import { SignJWT } from 'jose'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ClientOptions, WebSocket } from 'ws'
import type { EngineOptions } from '../../engine-options.ts'
import { type Engine, startEngine } from '../../engine.ts'
import { parseJwtSecrets } from '../../session/jwt-config.ts'
import type { SessionCheck } from '../../session/types.ts'

let database: TestDatabase
let client: pg.Client
let started: Engine[]
let opened: WebSocket[]

beforeAll(async () => {
  database = await createTestDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(`
    create table product (merchant_id int, id int, title text not null, primary key (merchant_id, id));
  `)
})

afterAll(async () => {
  await client.end()
  await database.drop()
})

beforeEach(async () => {
  started = []
  opened = []
  await client.query(`truncate product; insert into product values (1, 1, 'Cup'), (2, 1, 'Hat')`)
})

afterEach(async () => {
  for (const socket of opened) socket.terminate()
  await Promise.all(started.map((engine) => engine.stop()))
})

async function start(options: Partial<EngineOptions> = {}): Promise<Engine> {
  const engine = await startEngine({
    databaseUrl: database.url,
    adminSecret: 'secret',
    port: 0,
    liveQueries: { intervalMs: 50, batchSize: 100 },
    logger: pino({ level: 'silent' }),
    ...options,
  })
  started.push(engine)
  const own = { merchant_id: { _eq: 'X-Hasura-Merchant-Id' } }
  await engine.replaceMetadata({
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        tables: [
          {
            table: { schema: 'public', name: 'product' },
            select_permissions: [{ role: 'merchant', permission: { columns: ['id', 'title'], filter: own } }],
          },
        ],
      },
    ],
  })
  return engine
}

interface Message {
  readonly type: string
  readonly id?: string
  readonly payload?: unknown
}

/** A plain client that takes messages in order. `messages` leaves out keep-alives. */
async function connect(engine: Engine, protocol?: string, options: ClientOptions = {}) {
  const url = `${engine.url ?? ''}/v1/graphql`.replace('http', 'ws')
  const socket = new WebSocket(url, protocol === undefined ? [] : [protocol], options)
  opened.push(socket)
  const messages: Message[] = []
  const all: Message[] = []
  let wake: (() => void) | undefined
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Message
    all.push(message)
    if (message.type === 'ka' || message.type === 'ping') return
    messages.push(message)
    wake?.()
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code: number, reason: Buffer) => resolve({ code, reason: reason.toString() }))
  })
  await once(socket, 'open')
  const next = async (): Promise<Message> => {
    while (messages.length === 0)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    const [first] = messages.splice(0, 1)
    if (first === undefined) throw new Error('there is a message')
    return first
  }
  const send = (message: unknown) => socket.send(JSON.stringify(message))
  const init = async (headers: Record<string, string> = { 'x-hasura-admin-secret': 'secret' }) => {
    send({ type: 'connection_init', payload: { headers } })
    return next()
  }
  return { socket, send, next, init, closed, messages, all }
}

const transport = 'graphql-transport-ws'
const merchant = (id: string) => ({
  'x-hasura-admin-secret': 'secret',
  'x-hasura-role': 'merchant',
  'x-hasura-merchant-id': id,
})
const live = { query: 'subscription { product { title } }' }
const query = { query: '{ product(order_by: {merchant_id: asc}) { title } }' }
const rows = (...titles: string[]) => ({ data: { product: titles.map((title) => ({ title })) } })

describe('graphql-transport-ws', () => {
  test('shows two merchants their own rows of one live query, until they complete it', async () => {
    const engine = await start()
    const [one, two] = [await connect(engine, transport), await connect(engine, transport)]
    expect(one.socket.protocol).toBe(transport)
    expect(await one.init(merchant('1'))).toEqual({ type: 'connection_ack' })
    await two.init(merchant('2'))
    one.send({ type: 'subscribe', id: 'a', payload: live })
    two.send({ type: 'subscribe', id: 'a', payload: live })
    expect(await one.next()).toEqual({ type: 'next', id: 'a', payload: rows('Cup') })
    expect(await two.next()).toEqual({ type: 'next', id: 'a', payload: rows('Hat') })
    await client.query(`update product set title = 'Mug' where merchant_id = 1`)
    expect(await one.next()).toEqual({ type: 'next', id: 'a', payload: rows('Mug') })
    one.send({ type: 'complete', id: 'a' })
    one.send({ type: 'ping', payload: { n: 1 } })
    expect(await one.next()).toEqual({ type: 'pong', payload: { n: 1 } })
    await client.query(`update product set title = 'New'`)
    expect(await two.next()).toEqual({ type: 'next', id: 'a', payload: rows('New') })
    expect(one.messages).toEqual([])
  })

  test('answers queries and mutations once, and an invalid operation with an error', async () => {
    const engine = await start()
    const one = await connect(engine, transport)
    await one.init()
    one.send({ type: 'subscribe', id: 'q', payload: query })
    expect([await one.next(), await one.next()]).toEqual([
      { type: 'next', id: 'q', payload: rows('Cup', 'Hat') },
      { type: 'complete', id: 'q' },
    ])
    const insert = 'mutation { insert_product_one(object: {merchant_id: 1, id: 2, title: "Pan"}) { title } }'
    one.send({ type: 'subscribe', id: 'm', payload: { query: insert } })
    expect(await one.next()).toMatchObject({ payload: { data: { insert_product_one: { title: 'Pan' } } } })
    expect(await one.next()).toEqual({ type: 'complete', id: 'm' })
    one.send({ type: 'subscribe', id: 'm', payload: { query: insert } })
    expect([await one.next(), await one.next()]).toMatchObject([
      { type: 'error', id: 'm', payload: [{ extensions: { code: 'constraint-violation' } }] },
      { type: 'complete', id: 'm' },
    ])
    one.send({ type: 'subscribe', id: 'e', payload: { query: 'subscription { nothing }' } })
    expect(await one.next()).toMatchObject({
      type: 'error',
      id: 'e',
      payload: [{ message: `field "nothing" not found in type: 'subscription_root'` }],
    })
    expect(await one.next()).toEqual({ type: 'complete', id: 'e' })
    one.send({ type: 'subscribe', id: 'e', payload: {} })
    expect(await one.next()).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'parse-failed' } }],
    })
  })

  test('disconnects a client for each violation with its code', async () => {
    const engine = await start({
      webSockets: { initTimeoutMs: 300, maxOperations: 2, maxMessageBytes: 1000 },
    })
    const codeAfter = async (
      headers: Record<string, string> | undefined,
      ...sent: readonly unknown[]
    ): Promise<number> => {
      const one = await connect(engine, transport)
      if (headers !== undefined) one.send({ type: 'connection_init', payload: { headers } })
      if (headers?.['x-hasura-admin-secret'] === 'secret') await one.next()
      for (const message of sent) one.send(message)
      return (await one.closed).code
    }
    const subscribe = (id: string) => ({ type: 'subscribe', id, payload: live })
    expect(await codeAfter(undefined)).toBe(4408)
    expect(await codeAfter(undefined, subscribe('a'))).toBe(4401)
    expect(await codeAfter({ 'x-hasura-admin-secret': 'wrong' })).toBe(4403)
    expect(await codeAfter({})).toBe(4403)
    expect(await codeAfter(merchant('1'), { type: 'connection_init' })).toBe(4429)
    expect(await codeAfter(merchant('1'), subscribe('a'), subscribe('a'))).toBe(4409)
    expect(await codeAfter(merchant('1'), { type: 'begin', id: 'a' })).toBe(4400)
    expect(await codeAfter(merchant('1'), ...['a', 'b', 'c'].map(subscribe))).toBe(4429)
    expect(await codeAfter(merchant('1'), { type: 'ping', payload: 'x'.repeat(1000) })).toBe(1009)
  })
})

describe('the protocol of subscriptions-transport-ws', () => {
  test.each([undefined, 'graphql-ws'])(
    'with subprotocol %s serves subscriptions and queries',
    async (name) => {
      const engine = await start()
      const one = await connect(engine, name)
      expect(await one.init(merchant('1'))).toEqual({ type: 'connection_ack' })
      one.send({ type: 'start', id: '1', payload: live })
      expect(await one.next()).toEqual({ type: 'data', id: '1', payload: rows('Cup') })
      one.send({ type: 'stop', id: '1' })
      one.send({ type: 'start', id: '2', payload: { query: '{ product { title } }' } })
      expect([await one.next(), await one.next()]).toEqual([
        { type: 'data', id: '2', payload: rows('Cup') },
        { type: 'complete', id: '2' },
      ])
      one.send({ type: 'connection_terminate' })
      expect((await one.closed).code).toBe(1000)
    },
  )

  test('lets a client authenticate again, and sends operations without waiting for the answer', async () => {
    const engine = await start()
    const one = await connect(engine)
    await one.init(merchant('1'))
    one.send({ type: 'connection_init', payload: { headers: merchant('2') } })
    one.send({ type: 'start', id: '1', payload: live })
    expect([await one.next(), await one.next()]).toEqual([
      { type: 'connection_ack' },
      { type: 'data', id: '1', payload: rows('Hat') },
    ])
  })

  test('reports errors without disconnecting', async () => {
    const engine = await start()
    const one = await connect(engine)
    one.send({ type: 'start', id: '1', payload: live })
    expect(await one.next()).toEqual({
      type: 'error',
      id: '1',
      payload: {
        message: 'start received before the connection is initialised',
        extensions: { path: '$', code: 'start-failed' },
      },
    })
    expect(await one.next()).toEqual({ type: 'complete', id: '1' })
    one.send({ type: 'stop' })
    expect(await one.next()).toMatchObject({
      type: 'connection_error',
      payload: expect.stringMatching(/^parsing ClientMessage failed: id: /) as string,
    })
    await one.init()
    one.send({ type: 'start', id: '1', payload: { query: '{ nothing }' } })
    expect([await one.next(), await one.next()]).toMatchObject([
      { type: 'error', id: '1', payload: { errors: [{ extensions: { code: 'validation-failed' } }] } },
      { type: 'complete', id: '1' },
    ])
    const again = 'mutation { insert_product_one(object: {merchant_id: 1, id: 1, title: "Cup"}) { id } }'
    one.send({ type: 'start', id: '1', payload: { query: again } })
    expect([await one.next(), await one.next()]).toMatchObject([
      {
        type: 'data',
        payload: { data: null, errors: [{ extensions: { code: 'constraint-violation' } }] },
      },
      { type: 'complete', id: '1' },
    ])
  })

  test('refuses a second operation under an id, and continues the first', async () => {
    const engine = await start()
    const one = await connect(engine)
    await one.init(merchant('1'))
    one.send({ type: 'start', id: '1', payload: live })
    expect(await one.next()).toMatchObject({ type: 'data', id: '1' })
    one.send({ type: 'start', id: '1', payload: live })
    expect([await one.next(), await one.next()]).toMatchObject([
      { type: 'error', id: '1', payload: { message: 'an operation already exists with this id: 1' } },
      { type: 'complete', id: '1' },
    ])
    await client.query(`update product set title = 'Mug' where merchant_id = 1`)
    expect(await one.next()).toEqual({ type: 'data', id: '1', payload: rows('Mug') })
  })

  test('sends the reason of a refusal, and closes', async () => {
    const engine = await start()
    const one = await connect(engine)
    expect(await one.init({ 'x-hasura-admin-secret': 'wrong' })).toEqual({
      type: 'connection_error',
      payload: 'invalid x-hasura-admin-secret/x-hasura-access-key',
    })
    const reason = 'Connection initialization failed: invalid x-hasura-admin-secret/x-hasura-access-key'
    expect(await one.closed).toEqual({
      code: 4400,
      reason: JSON.stringify({ server_error_msg: `4400: ${reason}` }),
    })
  })

  test('waits without limit for a client to authenticate', async () => {
    const engine = await start({ webSockets: { initTimeoutMs: 50 } })
    const one = await connect(engine)
    await sleep(200)
    expect(await one.init()).toEqual({ type: 'connection_ack' })
  })
})

describe('a connection', () => {
  test.each([
    ['graphql-transport-ws', { type: 'ping', payload: { message: 'keepalive' } }],
    ['graphql-ws', { type: 'ka' }],
  ])(
    'of %s gets a keep-alive when it opens, when it is acknowledged, and at an interval',
    async (name, sign) => {
      const engine = await start({ webSockets: { keepAliveMs: 60_000 } })
      const one = await connect(engine, name)
      await expect.poll(() => one.all).toEqual([sign])
      await one.init()
      await expect.poll(() => one.all).toEqual([sign, { type: 'connection_ack' }, sign])
      const impatient = await start({ webSockets: { keepAliveMs: 50 } })
      const two = await connect(impatient, name)
      await expect.poll(() => two.all.length).toBeGreaterThan(3)
    },
  )

  test('has the session that the webhook gives for the headers of upgrade and connection_init, until it expires', async () => {
    const webhookCalls: string[] = []
    const webhook = createServer((request, response) => {
      webhookCalls.push([request.headers['x-from-proxy'], request.headers.authorization].join(' '))
      const answer = {
        'X-Hasura-Role': 'merchant',
        'X-Hasura-Merchant-Id': '2',
        'Cache-Control': 'max-age=1',
      }
      response.end(JSON.stringify(answer))
    }).listen(0, '127.0.0.1')
    await once(webhook, 'listening')
    try {
      const { port } = webhook.address() as AddressInfo
      const engine = await start({ authHook: { url: `http://127.0.0.1:${port}`, mode: 'GET' } })
      const one = await connect(engine, transport, { headers: { 'x-from-proxy': 'yes' } })
      await one.init({ Authorization: 'Bearer token', 'X-From-Proxy': 'forged' })
      expect(webhookCalls).toEqual(['yes Bearer token'])
      one.send({ type: 'subscribe', id: '1', payload: live })
      expect(await one.next()).toMatchObject({ payload: rows('Hat') })
      expect(await one.closed).toEqual({ code: 1000, reason: 'the session has expired' })
    } finally {
      webhook.close()
      webhook.closeAllConnections()
    }
  })

  describe('whose session is over', () => {
    let webhook: Server
    let release: (() => void) | undefined
    /** A webhook that takes `Authorization: <merchant>` as the merchant, and answers after `waiting`. */
    const startWithWebhook = async (waiting?: Promise<void>): Promise<Engine> => {
      webhook = createServer((request, response) => {
        void (waiting ?? Promise.resolve()).then(() =>
          response.end(
            JSON.stringify({
              'X-Hasura-Role': 'merchant',
              'X-Hasura-Merchant-Id': request.headers.authorization,
              'Cache-Control': 'max-age=3600',
            }),
          ),
        )
      }).listen(0, '127.0.0.1')
      await once(webhook, 'listening')
      const { port } = webhook.address() as AddressInfo
      return start({ authHook: { url: `http://127.0.0.1:${port}`, mode: 'GET' } })
    }
    afterEach(() => {
      release?.()
      webhook.close()
      webhook.closeAllConnections()
    })
    const isOfOne: SessionCheck = ({ variables }, { authorization }) =>
      variables['x-hasura-merchant-id'] === '1' && authorization === '1'
    const ended = { code: 1000, reason: 'the session has ended' }

    test('is closed, and the others continue', async () => {
      const engine = await startWithWebhook()
      const [one, two, admin] = [
        await connect(engine, transport),
        await connect(engine, transport),
        await connect(engine, transport),
      ]
      await one.init({ Authorization: '1' })
      await two.init({ Authorization: '2' })
      await admin.init(merchant('1'))
      two.send({ type: 'subscribe', id: 'a', payload: live })
      expect(await two.next()).toEqual({ type: 'next', id: 'a', payload: rows('Hat') })
      await engine.endSessions(isOfOne)
      expect(await one.closed).toEqual(ended)
      await client.query(`update product set title = 'Cap' where merchant_id = 2`)
      expect(await two.next()).toEqual({ type: 'next', id: 'a', payload: rows('Cap') })
      admin.send({ type: 'subscribe', id: 'a', payload: live })
      expect(await admin.next()).toEqual({ type: 'next', id: 'a', payload: rows('Cup') })
    })

    test('is closed when the session ends before the webhook answers', async () => {
      const waiting = new Promise<void>((resolve) => (release = resolve))
      const engine = await startWithWebhook(waiting)
      const one = await connect(engine, transport)
      const acknowledged = one.init({ Authorization: '1' })
      // A connection's messages are read in order, so the pong means that authentication has begun.
      one.send({ type: 'ping' })
      expect(await acknowledged).toEqual({ type: 'pong' })
      const ending = engine.endSessions(isOfOne)
      release?.()
      await ending
      expect(await one.closed).toEqual(ended)
    })

    test('is closed when the check fails', async () => {
      const engine = await startWithWebhook()
      const one = await connect(engine, transport)
      await one.init({ Authorization: '1' })
      await engine.endSessions(() => Promise.reject(new Error('not now')))
      expect(await one.closed).toEqual(ended)
    })
  })

  test('is closed when its token expires', async () => {
    const key = 'k'.repeat(32)
    const parsed = parseJwtSecrets(JSON.stringify({ type: 'HS256', key, claims_namespace: 'c' }), undefined)
    const engine = await start({ jwtSecrets: parsed.kind === 'secrets' ? parsed.secrets : [] })
    const claims = {
      'x-hasura-allowed-roles': ['merchant'],
      'x-hasura-default-role': 'merchant',
      'x-hasura-merchant-id': '2',
    }
    const token = await new SignJWT({ c: claims, exp: Math.ceil(Date.now() / 1000) + 1 })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(Buffer.from(key))
    const one = await connect(engine, transport)
    await one.init({ Authorization: `Bearer ${token}` })
    one.send({ type: 'subscribe', id: '1', payload: live })
    expect(await one.next()).toMatchObject({ payload: rows('Hat') })
    expect(await one.closed).toEqual({ code: 1000, reason: 'the session has expired' })
    const late = await connect(engine, transport)
    late.send({ type: 'connection_init', payload: { headers: { Authorization: `Bearer ${token}` } } })
    expect(await late.closed).toEqual({
      code: 4403,
      reason: '{"server_error_msg":"4403: Forbidden"}',
    })
    const answer = await fetch(`${engine.url ?? ''}/v1/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: '{ product { title } }' }),
    })
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        errors: [
          { message: 'Could not verify JWT: JWTExpired', extensions: { path: '$', code: 'invalid-jwt' } },
        ],
      },
    ])
  })

  test('that does not read its answers is dropped', async () => {
    const engine = await start({ webSockets: { keepAliveMs: 60_000, maxBufferedBytes: 100_000 } })
    const slow = await connect(engine, transport)
    const quick = await connect(engine, transport)
    for (const one of [slow, quick]) {
      await one.init(merchant('1'))
      one.send({ type: 'subscribe', id: '1', payload: live })
      await one.next()
    }
    slow.socket.pause()
    const deadline = Date.now() + 20_000
    const dropped = slow.closed.then(() => true)
    // The operating system buffers several megabytes before the engine's buffers fill.
    for (let turn = 0; turn < 20; turn += 1) {
      await client.query(`update product set title = repeat($1, 1000000) where merchant_id = 1`, [
        String(turn % 10),
      ])
      expect(await quick.next()).toMatchObject({ type: 'next' })
    }
    slow.socket.resume()
    expect(await Promise.race([dropped, sleep(deadline - Date.now(), false)])).toBe(true)
    expect((await slow.closed).code).toBe(1006)
    expect(quick.socket.readyState).toBe(WebSocket.OPEN)
  })

  test('cancels its statements when the client disconnects', async () => {
    const engine = await start()
    await client.query(`
      create or replace function wait() returns setof product volatile language sql
      as $$ select product.* from product, pg_sleep(20) $$;
    `)
    const metadata = engine.snapshot.storedMetadata
    await engine.replaceMetadata({
      ...metadata,
      sources: metadata.sources.map((source) => ({
        ...source,
        functions: [
          { function: { schema: 'public', name: 'wait' }, configuration: { exposed_as: 'query' as const } },
        ],
      })),
    })
    const one = await connect(engine, transport)
    await one.init()
    one.send({ type: 'subscribe', id: '1', payload: { query: '{ wait { id } }' } })
    const running = async (): Promise<number> => {
      const { rows: found } = await client.query(
        `select 1 from pg_stat_activity where datname = current_database() and query like '%"wait"%'
         and state = 'active' and pid <> pg_backend_pid()`,
      )
      return found.length
    }
    await expect.poll(running, { timeout: 5_000 }).toBe(1)
    one.socket.close()
    await expect.poll(running, { timeout: 5_000 }).toBe(0)
  })

  test('is refused at other paths, and beyond the limit', async () => {
    const engine = await start({
      webSockets: { maxConnections: 1 },
      cors: { kind: 'some', origins: ['https://shop.example'] },
    })
    const refusal = async (path: string, options: ClientOptions = {}) => {
      const socket = new WebSocket(`${engine.url ?? ''}${path}`.replace('http', 'ws'), options)
      const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
      const body = JSON.parse(await text(response)) as unknown
      return { status: response.statusCode, body }
    }
    expect(await refusal('/v1/metadata')).toEqual({
      status: 404,
      body: {
        extensions: { path: '$', code: 'not-found' },
        message: "only '/v1/graphql' and '/v1beta1/relay' are supported on websockets",
      },
    })
    expect(await refusal('/v1/graphql', { origin: 'https://evil.example' })).toMatchObject({
      status: 400,
      body: { extensions: { code: 'access-denied' } },
    })
    await connect(engine, transport, { origin: 'https://shop.example' })
    expect(await refusal('/v1/graphql')).toMatchObject({ status: 503 })
  })

  test('is closed with a reason when the engine stops', async () => {
    const engine = await start()
    const one = await connect(engine, transport)
    await one.init()
    one.send({ type: 'subscribe', id: '1', payload: live })
    await one.next()
    started = []
    await engine.stop()
    expect(await one.closed).toEqual({ code: 1012, reason: 'shutting server down' })
  })
})
