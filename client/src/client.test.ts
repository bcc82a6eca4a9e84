import { parse } from 'graphql'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Credential } from './caller.ts'
import { createClient, type ClientOptions } from './client.ts'
import type { TypedDocument } from './document.ts'
import { errorCatalogue } from './generated/error-catalogue.ts'
import { unwrap } from './result.ts'
import { refused, startAnsweringServer, type Reaction, type Received } from './testing/answering-server.ts'
import { tokensInMemory } from './tokens.ts'

const retryPolicy = { retries: 2, firstDelayMs: 1, maxDelayMs: 1_500 }
const ask = '{ products { totalCount } }'
const create = 'mutation { createProduct { product { id } errors { field message code } } }'
const created = { body: { data: { createProduct: { product: { id: 'p' }, errors: [] } } } }

async function answering(
  react: (received: Received, number: number) => Reaction,
  options: Partial<Omit<ClientOptions, keyof Credential>> = {},
  credential: Credential = { key: 'cg_test_main_1' },
) {
  const { url, received } = await startAnsweringServer(react)
  return { client: createClient({ url, retryPolicy, ...options, ...credential }), received }
}

describe('a result', () => {
  test('is the data', async () => {
    const { client, received } = await answering(() => ({ body: { data: { products: { totalCount: 3 } } } }))
    expect(await client.query(ask, { a: 1 })).toEqual({
      ok: true,
      data: { products: { totalCount: 3 } },
      requestId: 'r-1',
    })
    expect(received).toMatchObject([
      { query: ask, variables: { a: 1 }, headers: { authorization: 'Bearer cg_test_main_1' } },
    ])
  })

  test.each([
    ['SVC_AUTH_001', 'unauthenticated'],
    ['SVC_AUTH_002', 'unauthenticated'],
    ['SVC_AUTH_003', 'forbidden'],
    ['SVC_AUTH_004', 'forbidden'],
    ['SVC_VAL_001', 'invalid'],
    ['SVC_VAL_002', 'invalid'],
    ['SVC_VAL_003', 'invalid'],
    ['SVC_VAL_004', 'conflict'],
    ['SVC_RATE_001', 'rate-limited'],
    ['SVC_GQL_001', 'invalid'],
    ['SVC_GQL_002', 'invalid'],
    ['SVC_GQL_003', 'invalid'],
    ['SVC_BIZ_001', 'insufficient-inventory'],
    ['SVC_BIZ_002', 'payment-failed'],
    ['SVC_BIZ_003', 'conflict'],
    ['SVC_SRV_001', 'internal'],
  ] as const)('of %s has the kind %s', async (id, kind) => {
    const { status } = errorCatalogue[id]
    const { client } = await answering(() => refused(id, status), { retryPolicy: { retries: 0 } })
    const error = { kind, id, statusCode: status, requestId: 'r-1' }
    expect(await client.query(ask)).toMatchObject({ ok: false, error, data: null })
  })

  test('says what the condition knows', async () => {
    const answers = [
      refused('SVC_BIZ_001', 400, { field: 'items.0', available: 2, requested: 5 }),
      refused('SVC_BIZ_002', 402, { declineCode: 'insufficient_funds' }),
      refused('SVC_RATE_001', 429, { retryAfter: 60 }),
    ]
    const { client } = await answering((_, number) => answers[number - 1] ?? 'hang up')
    expect(await client.query(ask)).toMatchObject({
      error: { kind: 'insufficient-inventory', available: 2, requested: 5, field: 'items.0' },
    })
    expect(await client.query(ask)).toMatchObject({
      error: { kind: 'payment-failed', declineCode: 'insufficient_funds' },
    })
    expect(await client.query(ask)).toMatchObject({ error: { kind: 'rate-limited', retryAfterMs: 60_000 } })
  })

  test('of a condition that this release does not know has the kind of its status', async () => {
    const kindsByStatus = [
      [400, 'invalid'],
      [401, 'unauthenticated'],
      [403, 'forbidden'],
      [409, 'conflict'],
      [429, 'rate-limited'],
      [500, 'internal'],
      [503, 'unavailable'],
    ] as const
    for (const [status, kind] of kindsByStatus) {
      const { client } = await answering(() => refused('SVC_NEW_001', status), {
        retryPolicy: { retries: 0 },
      })
      expect(await client.query(ask)).toMatchObject({ error: { kind, id: null } })
    }
  })

  test('with a part of the data is not ok, and has that part', async () => {
    const body = {
      data: { products: null, viewer: { id: 1 } },
      errors: [{ message: 'no', path: ['products'], extensions: { id: 'SVC_AUTH_003', statusCode: 403 } }],
    }
    const { client } = await answering(() => ({ body }))
    const result = await client.query(ask)
    expect(result).toMatchObject({
      ok: false,
      error: { kind: 'forbidden', path: ['products'] },
      data: body.data,
    })
    expect(() => unwrap(result)).toThrow('no')
  })

  test('of a mutation that refuses its input has the errors of the payload', async () => {
    const errors = [
      { field: 'price', message: 'Too small', code: 'INVALID_VALUE' },
      { field: 'sku', message: 'Taken', code: 'ALREADY_EXISTS' },
    ]
    const { client } = await answering(() => ({
      body: { data: { createProduct: { product: null, errors } } },
    }))
    expect(await client.mutate(create)).toMatchObject({
      ok: false,
      error: {
        kind: 'refused',
        field: 'price',
        code: 'INVALID_VALUE',
        userErrors: errors,
        path: ['createProduct'],
        message: 'Too small; Taken',
      },
    })
  })

  test('of what speaks no GraphQL says so', async () => {
    const { client } = await answering(() => ({ status: 404, body: '<html>Not found</html>' }))
    expect(await client.query(ask)).toMatchObject({ error: { kind: 'not-graphql', statusCode: 404 } })
  })
})

