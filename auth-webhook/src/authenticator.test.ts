import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  jwtVerify,
  SignJWT,
} from 'jose'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createCustomer,
  createKey,
  createMerchant,
  createMerchantDatabase,
  createPublishableKey,
  type MerchantDatabase,
  openSession,
} from '../test/merchant-database.ts'
import { generateApiKey } from './api-key.ts'
import { createAuthenticator, type Authenticator } from './authenticator.ts'
import type { Authentication } from './authentication.ts'
import { rateHolderOf } from './principal.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { createSecretBox, newEncryptionKey } from '@commerce-graph/secret-box'
import { createTokenIssuer, type TokenIssuer } from '@commerce-graph/access-tokens'

const logger = pino({ level: 'silent' })
const encryptionKey = newEncryptionKey()
const secretBox = createSecretBox([encryptionKey])
const remoteAddress = '192.0.2.10'

let database: MerchantDatabase
let authenticator: Authenticator
let issuer: TokenIssuer
let merchantId: MerchantId

beforeAll(async () => {
  database = await createMerchantDatabase()
  authenticator = createAuthenticator({ databaseUrl: database.url, mode: 'live', logger })
  issuer = createTokenIssuer({ databaseUrl: database.url, secretBox })
  await until(() => authenticator.healthy)
})

afterAll(async () => {
  await authenticator.close()
  await issuer.close()
  await database.close()
})

beforeEach(async () => {
  merchantId = await createMerchant(database.sql)
})

const authenticate = (authorization: string, address = remoteAddress): Promise<Authentication> =>
  authenticator.authenticate({ authorization, remoteAddress: address })

async function until(condition: () => boolean | Promise<boolean>, milliseconds = 5000): Promise<number> {
  const start = performance.now()
  while (!(await condition())) {
    if (performance.now() - start > milliseconds) throw new Error(`not within ${milliseconds} ms`)
    await sleep(5)
  }
  return performance.now() - start
}

const isRefused =
  (authorization: string): (() => Promise<boolean>) =>
  async () =>
    (await authenticate(authorization)).kind === 'refused'

async function twinOf(merchantId: MerchantId): Promise<MerchantId> {
  const [twin] = await database.sql<{ id: MerchantId }[]>`
    SELECT id FROM merchant.merchant WHERE twin_of = ${merchantId}`
  if (twin === undefined) throw new Error('the merchant has no test data')
  return twin.id
}

