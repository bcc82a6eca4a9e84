import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type JWTPayload, SignJWT, exportJWK, importPKCS8 } from 'jose'
import { pino } from 'pino'
import { afterEach, describe, expect, test } from 'vitest'
import { HasuraError } from '../hasura-error.ts'
import { type AuthenticatorOptions, createAuthenticator } from './authenticator.ts'
import { type JwkSet, createJwkSet } from './jwk-set.ts'
import { type JwtSecret, parseJwtSecrets } from './jwt-config.ts'

const logger = pino({ level: 'silent' })
const namespace = 'https://hasura.io/jwt/claims'
const hmacKey = randomBytes(64).toString('hex')
const claims = {
  'x-hasura-allowed-roles': ['reader', 'writer'],
  'x-hasura-default-role': 'reader',
  'X-Hasura-User-Id': '7',
}

function secretsOf(setting: unknown): readonly JwtSecret[] {
  const result = Array.isArray(setting)
    ? parseJwtSecrets(undefined, JSON.stringify(setting))
    : parseJwtSecrets(JSON.stringify(setting), undefined)
  if (result.kind === 'invalid') throw new Error(result.problem)
  return result.secrets
}

function problemOf(setting: unknown): string {
  const result = parseJwtSecrets(JSON.stringify(setting), undefined)
  return result.kind === 'invalid' ? result.problem : 'none'
}

const hmac = { type: 'HS256', key: hmacKey }

function sign(
  payload: JWTPayload = { [namespace]: claims },
  { key = Buffer.from(hmacKey), alg = 'HS256', kid }: Signing = {},
): Promise<string> {
  const header = { alg, ...(kid === undefined ? {} : { kid }) }
  return new SignJWT({ exp: Math.floor(Date.now() / 1000) + 60, ...payload })
    .setProtectedHeader(header)
    .sign(key)
}

