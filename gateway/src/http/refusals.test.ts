import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { catalogue } from '@commerce-graph/contract/errors'
import { type ErrorOfAnswer, everyPermission, openTestGateway, type TestGateway } from '../testing/gateway.ts'
import { fixtureId } from '../testing/shop.ts'

let gateway: TestGateway
let key: string
let limitedKey: string
let revokedKey: string
let testKey: string

beforeAll(async () => {
  gateway = await openTestGateway({ limits: { receiveMilliseconds: 1500, complexity: 5_000 } })
  key = await gateway.createKey({ permissions: everyPermission })
  limitedKey = await gateway.createKey({ permissions: ['orders:read'] })
  revokedKey = await gateway.createKey({ permissions: everyPermission, revoked: true })
  testKey = await gateway.createKey({ permissions: everyPermission, mode: 'test' })
})

afterAll(() => gateway[Symbol.asyncDispose]())

interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly errors: readonly ErrorOfAnswer[]
}

async function request(init: RequestInit & { readonly path?: string }): Promise<RawAnswer> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...(init.headers as object),
  }
  const { path = '/graphql', ...rest } = init
  const response = await fetch(new URL(path, gateway.url), { method: 'POST', ...rest, headers })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, errors: errorsIn(text) }
}

const errorsIn = (text: string): readonly ErrorOfAnswer[] =>
  (JSON.parse(text) as { errors: readonly ErrorOfAnswer[] }).errors

