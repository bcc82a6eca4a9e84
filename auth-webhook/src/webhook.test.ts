import { KeepAliveClients } from '@commerce-graph/http-server/testing'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createKey,
  createMerchant,
  createMerchantDatabase,
  type MerchantDatabase,
  type StoredKey,
} from '../test/merchant-database.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { startAuthWebhook, type AuthWebhook } from './webhook.ts'

let database: MerchantDatabase
let webhook: AuthWebhook
let merchantId: MerchantId
let key: StoredKey

beforeAll(async () => {
  database = await createMerchantDatabase()
  merchantId = await createMerchant(database.sql)
  key = await createKey(database.sql, merchantId)
  webhook = await startAuthWebhook({
    port: 0,
    databaseUrl: database.url,
    mode: 'live',
    trustedProxies: ['127.0.0.1/32'],
    logger: pino({ level: 'silent' }),
  })
})

afterAll(async () => {
  await webhook.close()
  await database.close()
})

const post = (body: string): Promise<Response> =>
  fetch(webhook.url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })

describe('the auth webhook', () => {
  const session = () => ({
    'x-hasura-role': 'merchant',
    'x-hasura-merchant-id': merchantId,
    'x-hasura-principal-id': key.keyId,
    'x-hasura-key-id': key.keyId,
    'x-hasura-permissions': '{orders:read,products:read}',
    'Cache-Control': 'max-age=60',
  })

  test('answers GET with forwarded headers with a flat session of strings', async () => {
    const response = await fetch(webhook.url, { headers: { authorization: key.authorization } })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(session())
  })

  test('answers POST with the headers in the body, ignoring the case of their names', async () => {
    const response = await post(
      JSON.stringify({ headers: { AUTHORIZATION: key.authorization }, request: { query: '{a}' } }),
    )
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(session())
  })

  test('answers 401 without a reason if the credential is refused', async () => {
    const responses = await Promise.all([
      fetch(webhook.url),
      fetch(webhook.url, { headers: { authorization: 'Bearer wrong' } }),
      post(JSON.stringify({ headers: {} })),
    ])
    for (const response of responses) {
      expect(response.status).toBe(401)
      expect(await response.json()).toEqual({ message: 'refused' })
    }
  })

  test.each(['{', '[]', '{"headers":{"authorization":5}}', '""'])(
    'answers 400 without a stack trace for the body %s',
    async (body) => {
      const response = await post(body)
      expect(response.status).toBe(400)
      expect(await response.text()).not.toMatch(/\.ts:|\.js:|node_modules/)
    },
  )

  test('lets Hasura cache an answer no longer than the credential is valid', async () => {
    const soon = await createKey(database.sql, merchantId, { expiresAt: new Date(Date.now() + 20_000) })
    const response = await fetch(webhook.url, { headers: { authorization: soon.authorization } })
    const { 'Cache-Control': cacheControl } = (await response.json()) as Record<string, string>
    const seconds = Number(/^max-age=(\d+)$/.exec(cacheControl ?? '')?.[1])
    expect(seconds).toBeGreaterThanOrEqual(1)
    expect(seconds).toBeLessThanOrEqual(20)
  })

  test('returns whether a session still matches its credential', async () => {
    const other = await createKey(database.sql, merchantId)
    const headers = { authorization: other.authorization }
    const given = async () => (await (await fetch(webhook.url, { headers })).json()) as Record<string, string>
    const before = await given()
    expect(await webhook.isCurrent(headers, before)).toBe(true)
    await database.sql`UPDATE merchant.api_key SET permissions = '{products:read}' WHERE id = ${other.keyId}`
    await expect.poll(() => webhook.isCurrent(headers, before)).toBe(false)
    const now = await given()
    expect(await webhook.isCurrent(headers, now)).toBe(true)
    await database.sql`UPDATE merchant.api_key SET revoked_at = now() WHERE id = ${other.keyId}`
    await expect.poll(() => webhook.isCurrent(headers, now)).toBe(false)
  })

  test('reports on /healthz whether it receives revocations', async () => {
    await expect.poll(async () => (await fetch(`${webhook.url}/healthz`)).status).toBe(200)
  })
})

test('a draining stop first answers so on /healthz, and Hasura’s open connections lose no answer', async () => {
  const stopped = await startAuthWebhook({
    port: 0,
    databaseUrl: database.url,
    mode: 'live',
    logger: pino({ level: 'silent' }),
  })
  const { authorization } = key
  const clients = new KeepAliveClients(8, { url: stopped.url, headers: { authorization } })
  await expect.poll(() => clients.outcomes.length, { timeout: 20_000 }).toBeGreaterThan(16)
  const closed = stopped.close({ drain: true })
  const health = await fetch(`${stopped.url}/healthz`)
  expect([health.status, await health.text()]).toEqual([503, 'stopping'])
  const before = clients.outcomes.length
  await expect.poll(() => clients.outcomes.length, { timeout: 20_000 }).toBeGreaterThan(before + 16)
  expect(await clients.end()).toEqual([200])
  await closed
}, 60_000)