describe('a mistake of the program is thrown', () => {
  test('a payload without its errors', async () => {
    const { client } = await answering(() => ({ body: { data: { createProduct: { product: null } } } }))
    await expect(client.mutate('mutation { createProduct { product { id } } }')).rejects.toThrow(
      'Select createProduct { errors { field message code } }',
    )
  })

  test('a mutation that is sent as a query', async () => {
    const { client, received } = await answering(() => created)
    const document: TypedDocument<unknown, Record<string, never>> = parse(create)
    await expect(client.query(document)).rejects.toThrow('A query is needed, and the document has a mutation')
    expect(received).toEqual([])
  })

  test('no credential, a secret key in a page, or as a publishable key', () => {
    const url = 'https://shop.example/graphql'
    expect(() => createClient({ url, key: '' })).toThrow('Pass one credential')
    expect(() => createClient({ url, publishableKey: 'cg_live_main_1' })).toThrow('must begin with cg_pub_')
    expect(() => createClient({ url, key: 'cg_pub_main_1' })).toThrow('as publishableKey')
    vi.stubGlobal('document', {})
    onTestFinished(() => void vi.unstubAllGlobals())
    expect(() => createClient({ url, key: 'cg_live_main_1' })).toThrow('must not be in a page')
  })
})

describe('a request is sent again', () => {
  test.each([429, 500, 502, 503, 504])('after %i, under the same Idempotency-Key', async (status) => {
    const { client, received } = await answering((_, number) =>
      number < 3 ? { status, body: 'gone' } : created,
    )
    expect(await client.mutate(create)).toMatchObject({ ok: true })
    const keys = received.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    await client.mutate(create)
    expect(received[3]?.headers['idempotency-key']).not.toBe(keys[0])
  })

  test('after the connection was lost, and after a time without an answer', async () => {
    const { client, received } = await answering(
      (_, number) => (['hang up', 'say nothing'] as const)[number - 1] ?? created,
      { timeoutMs: 50 },
    )
    expect(await client.mutate(create, {}, { idempotencyKey: 'mine' })).toMatchObject({ ok: true })
    expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine', 'mine'])
  })

  test('after an error of the server that stands in an answer with the status 200', async () => {
    const { client, received } = await answering((_, number) =>
      number === 1 ? { ...refused('SVC_SRV_001', 503), status: 200 } : created,
    )
    expect(await client.mutate(create)).toMatchObject({ ok: true })
    expect(received).toHaveLength(2)
  })

  test('after the time that the server asks for', async () => {
    const { client } = await answering((_, number) =>
      number === 1 ? { ...refused('SVC_RATE_001', 429), headers: { 'retry-after': '1' } } : created,
    )
    const began = Date.now()
    expect(await client.mutate(create)).toMatchObject({ ok: true })
    expect(Date.now() - began).toBeGreaterThanOrEqual(990)
  })

  test('not if the server asks for more time than allowed, but the error says how much', async () => {
    const { client, received } = await answering(() => refused('SVC_RATE_001', 429, { retryAfter: 3_600 }))
    expect(await client.mutate(create)).toMatchObject({
      error: { kind: 'rate-limited', retryAfterMs: 3_600_000 },
    })
    expect(received).toHaveLength(1)
  })

  test('not more often than the policy says', async () => {
    const { client, received } = await answering(() => 'hang up')
    expect(await client.query(ask)).toMatchObject({ error: { kind: 'unavailable', statusCode: null } })
    expect(received).toHaveLength(3)
  })

  test.each([
    ['SVC_VAL_001', 400],
    ['SVC_BIZ_002', 402],
    ['SVC_AUTH_003', 403],
    ['SVC_VAL_004', 409],
  ])('not after %s, which the same request would get again', async (id, status) => {
    const { client, received } = await answering(() => refused(id, status))
    await client.mutate(create)
    expect(received).toHaveLength(1)
  })

  test('not after the caller has aborted it', async () => {
    const { client, received } = await answering(() => 'say nothing')
    const leaving = new AbortController()
    const running = client.query(ask, {}, { signal: leaving.signal })
    await vi.waitFor(() => expect(received).toHaveLength(1))
    leaving.abort()
    expect(await running).toMatchObject({ error: { kind: 'aborted' } })
    expect(await client.query(ask, {}, { signal: AbortSignal.abort() })).toMatchObject({
      error: { kind: 'aborted' },
    })
    expect(received).toHaveLength(1)
  })
})