const posting = (body: unknown): RequestInit => ({
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const asking = (query: string, variables?: unknown): RequestInit => posting({ query, variables })
const withKey = (authorization: string): RequestInit => ({
  ...asking('{ viewer { id } }'),
  headers: { authorization },
})

const nested = (depth: number): string => '{ id children '.repeat(depth) + '{ id }' + '}'.repeat(depth)

/** Title, request, catalogue id, status, `details.field`, and a part of the message or reason. */
const refusals: readonly (readonly [
  string,
  () => RequestInit & { path?: string },
  keyof typeof catalogue,
  number,
  string | null,
  string,
])[] = [
  // The caller
  ['no key', () => withKey(''), 'SVC_AUTH_001', 401, 'Authorization', 'API key invalid or malformed'],
  ['a key in quotes', () => withKey(`Bearer "${key}"`), 'SVC_AUTH_001', 401, 'Authorization', 'API key'],
  ['a key without Bearer', () => withKey(key), 'SVC_AUTH_001', 401, 'Authorization', 'API key'],
  [
    'two spaces before the key',
    () => withKey(`Bearer  ${key}`),
    'SVC_AUTH_001',
    401,
    'Authorization',
    'API key',
  ],
  [
    'an unknown key',
    () => withKey('Bearer cg_live_' + 'A'.repeat(43)),
    'SVC_AUTH_001',
    401,
    'Authorization',
    'API key',
  ],
  ['a revoked key', () => withKey(`Bearer ${revokedKey}`), 'SVC_AUTH_001', 401, 'Authorization', 'API key'],
  [
    'a test key on a live deployment',
    () => withKey(`Bearer ${testKey}`),
    'SVC_AUTH_001',
    401,
    'Authorization',
    'API key',
  ],
  [
    'introspection without a key',
    () => ({ ...asking('{ __schema { types { name } } }'), headers: { authorization: '' } }),
    'SVC_AUTH_001',
    401,
    'Authorization',
    'API key',
  ],
  [
    'a key without the permission',
    () => ({ ...asking('{ products { totalCount } }'), headers: { authorization: `Bearer ${limitedKey}` } }),
    'SVC_AUTH_003',
    403,
    'Query.products',
    'products:read',
  ],
  [
    'a key that may not write',
    () => ({
      ...asking('mutation { deleteOrderless: deleteProduct(id: "1") { success } }'),
      headers: { authorization: `Bearer ${limitedKey}` },
    }),
    'SVC_AUTH_003',
    403,
    'Mutation.deleteProduct',
    'products:write',
  ],
  // The request
  ['a GET', () => ({ method: 'GET' }), 'SVC_GQL_003', 405, 'method', 'Send a POST'],
  ['a PUT', () => ({ method: 'PUT', body: '{}' }), 'SVC_GQL_003', 405, 'method', 'Send a POST'],
  [
    'another path',
    () => ({ ...asking('{ viewer { id } }'), path: '/graphq' }),
    'SVC_GQL_003',
    404,
    'path',
    '/graphql',
  ],
  [
    'a form',
    () => ({ body: 'query=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    'SVC_VAL_002',
    415,
    'Content-Type',
    'application/json',
  ],
  [
    'JSON in another charset',
    () => ({ body: '{}', headers: { 'content-type': 'application/json; charset=latin1' } }),
    'SVC_VAL_002',
    415,
    'Content-Type',
    'application/json',
  ],
  [
    'a compressed body',
    () => ({ body: 'x', headers: { 'content-encoding': 'gzip' } }),
    'SVC_VAL_002',
    415,
    'Content-Encoding',
    'identity',
  ],
  ['no body', () => ({}), 'SVC_GQL_003', 400, 'body', 'not valid JSON'],
  ['malformed JSON', () => posting('{"query": "{ viewer'), 'SVC_GQL_003', 400, 'body', 'not valid JSON'],
  [
    'bytes that are no UTF-8',
    () => ({ body: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]) }),
    'SVC_GQL_003',
    400,
    'body',
    'UTF-8',
  ],
  [
    'a batch',
    () => posting([{ query: '{ viewer { id } }' }]),
    'SVC_GQL_003',
    400,
    'body',
    'Batches are not supported',
  ],
  ['a JSON string', () => posting('"{ viewer { id } }"'), 'SVC_GQL_003', 400, 'body', 'JSON object'],
  ['no query', () => posting({ variables: {} }), 'SVC_VAL_001', 400, 'query', 'Field query is required'],
  ['an empty query', () => asking(''), 'SVC_VAL_001', 400, 'query', 'Field query is required'],
  ['a query that is a number', () => posting({ query: 1 }), 'SVC_VAL_002', 400, 'query', 'string'],
  [
    'variables that are a list',
    () => asking('{ viewer { id } }', []),
    'SVC_VAL_002',
    400,
    'variables',
    'JSON object',
  ],
  [
    'an operation name that is a number',
    () => posting({ query: '{ viewer { id } }', operationName: 1 }),
    'SVC_VAL_002',
    400,
    'operationName',
    'string',
  ],
  [
    'an operation that is not there',
    () => posting({ query: 'query A { viewer { id } }', operationName: 'B' }),
    'SVC_GQL_003',
    400,
    'operationName',
    'no operation named "B"',
  ],
  [
    'several operations without a name',
    () => asking('query A { viewer { id } } query B { viewer { id } }'),
    'SVC_GQL_003',
    400,
    'operationName',
    'several operations',
  ],
  [
    'a body beyond the bound',
    () => asking('#'.repeat(1_000_001)),
    'SVC_VAL_003',
    400,
    'body',
    'outside acceptable range 1-1000000',
  ],
  // The document
  [
    'a syntax error',
    () => asking('{ viewer { id '),
    'SVC_GQL_003',
    400,
    'query',
    'Syntax Error: Expected Name, found <EOF>.',
  ],
  [
    'only a fragment',
    () => asking('fragment A on Viewer { id }'),
    'SVC_GQL_003',
    400,
    'query',
    'Syntax Error',
  ],
  [
    'an unknown field',
    () => asking('{ viewer { nothing } }'),
    'SVC_GQL_003',
    400,
    'query',
    'Cannot query field "nothing" on type "Viewer"',
  ],
  [
    'an unknown argument',
    () => asking('{ products(page: 2) { totalCount } }'),
    'SVC_GQL_003',
    400,
    'query',
    'Unknown argument "page"',
  ],
  [
    'an argument of the wrong type',
    () => asking('{ products(first: "two") { totalCount } }'),
    'SVC_VAL_002',
    400,
    'first',
    'whole number',
  ],
  [
    'a subscription',
    () => asking('subscription { order(id: "x") { id } }'),
    'SVC_GQL_003',
    400,
    'query',
    'Subscriptions run over WebSocket',
  ],
  [
    'a document beyond the bound',
    () => asking(`{ viewer { id } } ${'#'.repeat(50_000)}`),
    'SVC_VAL_003',
    400,
    'query',
    'outside acceptable range 1-50000',
  ],
  [
    'too many tokens',
    () => asking(`{ ${'viewer { id } '.repeat(1_001)} }`),
    'SVC_GQL_003',
    400,
    'query',
    'token',
  ],
  [
    'too many aliases',
    () => asking(`{ viewer { ${Array.from({ length: 51 }, (_, i) => `a${i}: id`).join(' ')} } }`),
    'SVC_VAL_003',
    400,
    'query',
    'outside acceptable range 1-50',
  ],
  [
    'too many root fields',
    () => asking(`{ ${Array.from({ length: 21 }, (_, i) => `a${i}: viewer { id }`).join(' ')} }`),
    'SVC_VAL_003',
    400,
    'query',
    'outside acceptable range 1-20',
  ],
  [
    'a deep query',
    () => asking(`{ category(id: "1") ${nested(15)} }`),
    'SVC_GQL_001',
    400,
    'query',
    'Query depth of 17 exceeds maximum of 15',
  ],
  [
    'a costly query',
    () =>
      asking(
        'query ($n: Int) { products(first: $n) { edges { node { reviews(first: $n) { edges { node { id } } } } } } }',
        { n: 100 },
      ),
    'SVC_GQL_002',
    400,
    'query',
    'exceeds maximum of 5000',
  ],
  // Values
  [
    'a missing required argument',
    () => asking('{ customer { id } }'),
    'SVC_VAL_001',
    400,
    'id',
    'Field id is required',
  ],
  [
    'a missing required variable',
    () => asking('query ($id: ID!) { customer(id: $id) { id } }'),
    'SVC_VAL_001',
    400,
    'id',
    'Field id is required',
  ],
  [
    'null for a non-null variable',
    () => asking('query ($id: ID!) { customer(id: $id) { id } }', { id: null }),
    'SVC_VAL_001',
    400,
    'id',
    'Field id is required',
  ],
  [
    'null that reaches a non-null argument through a default',
    () => asking('query ($id: ID = "1") { customer(id: $id) { id } }', { id: null }),
    'SVC_VAL_001',
    400,
    'id',
    'Field id is required',
  ],
  [
    'null for a directive',
    () => asking('query ($yes: Boolean = true) { viewer { id @include(if: $yes) } }', { yes: null }),
    'SVC_VAL_001',
    400,
    'if',
    'Field if is required',
  ],
  [
    'a bad enum value',
    () => asking('query ($s: OrderStatus) { orders(status: $s) { totalCount } }', { s: 'DONE' }),
    'SVC_VAL_002',
    400,
    's',
    'one of PENDING',
  ],
  [
    'a bad date',
    () => asking('{ orders(filters: { startDate: "2026-02-30T00:00:00Z" }) { totalCount } }'),
    'SVC_VAL_002',
    400,
    'filters.startDate',
    'ISO 8601',
  ],
  [
    'a page that is too large',
    () => asking('{ products(first: 101) { totalCount } }'),
    'SVC_VAL_003',
    400,
    'first',
    'Value 101 is outside acceptable range',
  ],
  [
    'a negative page',
    () => asking('{ products(first: -1) { totalCount edges { cursor } } }'),
    'SVC_VAL_003',
    400,
    'first',
    'Value -1',
  ],
  [
    'a bad cursor',
    () => asking('{ products(after: "x") { edges { cursor } } }'),
    'SVC_VAL_002',
    400,
    'after',
    'cursor',
  ],
]

test.each(refusals)('%s is refused with a catalogue error', async (...refusal) => {
  const [, init, id, status, field, part] = refusal
  const answer = await request(init())
  const [error] = answer.errors
  expect([answer.status, error?.extensions.id, error?.extensions.details['field']]).toEqual([
    status,
    id,
    field,
  ])
  expect(error?.extensions.statusCode).toBe(status)
  expect(`${error?.message ?? ''} ${String(error?.extensions.details['reason'])}`).toContain(part)
  expect(error?.extensions.requestId).toBe(answer.headers.get('x-request-id'))
  expect(answer.text).not.toMatch(/"data"|node_modules|\bat .*\.ts:/)
})

test('a foreign record and an unknown one get the same answer', async () => {
  const ask = (id: string) => request(asking('query ($id: ID!) { customer(id: $id) { id } }', { id }))
  const [foreign, unknown] = await Promise.all([
    ask(fixtureId('customer', 2, 1)),
    ask('00000000-0000-7000-8000-000000000000'),
  ])
  expect(foreign.text).toBe('{"data":{"customer":null}}')
  expect(unknown.text).toBe(foreign.text)
})

test('a body that does not arrive is refused after a time-out', async () => {
  const answer = await raw(
    `POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"query`,
  )
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  expect(errorsIn(answer.split('\r\n\r\n')[1] ?? '')[0]?.extensions.id).toBe('SVC_GQL_003')
})

test.each([
  ['no HTTP at all', 'hello\r\n\r\n', 400],
  [
    'an unknown expectation',
    'POST /graphql HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nContent-Length: 0\r\n\r\n',
    417,
  ],
  ['a request without a host', 'POST /graphql HTTP/1.1\r\nContent-Length: 0\r\n\r\n', 400],
  ['two lengths', 'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
  [
    'a length beside chunks',
    'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    400,
  ],
  [
    'an upgrade without its key',
    'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    400,
  ],
  [
    'a WebSocket elsewhere',
    'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    404,
  ],
  ['headers without end', `GET /graphql HTTP/1.1\r\nHost: x\r\n${'X-A: y\r\n'.repeat(5_000)}\r\n`, 431],
])('%s is refused with an error on the bare socket', async (_title, bytes, status) => {
  const answer = await raw(bytes)
  expect(answer).toContain(`HTTP/1.1 ${status} `)
  expect(errorsIn(answer.split('\r\n\r\n')[1] ?? '')[0]?.extensions.statusCode).toBe(status)
  expect(answer.toLowerCase()).toContain('x-request-id: ')
})

test('a null character in a list of texts is refused as in a text', async () => {
  const answer = await request(
    asking('query ($skus: [String!]!) { inventory(skus: $skus) { sku } }', { skus: ['a\0'] }),
  )
  expect(answer.errors[0]?.extensions).toMatchObject({ id: 'SVC_VAL_002', details: { field: 'skus' } })
})

/** All bytes of the answer, until the connection ends. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(gateway.port, '127.0.0.1', () => socket.write(bytes))
    let received = ''
    socket.on('data', (chunk) => (received += chunk.toString()))
    socket.on('end', () => resolve(received))
    socket.on('error', reject)
  })
}

describe('the server', () => {
  test('keeps the client’s request id, unless it could forge a log line', async () => {
    const idOf = async (id: string) => {
      const answer = await request({ ...asking('{ viewer { id } }'), headers: { 'x-request-id': id } })
      return answer.headers.get('x-request-id')
    }
    expect(await idOf('trace-1:a.b')).toBe('trace-1:a.b')
    expect(await idOf('a b')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('answers a preflight and lets browsers read answers', async () => {
    const headers = { origin: 'https://shop.example' }
    const preflight = await fetch(gateway.url, { method: 'OPTIONS', headers })
    expect(preflight.status).toBe(204)
    for (const header of ['authorization', 'x-cart-secret'])
      expect(preflight.headers.get('access-control-allow-headers')).toContain(header)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  })

  test('marks every answer as nosniff, not cacheable and without credentials', async () => {
    for (const path of ['/graphql', '/healthz', '/readyz', '/nowhere']) {
      const { headers } = await request({ ...asking('{ viewer { id } }'), path })
      expect(headers.get('x-content-type-options'), path).toBe('nosniff')
      expect(headers.get('cache-control'), path).toBe('no-store')
      expect(headers.get('access-control-allow-credentials'), path).toBeNull()
    }
  })

  test('shows GraphiQL to browsers, with the first query and a policy that allows only its own script', async () => {
    const response = await fetch(gateway.url, { headers: { accept: 'text/html' } })
    const html = await response.text()
    expect(response.status).toBe(200)
    expect(html).toContain('{ products { totalCount } }"')
    expect(html).toContain('Authorization')
    expect(html).not.toMatch(/<(script|link|img)[^>]+(src|href)="https?:/)
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'sha256-/)
  })

  test('reports on /readyz that the data layer and the database answer', async () => {
    const response = await fetch(new URL('/readyz', gateway.url))
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      status: 'ok',
      checks: { dataLayer: 'ok', authentication: 'ok', proxies: 'ok', rateLimits: 'ok' },
      details: {},
    })
  })

  test('logs none of these refusals as an error', () => {
    // A refusal of an unknown caller is a warning in the log (docs/audit.md); only an internal fault is an error.
    const faults = gateway.log.filter(
      (line) => z.object({ level: z.number() }).parse(JSON.parse(line)).level >= 50,
    )
    expect(faults).toEqual([])
  })
})

describe('an extreme request', () => {
  test.each([
    ['JSON nested 200,000 deep', () => posting(`{"query":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)],
    [
      'a variable nested 200,000 deep',
      () =>
        posting(
          `{"query":"query ($id: ID!) { customer(id: $id) { id } }","variables":{"id":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`,
        ),
    ],
    [
      'a list literal nested 1,900 deep',
      () => asking(`{ inventory(skus: ${'['.repeat(1_900)}${']'.repeat(1_900)}) { sku } }`),
    ],
    [
      'selections nested 1,900 deep',
      () => asking(`{ category(id: "1") ${'{ parent '.repeat(1_900)} { id } ${'}'.repeat(1_900)} }`),
    ],
    [
      'fragments in a circle',
      () => asking('{ viewer { ...A } } fragment A on Viewer { ...B } fragment B on Viewer { ...A }'),
    ],
    ['the same field 3,900 times', () => asking(`{ viewer { ${'id '.repeat(3_900)} nothing } }`)],
    [
      '30,000 invalid ids',
      () =>
        asking(
          'mutation ($input: CreateProductInput!) { createProduct(input: $input) { errors { field } } nothing }',
          { input: { categoryIds: Array(30_000).fill('x') } },
        ),
    ],
    [
      'introspection in circles',
      () =>
        asking(
          `{ __schema { types { fields { type { fields { type { fields { type { fields { type { name } } } } } } } } } }`,
        ),
    ],
  ])('%s is refused within a second', async (_title, init) => {
    const started = performance.now()
    const { status, errors } = await request(init())
    expect(status).toBe(400)
    expect(errors[0]?.extensions.id).toMatch(/^SVC_(GQL|VAL)_00\d$/)
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})
