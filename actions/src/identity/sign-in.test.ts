import { type Authenticator, createAuthenticator } from '@commerce-graph/auth-webhook'
import { createSecretBox, newEncryptionKey } from '@commerce-graph/secret-box'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createCustomer,
  dataOf,
  found,
  openTestShop,
  shopper,
  silent,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import type { Queryable } from '../database.ts'
import * as identity from '../sql/generated/identity.ts'
import { overlap } from '../testing/overlap.ts'
import { createTeamMember, sessionAs } from '../testing/test-team.ts'
import { answerPasswordResets, openMailedToken } from './mailed-tokens.ts'
import { resealAuthenticators } from './second-factor.ts'
import { purgeExpiredIdentities } from './purge.ts'

const knownPassword = 'correct horse battery staple'

let shop: TestShop
let merchant: TestMerchant
let authenticator: Authenticator
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
  authenticator = createAuthenticator({ databaseUrl: shop.databaseUrl, mode: 'live', logger: silent })
})
afterAll(async () => {
  await authenticator.close()
  await shop.close()
})

interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
}

async function call(name: string, input: object) {
  const session = await sessionAs(shop, merchant, 'Owner')
  return shop.call(merchant, name, input, { session })
}

/** The token that would be mailed to an address. */
async function mailedTo(email: string): Promise<string> {
  const [row] = await shop.database<{ merchantId: string; hash: string; sealed: string }[]>`
    SELECT merchant_id AS "merchantId", encode(hash, 'hex') AS hash, undelivered AS sealed
    FROM identity.one_time_token WHERE email = ${email} AND undelivered IS NOT NULL ORDER BY created_at DESC`
  return openMailedToken(shop.secretBox, found(row))
}

let people = 0
function newAddress() {
  people += 1
  return `person${people}@example.com`
}

/** A user who was invited, has chosen a password and is ACTIVE. */
async function joined(): Promise<{ readonly id: string; readonly email: string }> {
  const email = newAddress()
  const { userId } = dataOf(await call('createUser', { input: { email } }))
  dataOf(await call('resetPassword', { token: await mailedTo(email), password: knownPassword }))
  return { id: String(userId), email }
}

const signIn = (email: string, password = knownPassword, code: string | null = null) =>
  call('signInUser', { input: { email, password, code } })
const tokensOf = async (email: string) => dataOf(await signIn(email)) as unknown as Tokens

async function authenticate({ accessToken }: Pick<Tokens, 'accessToken'>) {
  const authorization = `Bearer ${accessToken}`
  return authenticator.authenticate({ authorization, remoteAddress: '192.0.2.1' })
}

const sessionOf = (userId: string) => ({
  role: 'merchant' as const,
  merchantId: merchant.merchantId,
  userId,
  permissions: new Set<string>(),
})

const wrongPassword = { kind: 'invalid', errors: [{ field: 'password', code: 'INVALID_VALUE' }] }
const sessionEnded = { kind: 'refused', id: 'SVC_AUTH_002', status: 401 }

