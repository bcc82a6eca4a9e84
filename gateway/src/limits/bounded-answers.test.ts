import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { everyPermission, openTestGateway, send, type TestGateway } from '../testing/gateway.ts'
import { fixtureId } from '../testing/shop.ts'

const answerBytes = 3_000
const live = `subscription { product(id: "${fixtureId('product', 1, 1)}") { name } }`

let gateway: TestGateway
let key: string
beforeAll(async () => {
  gateway = await openTestGateway({ limits: { answerBytes, socketMerchantConnections: 2 } })
  key = await gateway.createKey({ permissions: everyPermission })
})
afterAll(() => gateway[Symbol.asyncDispose]())

test('an answer beyond the bound of bytes is refused with advice', async () => {
  const page = (size: number) =>
    send(gateway, key, `{ products(first: ${size}) { edges { node { id name description createdAt } } } }`)
  const small = await page(1)
  expect([small.status, small.errors]).toEqual([200, []])
  const large = await page(40)
  expect(large.status).toBe(400)
  expect(large.text.length).toBeLessThan(answerBytes)
  expect(large.errors).toMatchObject([
    {
      extensions: {
        id: 'SVC_VAL_003',
        details: {
          field: 'query',
          reason: expect.stringContaining(`more than ${answerBytes} bytes`) as string,
        },
      },
    },
  ])
})

test('a mutation takes effect even if its answer is too large to send', async () => {
  const aliases = Array.from({ length: 12 }, (_, n) => `d${n}: description`).join(' ')
  const description = 'x'.repeat(400)
  const answer = await send(
    gateway,
    key,
    `mutation ($d: String) { updateProduct(id: "${fixtureId('product', 1, 2)}", input: { description: $d }) { product { ${aliases} } errors { field } } }`,
    { d: description },
  )
  expect(answer.errors).toMatchObject([{ extensions: { id: 'SVC_VAL_003' } }])
  const [row] = await gateway.shop.sql(
    `SELECT description FROM catalog.product WHERE id = '${fixtureId('product', 1, 2)}'`,
  )
  expect(row).toEqual({ description })
})

test('one merchant’s WebSockets are bounded over all of its keys, and another merchant’s are not affected', async () => {
  const open = async (merchant: 1 | 2) => {
    const another = await gateway.createKey({ permissions: everyPermission, merchant })
    const closed = Promise.withResolvers<number>()
    const client = createClient({
      url: gateway.url.replace('http', 'ws'),
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `Bearer ${another}` },
      lazy: false,
      retryAttempts: 0,
      onNonLazyError: () => undefined,
      on: { closed: (event) => closed.resolve((event as { code: number }).code) },
    })
    const connected = new Promise<'connected'>((resolve) =>
      client.on('connected', () => resolve('connected')),
    )
    return { client, answer: await Promise.race([connected, closed.promise]) }
  }
  const first = await open(1)
  const second = await open(1)
  expect([first.answer, second.answer]).toEqual(['connected', 'connected'])
  expect((await open(1)).answer).toBe(4429)
  const other = await open(2)
  expect(other.answer).toBe('connected')
  for await (const { data } of first.client.iterate({ query: live })) {
    expect(data).toMatchObject({ product: { name: 'Product 01' } })
    break
  }
  for (const { client } of [first, second, other]) await client.dispose()
})
