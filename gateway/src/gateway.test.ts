import type { DataLayer } from '@commerce-graph/data-layer'
import { type ClientRequest, KeepAliveClients } from '@commerce-graph/http-server/testing'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { everyPermission, openTestGateway, send, type TestGateway } from './testing/gateway.ts'

/** A request that a client with every permission may send. */
async function asking(gateway: TestGateway, query: string): Promise<ClientRequest> {
  const key = await gateway.createKey({ permissions: everyPermission })
  return {
    url: new URL('/graphql', gateway.url).href,
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  }
}

/** Holds every operation until `open` is called, and records aborted ones. */
function gate(): {
  around: (inner: DataLayer) => DataLayer
  open: () => void
  aborted: () => Promise<unknown>
  entered: Promise<void>
} {
  const opened = Promise.withResolvers<undefined>()
  const entered = Promise.withResolvers<undefined>()
  const abortion = Promise.withResolvers<unknown>()
  return {
    open: () => opened.resolve(undefined),
    entered: entered.promise,
    aborted: () => abortion.promise,
    around: (inner) => ({
      ...inner,
      async execute(operation, session, options) {
        entered.resolve(undefined)
        const signal = options?.signal
        await Promise.race([
          opened.promise,
          new Promise((_resolve, reject) => {
            signal?.addEventListener('abort', () => {
              abortion.resolve(signal.reason)
              reject(signal.reason as Error)
            })
          }),
        ])
        return inner.execute(operation, session, options)
      },
    }),
  }
}

test('a request that takes too long is cancelled and answered with 503', async () => {
  const { around, aborted } = gate()
  // A busy machine takes some hundred milliseconds before the engine has the request.
  await using gateway = await openTestGateway({ around, limits: { requestMilliseconds: 2_000 } })
  const key = await gateway.createKey({ permissions: everyPermission })
  const answer = await send(gateway, key, '{ products { totalCount } }')
  expect([answer.status, answer.errors[0]?.extensions.id, answer.errors[0]?.extensions.code]).toEqual([
    503,
    'SVC_SRV_001',
    'SERVICE_UNAVAILABLE',
  ])
  expect(await aborted()).toMatchObject({ name: 'TimeoutError' })
})

test('a statement in Postgres is cancelled after the time-out', async () => {
  await using gateway = await openTestGateway({ limits: { requestMilliseconds: 500 } })
  const key = await gateway.createKey({ permissions: everyPermission })
  await gateway.shop.sql(
    `CREATE FUNCTION catalog.sleep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(30); RETURN NEW; END $$;
     CREATE TRIGGER sleep BEFORE INSERT ON catalog.category FOR EACH ROW EXECUTE FUNCTION catalog.sleep()`,
  )
  const answer = await send(
    gateway,
    key,
    'mutation { createCategory(input: { name: "Slow" }) { category { id } } }',
  )
  expect(answer.status).toBe(503)
  const running = () =>
    gateway.shop.sql(
      "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()",
    )
  await expect.poll(running, { timeout: 5_000 }).toEqual([])
  expect(await gateway.shop.sql("SELECT id FROM catalog.category WHERE name = 'Slow'")).toEqual([])
})

test('a client that disconnects cancels its statement', async () => {
  const { around, aborted, entered } = gate()
  await using gateway = await openTestGateway({ around })
  const key = await gateway.createKey({ permissions: everyPermission })
  const body = JSON.stringify({ query: '{ products { totalCount } }' })
  const socket = connect(gateway.port, '127.0.0.1', () =>
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ),
  )
  await entered
  socket.destroy()
  expect(await aborted()).toMatchObject({ name: 'AbortError' })
})

test('a stopping gateway finishes running requests and accepts no new ones', async () => {
  const { around, open, entered } = gate()
  await using gateway = await openTestGateway({ around })
  const key = await gateway.createKey({ permissions: everyPermission })
  const running = send(gateway, key, '{ products { totalCount } }')
  await entered
  const stopped = gateway.stop({ graceMilliseconds: 5_000 })
  await expect(send(gateway, key, '{ viewer { id } }')).rejects.toThrow('fetch failed')
  open()
  expect((await running).data).toEqual({ products: { totalCount: 29 } })
  await stopped
})