describe('a user', () => {
  test('accepts the invitation, which verifies the address, and gets the permissions of its roles', async () => {
    const email = newAddress()
    const { roleId } = dataOf(
      await call('createRole', { input: { name: 'Reader', permissions: ['orders:read'] } }),
    )
    const { userId } = dataOf(await call('createUser', { input: { email, roleIds: [roleId] } }))
    expect(await signIn(email)).toMatchObject(wrongPassword)
    const token = await mailedTo(email)
    dataOf(await call('resetPassword', { token, password: knownPassword }))
    const [user] = await shop.database`
      SELECT status, email_verified, last_login_at FROM identity.user WHERE id = ${String(userId)}`
    expect(user).toEqual({ status: 'ACTIVE', email_verified: true, last_login_at: null })
    expect(await authenticate(await tokensOf(email))).toMatchObject({
      kind: 'authenticated',
      principal: { kind: 'user', userId, permissions: new Set(['orders:read']) },
    })
    const again = await call('resetPassword', { token, password: `${knownPassword}!` })
    expect(again).toMatchObject({ errors: [{ field: 'token' }] })
  })

  test('that is suspended or unknown gets the same answer as for a wrong password', async () => {
    const { id, email } = await joined()
    expect(await signIn(email, 'something else')).toMatchObject(wrongPassword)
    expect(await signIn(newAddress())).toMatchObject(wrongPassword)
    dataOf(await call('suspendUser', { id }))
    expect(await signIn(email)).toMatchObject(wrongPassword)
  })

  test('is signed out within a second of being suspended, losing a role, or signing out', async () => {
    const { id, email } = await joined()
    const tokens = await tokensOf(email)
    const { roleId } = dataOf(
      await call('createRole', { input: { name: 'Packer', permissions: ['carts:read'] } }),
    )
    const permissions = async () => {
      const answer = await authenticate(tokens)
      return answer.kind === 'authenticated' ? [...answer.principal.permissions] : answer.kind
    }
    expect(await permissions()).toEqual([])
    dataOf(await call('assignRole', { userId: id, roleId }))
    await expect.poll(permissions, { timeout: 1000, interval: 20 }).toEqual(['carts:read'])
    dataOf(await call('suspendUser', { id }))
    await expect.poll(permissions, { timeout: 1000, interval: 20 }).toBe('refused')
    expect(await call('refreshSession', { refreshToken: tokens.refreshToken })).toMatchObject(sessionEnded)
    dataOf(await call('reactivateUser', { id }))
    await expect.poll(permissions, { timeout: 1000, interval: 20 }).toEqual(['carts:read'])
    dataOf(await call('signOut', { refreshToken: tokens.refreshToken }))
    await expect.poll(permissions, { timeout: 1000, interval: 20 }).toBe('refused')
  })

  test('can’t guess again once the first guess is counted', async () => {
    const { email } = await joined()
    await signIn(email, 'a guess')
    // An attempt reads the count before it counts itself: this test pauses it in between.
    const [, second] = await overlap<unknown>(
      shop.database,
      (sql) => sql`SELECT FROM identity.sign_in_attempt WHERE email = ${email} FOR UPDATE`,
      () => signIn(email, 'another guess'),
      (sql) => sql`
        UPDATE identity.sign_in_attempt SET blocked_until = now() + interval '1 minute' WHERE email = ${email}`,
    )
    expect(second).toMatchObject({ kind: 'refused', id: 'SVC_RATE_001', status: 429 })
  })

  test('can guess five times, then waits longer each time, also with concurrent guesses', async () => {
    const { email } = await joined()
    const guesses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => signIn(email, `guess ${index}`)),
    )
    expect(guesses.filter(({ kind }) => kind === 'invalid')).toHaveLength(5)
    const blocked = { kind: 'refused', id: 'SVC_RATE_001', status: 429 }
    expect(await signIn(email)).toMatchObject(blocked)
    // A user of another shop with the same address is not blocked.
    const past = async () => {
      await shop.database`
        UPDATE identity.sign_in_attempt SET blocked_until = now() - interval '1 second' WHERE email = ${email}`
    }
    await past()
    expect(await signIn(email, 'another guess')).toMatchObject(wrongPassword)
    const [attempt] = await shop.database<{ seconds: string }[]>`
      SELECT round(extract(epoch FROM blocked_until - now())) AS seconds FROM identity.sign_in_attempt
      WHERE email = ${email} AND client <> ''`
    expect(Number(found(attempt).seconds)).toBe(4)
    await past()
    dataOf(await signIn(email))
    expect(await signIn(email, 'wrong once more')).toMatchObject(wrongPassword)
    dataOf(await signIn(email))
  })

  test('that changes the password needs the old one and ends every session', async () => {
    const { id, email } = await joined()
    const tokens = await tokensOf(email)
    const change = (currentPassword: string, newPassword: string) =>
      shop.call(merchant, 'changePassword', { currentPassword, newPassword }, { session: sessionOf(id) })
    expect(await change('wrong', 'a new password')).toMatchObject({ errors: [{ field: 'currentPassword' }] })
    expect(await change(knownPassword, 'short')).toMatchObject({
      errors: [{ field: 'newPassword', code: 'OUT_OF_RANGE' }],
    })
    dataOf(await change(knownPassword, 'a new password'))
    expect(await call('refreshSession', { refreshToken: tokens.refreshToken })).toMatchObject(sessionEnded)
    expect(await signIn(email)).toMatchObject(wrongPassword)
    dataOf(await signIn(email, 'a new password'))
  })

  test('has no password that an API key could change', async () => {
    expect(
      await call('changePassword', { currentPassword: knownPassword, newPassword: `${knownPassword}!` }),
    ).toMatchObject({ kind: 'refused', id: 'SVC_AUTH_003' })
    expect(await call('enrollMfa', { password: knownPassword })).toMatchObject({
      kind: 'refused',
      id: 'SVC_AUTH_003',
    })
  })
})

