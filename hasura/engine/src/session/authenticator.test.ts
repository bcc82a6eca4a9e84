import { type IncomingHttpHeaders, type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { pino } from 'pino'
import { HasuraError } from '../hasura-error.ts'
import { type AuthenticatorOptions, createAuthenticator } from './authenticator.ts'

const create = (options: Omit<AuthenticatorOptions, 'logger'>) =>
  createAuthenticator({ ...options, logger: pino({ level: 'silent' }) })

interface Received {
  readonly method: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const servers: Server[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))))
})

/** An auth webhook with the given answer. */
async function webhook(
  answer: () => { status: number; body: string; headers?: Record<string, string> },
): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      received.push({ method: request.method, headers: request.headers, body })
      const { status, body: text, headers } = answer()
      response.writeHead(status, { connection: 'close', ...headers }).end(text)
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received }
}

const ok = (values: Record<string, unknown>) => () => ({ status: 200, body: JSON.stringify(values) })

async function refusal(answer: Promise<unknown>) {
  const error = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return error instanceof HasuraError
    ? { status: error.status, code: error.code, message: error.message }
    : error
}

describe('with an admin secret', () => {
  const authenticator = create({ adminSecret: 'secret' })

  test('a client that sends it chooses role and variables, whose names become lower case', async () => {
    const headers = {
      'x-hasura-admin-secret': 'secret',
      'x-hasura-role': 'merchant',
      'x-hasura-merchant-id': 'M',
      'x-hasura-use-backend-only-permissions': 'true',
      accept: '*/*',
    }
    expect(await authenticator.authenticate({ headers })).toEqual({
      role: 'merchant',
      isAdmin: false,
      backendOnlyPermissions: true,
      variables: { 'x-hasura-role': 'merchant', 'x-hasura-merchant-id': 'M' },
    })
  })

  test('without a role it is admin', async () => {
    const session = await authenticator.authenticate({ headers: { 'x-hasura-admin-secret': 'secret' } })
    expect(session).toMatchObject({ role: 'admin', isAdmin: true })
  })

  test.each([
    [{ 'x-hasura-admin-secret': 'wrong' }, 'invalid x-hasura-admin-secret/x-hasura-access-key'],
    [{ 'x-hasura-role': 'admin' }, 'x-hasura-admin-secret/x-hasura-access-key required, but not found'],
  ])('any other request is refused: %o', async (headers, message) => {
    expect(await refusal(authenticator.authenticate({ headers }))).toEqual({
      status: 401,
      code: 'access-denied',
      message,
    })
  })

  test('a request without the secret gets the unauthorized role, whatever role it names', async () => {
    const open = create({ adminSecret: 'secret', unauthorizedRole: 'anonymous' })
    expect(await open.authenticate({ headers: { 'x-hasura-role': 'admin' } })).toMatchObject({
      role: 'anonymous',
      isAdmin: false,
    })
  })
})

test('without an admin secret, other means of authentication are refused', () => {
  expect(() => create({ unauthorizedRole: 'anonymous' })).toThrow(/requires --admin-secret/)
  expect(() => create({ authHook: { url: 'http://localhost', mode: 'GET' } })).toThrow(
    /requires --admin-secret/,
  )
})

describe('with a webhook', () => {
  const authenticate = (url: string, mode: 'GET' | 'POST', headers: IncomingHttpHeaders) =>
    create({ adminSecret: 'secret', authHook: { url, mode } }).authenticate({
      headers,
      graphql: { query: '{ a }', variables: { b: 1 } },
    })

  test('GET forwards only the headers that identify the client', async () => {
    const { url, received } = await webhook(
      ok({ 'X-Hasura-Role': 'merchant', 'X-Hasura-Merchant-Id': 'M', note: 'n' }),
    )
    const session = await authenticate(url, 'GET', {
      authorization: 'Bearer T',
      cookie: 'c=1',
      'x-hasura-role': 'admin',
      'x-hasura-merchant-id': 'another',
      'x-hasura-customer-id': 'another-customer',
      'content-length': '9999',
      'user-agent': 'client',
      origin: 'http://page',
      'keep-alive': 'timeout=5',
      expect: '100-continue',
    })
    expect(session).toEqual({
      role: 'merchant',
      isAdmin: false,
      backendOnlyPermissions: false,
      variables: { 'x-hasura-role': 'merchant', 'x-hasura-merchant-id': 'M' },
    })
    expect(received[0]).toMatchObject({
      method: 'GET',
      headers: { authorization: 'Bearer T', cookie: 'c=1' },
    })
    expect(received[0]?.headers.origin).toBeUndefined()
    expect(received[0]?.headers['user-agent']).not.toBe('client')
  })

  test('POST sends all headers and the request', async () => {
    const { url, received } = await webhook(ok({ 'x-hasura-role': 'user' }))
    await authenticate(url, 'POST', { authorization: 'Bearer T', host: 'here' })
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({
      headers: { authorization: 'Bearer T', host: 'here' },
      request: { query: '{ a }', variables: { b: 1 } },
    })
  })

  test.each([
    ['401', () => ({ status: 401, body: '' }), 401, 'access-denied'],
    ['another status', () => ({ status: 403, body: '{}' }), 500, 'unexpected'],
    ['what is not JSON', () => ({ status: 200, body: 'ok' }), 500, 'unexpected'],
    ['values that are not text', ok({ 'x-hasura-role': 'user', n: 1 }), 500, 'unexpected'],
    ['no role', ok({ 'x-hasura-user-id': '1' }), 500, 'unexpected'],
  ])('%s authenticates no request', async (_, answer, status, code) => {
    const { url } = await webhook(answer)
    expect(await refusal(authenticate(url, 'GET', {}))).toMatchObject({ status, code })
  })

  test.each(['GET', 'POST'] as const)(
    'the target of a redirect with %s gets no credentials, and its answer is ignored',
    async (mode) => {
      const stranger = await webhook(ok({ 'x-hasura-role': 'admin' }))
      const { url } = await webhook(() => ({ status: 307, body: '', headers: { location: stranger.url } }))
      expect(await refusal(authenticate(url, mode, { authorization: 'Bearer T' }))).toMatchObject({
        status: 500,
        code: 'unexpected',
      })
      expect(stranger.received).toEqual([])
    },
  )

  test('an unreachable webhook authenticates no request', async () => {
    expect(await refusal(authenticate('http://127.0.0.1:1/hook', 'GET', {}))).toMatchObject({
      status: 500,
      code: 'unexpected',
    })
  })

  test('is called for each request, regardless of its answer’s expiry', async () => {
    const { url, received } = await webhook(ok({ 'x-hasura-role': 'user', 'Cache-Control': 'max-age=60' }))
    const authenticator = create({ adminSecret: 'secret', authHook: { url, mode: 'GET' } })
    const before = Date.now()
    const session = await authenticator.authenticate({ headers: { authorization: 'a' } })
    expect(session.expiresAt).toBeGreaterThanOrEqual(before + 60_000)
    await authenticator.authenticate({ headers: { authorization: 'a' } })
    expect(received).toHaveLength(2)
  })
})
