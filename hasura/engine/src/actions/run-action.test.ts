import { afterAll, beforeAll, expect, test } from 'vitest'
import { type WebhookReceiver, startReceiver } from '../events/testing/webhook-receiver.ts'
import type { GraphQLResult } from '../graphql-request.ts'
import { type Bookshop, dataOf, merchant, openBookshop, reader } from '../execute/testing/bookshop.ts'

let shop: Bookshop
let handler: WebhookReceiver

beforeAll(async () => {
  handler = await startReceiver()
  shop = await openBookshop({ HANDLER: handler.url, HANDLER_SECRET: 's3cret' })
})
afterAll(async () => {
  await shop.close()
  await handler.close()
})

const place = 'mutation ($orders: [OrderInput!]!) { placeOrders(orders: $orders)'

const failed = (result: GraphQLResult) => (result.kind === 'errors' ? result.errors : [])

const run = (
  query: string,
  session = merchant(1),
  variables: Readonly<Record<string, unknown>> = { orders: [] },
) =>
  shop.executor.execute({ query, variables }, session, {
    clientHeaders: { authorization: 'Bearer x', host: 'shop.example', 'user-agent': 'test' },
  })

test('the handler gets the input, the session, the document and the configured headers', async () => {
  handler.answer = () => ({ status: 200, headers: { 'set-cookie': 'a=b' }, body: '[]' })
  const query = `${place} { total } }`
  const result = await run(query, merchant(1), { orders: [{ bookId: 1, note: null }] })
  expect(result).toMatchObject({ json: '{"placeOrders":[]}', headers: { 'set-cookie': ['a=b'] } })
  expect(handler.calls.at(-1)?.body).toEqual({
    action: { name: 'placeOrders' },
    input: { orders: [{ bookId: 1, note: null }] },
    session_variables: {
      'x-hasura-role': 'merchant',
      'x-hasura-merchant-id': '1',
      'x-hasura-permissions': '{books:read,books:write}',
    },
    request_query: query,
  })
  expect(handler.calls.at(-1)?.headers).toMatchObject({ authorization: 'Bearer x', 'x-secret': 's3cret' })
  expect(handler.calls.at(-1)?.headers.host).not.toBe('shop.example')
  expect(handler.calls.at(-1)?.headers['user-agent']).not.toBe('test')
})

test('relationships of the answer are rows that the caller may see, regardless of the handler’s values', async () => {
  const receipts = [
    { merchantId: 1, bookId: 1, total: 12345678901 },
    { merchantId: 2, bookId: 1, total: 2 },
    { merchantId: 1, bookId: null, total: 3 },
  ]
  handler.answer = () => ({ status: 200, body: JSON.stringify(receipts) })
  const query = `${place} { sum: total __typename book { title reviews(order_by: {id: asc}, limit: 1) { reader } } } }`
  expect(dataOf(await run(query))).toEqual({
    placeOrders: [
      { sum: 12345678901, __typename: 'Receipt', book: { title: 'Alpha', reviews: [{ reader: 'Rita' }] } },
      { sum: 2, __typename: 'Receipt', book: null },
      { sum: 3, __typename: 'Receipt', book: null },
    ],
  })
})

test('every request sends its own input', async () => {
  handler.answer = () => ({ status: 200, body: '[]' })
  for (const bookId of [1, 2]) {
    await run(`${place} { total } }`, merchant(1), { orders: [{ bookId }] })
    expect(handler.calls.at(-1)?.body).toMatchObject({ input: { orders: [{ bookId }] } })
  }
})