describe('guesses at an account', () => {
  const owner = '203.0.113.7'
  let attackers = 0
  const attacker = () => `198.51.100.${(attackers += 1)}`
  const signInFrom = async (email: string, client: string | undefined, password = knownPassword) =>
    shop.call(
      merchant,
      'signInUser',
      { input: { email, password, code: null } },
      { session: { ...(await sessionAs(shop, merchant, 'Owner')), client } },
    )
  const blocked = { kind: 'refused', id: 'SVC_RATE_001' }

  test('from one client don’t block another client', async () => {
    const { email } = await joined()
    const client = attacker()
    for (let guess = 0; guess < 5; guess += 1)
      expect(await signInFrom(email, client, 'a guess')).toMatchObject(wrongPassword)
    expect(await signInFrom(email, client)).toMatchObject(blocked)
    dataOf(await signInFrom(email, owner))
    expect(await signInFrom(email, client)).toMatchObject(blocked)
  })

  test('from many clients are limited together, but never for a client that has signed in before', async () => {
    const { email } = await joined()
    dataOf(await signInFrom(email, owner))
    const answers = []
    for (let guess = 0; guess < 40; guess += 1)
      answers.push((await signInFrom(email, attacker(), 'a guess')).kind)
    expect(answers.filter((kind) => kind === 'invalid')).toHaveLength(30)
    expect(await signInFrom(email, attacker())).toMatchObject(blocked)
    expect(await signInFrom(email, undefined)).toMatchObject(blocked)
    expect(await signInFrom(email, owner, 'mistyped')).toMatchObject(wrongPassword)
    dataOf(await signInFrom(email, owner))
  })

  test('during the pause don’t count, so that they don’t extend it', async () => {
    const { email } = await joined()
    const client = attacker()
    for (let guess = 0; guess < 25; guess += 1) await signInFrom(email, client, 'a guess')
    const rows = await shop.database`
      SELECT client, attempts FROM identity.sign_in_attempt WHERE email = ${email} ORDER BY client`
    expect(rows).toEqual([
      { client: '', attempts: 5 },
      { client, attempts: 5 },
    ])
  })

  test('at another merchant with the same address count separately, as do known clients', async () => {
    const { email } = await joined()
    dataOf(await signInFrom(email, owner))
    const other = await shop.createMerchant()
    const [known] = await shop.database`
      SELECT identity.is_known_client(${merchant.merchantId}, 'USER', ${email}, ${owner}) AS here,
        identity.is_known_client(${other.merchantId}, 'USER', ${email}, ${owner}) AS there`
    expect(known).toEqual({ here: true, there: false })
  })

  test('leave at most twenty remembered clients per account', async () => {
    const { id, email } = await joined()
    for (let client = 1; client <= 23; client += 1) dataOf(await signInFrom(email, `192.0.2.${client}`))
    const rows = await shop.database`
      SELECT client FROM identity.known_client WHERE user_id = ${id} ORDER BY last_at DESC`
    expect(rows).toHaveLength(20)
    expect(rows[0]).toEqual({ client: '192.0.2.23' })
  })
})

