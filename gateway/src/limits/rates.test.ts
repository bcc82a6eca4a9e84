import { createClient } from 'graphql-ws'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { everyPermission, openTestGateway, send, type TestGateway } from '../testing/gateway.ts'
import { fixtureId } from '../testing/shop.ts'

const viewer = '{ viewer { id } }'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openTestGateway({
    rates: {
      LIMIT_RATE_FREE: '1000/3/4',
      LIMIT_RATE_PRO: '6/5/10',
      LIMIT_RATE_STARTER: '100000/1000/1000',
      LIMIT_SHOPPER_REQUESTS_PER_MINUTE: '4',
      LIMIT_GUESSES_PER_MINUTE: '5',
    },
  })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const plan = (merchant: 1 | 2, name: string) =>
  gateway.shop.sql(
    `UPDATE merchant.subscription SET plan = '${name}' WHERE merchant_id = '${fixtureId('merchant', merchant, 0)}'`,
  )
const unknownKey = () => `cg_live_${randomBytes(32).toString('base64url')}`

describe('a merchant', () => {
  test('gets the remaining requests in every answer, and SVC_RATE_001 when none remain, over all of its keys', async () => {
    const key = await gateway.createKey({ permissions: everyPermission })
    const answer = await send(gateway, key, viewer)
    expect(answer.headers.get('ratelimit-policy')).toBe(
      '"minute";q=5;w=60;cg-complexity=1000, "burst";q=10;w=60;cg-complexity=1000, "hour";q=6;w=3600;cg-complexity=1000',
    )
    expect(answer.headers.get('ratelimit')).toMatch(/^"minute";r=4;t=60, "hour";r=5;t=3600$/)
    const refusedByContract = await send(gateway, key, '{ nothing }')
    expect([refusedByContract.status, refusedByContract.headers.get('ratelimit')]).toEqual([
      400,
      expect.stringMatching(/^"minute";r=3;/),
    ])

    for (let sent = 0; sent < 4; sent += 1) expect((await send(gateway, key, viewer)).status).toBe(200)
    const another = await gateway.createKey({ permissions: [] })
    const refused = await send(gateway, another, viewer)
    expect(refused.status).toBe(429)
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(3_590)
    expect(refused.headers.get('ratelimit')).toContain(`"hour";r=0;t=${seconds}`)
    expect(refused.data).toBeUndefined()
    expect(refused.errors).toMatchObject([
      {
        message: `API rate limit exceeded. Please retry after ${seconds} seconds`,
        extensions: {
          id: 'SVC_RATE_001',
          code: 'RATE_LIMITED',
          errorCode: 'RATE_LIMITED',
          statusCode: 429,
          requestId: refused.headers.get('x-request-id'),
          details: {
            field: null,
            reason: 'The plan allows 6 requests in an hour',
            retryAfter: seconds,
            limit: 'hour',
            allowed: 6,
          },
        },
      },
    ])
  })

  test('gets the rate of its new plan within a second, and browsers can read the headers', async () => {
    const key = await gateway.createKey({ permissions: everyPermission })
    expect((await send(gateway, key, viewer)).status).toBe(429)
    await plan(1, 'ENTERPRISE')
    await expect
      .poll(async () => (await send(gateway, key, viewer)).status, { timeout: 1_000, interval: 20 })
      .toBe(200)
    const answer = await fetch(gateway.url, {
      method: 'POST',
      headers: { origin: 'https://shop.example' },
    })
    expect(answer.headers.get('access-control-expose-headers')).toContain('retry-after, ratelimit')
  })

  test('has its subscriptions counted as requests', async () => {
    await plan(2, 'FREE')
    const key = await gateway.createKey({ permissions: everyPermission, merchant: 2 })
    const client = createClient({
      url: gateway.url.replace('http', 'ws'),
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `Bearer ${key}` },
      retryAttempts: 0,
    })
    const begin = () =>
      new Promise<unknown>((resolve) => {
        client.subscribe(
          { query: `subscription { product(id: "${fixtureId('product', 2, 1)}") { id } }` },
          { next: resolve, error: resolve, complete: () => undefined },
        )
      })
    for (let sent = 0; sent < 4; sent += 1) expect(await begin()).toHaveProperty('data')
    expect(await begin()).toMatchObject([
      { extensions: { id: 'SVC_RATE_001', details: { limit: 'minute' } } },
    ])
    expect((await send(gateway, key, viewer)).status).toBe(429)
    await client.dispose()
  })
})

test('a visitor whom a shop’s server names takes a share of the rate, and leaves the rest to others and to the key', async () => {
  await plan(1, 'STARTER')
  const key = await gateway.createKey({ permissions: ['customer_sessions:write'] })
  const another = await gateway.createKey({ permissions: [] })
  const asked = (headers: Readonly<Record<string, string>>, authorization = key) =>
    send(gateway, authorization, viewer, undefined, headers)
  const visitor = { 'X-Client-Address': '203.0.113.7' }
  await expect
    .poll(async () => (await asked({})).headers.get('ratelimit-policy'))
    .toContain('"minute";q=1000;')
  for (let sent = 0; sent < 4; sent += 1) expect((await asked(visitor)).status).toBe(200)
  expect(await asked(visitor)).toMatchObject({
    status: 429,
    errors: [{ extensions: { details: { limit: 'shopper', allowed: 4 } } }],
  })
  expect((await asked({ 'X-Client-Address': '203.0.113.8' })).status).toBe(200)
  expect((await asked({})).status).toBe(200)
  // A key that signs no shoppers in speaks for itself, whatever the header says.
  expect((await asked(visitor, another)).status).toBe(200)
})

test('a valid key is accepted over HTTP and WebSocket, whatever its address has tried before', async () => {
  await plan(1, 'ENTERPRISE')
  const statuses = async (authorization: string | undefined) => {
    const sent = Array.from({ length: 100 }, () =>
      fetch(gateway.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(authorization !== undefined && { authorization }),
        },
        body: JSON.stringify({ query: viewer }),
      }),
    )
    return new Set((await Promise.all(sent)).map(({ status }) => status))
  }
  for (const authorization of [undefined, 'Bearer nonsense', 'Basic eA==', `Bearer ${unknownKey()}`])
    expect(await statuses(authorization)).toEqual(new Set([401]))

  const fresh = await gateway.createKey({ permissions: everyPermission })
  await expect.poll(async () => (await send(gateway, fresh, viewer)).status).toBe(200)
  const another = await gateway.createKey({ permissions: everyPermission })
  const socket = new WebSocket(gateway.url.replace('http', 'ws'), 'graphql-transport-ws')
  socket.on('open', () =>
    socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${another}` } })),
  )
  const answer = await new Promise<string>((resolve) =>
    socket.on('message', (data: Buffer) => resolve(data.toString())),
  )
  expect(JSON.parse(answer)).toEqual({ type: 'connection_ack' })
  socket.close()
})