describe('a key', () => {
  test('gives the merchant, permissions, plan and features', async () => {
    await database.sql`UPDATE merchant.subscription SET plan = 'STARTER' WHERE merchant_id = ${merchantId}`
    const { authorization, keyId } = await createKey(database.sql, merchantId)
    expect(await authenticate(authorization)).toEqual({
      kind: 'authenticated',
      clientAddress: remoteAddress,
      expiresAt: Infinity,
      principal: {
        kind: 'key',
        merchantId,
        keyId,
        mode: 'live',
        permissions: new Set(['orders:read', 'products:read']),
        plan: 'STARTER',
        features: ['catalog', 'multiple_warehouses', 'orders', 'payments'],
        sessionVariables: {
          'x-hasura-role': 'merchant',
          'x-hasura-merchant-id': merchantId,
          'x-hasura-principal-id': keyId,
          'x-hasura-key-id': keyId,
          'x-hasura-permissions': '{orders:read,products:read}',
        },
      },
    })
  })

  test('that is unknown, expired or a test key on a live deployment gets the same answer; the log has different reasons', async () => {
    const expired = await createKey(database.sql, merchantId, { expiresAt: new Date(Date.now() - 1000) })
    const testKey = await createKey(database.sql, merchantId, { mode: 'test' })
    const answers = await Promise.all(
      [`Bearer ${generateApiKey('live').key}`, expired.authorization, testKey.authorization].map((header) =>
        authenticate(header),
      ),
    )
    const refused = { kind: 'refused', id: 'SVC_AUTH_001' }
    const actorOf = (id: string) => ({ merchantId, kind: 'KEY', id })
    expect(answers).toEqual([
      { ...refused, reason: 'unknown key' },
      { ...refused, reason: `key ${expired.keyId} has expired`, actor: actorOf(expired.keyId) },
      {
        ...refused,
        reason: 'test data on a live deployment',
        actor: { merchantId: await twinOf(merchantId), kind: 'KEY', id: testKey.keyId },
      },
    ])
  })

  test('of mode test reaches the merchant’s test data on a test deployment, until it is revoked or the merchant suspended', async () => {
    const [testKey, second] = await Promise.all([
      createKey(database.sql, merchantId, { mode: 'test' }),
      createKey(database.sql, merchantId, { mode: 'test' }),
    ])
    const testing = createAuthenticator({ databaseUrl: database.url, mode: 'test', logger })
    await until(() => testing.healthy)
    const isRefusedThere =
      ({ authorization }: typeof testKey) =>
      async () =>
        (await testing.authenticate({ authorization, remoteAddress })).kind === 'refused'
    try {
      const twin = await twinOf(merchantId)
      for (const { authorization } of [testKey, second])
        expect(await testing.authenticate({ authorization, remoteAddress })).toMatchObject({
          principal: { merchantId: twin, mode: 'test', sessionVariables: { 'x-hasura-merchant-id': twin } },
        })
      await database.sql`UPDATE merchant.api_key SET revoked_at = now() WHERE id = ${testKey.keyId}`
      await until(isRefusedThere(testKey))
      expect(await isRefusedThere(second)()).toBe(false)
      await database.sql`UPDATE merchant.merchant SET status = 'SUSPENDED' WHERE id = ${merchantId}`
      await until(isRefusedThere(second))
    } finally {
      await testing.close()
    }
  })

  test('for pages, like a shopper’s token, does not reach test data on a live deployment', async () => {
    await createKey(database.sql, merchantId, { mode: 'test' })
    const twin = await twinOf(merchantId)
    const pages = await createPublishableKey(database.sql, twin, ['https://shop.example'])
    const shopper = await openSession(database.sql, twin)
    const { accessToken } = await issuer.issue({
      kind: 'customer',
      merchantId: twin,
      ...shopper,
      ttlSeconds: 60,
    })
    const answers = [
      await authenticator.authenticate({
        authorization: pages.authorization,
        remoteAddress,
        origin: 'https://shop.example',
      }),
      await authenticate(`Bearer ${accessToken}`),
    ]
    for (const answer of answers)
      expect(answer).toMatchObject({ kind: 'refused', reason: 'test data on a live deployment' })
  })

  test('that expires is refused from that moment, even if it is cached', async () => {
    const { authorization } = await createKey(database.sql, merchantId, {
      expiresAt: new Date(Date.now() + 300),
    })
    expect((await authenticate(authorization)).kind).toBe('authenticated')
    expect(await until(isRefused(authorization))).toBeLessThan(1000)
  })

  test('that is revoked is refused within a second', async () => {
    const { authorization, keyId } = await createKey(database.sql, merchantId)
    expect((await authenticate(authorization)).kind).toBe('authenticated')
    await database.sql`UPDATE merchant.api_key SET revoked_at = now() WHERE id = ${keyId}`
    expect(await until(isRefused(authorization))).toBeLessThan(1000)
    expect(await authenticate(authorization)).toMatchObject({
      id: 'SVC_AUTH_001',
      reason: `key ${keyId} was revoked`,
    })
  })

  test('that was refused before it existed works as soon as it does', async () => {
    const { key, hash, prefix } = generateApiKey('live')
    expect((await authenticate(`Bearer ${key}`)).kind).toBe('refused')
    await database.sql`
      WITH key AS (
        INSERT INTO merchant.api_key (merchant_id, name, mode, prefix, permissions)
        VALUES (${merchantId}, 'late', 'live', ${prefix}, '{}')
        RETURNING merchant_id, id
      )
      INSERT INTO merchant.api_key_hash (merchant_id, key_id, hash) SELECT merchant_id, id, ${hash} FROM key`
    expect(
      await until(async () => (await authenticate(`Bearer ${key}`)).kind === 'authenticated'),
    ).toBeLessThan(1000)
  })

  test('is looked up once, and then answered from memory', async () => {
    const { authorization } = await createKey(database.sql, merchantId)
    await authenticate(authorization)
    const lookups = async () => {
      await database.sql`SELECT pg_stat_force_next_flush()`
      const [row] = await database.sql<[{ n: number }]>`
        SELECT coalesce(idx_scan, 0)::integer AS n FROM pg_stat_user_indexes WHERE indexrelname = 'api_key_hash_hash_key'`
      return row.n
    }
    const before = await lookups()
    for (let i = 0; i < 2000; i++) await authenticate(authorization)
    // Connections report their statistics with a delay, so the look-up above may count here.
    expect(await lookups()).toBeLessThan(before + 10)
  })

  test('gets its last use recorded in the background, without announcing a change', async () => {
    const { authorization, keyId } = await createKey(database.sql, merchantId)
    const own = createAuthenticator({ databaseUrl: database.url, mode: 'live', logger })
    await own.authenticate({ authorization, remoteAddress })
    await own.close()
    const [row] = await database.sql<[{ age: number }]>`
      SELECT extract(epoch FROM now() - last_used_at)::float AS age FROM merchant.api_key WHERE id = ${keyId}`
    expect(row.age).toBeLessThan(5)
  })
})