describe('a refresh token', () => {
  test('works once, and a second use ends the session for both', async () => {
    const { email } = await joined()
    const first = await tokensOf(email)
    const second = dataOf(
      await call('refreshSession', { refreshToken: first.refreshToken }),
    ) as unknown as Tokens
    expect((await authenticate(second)).kind).toBe('authenticated')
    expect(await call('refreshSession', { refreshToken: first.refreshToken })).toMatchObject(sessionEnded)
    expect(await call('refreshSession', { refreshToken: second.refreshToken })).toMatchObject(sessionEnded)
    await expect.poll(async () => (await authenticate(second)).kind, { timeout: 1000 }).toBe('refused')
  })

  test('that several requests use at once gives tokens to one at most', async () => {
    const { email } = await joined()
    const { refreshToken } = await tokensOf(email)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call('refreshSession', { refreshToken })),
    )
    expect(answers.filter(({ kind }) => kind === 'done')).toHaveLength(1)
  })

  test('of another merchant, or after its expiry, does not work', async () => {
    const { email } = await joined()
    const { refreshToken } = await tokensOf(email)
    const other = await shop.createMerchant()
    expect(await shop.call(other, 'refreshSession', { refreshToken })).toMatchObject(sessionEnded)
    await shop.call(other, 'signOut', { refreshToken })
    await shop.database`UPDATE identity.refresh_token SET expires_at = now() WHERE used_at IS NULL`
    expect(await call('refreshSession', { refreshToken })).toMatchObject(sessionEnded)
  })

  test('and a password are stored as hashes only', async () => {
    const { email } = await joined()
    const { refreshToken } = await tokensOf(email)
    const tables = await shop.database<{ name: string }[]>`
      SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'identity' AND table_type = 'BASE TABLE'`
    for (const { name } of tables) {
      const rows = await shop.database`SELECT to_jsonb(t)::text AS row FROM identity.${shop.database(name)} t`
      const text = JSON.stringify(rows)
      expect(text).not.toContain(knownPassword)
      expect(text).not.toContain(refreshToken)
    }
    const [credential] = await shop.database<{ hash: string }[]>`
      SELECT password_hash AS hash FROM identity.credential LIMIT 1`
    expect(found(credential).hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })
})