describe('a person who has signed in', () => {
  const signedIn = { accessToken: 'a1', refreshToken: 'r1' }

  /** A server that accepts the access token `a2`, and gives it for the refresh token `r1`, once. */
  async function shopOf(tokens = tokensInMemory(signedIn)) {
    const used = new Map<unknown, unknown>()
    const react = ({ query, variables, headers }: Received): Reaction => {
      const key = headers['idempotency-key']
      if (query.includes('refreshSession')) {
        const first = used.get(variables['refreshToken'])
        used.set(variables['refreshToken'], first ?? key)
        if (variables['refreshToken'] !== 'r1' || (first !== undefined && first !== key))
          return refused('SVC_AUTH_002', 401)
        return { body: { data: { refreshSession: { accessToken: 'a2', refreshToken: 'r2', errors: [] } } } }
      }
      const isGood = ['Bearer a2', 'Bearer cg_pub_main_1'].includes(headers.authorization ?? '')
      return isGood ? { body: { data: { viewer: headers.authorization } } } : refused('SVC_AUTH_002', 401)
    }
    const credential = { publishableKey: 'cg_pub_main_1', cartSecret: 's', tokens }
    return { tokens, ...(await answering(react, {}, credential)) }
  }

  test('is the caller, and the key is the caller of what is asked as the key, with the cart’s secret', async () => {
    const { client, received } = await shopOf(tokensInMemory({ accessToken: 'a2', refreshToken: 'r2' }))
    await client.query('{ viewer }')
    await client.query('{ viewer }', {}, { asKey: true })
    const callers = received.map(({ headers }) => [headers.authorization, headers['x-cart-secret']])
    expect(callers).toEqual([
      ['Bearer a2', undefined],
      ['Bearer cg_pub_main_1', 's'],
    ])
  })

  test('stays signed in when the access token expires: requests at the same time share one refresh', async () => {
    const { client, received, tokens } = await shopOf()
    const results = await Promise.all([1, 2, 3, 4].map(() => client.query('{ viewer }')))
    for (const result of results) expect(result).toMatchObject({ ok: true, data: { viewer: 'Bearer a2' } })
    expect(received.filter(({ query }) => query.includes('refreshSession'))).toHaveLength(1)
    expect(await tokens.read()).toEqual({ accessToken: 'a2', refreshToken: 'r2' })
  })

  test('gets the tokens of a refresh that the page did not live to see, by the same Idempotency-Key', async () => {
    const { client, received, tokens } = await shopOf()
    const closed = createClient({
      url: client.url,
      publishableKey: 'cg_pub_main_1',
      tokens,
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        return init.body.includes('refreshSession') ? new Promise<never>(() => undefined) : response
      },
    })
    void closed.query('{ viewer }')
    const refreshes = () => received.filter(({ query }) => query.includes('refreshSession'))
    await vi.waitFor(() => expect(refreshes()).toHaveLength(1))
    expect(await client.query('{ viewer }')).toMatchObject({ data: { viewer: 'Bearer a2' } })
    expect(refreshes()).toHaveLength(2)
  })

  test('uses the tokens that another tab has got meanwhile', async () => {
    const { client, received, tokens } = await shopOf()
    const exclusive = async <T>(refresh: () => Promise<T>): Promise<T> => {
      await tokens.write({ accessToken: 'a2', refreshToken: 'r2' })
      return refresh()
    }
    Object.assign(tokens, { exclusive })
    expect(await client.query('{ viewer }')).toMatchObject({ data: { viewer: 'Bearer a2' } })
    expect(received.filter(({ query }) => query.includes('refreshSession'))).toHaveLength(0)
  })

  test('has to sign in again after the session has ended, and the key is the caller then', async () => {
    const { client, tokens } = await shopOf(tokensInMemory({ accessToken: 'a0', refreshToken: 'r0' }))
    expect(await client.query('{ viewer }')).toMatchObject({
      error: { kind: 'unauthenticated', id: 'SVC_AUTH_002' },
    })
    expect(await tokens.read()).toBeNull()
    expect(await client.query('{ viewer }')).toMatchObject({ data: { viewer: 'Bearer cg_pub_main_1' } })
  })

  test('stays signed in when the refresh fails for a temporary reason', async () => {
    const tokens = tokensInMemory(signedIn)
    const { client } = await answering(
      ({ query }) =>
        query.includes('refreshSession') ? refused('SVC_SRV_001', 503) : refused('SVC_AUTH_002', 401),
      {},
      { key: 'cg_test_main_1', tokens },
    )
    expect(await client.query('{ viewer }')).toMatchObject({ error: { kind: 'unavailable' } })
    expect(await tokens.read()).toMatchObject(signedIn)
  })
})