describe('an allow-list', () => {
  test('that is switched on refuses other addresses with SVC_AUTH_004 and follows its entries', async () => {
    const { authorization } = await createKey(database.sql, merchantId)
    expect((await authenticate(authorization)).kind).toBe('authenticated')
    await database.sql`
      INSERT INTO merchant.ip_allow_list_entry (merchant_id, network) VALUES (${merchantId}, '203.0.113.0/24')`
    await database.sql`UPDATE merchant.merchant SET ip_allow_list_enabled = true WHERE id = ${merchantId}`
    expect(await until(isRefused(authorization))).toBeLessThan(1000)
    expect(await authenticate(authorization)).toMatchObject({ id: 'SVC_AUTH_004' })

    await database.sql`
      INSERT INTO merchant.ip_allow_list_entry (merchant_id, network) VALUES (${merchantId}, '192.0.2.0/28')`
    await until(async () => (await authenticate(authorization, '::ffff:192.0.2.15')).kind === 'authenticated')
    expect(await authenticate(authorization, '192.0.2.16')).toMatchObject({
      kind: 'refused',
      id: 'SVC_AUTH_004',
    })
  })
})

describe('a token', () => {
  async function issue(ttlSeconds = 60) {
    const shopper = await openSession(database.sql, merchantId)
    const { accessToken } = await issuer.issue({ kind: 'customer', merchantId, ...shopper, ttlSeconds })
    return { ...shopper, accessToken, authorization: `Bearer ${accessToken}` }
  }

  test('authenticates its shopper, and no other caller', async () => {
    const { authorization, customerId } = await issue()
    const answer = await authenticate(authorization)
    expect(answer).toMatchObject({
      kind: 'authenticated',
      principal: {
        kind: 'customer',
        merchantId,
        customerId,
        sessionVariables: { 'x-hasura-role': 'customer', 'x-hasura-customer-id': customerId },
      },
    })
    if (answer.kind !== 'authenticated') return
    expect(answer.principal.permissions.has('carts:write')).toBe(true)
    expect(answer.principal.permissions.has('products:write')).toBe(false)
  })

  test('that has expired is refused with SVC_AUTH_002, cached or not', async () => {
    const { authorization, accessToken } = await issue(1)
    expect((await authenticate(authorization)).kind).toBe('authenticated')
    await until(isRefused(authorization), 8000)
    expect(await authenticate(authorization)).toMatchObject({ id: 'SVC_AUTH_002' })

    const fresh = createAuthenticator({ databaseUrl: database.url, mode: 'live', logger })
    const answer = await fresh.authenticate({ authorization: `Bearer ${accessToken}`, remoteAddress })
    await fresh.close()
    expect(answer).toMatchObject({ kind: 'refused', id: 'SVC_AUTH_002' })
  }, 20_000)

  test('that was changed, or has a foreign signature, is refused with SVC_AUTH_001', async () => {
    const { accessToken } = await issue()
    const [header = '', payload = '', signature = ''] = accessToken.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
    const forged = Buffer.from(JSON.stringify({ ...claims, merchant_id: crypto.randomUUID() })).toString(
      'base64url',
    )
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
    const foreign = Buffer.from(JSON.stringify({ alg: 'ES256', kid: crypto.randomUUID() })).toString(
      'base64url',
    )
    for (const token of [
      `${header}.${forged}.${signature}`,
      `${none}.${payload}.x`,
      `${foreign}.${payload}.${signature}`,
    ]) {
      expect(await authenticate(`Bearer ${token}`)).toMatchObject({ kind: 'refused', id: 'SVC_AUTH_001' })
    }
  })

  test('of a customer who was anonymized is refused within a second', async () => {
    const { authorization, customerId } = await issue()
    expect((await authenticate(authorization)).kind).toBe('authenticated')
    await database.sql`UPDATE crm.customer SET anonymized_at = now() WHERE id = ${customerId}`
    expect(await until(isRefused(authorization))).toBeLessThan(1000)
  })

  test('of a customer who was deleted is refused within a second', async () => {
    const { authorization, customerId } = await issue()
    expect((await authenticate(authorization)).kind).toBe('authenticated')
    await database.sql`DELETE FROM crm.customer WHERE id = ${customerId}`
    expect(await until(isRefused(authorization))).toBeLessThan(1000)
  })

  test('of a blocked customer is refused within a second, and valid again with its session when unblocked', async () => {
    const { authorization, customerId } = await issue()
    expect((await authenticate(authorization)).kind).toBe('authenticated')
    await database.sql`UPDATE crm.customer SET blocked_at = now(), blocked_reason = 'Fraud' WHERE id = ${customerId}`
    expect(await until(isRefused(authorization))).toBeLessThan(1000)
    await database.sql`UPDATE crm.customer SET blocked_at = NULL, blocked_reason = NULL WHERE id = ${customerId}`
    await until(async () => (await authenticate(authorization)).kind === 'authenticated')
  })

  test('is refused within a second when its session ends, and also without a session', async () => {
    const { authorization, customerId, sessionId } = await issue()
    expect((await authenticate(authorization)).kind).toBe('authenticated')
    await database.sql`
      UPDATE identity.session SET revoked_at = now(), revoked_reason = 'REVOKED' WHERE id = ${sessionId}`
    expect(await until(isRefused(authorization))).toBeLessThan(1000)
    const ofNobody = { customerId, sessionId: crypto.randomUUID() }
    const { accessToken } = await issuer.issue({ kind: 'customer', merchantId, ...ofNobody, ttlSeconds: 60 })
    expect(await authenticate(`Bearer ${accessToken}`)).toMatchObject({ id: 'SVC_AUTH_001' })
  })

  test('records its last use on its session', async () => {
    const { authorization, sessionId } = await issue()
    await database.sql`UPDATE identity.session SET last_used_at = now() - interval '1 hour' WHERE id = ${sessionId}`
    const fresh = createAuthenticator({ databaseUrl: database.url, mode: 'live', logger })
    await fresh.authenticate({ authorization, remoteAddress })
    await fresh.close()
    expect(
      await database.sql`SELECT last_used_at > now() - interval '1 minute' AS just FROM identity.session WHERE id = ${sessionId}`,
    ).toEqual([{ just: true }])
  })

  test('of a retired signing key is refused by processes that have not cached it', async () => {
    const { authorization } = await issue()
    await database.sql`UPDATE identity.signing_key SET retired_at = now()`
    const fresh = createAuthenticator({ databaseUrl: database.url, mode: 'live', logger })
    const answer = await fresh.authenticate({ authorization, remoteAddress })
    await fresh.close()
    expect(answer).toMatchObject({ kind: 'refused', id: 'SVC_AUTH_001' })
  })

  test('is signed with one key, even if several processes create the first one at once', async () => {
    await database.sql`DELETE FROM identity.signing_key`
    const shopper = await openSession(database.sql, merchantId)
    const issuers = Array.from({ length: 5 }, () =>
      createTokenIssuer({ databaseUrl: database.url, secretBox }),
    )
    await Promise.all(
      issuers.map((one) => one.issue({ kind: 'customer', merchantId, ...shopper, ttlSeconds: 60 })),
    )
    await Promise.all(issuers.map((one) => one.close()))
    expect(await database.sql`SELECT id FROM identity.signing_key`).toHaveLength(1)
  })

  test.each([0, -1, 1.5, 86_401, NaN])('can’t be issued for %s seconds', async (ttlSeconds) => {
    const shopper = await openSession(database.sql, merchantId)
    await expect(issuer.issue({ kind: 'customer', merchantId, ...shopper, ttlSeconds })).rejects.toThrow(
      RangeError,
    )
  })
})

