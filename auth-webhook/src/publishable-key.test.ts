import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  createMerchant,
  createMerchantDatabase,
  createPublishableKey,
  type MerchantDatabase,
} from '../test/merchant-database.ts'
import { generatePublishableKey } from './api-key.ts'
import { createAuthenticator, type Authenticator } from './authenticator.ts'
import { newCartSecret } from './cart-secret.ts'
import { guestPermissions } from './guest-permissions.ts'
import { rateHolderOf } from './principal.ts'

const logger = pino({ level: 'silent' })
const remoteAddress = '192.0.2.10'
const origin = 'https://shop.example'

let database: MerchantDatabase
let authenticator: Authenticator
let merchantId: MerchantId

beforeAll(async () => {
  database = await createMerchantDatabase()
  authenticator = createAuthenticator({ databaseUrl: database.url, mode: 'live', logger })
  while (!authenticator.healthy) await sleep(5)
})
afterAll(async () => {
  await authenticator.close()
  await database.close()
})
beforeEach(async () => {
  merchantId = await createMerchant(database.sql)
})

const authenticate = (authorization: string, from: { origin?: string; cartSecret?: string } = { origin }) =>
  authenticator.authenticate({ authorization, remoteAddress, ...from })

test('a page with a publishable key is a guest without a cart', async () => {
  const { authorization, keyId } = await createPublishableKey(database.sql, merchantId, [origin])
  expect(await authenticate(authorization)).toMatchObject({
    kind: 'authenticated',
    principal: {
      kind: 'guest',
      merchantId,
      keyId,
      permissions: new Set(guestPermissions),
      sessionVariables: {
        'x-hasura-role': 'guest',
        'x-hasura-merchant-id': merchantId,
        'x-hasura-key-id': keyId,
        'x-hasura-permissions': `{${guestPermissions.join(',')}}`,
        'x-hasura-cart-secret-hash': '\\x',
      },
    },
  })
})

test('a guest sees the cart whose secret the request has, and none in the next request without it', async () => {
  const { authorization } = await createPublishableKey(database.sql, merchantId, [origin])
  const { secret, hash } = newCartSecret()
  expect(hash).toEqual(createHash('sha256').update(secret).digest())
  const cartOf = async (cartSecret?: string) => {
    const answer = await authenticate(authorization, { origin, ...(cartSecret && { cartSecret }) })
    if (answer.kind !== 'authenticated') throw new Error(answer.kind)
    return answer.principal.sessionVariables['x-hasura-cart-secret-hash']
  }
  expect(await cartOf(secret)).toBe(`\\x${hash.toString('hex')}`)
  expect(await cartOf()).toBe('\\x')
  for (const garbage of ['', 'x', `${secret} `, `\\x${hash.toString('hex')}`, '{}'])
    expect(await cartOf(garbage)).toBe('\\x')
})

test('a page of another origin is refused with its origin in the error, and the merchant’s audit log has the refusal', async () => {
  const { authorization, keyId } = await createPublishableKey(database.sql, merchantId, [origin])
  expect(await authenticate(authorization, { origin: 'https://evil.example' })).toEqual({
    kind: 'refused',
    id: 'SVC_AUTH_003',
    reason: 'The origin https://evil.example is not allowed: the publishable key is bound to other origins',
    shown: {
      field: 'Origin',
      reason: 'The origin https://evil.example is not allowed: the publishable key is bound to other origins',
    },
    actor: { merchantId, kind: 'KEY', id: keyId },
  })
  expect(await authenticate(authorization, {})).toMatchObject({ kind: 'refused', id: 'SVC_AUTH_003' })
  expect((await authenticate(authorization)).kind).toBe('authenticated')
})

test('other origins take effect within a second, and so does a revocation', async () => {
  const { authorization, keyId } = await createPublishableKey(database.sql, merchantId, [origin])
  const allowed = async () => (await authenticate(authorization)).kind === 'authenticated'
  expect(await allowed()).toBe(true)
  await database.sql`UPDATE merchant.api_key SET origins = '{https://other.example}' WHERE id = ${keyId}`
  const begun = Date.now()
  while (await allowed()) await sleep(5)
  await database.sql`UPDATE merchant.api_key SET origins = ${[origin]} WHERE id = ${keyId}`
  while (!(await allowed())) await sleep(5)
  await database.sql`UPDATE merchant.api_key SET revoked_at = now() WHERE id = ${keyId}`
  while (await allowed()) await sleep(5)
  expect(Date.now() - begun).toBeLessThan(3_000)
  expect(await authenticate(authorization)).toMatchObject({ id: 'SVC_AUTH_001' })
})

test('an unknown publishable key is refused like any unknown key, and one of a suspended merchant like its other keys', async () => {
  expect(await authenticate(`Bearer ${generatePublishableKey().key}`)).toEqual({
    kind: 'refused',
    id: 'SVC_AUTH_001',
    reason: 'unknown publishable key',
  })
  const { authorization } = await createPublishableKey(database.sql, merchantId, [origin])
  await database.sql`
    UPDATE merchant.merchant SET status = 'SUSPENDED', status_reason = 'test' WHERE id = ${merchantId}`
  expect(await authenticate(authorization)).toMatchObject({ id: 'SVC_AUTH_003' })
})

test('guests of one network share a shopper’s rate, and other networks have their own', async () => {
  const { authorization } = await createPublishableKey(database.sql, merchantId, [origin])
  const answer = await authenticate(authorization)
  if (answer.kind !== 'authenticated') throw new Error(answer.kind)
  const holder = (address: string | null) => rateHolderOf(answer.principal, address).shopper
  expect(holder('192.0.2.1')).toBe('guest 192.0.2.1')
  expect(holder('2001:db8::1')).toBe(holder('2001:db8::2'))
  expect(holder('2001:db8:1::1')).not.toBe(holder('2001:db8::1'))
  expect(holder(null)).toBe('guest unknown')
})
