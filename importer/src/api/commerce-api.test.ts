import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { parse } from 'graphql'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { ImportStopped, Unavailable } from './api-error.ts'
import { CommerceApi } from './commerce-api.ts'
import { creation } from './batch.ts'
import { runFields } from './fields.ts'
import { retryAfterMs } from './retry-after.ts'

// The real API can't be made to lose connections or to be overloaded on request, so a test server takes its place.
interface Answer {
  readonly status: number
  readonly body: string
  readonly headers?: Record<string, string>
}

const retryPolicy = { attempts: 3, firstDelayMs: 1, maxDelayMs: 2 }
const notRepeatable = { repeatable: false }
const repeatable = { repeatable: true }

let server: Server | undefined
afterEach(() => server?.close())

interface Received {
  query: string
  variables: Record<string, unknown>
}

async function apiAnswering(
  answer: (received: Received) => Answer,
): Promise<{ api: CommerceApi; received: Received[] }> {
  const received: Received[] = []
  server = createServer((request, response) => {
    void text(request).then((sent) => {
      const body = JSON.parse(sent) as Received
      received.push(body)
      const { status, body: answered, headers } = answer(body)
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(answered)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/graphql`
  return {
    api: new CommerceApi({ url, key: 'k', retryPolicy, stopping: new AbortController().signal }),
    received,
  }
}

const read: TypedDocumentNode<unknown> = parse('{ a }')
const write: TypedDocumentNode<unknown> = parse('mutation { create }')

const limited = (retryAfter: string): Answer => ({
  status: 429,
  headers: { 'retry-after': retryAfter },
  body: JSON.stringify({
    errors: [{ message: 'API rate limit exceeded.', extensions: { code: 'RATE_LIMITED', statusCode: 429 } }],
  }),
})

describe('the API', () => {
  test.each([500, 502, 503, 504])('that answers %i is unavailable', async (status) => {
    const { api } = await apiAnswering(() => ({ status, body: 'a proxy says no' }))
    await expect(api.send(read, {}, notRepeatable)).rejects.toThrow(Unavailable)
  })

  test('that can’t be reached is unavailable', async () => {
    const { api } = await apiAnswering(() => ({ status: 200, body: '{}' }))
    server?.close()
    await expect(api.send(read, {}, notRepeatable)).rejects.toThrow(Unavailable)
  })

  test.each([401, 403, 404])('that answers %i stops the import', async (status) => {
    const body = JSON.stringify({ errors: [{ message: 'API key invalid or malformed' }] })
    const { api } = await apiAnswering(() => ({ status, body }))
    await expect(api.send(read, {}, notRepeatable)).rejects.toThrow(/API key invalid or malformed/)
    await expect(api.send(read, {}, notRepeatable)).rejects.toThrow(ImportStopped)
  })

  test('that is overloaded is called again after Retry-After, for any document', async () => {
    const { api, received } = await apiAnswering(() =>
      received.length === 1 ? limited('1') : { status: 200, body: '{"data":{"a":1}}' },
    )
    const start = performance.now()
    expect((await api.send(write, {}, notRepeatable)).data).toEqual({ a: 1 })
    expect(performance.now() - start).toBeGreaterThan(900)
    expect(received).toHaveLength(2)
  })

  test('that may have run a document is called again only if running it twice does no harm', async () => {
    const { api, received } = await apiAnswering(() =>
      received.length === 1 ? { status: 502, body: '' } : { status: 200, body: '{"data":{"a":1}}' },
    )
    await expect(api.send(write, {}, notRepeatable)).rejects.toThrow(Unavailable)
    expect(received).toHaveLength(1)
    received.length = 0
    expect((await api.send(read, {}, repeatable)).data).toEqual({ a: 1 })
    expect(received).toHaveLength(2)
  })

  test('that stays unavailable stops the import', async () => {
    const { api, received } = await apiAnswering(() => ({ status: 503, body: '' }))
    await expect(api.send(read, {}, repeatable)).rejects.toThrow(ImportStopped)
    expect(received).toHaveLength(3)
  })

  test('with a Retry-After of hours stops the import', async () => {
    const { api } = await apiAnswering(() => limited('7200'))
    await expect(api.send(read, {}, notRepeatable)).rejects.toThrow(/in 120 minutes/)
  })
})

/** An error as the gateway's errorBody makes it. */
const errorBody = (reason: string, statusCode: number, path?: readonly string[]) => ({
  message: 'You have no permission to perform this action',
  ...(path && { path }),
  extensions: {
    code: 'FORBIDDEN',
    id: 'SVC_AUTH_003',
    statusCode,
    requestId: 'r-1',
    timestamp: '2031-05-06T07:08:09.000Z',
    details: { field: null, reason },
  },
})

describe('errors of the gateway, which name no field,', () => {
  test('refuse the field that they are about with their reason', async () => {
    const body = { data: { f0: null }, errors: [errorBody('The subscription is UNPAID', 403, ['f0'])] }
    const { api } = await apiAnswering(() => ({ status: 200, body: JSON.stringify(body) }))
    const document: TypedDocumentNode<Record<string, unknown>> = parse('mutation { create }')
    expect(await runFields(api, [creation(document, {})])).toEqual([
      {
        kind: 'failed',
        retryable: false,
        error: {
          message: 'The subscription is UNPAID',
          path: ['f0'],
          code: 'FORBIDDEN',
          statusCode: 403,
          requestId: 'r-1',
          field: undefined,
        },
      },
    ])
  })

  test('are the reason why a refused request stops the import', async () => {
    const body = JSON.stringify({ errors: [errorBody('The merchant is suspended', 403)] })
    const { api } = await apiAnswering(() => ({ status: 403, body }))
    await expect(api.send(read, {}, notRepeatable)).rejects.toThrow(
      /refused the request \(HTTP 403\): The merchant is suspended/,
    )
  })
})

test('an answer whose errors can’t be read is no success', async () => {
  const body = JSON.stringify({ data: { a: null }, errors: [{ reason: 'odd' }] })
  const { api } = await apiAnswering(() => ({ status: 200, body }))
  await expect(api.send(read, {}, notRepeatable)).rejects.toThrow(ImportStopped)
})

describe('fields that are sent together', () => {
  const document: TypedDocumentNode<Record<string, unknown>, { input: unknown }> = parse(
    'mutation ($input: In!) { create(input: $input) { id } }',
  )
  const fieldOf = (input: unknown) => creation(document, { input })

  test('are sent in as few documents as the API accepts, with results in their order', async () => {
    const { api, received } = await apiAnswering(({ variables }) => {
      const data = Object.entries(variables).map(([name, value]) => [`f${name.slice('input'.length)}`, value])
      return { status: 200, body: JSON.stringify({ data: Object.fromEntries(data) as unknown }) }
    })
    const values = Array.from({ length: 45 }, (_, index) => index)
    const results = await runFields(api, values.map(fieldOf))
    expect(results.map((result) => result.kind === 'data' && result.value)).toEqual(values)
    expect(received.map(({ variables }) => Object.keys(variables).length)).toEqual([20, 20, 5])
    expect(received[2]?.query).toContain('f4: create(input: $input4) {')
  })

  test('are sent in several documents if they are large', async () => {
    const { api, received } = await apiAnswering(() => ({ status: 200, body: '{"data":{"f0":{}}}' }))
    await runFields(
      api,
      Array.from({ length: 3 }, () => fieldOf('x'.repeat(400_000))),
    )
    expect(received).toHaveLength(3)
  })

  test('are unavailable if the answer lacks one', async () => {
    const { api } = await apiAnswering(() => ({ status: 200, body: '{"data":{"f0":{}}}' }))
    await expect(runFields(api, [1, 2].map(fieldOf))).rejects.toThrow(Unavailable)
  })

  test('fail separately, with temporary and permanent errors distinguished', async () => {
    const failure = (alias: string, statusCode: number) => ({
      message: 'no',
      path: [alias],
      extensions: { code: 'X', statusCode, requestId: 'r-1' },
    })
    const body = {
      data: { f0: null, f1: { id: 1 }, f2: null },
      errors: [failure('f0', 500), failure('f2', 409)],
    }
    const { api } = await apiAnswering(() => ({ status: 200, body: JSON.stringify(body) }))
    expect(await runFields(api, [1, 2, 3].map(fieldOf))).toMatchObject([
      { kind: 'failed', retryable: true },
      { kind: 'data', value: { id: 1 } },
      { kind: 'failed', retryable: false, error: { requestId: 'r-1' } },
    ])
  })
})

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    ['17', 17_000],
    ['Thu, 01 Jan 1970 00:01:00 GMT', 30_000],
    ['Thu, 01 Jan 1970 00:00:01 GMT', 0],
    ['soon', undefined],
    [null, undefined],
  ])('%s is %s milliseconds from the first half minute of 1970', (header, expected) => {
    expect(retryAfterMs(header, 30_000)).toBe(expected)
  })
})