describe('signing keys', () => {
  test('rotate: the new one signs, and tokens of the previous one are valid until they expire', async () => {
    const shopper = await openSession(database.sql, merchantId)
    const request = { kind: 'customer', merchantId, ...shopper, ttlSeconds: 60 } as const
    const kidOf = (token: string) => decodeProtectedHeader(token).kid
    const before = await issuer.issue(request)
    expect(await issuer.rotateKeys(3600)).toBe(false)
    const rotated = await Promise.all([issuer.rotateKeys(0), issuer.rotateKeys(3600)])
    expect(rotated).toContain(true)
    const after = await issuer.issue(request)
    expect(kidOf(after.accessToken)).not.toBe(kidOf(before.accessToken))
    // A process with the old keys in memory finds the new one, and a process that starts now finds the old one.
    const fresh = createAuthenticator({ databaseUrl: database.url, mode: 'live', logger })
    for (const one of [authenticator, fresh]) {
      for (const { accessToken } of [before, after]) {
        await until(async () => {
          const answer = await one.authenticate({ authorization: `Bearer ${accessToken}`, remoteAddress })
          return answer.kind === 'authenticated'
        }, 4000)
      }
    }
    const published = await fresh.publicKeys()
    await fresh.close()
    const kids = published?.keys.map(({ kid }) => kid)
    expect(kids).toContain(kidOf(before.accessToken))
    expect(kids).toContain(kidOf(after.accessToken))
  })

  test('are sealed in the database, and sealed again when the encryption key is replaced', async () => {
    const shopper = await openSession(database.sql, merchantId)
    const request = { kind: 'customer', merchantId, ...shopper, ttlSeconds: 60 } as const
    await issuer.issue(request)
    const stored = () => database.sql<{ row: string }[]>`SELECT s::text AS row FROM identity.signing_key s`
    for (const { row } of await stored()) expect(row).not.toContain('"d"')
    const newer = newEncryptionKey()
    const withBoth = createTokenIssuer({
      databaseUrl: database.url,
      secretBox: createSecretBox([newer, encryptionKey]),
    })
    const keys = (await stored()).length
    expect(await withBoth.resealKeys()).toBe(keys)
    expect(await withBoth.resealKeys()).toBe(0)
    const withNewer = createTokenIssuer({ databaseUrl: database.url, secretBox: createSecretBox([newer]) })
    const { accessToken } = await withNewer.issue(request)
    expect((await authenticate(`Bearer ${accessToken}`)).kind).toBe('authenticated')
    await expect(issuer.issue(request)).rejects.toThrow(newer.id)
    const back = createTokenIssuer({
      databaseUrl: database.url,
      secretBox: createSecretBox([encryptionKey, newer]),
    })
    await back.resealKeys()
    await Promise.all([withBoth, withNewer, back].map((one) => one.close()))
  })

  test('are published without their private parts, and any client can verify our tokens with them', async () => {
    const shopper = await openSession(database.sql, merchantId)
    const { accessToken } = await issuer.issue({ kind: 'customer', merchantId, ...shopper, ttlSeconds: 60 })
    const fresh = createAuthenticator({ databaseUrl: database.url, mode: 'live', logger })
    const { keys } = (await fresh.publicKeys()) ?? { keys: [] }
    await fresh.close()
    expect(keys.flatMap((key) => Object.keys(key))).not.toContain('d')
    const { payload } = await jwtVerify(accessToken, createLocalJWKSet({ keys: [...keys] }))
    expect(payload.sub).toBe(shopper.customerId)
  })
})

