import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bookshop, dataOf, merchant, openBookshop } from '../execute/testing/bookshop.ts'
import type { LocalHandler, LocalRequest } from './local-handler.ts'

// Nothing listens there: what isn't answered in this process isn't answered.
const nowhere = 'http://127.0.0.1:9'
const query = 'mutation ($orders: [OrderInput!]!) { placeOrders(orders: $orders) { total book { title } } }'
let shop: Bookshop
beforeAll(async () => {
  shop = await openBookshop()
})
afterAll(() => shop.close())

function place(handler: LocalHandler | undefined, signal?: AbortSignal) {
  const executor = shop.newExecutor({
    internalErrors: 'all',
    env: { HANDLER: nowhere, HANDLER_SECRET: 's3cret' },
    localHandlers: (url) => (url === `${nowhere}/orders` ? handler : undefined),
  })
  return executor.execute({ query, variables: { orders: [{ bookId: 1 }] } }, merchant(1), {
    clientHeaders: { authorization: 'Bearer x', 'x-b3-traceid': '463ac35c9f6413ad48485a3953bb6124' },
    signal,
  })
}
const reason = { extensions: { internal: { error: { type: 'http_exception' } } } }

test('a handler in this process gets what HTTP would bring it, and its answer is checked and completed in the same way', async () => {
  const requests: LocalRequest[] = []
  const result = await place((request) => {
    requests.push(request)
    return Promise.resolve({ status: 200, body: '[{"merchantId":1,"bookId":1,"total":5}]' })
  })
  expect(dataOf(result)).toEqual({ placeOrders: [{ total: 5, book: { title: 'Alpha' } }] })
  expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({
    action: { name: 'placeOrders' },
    input: { orders: [{ bookId: 1 }] },
    session_variables: { 'x-hasura-merchant-id': '1' },
    request_query: query,
  })
  expect(requests[0]?.headers).toMatchObject({
    authorization: 'Bearer x',
    'x-secret': 's3cret',
    'x-b3-traceid': '463ac35c9f6413ad48485a3953bb6124',
  })
})

test('its refusal is the error of the client', async () => {
  const body = '{"message":"no stock","extensions":{"code":"SVC_BIZ_001"}}'
  expect(await place(() => Promise.resolve({ status: 400, body }))).toMatchObject({
    errors: [{ message: 'no stock', extensions: { code: 'SVC_BIZ_001' } }],
  })
})

test('a URL without a handler in this process is asked over HTTP', async () => {
  expect(await place(undefined)).toMatchObject({
    errors: [{ message: 'http exception when calling webhook' }],
  })
})

test.each([
  ['rejects', () => Promise.reject(new Error('broken'))],
  [
    'answers more than the bound',
    () => Promise.resolve({ status: 200, body: `"${'x'.repeat(10_485_760)}"` }),
  ],
  ['does not heed that its time is up', () => new Promise<never>(() => undefined)],
])('a handler that %s counts as one without an answer', async (_, handler) => {
  expect(await place(handler)).toMatchObject({
    errors: [{ message: 'http exception when calling webhook', ...reason }],
  })
})

test('a handler learns that the client has gone, and is not waited for', async () => {
  const leaving = new AbortController()
  let signal: AbortSignal | undefined
  const result = place((request) => {
    signal = request.signal
    leaving.abort()
    return new Promise<never>(() => undefined)
  }, leaving.signal)
  expect(await result).toMatchObject({ kind: 'errors' })
  expect(signal?.aborted).toBe(true)
})