describe('an authenticator', () => {
  const codeOf = (secret: string, steps = 0) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })

  async function enrolled() {
    const user = await joined()
    const options = { session: sessionOf(user.id) }
    const { secret } = dataOf(await shop.call(merchant, 'enrollMfa', { password: knownPassword }, options))
    const code = codeOf(String(secret), -1)
    const { recoveryCodes } = dataOf(await shop.call(merchant, 'confirmMfa', { code }, options))
    return { ...user, options, secret: String(secret), recoveryCodes: recoveryCodes as string[] }
  }

  test('is required after its first code, and each code works once', async () => {
    const user = await joined()
    const options = { session: sessionOf(user.id) }
    const { secret } = dataOf(await shop.call(merchant, 'enrollMfa', { password: knownPassword }, options))
    dataOf(await signIn(user.email))
    expect(await shop.call(merchant, 'confirmMfa', { code: '000000' }, options)).toMatchObject({
      errors: [{ field: 'code' }],
    })
    const code = codeOf(String(secret), -1)
    dataOf(await shop.call(merchant, 'confirmMfa', { code }, options))
    expect(await signIn(user.email)).toMatchObject({ kind: 'done', data: { codeRequired: true } })
    const wrongCode = { errors: [{ field: 'code' }] }
    expect(await signIn(user.email, knownPassword, code)).toMatchObject(wrongCode)
    const next = codeOf(String(secret))
    expect(dataOf(await signIn(user.email, knownPassword, next))).toHaveProperty('accessToken')
    expect(await signIn(user.email, knownPassword, next)).toMatchObject(wrongCode)
    expect(await shop.call(merchant, 'enrollMfa', { password: knownPassword }, options)).toMatchObject({
      errors: [{ field: 'mfa' }],
    })
  })

  test('can’t be set up without the password, even with a valid session', async () => {
    const user = await joined()
    const options = { session: sessionOf(user.id) }
    const answer = await shop.call(merchant, 'enrollMfa', { password: 'not the password' }, options)
    expect(answer).toMatchObject({ errors: [{ field: 'password', code: 'INVALID_VALUE' }] })
    expect(await shop.database`SELECT 1 FROM identity.totp WHERE user_id = ${user.id}`).toEqual([])
  })

  test('is sealed in the database, and works after its encryption key is replaced', async () => {
    const user = await enrolled()
    const rows = await shop.database<{ row: string }[]>`SELECT t::text AS row FROM identity.totp t`
    for (const { row } of rows) expect(row).not.toContain(user.secret)
    const other = await enrolled()
    await shop.database`
      UPDATE identity.totp SET secret = (SELECT secret FROM identity.totp WHERE user_id = ${user.id})
      WHERE user_id = ${other.id}`
    await expect(signIn(other.email, knownPassword, codeOf(user.secret))).rejects.toThrow()
    await shop.database`DELETE FROM identity.totp WHERE user_id = ${other.id}`
    const current = shop.encryptionKeys
    const newer = newEncryptionKey()
    const both = { database: shop.database, secretBox: createSecretBox([newer, ...current]) }
    expect(await resealAuthenticators(both)).toBe(rows.length)
    expect(await resealAuthenticators(both)).toBe(0)
    await expect(signIn(user.email, knownPassword, codeOf(user.secret))).rejects.toThrow(newer.id)
    const back = { ...both, secretBox: createSecretBox([...current, newer]) }
    await resealAuthenticators(back)
    expect(dataOf(await signIn(user.email, knownPassword, codeOf(user.secret)))).toHaveProperty('accessToken')
  })

  test('that is lost is replaced by recovery codes, each of which works once in any notation', async () => {
    const { email, recoveryCodes } = await enrolled()
    expect(recoveryCodes).toHaveLength(10)
    const code = found(recoveryCodes[0])
    dataOf(await signIn(email, knownPassword, code.toUpperCase().replaceAll('-', ' ')))
    expect(await signIn(email, knownPassword, code)).toMatchObject({ errors: [{ field: 'code' }] })
  })

  test('can be removed by its user with password and code, or by a user with the permission', async () => {
    const own = await enrolled()
    const disable = (password: string) =>
      shop.call(merchant, 'disableMfa', { password, code: codeOf(own.secret) }, own.options)
    expect(await disable('wrong')).toMatchObject({ errors: [{ field: 'code' }] })
    dataOf(await disable(knownPassword))
    expect(dataOf(await signIn(own.email))).toHaveProperty('accessToken')
    const lost = await enrolled()
    dataOf(await call('resetUserMfa', { id: lost.id }))
    expect(dataOf(await signIn(lost.email))).toHaveProperty('accessToken')
  })

  test('can’t be removed by its own user without password and code', async () => {
    const own = await enrolled()
    const session = { ...sessionOf(own.id), permissions: new Set(['users:write']) }
    for (const id of [own.id, own.id.toUpperCase()])
      expect(await shop.call(merchant, 'resetUserMfa', { id }, { session })).toMatchObject({
        errors: [{ field: 'id', code: 'INVALID_VALUE' }],
      })
    expect(dataOf(await signIn(own.email))).toMatchObject({ codeRequired: true })
  })

  test('that the merchant requires takes the permissions of a user without one within a second, until the first code', async () => {
    const requireMfa = (required: boolean) => shop.database`
      UPDATE merchant.settings SET mfa_required = ${required} WHERE merchant_id = ${merchant.merchantId}`
    const { roleId } = dataOf(
      await call('createRole', { input: { name: 'Clerk', permissions: ['orders:read'] } }),
    )
    const email = newAddress()
    const id = String(dataOf(await call('createUser', { input: { email, roleIds: [roleId] } }))['userId'])
    dataOf(await call('resetPassword', { token: await mailedTo(email), password: knownPassword }))
    const tokens = await tokensOf(email)
    const permissions = async () => {
      const authentication = await authenticate(tokens)
      return authentication.kind === 'authenticated' ? authentication.principal.permissions.size : null
    }
    expect(await permissions()).toBeGreaterThan(0)
    await requireMfa(true)
    try {
      await expect.poll(permissions, { timeout: 1000, interval: 20 }).toBe(0)
      const options = { session: sessionOf(id) }
      const { secret } = dataOf(await shop.call(merchant, 'enrollMfa', { password: knownPassword }, options))
      expect(await permissions()).toBe(0)
      dataOf(await shop.call(merchant, 'confirmMfa', { code: codeOf(String(secret)) }, options))
      await expect.poll(permissions, { timeout: 1000, interval: 20 }).toBeGreaterThan(0)
    } finally {
      await requireMfa(false)
    }
  })

  test('is required of all users only by a user who has one', async () => {
    const requireMfaAs = (userId: string) =>
      shop.database.begin(async (sql) => {
        await sql`SELECT set_config('hasura.user', ${JSON.stringify({ 'x-hasura-user-id': userId })}, true)`
        await sql`UPDATE merchant.settings SET mfa_required = true WHERE merchant_id = ${merchant.merchantId}`
        await sql`UPDATE merchant.settings SET mfa_required = false WHERE merchant_id = ${merchant.merchantId}`
      })
    await expect(requireMfaAs((await joined()).id)).rejects.toMatchObject({
      constraint_name: 'settings_mfa_own',
    })
    await requireMfaAs((await enrolled()).id)
  })

  test('that the merchant requires is announced to users without one, and can’t be removed', async () => {
    const requireMfa = (required: boolean) => shop.database`
      UPDATE merchant.settings SET mfa_required = ${required} WHERE merchant_id = ${merchant.merchantId}`
    const without = await joined()
    const own = await enrolled()
    expect(dataOf(await signIn(without.email))).toMatchObject({ mfaRequired: false })
    await requireMfa(true)
    try {
      expect(dataOf(await signIn(without.email))).toMatchObject({ mfaRequired: true })
      const code = codeOf(own.secret)
      expect(
        await shop.call(merchant, 'disableMfa', { password: knownPassword, code }, own.options),
      ).toMatchObject({ errors: [{ field: 'mfa', code: 'INVALID_VALUE' }] })
      const recoveryCode = found(own.recoveryCodes[0])
      expect(dataOf(await signIn(own.email, knownPassword, recoveryCode))).toMatchObject({
        mfaRequired: false,
      })
    } finally {
      await requireMfa(false)
    }
  })

  test('of an owner can’t be removed by an admin', async () => {
    const { id } = await createTeamMember(shop, merchant, 'Owner')
    const session = await sessionAs(shop, merchant, 'Admin')
    expect(await shop.call(merchant, 'resetUserMfa', { id }, { session })).toMatchObject({
      errors: [{ field: 'id', message: expect.stringContaining('billing:write') as string }],
    })
  })
})