describe('a token of an external issuer', () => {
  test('is accepted for the customer of its configured merchant, and for no other', async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256')
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'theirs', alg: 'RS256' }] }
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(jwks))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const issuerUrl = 'https://login.example.com'
    const trusting = createAuthenticator({
      databaseUrl: database.url,
      mode: 'live',
      logger,
      trustedIssuers: [
        { issuer: issuerUrl, jwksUrl: `http://127.0.0.1:${port}/jwks`, audience: 'our-shop', merchantId },
      ],
    })
    const customerId = await createCustomer(database.sql, merchantId)
    const strangerId = await createCustomer(database.sql, await createMerchant(database.sql))
    const emailOf = async (id: string) => {
      const [row] = await database.sql<[{ email: string }]>`SELECT email FROM crm.customer WHERE id = ${id}`
      return row.email
    }
    const sign = (claims: object, audience = 'our-shop', key = privateKey, lifetime = '5m') =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'theirs' })
        .setIssuer(issuerUrl)
        .setAudience(audience)
        .setIssuedAt(lifetime === '5m' ? undefined : Math.floor(Date.now() / 1000) - 600)
        .setExpirationTime(lifetime)
        .sign(key)
    const outcome = async (token: string) => {
      const answer = await trusting.authenticate({ authorization: `Bearer ${token}`, remoteAddress })
      return answer.kind === 'authenticated' && answer.principal.kind === 'customer'
        ? answer.principal.customerId
        : answer.kind === 'refused' && answer.id
    }
    const email = await emailOf(customerId)
    expect(await outcome(await sign({ sub: 'their|1', email, email_verified: true }))).toBe(customerId)
    expect(await outcome(await sign({ sub: customerId }))).toBe(customerId)
    const anotherId = await createCustomer(database.sql, merchantId)
    expect(
      await outcome(await sign({ sub: anotherId, email, email_verified: true })),
      'the id comes before the address',
    ).toBe(anotherId)
    expect(await outcome(await sign({ sub: 'their|1', email, email_verified: false }))).toBe('SVC_AUTH_001')
    expect(await outcome(await sign({ sub: 'their|1' }))).toBe('SVC_AUTH_001')
    expect(await outcome(await sign({ sub: strangerId }))).toBe('SVC_AUTH_001')
    expect(
      await outcome(await sign({ sub: 's', email: await emailOf(strangerId), email_verified: true })),
    ).toBe('SVC_AUTH_001')
    expect(await outcome(await sign({ sub: customerId }, 'another-shop'))).toBe('SVC_AUTH_001')
    const blockedId = await createCustomer(database.sql, merchantId)
    await database.sql`UPDATE crm.customer SET blocked_at = now(), blocked_reason = 'Fraud' WHERE id = ${blockedId}`
    expect(await outcome(await sign({ sub: blockedId }))).toBe('SVC_AUTH_001')
    const registered = await createCustomer(database.sql, merchantId)
    await database.sql`
      INSERT INTO identity.credential (merchant_id, customer_id, password_hash) VALUES (${merchantId}, ${registered}, '$argon2id$')`
    // Of another person each time, because the outcome of a token is kept for a moment.
    const byAddress = async (sub: string) =>
      outcome(await sign({ sub, email: await emailOf(registered), email_verified: true }))
    expect(await byAddress('their|2')).toBe('SVC_AUTH_001')
    await database.sql`UPDATE crm.customer SET email_verified = true WHERE id = ${registered}`
    expect(await byAddress('their|3')).toBe(registered)
    const { privateKey: other } = await generateKeyPair('RS256')
    expect(await outcome(await sign({ sub: customerId }, 'our-shop', other))).toBe('SVC_AUTH_001')
    expect(await outcome(await sign({ sub: customerId }, 'our-shop', privateKey, '-1m'))).toBe('SVC_AUTH_002')
    expect(await authenticate(`Bearer ${await sign({ sub: customerId })}`)).toMatchObject({
      id: 'SVC_AUTH_001',
    })
    await trusting.close()
    server.close()
  })

  test('is neither accepted nor refused while its keys can’t be had', async () => {
    const { privateKey } = await generateKeyPair('ES256')
    const server = createServer((_request, response) => response.writeHead(503).end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const trusted = {
      issuer: 'https://login.example.com',
      jwksUrl: `http://127.0.0.1:${port}/jwks`,
      audience: 'our-shop',
      merchantId,
    }
    const trusting = createAuthenticator({
      databaseUrl: database.url,
      mode: 'live',
      logger,
      trustedIssuers: [trusted],
    })
    const token = await new SignJWT({ sub: 'their|1' })
      .setProtectedHeader({ alg: 'ES256', kid: 'theirs' })
      .setIssuer(trusted.issuer)
      .setAudience(trusted.audience)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey)
    expect(await trusting.authenticate({ authorization: `Bearer ${token}`, remoteAddress })).toEqual({
      kind: 'unavailable',
    })
    await trusting.close()
    server.close()
  })
})