test.each([
  [
    { status: 400, body: '{"message":"no stock","extensions":{"code":"SVC_BIZ_001","available":2}}' },
    'no stock',
    { code: 'SVC_BIZ_001', available: 2 },
  ],
  [{ status: 422, body: '{"message":"no","code":"nope"}' }, 'no', { code: 'nope', path: '$' }],
  [{ status: 500, body: '{"message":"secret stack"}' }, 'internal error', { code: 'unexpected' }],
  [{ status: 300, body: '[{"merchantId":1,"total":2}]' }, 'internal error', { code: 'unexpected' }],
  [{ status: 200, body: 'not json' }, 'not a valid json response from webhook', { code: 'unexpected' }],
  [
    { status: 422, body: '{"message":"no","code":"nope","extensions":null}' },
    'no',
    { code: 'nope', path: '$' },
  ],
  [
    { status: 404, body: '{"error":"no message"}' },
    'parsing Hasura.GraphQL.Execute.Action.Types.ActionWebhookErrorResponse(ActionWebhookErrorResponse) failed, key "message" not found',
    { code: 'parse-failed', path: '$' },
  ],
  [
    { status: 200, body: '[{"merchantId":1}]' },
    'field "total" expected in webhook response, but not found',
    { code: 'unexpected' },
  ],
  [
    { status: 200, body: '[{"merchantId":1,"total":null}]' },
    'expecting not null value for field "total"',
    { code: 'unexpected' },
  ],
  [
    { status: 200, body: '{"total":1}' },
    'expecting array for the action webhook response',
    { code: 'unexpected' },
  ],
  [
    { status: 404, body: '9007199254740993' },
    'parsing Hasura.GraphQL.Execute.Action.Types.ActionWebhookErrorResponse(ActionWebhookErrorResponse) failed, expected Object, but encountered Number',
    { code: 'parse-failed' },
  ],
  [
    { status: 200, body: '[9007199254740993]' },
    'got scalar String for the action webhook response, expecting Receipt',
    {},
  ],
  [{ status: 200, body: '[7]' }, 'got scalar String for the action webhook response, expecting Receipt', {}],
  [{ status: 200, body: '[]', delayMs: 4000 }, 'http exception when calling webhook', { code: 'unexpected' }],
] as const)('answer %j', async (answer, message, extensions) => {
  handler.answer = () => answer
  expect(await run(`${place} { total } }`)).toMatchObject({
    kind: 'errors',
    errors: [{ message, extensions }],
  })
})

test("a handler's own extensions are passed on unchanged", async () => {
  const extensions = { available: 2 }
  handler.answer = () => ({
    status: 400,
    body: JSON.stringify({ message: 'no stock', code: 'x', extensions }),
  })
  expect(await run(`${place} { total } }`)).toMatchObject({ errors: [{ message: 'no stock', extensions }] })
  const [error] = failed(await run(`${place} { total } }`))
  expect(error?.extensions).toEqual(extensions)
})

test('request and response of the handler are shown to callers with internal errors, without secrets', async () => {
  handler.answer = () => ({ status: 500, body: '{"message":"stack"}' })
  const telling = shop.newExecutor({
    internalErrors: 'all',
    env: { HANDLER: handler.url, HANDLER_SECRET: 's3cret' },
  })
  const request = { query: `${place} { total } }`, variables: { orders: [] } }
  const [error] = failed(await telling.execute(request, merchant(1)))
  expect(error).toMatchObject({
    message: 'internal error',
    extensions: {
      internal: {
        error: 'expecting 2xx or 4xx status code, but found 500',
        request: {
          url: '{{HANDLER}}/orders',
          body: { action: { name: 'placeOrders' }, input: { orders: [] } },
          headers: [{ name: 'x-secret', value_from_env: 'HANDLER_SECRET' }],
          transformed_request: null,
        },
        response: { status: 500, body: { message: 'stack' } },
      },
    },
  })
  expect(JSON.stringify(error)).not.toContain('s3cret')
  expect(failed(await run(request.query))[0]?.extensions).toEqual({ path: '$', code: 'unexpected' })
})

test('the request’s trace context is passed to the handler', async () => {
  handler.answer = () => ({ status: 200, body: '[]' })
  const clientHeaders = { 'x-b3-traceid': '463ac35c9f6413ad48485a3953bb6124', 'x-b3-sampled': '1' }
  const request = { query: `${place} { total } }`, variables: { orders: [] } }
  await shop.executor.execute(request, merchant(1), { clientHeaders })
  const headers = handler.calls.at(-1)?.headers
  expect(headers).toMatchObject({ ...clientHeaders, 'user-agent': 'hasura-graphql-engine/v2.48.0' })
  expect(headers?.['x-b3-parentspanid']).toMatch(/^[0-9a-f]{16}$/)
})

test('a role without permission does not see the action', async () => {
  const result = await run(`${place} { total } }`, reader(1))
  expect(result).toMatchObject({ errors: [{ message: 'no mutations exist' }] })
})
