import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { createHttpDataLayer, type HttpDataLayerOptions } from './http-data-layer.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

/** An HTTP server with the answer given: for what networks and proxies do and an engine doesn't. */
async function peer(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
  options: Partial<HttpDataLayerOptions> = {},
) {
  const server = createServer((request, response) => void answer(request, response))
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return createHttpDataLayer({ url: `http://127.0.0.1:${port}`, adminSecret: 'secret', ...options })
}

const session = { 'x-hasura-role': 'merchant', 'x-hasura-merchant-id': 'm-1' }

describe('the HTTP data layer', () => {
  test('keeps the text of data, digits of big numbers included', async () => {
    const layer = await peer((_, response) =>
      response.end(' {"data": {"n": 9007199254740993, "d": 1.10 } } '),
    )
    expect(await layer.execute({ query: '{ n }' }, session)).toEqual({
      kind: 'data',
      json: '{"n": 9007199254740993, "d": 1.10 }',
    })
  })

  test('sends the session and the secret, and lets no client’s header replace them', async () => {
    const layer = await peer(async (request, response) => {
      const { 'x-hasura-role': role, 'x-hasura-admin-secret': secret, ...rest } = request.headers
      const seen = { role, secret, other: rest['x-hasura-user-id'], id: rest['x-request-id'] }
      response.end(JSON.stringify({ data: { ...seen, body: JSON.parse(await text(request)) as unknown } }))
    })
    const headers = {
      'X-Hasura-Role': 'admin',
      'x-hasura-admin-secret': 'guess',
      'x-hasura-user-id': 'other',
      'X-Request-Id': 'r-1',
    }
    const result = await layer.execute({ query: 'q', variables: { a: 1 } }, session, { headers })
    expect(result).toEqual({
      kind: 'data',
      json: '{"role":"merchant","secret":"secret","id":"r-1","body":{"query":"q","variables":{"a":1}}}',
    })
  })

  test('sends session variables beyond Latin-1 as UTF-8', async () => {
    const layer = await peer((request, response) => {
      const name = Buffer.from(String(request.headers['x-hasura-name']), 'latin1').toString('utf8')
      response.end(JSON.stringify({ data: name }))
    })
    expect(await layer.execute({ query: 'q' }, { ...session, 'x-hasura-name': 'Łódź 東京' })).toEqual({
      kind: 'data',
      json: '"Łódź 東京"',
    })
  })

  test("passes Hasura's errors on, with an action's own extensions", async () => {
    const errors = [{ message: 'no', extensions: { code: 'SVC_BIZ_001', path: '$', available: 3 } }]
    const layer = await peer((_, response) => response.end(JSON.stringify({ errors })))
    expect(await layer.execute({ query: 'q' }, session)).toEqual({ kind: 'errors', errors })
  })

  test('treats data beside errors as errors, so that no answer is partial', async () => {
    const layer = await peer((_, response) => response.end('{"data":{"a":1},"errors":[{"message":"no"}]}'))
    expect(await layer.execute({ query: 'q' }, session)).toEqual({
      kind: 'errors',
      errors: [{ message: 'no' }],
    })
  })

  test('returns a refusal before GraphQL as an error with its code', async () => {
    const layer = await peer((_, response) =>
      response
        .writeHead(401)
        .end('{"path":"$","error":"invalid x-hasura-admin-secret","code":"access-denied"}'),
    )
    expect(await layer.execute({ query: 'q' }, session)).toEqual({
      kind: 'errors',
      errors: [
        { message: 'invalid x-hasura-admin-secret', extensions: { code: 'access-denied', path: '$' } },
      ],
    })
  })

  test.each([
    ['a proxy answers in HTML', (_: unknown, response: ServerResponse) => response.writeHead(502).end('<p>')],
    ['the connection breaks off', (_: unknown, response: ServerResponse) => response.destroy()],
    ['no answer comes in time', () => undefined],
    [
      'the answer breaks off in the middle',
      (_: unknown, response: ServerResponse) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"data":')
        setTimeout(() => response.destroy(), 20)
      },
    ],
    ['the answer is too long', (_: unknown, response: ServerResponse) => response.end('x'.repeat(2000))],
  ])('is unavailable when %s', async (_, answer) => {
    const layer = await peer(answer, { timeout: 300, maxBody: 1000 })
    expect(await layer.execute({ query: 'q' }, session)).toMatchObject({ kind: 'unavailable' })
  })

  test('is unavailable when nothing listens', async () => {
    const layer = createHttpDataLayer({ url: 'http://127.0.0.1:1', adminSecret: 's' })
    expect(await layer.execute({ query: 'q' }, session)).toEqual({
      kind: 'unavailable',
      reason: 'connect ECONNREFUSED 127.0.0.1:1',
    })
  })

  test('rejects with the reason of the signal when the caller aborts', async () => {
    const layer = await peer(() => undefined)
    const caller = new AbortController()
    setTimeout(() => caller.abort(new Error('client left')), 50)
    await expect(layer.execute({ query: 'q' }, session, { signal: caller.signal })).rejects.toThrow(
      'client left',
    )
  })

  test('uses one connection again and again', async () => {
    const ports = new Set<number | undefined>()
    const layer = await peer((request, response) => {
      ports.add(request.socket.remotePort)
      response.end('{"data":null}')
    })
    for (let round = 0; round < 5; round++) await layer.execute({ query: 'q' }, session)
    expect(ports.size).toBe(1)
  })
})
