import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { connectPaypal, type Paypal } from './connect-paypal.ts'
import { paypalKind } from './paypal-kind.ts'
import { createPaypalProcessor } from './paypal-processor.ts'

interface Answers {
  /** The statuses of requests for a token, in order; the last one is repeated. */
  readonly tokens?: readonly number[]
  /** The same of all other requests. */
  readonly others: readonly number[]
}

interface Server {
  readonly apiUrl: string
  /** The paths and tokens of the requests so far. */
  readonly requests: readonly string[]
}

const nth = (statuses: readonly number[], index: number): number =>
  statuses[Math.min(index, statuses.length - 1)] ?? 200

/** Runs the work against a PayPal that gives the tokens T1, T2, … */
async function against<T>(
  { tokens = [200], others }: Answers,
  work: (server: Server) => Promise<T>,
): Promise<T> {
  const requests: string[] = []
  const counts = { token: 0, other: 0 }
  const server = createServer((request, response) => {
    request.resume()
    const isToken = request.url === '/v1/oauth2/token'
    requests.push(isToken ? 'token' : (request.headers.authorization ?? ''))
    const status = isToken ? nth(tokens, counts.token++) : nth(others, counts.other++)
    const given = { access_token: `T${counts.token}`, expires_in: 3600 }
    const refusal = { name: status === 403 ? 'NOT_AUTHORIZED' : 'ANY', details: [{ issue: 'ANY_ISSUE' }] }
    const body = status === 403 ? { name: refusal.name } : status === 200 ? given : refusal
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await work({ apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** Its credentials are new, so that no test has another one's token. */
const connection = ({ apiUrl }: Server) => ({ clientId: crypto.randomUUID(), secret: 'secret', apiUrl })

const ask = (paypal: Paypal) => paypal.send({ method: 'GET', path: '/any' })

test('a token is asked for once, and again when PayPal doesn’t take it any more', async () => {
  await against({ others: [200, 200, 401, 200] }, async (server) => {
    const given = connection(server)
    const [one, other] = [connectPaypal(given), connectPaypal(given)]
    for (const paypal of [one, other, one]) expect((await ask(paypal)).kind).toBe('ok')
    expect(server.requests).toEqual(['token', 'Bearer T1', 'Bearer T1', 'Bearer T1', 'token', 'Bearer T2'])
  })
})

test.each([
  [{ others: [200] }, 'ok'],
  [{ others: [422] }, 'refused'],
  [{ others: [401] }, 'unauthorized'],
  [{ others: [403] }, 'unauthorized'],
  [{ others: [500, 200] }, 'ok'],
  [{ others: [500] }, 'unanswered'],
  [{ others: [409] }, 'unanswered'],
  [{ others: [429] }, 'unanswered'],
  [{ others: [500, 401] }, 'unanswered'],
  [{ tokens: [401], others: [200] }, 'unauthorized'],
  [{ tokens: [500], others: [200] }, 'unanswered'],
] as const)('a request of which PayPal answers %j is %s', async (answers, kind) => {
  const answer = await against(answers, (server) => ask(connectPaypal(connection(server))))
  expect(answer.kind).toBe(kind)
})

test('a request is unanswered if PayPal can’t be reached, or takes too long', async () => {
  const nowhere = connection({ apiUrl: 'http://127.0.0.1:1', requests: [] })
  expect((await ask(connectPaypal(nowhere))).kind).toBe('unanswered')
  const server = createServer((request) => request.resume()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const slow = { ...connection({ apiUrl, requests: [] }), timeout: 50 }
  expect((await ask(connectPaypal(slow))).kind).toBe('unanswered')
  server.closeAllConnections()
  server.close()
})

test.each([
  [200, 'accepted'],
  [401, 'refused'],
  [500, 'unanswered'],
] as const)('credentials that PayPal answers with %i are %s', async (status, kind) => {
  const check = await against({ tokens: [status], others: [] }, ({ apiUrl: paypal }) =>
    paypalKind.check({ clientId: crypto.randomUUID(), secretKey: 'secret', webhookSecret: null }, { paypal }),
  )
  expect(check.kind).toBe(kind)
})

test('an order is made only for an amount that PayPal can take', async () => {
  await against({ others: [422] }, async (server) => {
    const processor = createPaypalProcessor(connection(server))
    const request = {
      idempotencyKey: '1',
      amount: 1050,
      method: 'PAYPAL',
      paymentMethodId: null,
      manualCapture: false,
      returnUrl: null,
      metadata: {},
    } as const
    expect(await processor.charge({ ...request, currency: 'HUF' })).toMatchObject({
      status: 'declined',
      decline: { code: 'decimals_not_supported' },
    })
    expect(await processor.charge({ ...request, currency: 'ISK' })).toMatchObject({
      status: 'declined',
      decline: {
        code: 'currency_not_supported',
        message: 'The payment processor does not take this currency.',
      },
    })
    expect(server.requests).toEqual([])
    expect(await processor.charge({ ...request, currency: 'EUR' })).toMatchObject({
      status: 'declined',
      decline: { code: 'any_issue', message: 'The payment processor refused the request: any_issue' },
    })
  })
})
