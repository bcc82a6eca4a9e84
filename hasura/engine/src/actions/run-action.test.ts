import { afterAll, beforeAll, expect, test } from 'vitest'
import { type WebhookReceiver, startReceiver } from '../events/testing/webhook-receiver.ts'
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

test('relationships of the answer are rows that the caller may see, whatever the handler says', async () => {
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
  [{ status: 200, body: 'not json' }, 'not a valid json response from webhook', { code: 'unexpected' }],
  [
    { status: 200, body: '[{"merchantId":1}]' },
    'expecting not null value for field "total"',
    { code: 'unexpected' },
  ],
  [
    { status: 200, body: '{"total":1}' },
    'expecting an array for field "placeOrders"',
    { code: 'unexpected' },
  ],
  [{ status: 200, body: '[]', delayMs: 4000 }, 'http exception when calling webhook', { code: 'unexpected' }],
] as const)('answer %j', async (answer, message, extensions) => {
  handler.answer = () => answer
  expect(await run(`${place} { total } }`)).toMatchObject({
    kind: 'errors',
    errors: [{ message, extensions }],
  })
})

test('a role without permission does not see the action', async () => {
  const result = await run(`${place} { total } }`, reader(1))
  expect(result).toMatchObject({ errors: [{ message: 'no mutations exist' }] })
})