describe('during an outage', () => {
  test('of the listener, cached results are not used, and a revocation is noticed', async () => {
    const { authorization, keyId } = await createKey(database.sql, merchantId)
    expect((await authenticate(authorization)).kind).toBe('authenticated')
    await database.sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'listener' AND datname = current_database()`
    await database.sql`UPDATE merchant.api_key SET revoked_at = now() WHERE id = ${keyId}`
    expect(await until(isRefused(authorization))).toBeLessThan(1000)
    await until(() => authenticator.healthy)
  })

  test('of the database, the answer is unavailable, soon, and never an exception', async () => {
    const away = createAuthenticator({
      databaseUrl: 'postgres://unknown@127.0.0.1:1/nothing',
      mode: 'live',
      logger,
    })
    const { key } = generateApiKey('live')
    const start = performance.now()
    expect(await away.authenticate({ authorization: `Bearer ${key}`, remoteAddress })).toEqual({
      kind: 'unavailable',
    })
    expect(performance.now() - start).toBeLessThan(3000)
    await away.close()
  })

  test('of any kind, further verifications beyond a bound are refused', async () => {
    const guesses = Array.from({ length: 1500 }, () => authenticate(`Bearer ${generateApiKey('live').key}`))
    const kinds = (await Promise.all(guesses)).map((answer) => answer.kind)
    expect(kinds.filter((kind) => kind === 'unavailable')).toHaveLength(500)
    expect(kinds.filter((kind) => kind === 'refused')).toHaveLength(1000)
  })
})

describe('the token of a job', () => {
  const asked = ['orders:read', 'customers:read']

  // A key of these tests has orders:read and products:read.
  async function issue() {
    const { keyId: id } = await createKey(database.sql, merchantId)
    const { accessToken } = await issuer.issueForJob({
      merchantId,
      jobId: '01a1f000-0000-7000-8000-0000000000aa',
      holder: { kind: 'key', id },
      permissions: asked,
    })
    return { authorization: `Bearer ${accessToken}`, id }
  }

  test('has those of its permissions that its key has now, on no rate', async () => {
    const { authorization, id } = await issue()
    const authentication = await authenticate(authorization)
    if (authentication.kind !== 'authenticated') throw new Error('the token is refused')
    const { principal } = authentication
    expect(principal).toMatchObject({ kind: 'key', keyId: id, jobId: '01a1f000-0000-7000-8000-0000000000aa' })
    expect([...principal.permissions]).toEqual(['orders:read'])
    expect(rateHolderOf(principal, null)).toMatchObject({ uncounted: true })
    expect(principal.sessionVariables['x-hasura-permissions']).toBe('{orders:read}')
  })

  test('ends within a second when its key is revoked', async () => {
    const { authorization, id } = await issue()
    expect(await authenticate(authorization)).toMatchObject({ kind: 'authenticated' })
    await database.sql`UPDATE merchant.api_key SET revoked_at = now() WHERE id = ${id}`
    expect(await until(isRefused(authorization))).toBeLessThan(1_000)
  })

  test('is refused at Hasura’s own API, where it could write', async () => {
    const { authorization } = await issue()
    const webhook = createAuthenticator({ databaseUrl: database.url, mode: 'live', source: 'HASURA', logger })
    expect(await webhook.authenticate({ authorization, remoteAddress })).toMatchObject({ kind: 'refused' })
    await webhook.close()
  })
})
