import { randomUUID } from 'node:crypto'
import { createClient as createSubscriptions } from 'graphql-ws'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { bearer } from '../support/graphql-client.ts'
import { type HasuraPath, type Matrix, openMatrix } from './open-matrix.ts'
import { tableFields } from './tracked-tables.ts'

type Texts = Readonly<Record<string, string>>

/** Sends a query with forged session variables in one place of the request, and returns the answer. */
type Ask = (credential: string, query: string, said: Texts) => Promise<string>

/** An answer without the parts that change from one call to the next. */
const timeless = (answer: string): string => answer.replace(/"(requestId|timestamp)":"[^"]*"/g, '')

/**
 * Only the credential decides who a caller is: session variables that a client writes in any place have no effect.
 * Each place is tried with a shopper that claims to be another one, and with a key without permissions that claims
 * to have all.
 */
describe('the session variables that a client sends', { timeout: 120_000 }, () => {
  let matrix: Matrix
  beforeAll(async () => {
    matrix = await openMatrix()
  }, 120_000)
  afterAll(() => matrix.close())

  const post = async (url: string, headers: Texts, body: object): Promise<string> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return timeless(await response.text())
  }

  const overHttp = (url: string): readonly (readonly [string, Ask])[] => [
    ['headers', (credential, query, said) => post(url, { ...bearer(credential), ...said }, { query })],
    [
      'parameters of the address',
      (credential, query, said) =>
        post(`${url}?${new URLSearchParams(said).toString()}`, bearer(credential), { query }),
    ],
    [
      'members of the body',
      (credential, query, said) =>
        post(url, bearer(credential), { query, session_variables: said, extensions: said }),
    ],
    [
      'cookies',
      (credential, query, said) => {
        const cookie = Object.entries(said).map(([name, value]) => `${name}=${value}`)
        return post(url, { ...bearer(credential), cookie: cookie.join('; ') }, { query })
      },
    ],
  ]

  /** One answer over a WebSocket. */
  async function first(
    url: string,
    query: string,
    connectionParams: object,
    headers: Texts,
  ): Promise<string> {
    class WithHeaders extends WebSocket {
      constructor(address: string, protocols: string | string[]) {
        super(address, protocols, { headers })
      }
    }
    const client = createSubscriptions({
      url: url.replace(/^http/, 'ws'),
      connectionParams: { ...connectionParams },
      webSocketImpl: WithHeaders,
      retryAttempts: 0,
    })
    try {
      for await (const answer of client.iterate({ query })) return JSON.stringify(answer)
      return 'nothing'
    } catch (refusal) {
      return timeless(JSON.stringify(refusal))
    } finally {
      await client.dispose()
    }
  }

  const overWebSocket = (url: string): readonly (readonly [string, Ask])[] => [
    [
      'the introduction of a WebSocket',
      (credential, query, said) => {
        const headers = { ...bearer(credential), ...said }
        return first(url, query, { ...headers, headers, session_variables: said }, {})
      },
    ],
    [
      'the headers of a WebSocket',
      (credential, query, said) =>
        first(url, query, { headers: bearer(credential), ...bearer(credential) }, said),
    ],
  ]

  /** Claims that would give access to another shopper's rows, to all of the merchant's, or to another merchant's. */
  const forged = (): readonly Texts[] => {
    const all = `{${matrix.permissions.join(',')}}`
    const staff = { 'x-hasura-role': 'merchant', 'x-hasura-permissions': all }
    return [
      { 'x-hasura-customer-id': matrix.customers[0] },
      { 'X-Hasura-Customer-Id': matrix.customers[0] },
      { 'x-hasura-merchant-id': randomUUID() },
      { 'x-hasura-permissions': all },
      { ...staff, 'x-hasura-user-id': randomUUID() },
      { ...staff, 'x-hasura-merchant-id': matrix.platform.merchantId },
      { 'x-hasura-role': 'admin' },
    ]
  }

  /** A query for the ids of the orders that a caller of Hasura's own API sees. */
  async function ordersAt(path: HasuraPath): Promise<string> {
    const root = (await matrix.schemaFor(path, matrix.platform.liveKey)).getQueryType()
    const [does, selection] =
      path === '/v1/graphql' ? ['list', '{ id }'] : ['connection', '{ edges { node { id } } }']
    const found = (root ? tableFields(root, matrix.tracked) : []).find(
      (field) => field.does === does && field.table.name === 'ordering.order',
    )
    return `{ orders: ${found?.field.name ?? ''} ${selection} }`
  }

  async function expectNothingOfIt(asks: readonly (readonly [string, Ask])[], query: string): Promise<void> {
    const [another, shopper] = [await matrix.shopper(0), await matrix.shopper(1)]
    for (const [place, ask] of asks) {
      // The two shoppers get different answers, so a forged customer id would show.
      expect(await ask(shopper, query, {}), place).not.toBe(await ask(another, query, {}))
      for (const credential of [shopper, await matrix.callers.key([])]) {
        const honest = await ask(credential, query, {})
        for (const said of forged())
          expect.soft(await ask(credential, query, said), `${place}: ${JSON.stringify(said)}`).toBe(honest)
      }
    }
  }

  test.each(['/v1/graphql', '/v1beta1/relay'] as const)('have no effect at %s', async (path) => {
    const url = matrix.url(path)
    const query = await ordersAt(path)
    await expectNothingOfIt(overHttp(url), query)
    await expectNothingOfIt(overWebSocket(url), `subscription ${query}`)
  })

  test('have no effect at /graphql', async () => {
    const url = matrix.url('/graphql')
    await expectNothingOfIt(overHttp(url), '{ orders(first: 100) { edges { node { id } } } }')
    const [order] = await matrix.sql<{ id: string }[]>`
      SELECT id FROM ordering.order WHERE customer_id = ${matrix.customers[0]} LIMIT 1`
    await expectNothingOfIt(overWebSocket(url), `subscription { order(id: "${order?.id ?? ''}") { id } }`)
  })
})