interface Signing {
  readonly key?: Parameters<SignJWT['sign']>[0]
  readonly alg?: string
  readonly kid?: string
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** The session of a request, or its refusal. */
async function ask(
  setting: unknown,
  headers: Record<string, string>,
  options: Partial<AuthenticatorOptions> = {},
) {
  const authenticator = createAuthenticator({
    adminSecret: 'secret',
    jwtSecrets: secretsOf(setting),
    logger,
    ...options,
  })
  try {
    return await authenticator.authenticate({ headers })
  } catch (error) {
    if (error instanceof HasuraError)
      return { status: error.status, code: error.code, message: error.message }
    throw error
  }
}

const pairs = {
  RS: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  ES512: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  Ed25519: generateKeyPairSync('ed25519'),
}
const pairOf = (type: string) => pairs[type.startsWith('RS') ? 'RS' : (type as keyof typeof pairs)]

describe('a token', () => {
  test.each(['HS256', 'HS384', 'HS512'])('is verified with %s', async (type) => {
    const token = await sign(undefined, { alg: type })
    expect(await ask({ type, key: hmacKey }, bearer(token))).toMatchObject({ role: 'reader' })
  })

  test.each(['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'Ed25519'])(
    'is verified with %s, by PEM and by JWK, and not with another key',
    async (type) => {
      const { publicKey, privateKey } = pairOf(type)
      const alg = type === 'Ed25519' ? 'EdDSA' : type
      const token = await sign(undefined, { alg, key: privateKey })
      const pem = publicKey.export({ type: 'spki', format: 'pem' })
      const jwk = JSON.stringify(publicKey.export({ format: 'jwk' }))
      expect(await ask({ type, key: pem }, bearer(token))).toMatchObject({ role: 'reader' })
      expect(await ask({ type, key: jwk }, bearer(token))).toMatchObject({ role: 'reader' })
      const stranger =
        type === 'Ed25519'
          ? generateKeyPairSync('ed25519').privateKey
          : type.startsWith('RS')
            ? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
            : generateKeyPairSync('ec', { namedCurve: `P-${type === 'ES512' ? '521' : type.slice(2)}` })
                .privateKey
      expect(await ask({ type, key: pem }, bearer(await sign(undefined, { alg, key: stranger })))).toEqual({
        status: 400,
        code: 'invalid-jwt',
        message: 'Could not verify JWT: JWSError JWSInvalidSignature',
      })
    },
  )

  test('signed with the public key as a secret, or not signed, is refused', async () => {
    const pem = pairs.RS.publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const confused = await sign(undefined, { alg: 'HS256', key: Buffer.from(pem) })
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const unsigned = `${part({ alg: 'none' })}.${part({ [namespace]: claims })}.`
    for (const token of [confused, unsigned, 'a.b.c', 'nonsense'])
      expect(await ask({ type: 'RS256', key: pem }, bearer(token))).toMatchObject({
        code: 'invalid-jwt',
        message: expect.stringMatching(/^Could not verify JWT: JWSError/) as string,
      })
  })

  test('decides the whole session: the client’s own session headers are ignored', async () => {
    const exp = Math.floor(Date.now() / 1000) + 60
    const token = await sign({ exp, [namespace]: claims })
    const forged = {
      ...bearer(token),
      'x-hasura-user-id': '8',
      'x-hasura-merchant-id': 'another',
      'x-hasura-use-backend-only-permissions': 'true',
    }
    expect(await ask(hmac, forged)).toEqual(await ask(hmac, bearer(token)))
  })

  test('gives the session its requested or default role, its variables and its expiry', async () => {
    const exp = Math.floor(Date.now() / 1000) + 60
    const token = await sign({ exp, [namespace]: claims })
    expect(await ask(hmac, bearer(token))).toEqual({
      role: 'reader',
      isAdmin: false,
      backendOnlyPermissions: false,
      variables: { 'x-hasura-role': 'reader', 'x-hasura-user-id': '7' },
      expiresAt: exp * 1000,
    })
    const requestHeaders = { ...bearer(token), 'x-hasura-role': 'writer', 'x-hasura-user-id': '8' }
    expect(await ask(hmac, requestHeaders)).toMatchObject({
      role: 'writer',
      variables: { 'x-hasura-user-id': '7' },
    })
    expect(await ask(hmac, { ...bearer(token), 'x-hasura-role': 'admin' })).toEqual({
      status: 400,
      code: 'access-denied',
      message: 'Your requested role is not in allowed roles',
    })
  })

  test.each([
    [{ exp: 1 }, {}, 'JWTExpired'],
    [{ nbf: 4e9 }, {}, 'JWTNotYetValid'],
    [{ iat: 4e9 }, {}, 'JWTIssuedAtFuture'],
    [{ aud: ['else'] }, { audience: 'shop' }, 'JWTNotInAudience'],
    [{ aud: 'shop' }, { audience: ['shop', 'other'] }, 'none'],
    [{}, { audience: 'shop' }, 'none'],
    [{ iss: 'else' }, { issuer: 'us' }, 'JWTNotInIssuer'],
    [{ iss: 'us' }, { issuer: 'us' }, 'none'],
    [{ exp: Math.floor(Date.now() / 1000) - 5 }, { allowed_skew: 60 }, 'none'],
  ])('with %o is checked against %o', async (registered, setting, problem) => {
    const token = await sign({ [namespace]: claims, ...registered })
    const expected =
      problem === 'none'
        ? { role: 'reader' }
        : { status: 400, code: 'invalid-jwt', message: `Could not verify JWT: ${problem}` }
    expect(await ask({ ...hmac, ...setting }, bearer(token))).toMatchObject(expected)
  })

  test.each([
    [{}, "claims key: 'https://hasura.io/jwt/claims' not found", 'jwt-invalid-claims'],
    [
      { [namespace]: { 'x-hasura-default-role': 'a' } },
      'JWT claim does not contain x-hasura-allowed-roles',
      'jwt-missing-role-claims',
    ],
    [
      { [namespace]: { 'x-hasura-allowed-roles': ['a'] } },
      'JWT claim does not contain x-hasura-default-role',
      'jwt-missing-role-claims',
    ],
    [
      { [namespace]: { ...claims, 'x-hasura-allowed-roles': 'reader' } },
      'invalid x-hasura-allowed-roles; should be a list of roles: parsing [] failed, expected Array, but encountered String',
      'jwt-invalid-claims',
    ],
    [
      { [namespace]: { ...claims, 'x-hasura-user-id': 7 } },
      'x-hasura-* claims: parsing Text failed, expected String, but encountered Number',
      'jwt-invalid-claims',
    ],
    [{ [namespace]: '{}' }, 'expecting a json object when claims_format is json', 'jwt-invalid-claims'],
  ])('with %o is refused', async (payload, message, code) => {
    expect(await ask(hmac, bearer(await sign(payload)))).toEqual({ status: 400, code, message })
  })

  test('has its claims in the configured place: namespace, path, as text, or anywhere by a map', async () => {
    const reader = { role: 'reader', variables: { 'x-hasura-user-id': '7' } }
    const named = await sign({ shop: claims })
    expect(await ask({ ...hmac, claims_namespace: 'shop' }, bearer(named))).toMatchObject(reader)
    const nested = await sign({ app: { list: [claims] } })
    const path = { ...hmac, claims_namespace_path: '$.app.list[0]' }
    expect(await ask(path, bearer(nested))).toMatchObject(reader)
    expect(await ask(path, bearer(named))).toMatchObject({
      message: "claims not found at claims_namespace_path: '$.app.list[0]'",
    })
    const text = { ...hmac, claims_format: 'stringified_json' }
    expect(await ask(text, bearer(await sign({ [namespace]: JSON.stringify(claims) })))).toMatchObject(reader)
    expect(await ask(text, bearer(await sign()))).toMatchObject({
      message: 'expecting a string when claims_format is stringified_json',
    })
    const map = {
      ...hmac,
      claims_map: {
        'x-hasura-allowed-roles': { path: '$.realm.roles', default: ['guest'] },
        'x-hasura-default-role': { path: "$['realm'].main", default: 'guest' },
        'x-hasura-user-id': { path: '$.sub' },
        'x-hasura-plan': 'free',
      },
    }
    const token = await sign({ sub: '7', realm: { roles: ['reader'], main: 'reader' } })
    expect(await ask(map, bearer(token))).toMatchObject({
      role: 'reader',
      variables: { 'x-hasura-user-id': '7', 'x-hasura-plan': 'free' },
    })
    expect(await ask(map, bearer(await sign({ sub: '7' })))).toMatchObject({ role: 'guest' })
    expect(await ask(map, bearer(await sign({})))).toEqual({
      status: 400,
      code: 'jwt-invalid-claims',
      message: 'JWT claim from claims_map, x-hasura-user-id not found',
    })
  })

  test('is taken from its header or cookie; without one the request has the unauthorized role, or is refused', async () => {
    const token = await sign()
    const cookie = { ...hmac, header: { type: 'Cookie', name: 'session' } }
    expect(await ask(cookie, { cookie: `a=1; session=${token}` })).toMatchObject({ role: 'reader' })
    expect(await ask(cookie, { ...bearer(token), cookie: 'a=1' })).toEqual({
      status: 400,
      code: 'invalid-headers',
      message: "Missing 'Authorization' or 'Cookie' header in JWT authentication mode",
    })
    const custom = { ...hmac, header: { type: 'CustomHeader', name: 'X-Token' } }
    expect(await ask(custom, { 'x-token': token })).toMatchObject({ role: 'reader' })
    expect(await ask(hmac, { authorization: token })).toMatchObject({
      message: 'Malformed Authorization header',
    })
    const open = { unauthorizedRole: 'anonymous' }
    expect(await ask(hmac, { 'x-hasura-role': 'admin' }, open)).toMatchObject({ role: 'anonymous' })
    expect(await ask(hmac, bearer('wrong'), open)).toMatchObject({ code: 'invalid-jwt' })
    expect(await ask(hmac, { 'x-hasura-admin-secret': 'secret' })).toMatchObject({ isAdmin: true })
  })

  test('is verified by the secret of its issuer, and a request with two tokens is refused', async () => {
    const other = randomBytes(64).toString('hex')
    const setting = [
      { ...hmac, issuer: 'us' },
      { type: 'HS256', key: other, issuer: 'them' },
    ]
    const theirs = await sign({ iss: 'them', [namespace]: claims }, { key: Buffer.from(other) })
    expect(await ask(setting, bearer(theirs))).toMatchObject({ role: 'reader' })
    const forged = await sign({ iss: 'us', [namespace]: claims }, { key: Buffer.from(other) })
    expect(await ask(setting, bearer(forged))).toMatchObject({ code: 'invalid-jwt' })
    expect(await ask(setting, bearer(await sign({ iss: 'unknown' })))).toMatchObject({
      message: 'Could not verify JWT: JWTNotInIssuer',
    })
    const places = [hmac, { ...hmac, header: { type: 'Cookie', name: 's' } }]
    const token = await sign()
    expect(await ask(places, { ...bearer(token), cookie: `s=${token}` })).toMatchObject({
      code: 'invalid-headers',
      message: 'Could not verify JWT: Multiple JWTs found',
    })
  })
})

test.each([
  [{}, 'key and jwk_url both cannot be empty'],
  [{ type: 'HS256', key: 'a', jwk_url: 'https://a.example' }, 'key, jwk_url both cannot be present'],
  [{ type: 'HS512', key: 'short' }, 'Key size too small'],
  [{ type: 'none', key: 'short' }, 'Key type: none is not supported'],
  [{ type: 'RS256', key: 'no pem' }, 'no PEM'],
  [
    { type: 'RS256', key: pairs.ES256.publicKey.export({ type: 'spki', format: 'pem' }) },
    'not one for RS256',
  ],
  [{ ...hmac, claims_namespace: 'a', claims_namespace_path: '$.b' }, 'both cannot be set'],
  [{ ...hmac, claims_namespace_path: '$.b[' }, 'invalid JSON path'],
  [{ ...hmac, claims_map: { 'x-hasura-default-role': 'a' } }, 'claims_map.x-hasura-allowed-roles'],
  [{ ...hmac, header: { type: 'Cookie' } }, 'header.name'],
  [{ jwk_url: 'file:///etc/passwd' }, 'jwk_url'],
])('the setting %o is refused', (setting, problem) => {
  expect(problemOf(setting)).toContain(problem)
})

describe('a JWK URL', () => {
  const servers: Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })

  /** A server of keys whose answer the test may change. */
  const serveKeys = async () => {
    const state = {
      keys: [] as object[],
      headers: {} as Record<string, string>,
      status: 200,
      requests: 0,
      authorization: '',
    }
    const server = createServer((request, response) => {
      state.requests += 1
      state.authorization = request.headers.authorization ?? ''
      response.writeHead(state.status, { connection: 'close', ...state.headers })
      response.end(JSON.stringify({ keys: state.keys }))
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return { state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks` }
  }

  const finderOf = (set: JwkSet) => async (kid: string) => {
    try {
      await set.getKey({ alg: 'ES256', kid }, { payload: '', signature: '' })
      return 'found'
    } catch {
      return 'unknown'
    }
  }

  const keyPair = async (kid: string) => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    return {
      jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256' },
      key: await importPKCS8(pem, 'ES256'),
    }
  }

  test('verifies with its keys, with and without a kid', async () => {
    const [one, two] = await Promise.all([keyPair('one'), keyPair('two')])
    const { state, url } = await serveKeys()
    state.keys = [one.jwk, two.jwk]
    const named = await sign(undefined, { alg: 'ES256', key: two.key, kid: 'two' })
    const unnamed = await sign(undefined, { alg: 'ES256', key: two.key })
    expect(await ask({ jwk_url: url }, bearer(named))).toMatchObject({ role: 'reader' })
    expect(await ask({ jwk_url: url }, bearer(unnamed))).toMatchObject({ role: 'reader' })
    const stranger = await sign(undefined, { alg: 'ES256', key: (await keyPair('x')).key, kid: 'two' })
    expect(await ask({ jwk_url: url }, bearer(stranger))).toMatchObject({ code: 'invalid-jwt' })
  })

  test('is fetched again only when its answer expires, and keeps the old keys if that fails', async () => {
    const { state, url } = await serveKeys()
    const [old, next] = await Promise.all([keyPair('old'), keyPair('next')])
    state.keys = [old.jwk]
    state.headers = { 'cache-control': 'public, max-age=30' }
    let now = 1_000_000
    const set = createJwkSet(url, logger, () => now)
    const find = finderOf(set)
    expect(await find('old')).toBe('found')
    state.keys = [next.jwk]
    now += 20_000
    expect([await find('old'), await find('next'), state.requests]).toEqual(['found', 'unknown', 1])
    now += 10_000
    expect([await find('next'), state.requests]).toEqual(['found', 2])
    state.status = 500
    now += 40_000
    expect([await find('next'), await find('next')]).toEqual(['found', 'found'])
    await expect.poll(() => state.requests).toBe(3)
  })

  test('without an expiry is fetched again only for an unknown key, once a minute', async () => {
    const { state, url } = await serveKeys()
    const [old, next] = await Promise.all([keyPair('old'), keyPair('next')])
    state.keys = [old.jwk]
    let now = 1_000_000
    const set = createJwkSet(url, logger, () => now)
    const find = finderOf(set)
    expect(await find('old')).toBe('found')
    state.keys = [next.jwk]
    now += 59_000
    expect([await find('next'), state.requests]).toEqual(['unknown', 1])
    now += 1_000
    expect([await find('next'), state.requests]).toEqual(['found', 2])
  })

  test('is fetched with the user and password of its URL, which are not logged', async () => {
    const { state, url } = await serveKeys()
    const lines: string[] = []
    const logging = pino({}, { write: (line: string) => void lines.push(line) })
    const set = createJwkSet(url.replace('//', '//user:s3cret@'), logging)
    await set.warmUp()
    expect(state.authorization).toBe(`Basic ${Buffer.from('user:s3cret').toString('base64')}`)
    state.status = 500
    await set.warmUp()
    expect(lines.join()).toContain('it answered 500')
    expect(lines.join()).not.toContain('s3cret')
  })

  test('that can not be reached authenticates no request', async () => {
    const { key } = await keyPair('a')
    const token = await sign(undefined, { alg: 'ES256', key, kid: 'a' })
    expect(await ask({ jwk_url: 'http://127.0.0.1:1/jwks' }, bearer(token))).toMatchObject({
      code: 'invalid-jwt',
    })
  })
})