test('tokens of a suspended merchant’s users and shoppers are refused within a second, and accepted after it is reinstated', async () => {
  const setStatus = (status: string) => shop.database`
    UPDATE merchant.merchant SET status = ${status} WHERE id = ${merchant.merchantId}`
  const user = await tokensOf((await joined()).email)
  const shopper = dataOf(
    await call('registerCustomer', {
      input: { email: newAddress(), password: knownPassword, name: 'Ada' },
    }),
  ) as unknown as Tokens
  const kinds = async () => {
    const authentications = await Promise.all([user, shopper].map(authenticate))
    return authentications.map((answer) => (answer.kind === 'refused' ? answer.id : answer.kind))
  }
  expect(await kinds()).toEqual(['authenticated', 'authenticated'])
  await setStatus('SUSPENDED')
  try {
    await expect.poll(kinds, { timeout: 1000, interval: 20 }).toEqual(['SVC_AUTH_003', 'SVC_AUTH_003'])
  } finally {
    await setStatus('ACTIVE')
  }
  await expect.poll(kinds, { timeout: 1000, interval: 20 }).toEqual(['authenticated', 'authenticated'])
})

describe('a customer', () => {
  const register = (input: object = {}) =>
    call('registerCustomer', {
      input: { email: newAddress(), password: knownPassword, name: 'Ada', ...input },
    })

  test('can register, is signed in, and verifies the address by mail', async () => {
    const email = newAddress()
    const registered = dataOf(await register({ email }))
    expect(await authenticate(registered as unknown as Tokens)).toMatchObject({
      kind: 'authenticated',
      principal: { kind: 'customer', customerId: registered.customerId },
    })
    dataOf(await call('verifyEmail', { token: await mailedTo(email) }))
    const [customer] = await shop.database`SELECT email_verified FROM crm.customer WHERE email = ${email}`
    expect(customer).toEqual({ email_verified: true })
    expect(await register({ email })).toMatchObject({ errors: [{ field: 'email', code: 'ALREADY_EXISTS' }] })
    dataOf(await call('signInCustomer', { input: { email, password: knownPassword } }))
  })

  test('without a password can set one by mail, and the answer does not show whether the address is known', async () => {
    const id = await createCustomer(shop.database, merchant.merchantId)
    const [{ email } = { email: '' }] = await shop.database<{ email: string }[]>`
      SELECT email FROM crm.customer WHERE id = ${id}`
    const unknown = await call('requestCustomerPasswordReset', { email: newAddress() })
    const known = await call('requestCustomerPasswordReset', { email })
    expect(known).toEqual(unknown)
    // The request writes the same row for both; the job looks up the customer later.
    const rows = () => shop.database`SELECT 1 FROM identity.one_time_token WHERE email = ${email}`
    expect(await rows()).toEqual([])
    const asked = await shop.database`SELECT 1 FROM identity.password_reset_request`
    expect(asked).toHaveLength(2)
    expect(await answerPasswordResets(shop)).toBe(2)
    expect(await answerPasswordResets(shop)).toBe(0)
    expect(await rows()).toHaveLength(1)
    dataOf(await call('resetPassword', { token: await mailedTo(email), password: knownPassword }))
    expect(
      dataOf(await call('signInCustomer', { input: { email, password: knownPassword } })).customerId,
    ).toBe(id)
  })

  test('gets at most one mail a minute, and a token becomes invalid when the address changes', async () => {
    const id = await createCustomer(shop.database, merchant.merchantId)
    const request = () =>
      shop.call(merchant, 'requestEmailVerification', {}, { session: shopper(merchant, id) })
    await Promise.all([request(), request(), request()])
    const [{ count } = { count: 0 }] = await shop.database<{ count: number }[]>`
      SELECT count(*)::int FROM identity.one_time_token WHERE customer_id = ${id}`
    expect(count).toBe(1)
    const [{ email } = { email: '' }] = await shop.database<{ email: string }[]>`
      SELECT email FROM crm.customer WHERE id = ${id}`
    const token = await mailedTo(email)
    await shop.database`UPDATE crm.customer SET email = ${newAddress()} WHERE id = ${id}`
    expect(await call('verifyEmail', { token })).toMatchObject({ errors: [{ field: 'token' }] })
  })

  test('gets no second mail while one of the same kind is being made', async () => {
    const customerId = await createCustomer(shop.database, merchant.merchantId)
    const issue = (sql: Queryable, token: string) =>
      identity.issueOneTimeToken(sql, {
        merchantId: merchant.merchantId,
        purpose: 'EMAIL_VERIFICATION',
        userId: null,
        customerId,
        token,
        hash: Buffer.from(token),
        lifetime: 3600,
        pause: 60,
      })
    expect(
      await overlap(
        shop.database,
        (sql) => issue(sql, 'one'),
        () => issue(shop.database, 'another'),
      ),
    ).toEqual([true, false])
  })

  test('is no user: the same address and password sign in separately as customer and as user', async () => {
    const email = newAddress()
    dataOf(await register({ email }))
    expect(await signIn(email)).toMatchObject(wrongPassword)
  })
})

test('the purge deletes expired rows and nothing else', async () => {
  const { email } = await joined()
  const { refreshToken } = await tokensOf(email)
  const old = await joined()
  await tokensOf(old.email)
  await purgeExpiredIdentities(shop.database, 24 * 60 * 60)
  await shop.database`
    UPDATE identity.session SET expires_at = now() - interval '2 days' WHERE user_id = ${old.id}`
  await shop.database`
    INSERT INTO identity.known_client (merchant_id, user_id, client, last_at)
    VALUES (${merchant.merchantId}, ${old.id}, '192.0.2.77', now() - interval '91 days')`
  expect(await purgeExpiredIdentities(shop.database, 24 * 60 * 60)).toBe(2)
  dataOf(await call('refreshSession', { refreshToken }))
  expect(await shop.database`SELECT FROM identity.session WHERE user_id = ${old.id}`).toHaveLength(0)
})