// Each waits for the seconds in which clients and load balancers leave.
describe.concurrent('a gateway that stops', { timeout: 60_000 }, () => {
  test('clients on open connections lose no answer when it stops, and /readyz fails first', async () => {
    await using gateway = await openTestGateway({
      around: (inner) => ({
        ...inner,
        execute: async (...operation) => {
          await delay(30 + Math.random() * 170)
          return inner.execute(...operation)
        },
      }),
    })
    const clients = new KeepAliveClients(8, await asking(gateway, '{ products { totalCount } }'))
    await expect.poll(() => clients.outcomes.length, { timeout: 20_000 }).toBeGreaterThan(16)
    const stopped = gateway.stop({ drain: true })
    // A load balancer checks /readyz, and sends no more requests.
    expect((await fetch(new URL('/readyz', gateway.url))).status).toBe(503)
    const before = clients.outcomes.length
    await expect.poll(() => clients.outcomes.length, { timeout: 5_000 }).toBeGreaterThan(before + 8)
    expect(await clients.end()).toEqual([200])
    await stopped
  })

  test('a client that keeps sending while it stops is answered or refused, and never cut off', async () => {
    await using gateway = await openTestGateway()
    const clients = new KeepAliveClients(16, await asking(gateway, '{ viewer { id } }'))
    await expect.poll(() => clients.outcomes.length, { timeout: 20_000 }).toBeGreaterThan(64)
    await Promise.all([gateway.stop({ drain: true }), clients.refused()])
    expect(await clients.end()).toEqual([200, 'ECONNREFUSED'])
  })

  test('a WebSocket that is opened while it stops is refused, and does not delay the stop', async () => {
    await using gateway = await openTestGateway()
    const stopped = gateway.stop({ drain: true })
    const socket = connect(gateway.port, '127.0.0.1')
    socket.write(
      'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
    )
    expect(String(await once(socket, 'data'))).toContain('HTTP/1.1 503')
    socket.end()
    await stopped
  })
})

test('an internal error is answered with SVC_SRV_001 and logged under the request’s id, without its details in the answer', async () => {
  await using gateway = await openTestGateway({
    around: (inner) => ({
      ...inner,
      execute: async (operation, session, options) =>
        operation.query.includes('order')
          ? {
              kind: 'errors',
              errors: [
                {
                  message: 'relation "secret" does not exist',
                  extensions: { code: 'postgres-error', path: '$' },
                },
              ],
            }
          : operation.query.includes('customers')
            ? Promise.reject(new Error('a bug at secret.ts:1'))
            : inner.execute(operation, session, options),
    }),
  })
  const key = await gateway.createKey({ permissions: everyPermission })
  for (const query of ['{ orders { totalCount } }', '{ customers { totalCount } }']) {
    const answer = await send(gateway, key, query)
    const [error] = answer.errors
    expect([answer.status, error?.extensions.id, error?.message]).toEqual([
      500,
      'SVC_SRV_001',
      'An unexpected error occurred. Please try again.',
    ])
    expect(answer.text).not.toContain('secret')
    expect(
      gateway.log.some(
        (line) => line.includes('secret') && line.includes(String(error?.extensions.requestId)),
      ),
    ).toBe(true)
  }
})

test('without its data layer, requests and /readyz are 503, while /healthz stays 200', async () => {
  await using gateway = await openTestGateway({
    around: (inner) => ({
      ...inner,
      execute: () => Promise.resolve({ kind: 'unavailable', reason: 'connection refused' }),
    }),
  })
  const key = await gateway.createKey({ permissions: everyPermission })
  const answer = await send(gateway, key, '{ products { totalCount } }')
  expect([answer.status, answer.errors[0]?.extensions.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
  const readiness = await fetch(new URL('/readyz', gateway.url))
  expect(readiness.status).toBe(503)
  expect(await readiness.json()).toMatchObject({
    status: 'unavailable',
    checks: { dataLayer: 'unavailable' },
  })
  for (const path of ['/healthz', '/livez']) {
    const liveness = await fetch(new URL(path, gateway.url))
    expect([liveness.status, await liveness.json()]).toEqual([200, { status: 'ok' }])
  }
})

test('the complexity of a request is returned on request', async () => {
  await using gateway = await openTestGateway()
  const key = await gateway.createKey({ permissions: everyPermission })
  const ask = async (headers: Readonly<Record<string, string>>) => {
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: '{"query":"{ products(first: 10) { edges { node { id } } } }"}',
    })
    return ((await response.json()) as { extensions?: unknown }).extensions
  }
  expect(await ask({ 'x-complexity': '1' })).toEqual({ complexity: 32 })
  expect(await ask({})).toBeUndefined()
})

test('/docs/schema documents the contract, with a policy that allows only its own script', async () => {
  await using gateway = await openTestGateway()
  const response = await fetch(new URL('/docs/schema', gateway.url))
  expect(await response.text()).toContain('<section id="Product">')
  expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'sha256-/)
})

test('a gateway without the documentation leads from /docs to the page of the schema', async () => {
  await using gateway = await openTestGateway()
  const response = await fetch(new URL('/docs', gateway.url), { redirect: 'manual' })
  expect(response.status).toBe(302)
  expect(response.headers.get('location')).toBe('/docs/schema')
})