test('a program that looks after its access tokens is asked for each request', async () => {
  let number = 0
  const { client, received } = await answering(
    () => ({ body: { data: { viewer: 1 } } }),
    {},
    { accessToken: () => `t${++number}` },
  )
  await client.query('{ viewer }')
  await client.query('{ viewer }')
  expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2'])
})

test('a program that looks after its access tokens is asked again after one was refused, and the request is sent again', async () => {
  let number = 0
  const { client, received } = await answering(
    ({ headers }) =>
      headers.authorization === 'Bearer t1'
        ? refused('SVC_AUTH_002', 401)
        : { body: { data: { viewer: headers.authorization } } },
    {},
    { accessToken: () => `t${Math.min(++number, 3)}` },
  )
  expect(await client.query('{ viewer }')).toMatchObject({ ok: true, data: { viewer: 'Bearer t3' } })
  expect(received).toHaveLength(2)
})

test('a token that the program has no other for is refused once', async () => {
  const { client, received } = await answering(
    () => refused('SVC_AUTH_002', 401),
    {},
    { accessToken: () => 't1' },
  )
  expect(await client.query('{ viewer }')).toMatchObject({ error: { kind: 'unauthenticated' } })
  expect(received).toHaveLength(1)
})

test('a page without HTTPS, which has no crypto.randomUUID, has an Idempotency-Key for each request', async () => {
  Object.defineProperty(globalThis.crypto, 'randomUUID', { value: undefined, configurable: true })
  onTestFinished(() => void Reflect.deleteProperty(globalThis.crypto, 'randomUUID'))
  const { client, received } = await answering(() => created)
  for (let number = 0; number < 20; number++) await client.mutate(create)
  const keys = received.map(({ headers }) => headers['idempotency-key'])
  expect(new Set(keys).size).toBe(20)
  for (const key of keys)
    expect(key).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
})
