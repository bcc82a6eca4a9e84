import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createKey,
  createMerchant,
  createMerchantDatabase,
  type MerchantDatabase,
} from '../test/merchant-database.ts'
import { startAuthWebhook, type AuthWebhook } from './webhook.ts'

/** The webhook's answers while its database is unavailable: a proxy between them can be stopped or go silent. */
let database: MerchantDatabase
let webhook: AuthWebhook
let authorization: string
let state: 'through' | 'silent' | 'gone' = 'through'
const sockets = new Set<Socket>()

const proxy = createServer((client) => {
  if (state === 'gone') {
    client.destroy()
    return
  }
  const { hostname, port } = new URL(database.url)
  const server = connect(Number(port || 5432), hostname)
  for (const socket of [client, server]) {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  client.on('data', (data) => state === 'through' && server.write(data)).on('close', () => server.destroy())
  server.on('data', (data) => state === 'through' && client.write(data)).on('close', () => client.destroy())
})

beforeAll(async () => {
  database = await createMerchantDatabase()
  authorization = (await createKey(database.sql, await createMerchant(database.sql))).authorization
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const databaseUrl = new URL(database.url)
  databaseUrl.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const logger = pino({ level: 'silent' })
  webhook = await startAuthWebhook({ port: 0, databaseUrl: databaseUrl.href, mode: 'live', logger })
})
afterAll(async () => {
  await webhook.close()
  proxy.close()
  for (const socket of sockets) socket.destroy()
  await database.close()
})

const get = async () => (await fetch(webhook.url, { headers: { authorization } })).status
const post = async () =>
  (
    await fetch(webhook.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ headers: { authorization } }),
    })
  ).status
const healthz = async () => (await fetch(`${webhook.url}/healthz`)).status

test.each(['gone', 'silent'] as const)(
  'while the database is %s, every caller gets 503 before Hasura’s time-out, and access works again afterwards',
  { timeout: 30_000 },
  async (way) => {
    await expect.poll(healthz, { timeout: 5_000 }).toBe(200)
    expect([await get(), await post()]).toEqual([200, 200])
    state = way
    if (way === 'gone') for (const socket of sockets) socket.destroy()
    await expect.poll(healthz, { timeout: 5_000 }).toBe(503)
    // Also for a caller with a cached credential, because a revocation could not be received. Hasura waits ten
    // seconds.
    const patience = AbortSignal.timeout(10_000)
    const statuses = Promise.all([get(), post()])
    await Promise.race([
      statuses,
      once(patience, 'abort').then(() => {
        throw new Error('Hasura would not have waited')
      }),
    ])
    expect(await statuses).toEqual([503, 503])
    state = 'through'
    for (const socket of sockets) socket.destroy()
    await expect.poll(healthz, { timeout: 10_000 }).toBe(200)
    await expect.poll(get, { timeout: 10_000 }).toBe(200)
  },
)

test(
  'a key that is revoked while announcements are lost is refused once they are received again',
  { timeout: 30_000 },
  async () => {
    await expect.poll(healthz, { timeout: 10_000 }).toBe(200)
    // The key is cached now, for a minute.
    await expect.poll(get, { timeout: 10_000 }).toBe(200)
    state = 'gone'
    for (const socket of sockets) socket.destroy()
    await expect.poll(healthz, { timeout: 5_000 }).toBe(503)
    // This connection does not go through the proxy.
    await database.sql`UPDATE merchant.api_key SET revoked_at = now()`
    state = 'through'
    await expect.poll(healthz, { timeout: 10_000 }).toBe(200)
    await expect.poll(get, { timeout: 10_000 }).toBe(401)
  },
)
