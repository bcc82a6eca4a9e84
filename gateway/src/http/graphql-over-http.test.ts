import { serverAudits } from 'graphql-http'
import { request as requestOver } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyPermission, openTestGateway, type TestGateway } from '../testing/gateway.ts'
import { mediaTypeFor } from './media-type.ts'

const graphQLResponse = 'application/graphql-response+json'

/** Where the audit prefers another status, and why the gateway differs. */
const different: Readonly<Record<string, string>> = {
  // The specification gives SVC_GQL_003 and SVC_VAL_001 the status 400, for any Accept header.
  '572B': 'a document that can not be parsed is 400 as application/json too',
  FDE2: 'a document that is not valid is 400 as application/json too',
  '7B9B': 'a variable that can not be read is 400 as application/json too',
}

let gateway: TestGateway
let key: string
beforeAll(async () => {
  gateway = await openTestGateway()
  key = await gateway.createKey({ permissions: everyPermission })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const audited = serverAudits({
  url: () => gateway.url,
  fetchFn: (url: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${key}`)
    return fetch(url, { ...init, headers })
  },
})

describe('the audit of GraphQL over HTTP', () => {
  test.each(audited.map((audit) => [audit.id, audit.name, audit] as const))(
    '%s: %s',
    async (id, _name, audit) => {
      const result = await audit.fn()
      if (id in different) expect(result).toMatchObject({ status: 'warn' })
      else expect(result.status === 'ok' || result.status === 'notice' ? 'ok' : result).toBe('ok')
    },
  )

  test('the list of differences has only real ones', () => {
    expect(Object.keys(different).filter((id) => !audited.some((audit) => audit.id === id))).toEqual([])
  })
})

const ask = (accept: string, query: string, authorization = `Bearer ${key}`) =>
  fetch(gateway.url, {
    method: 'POST',
    headers: { accept, authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })

describe('an answer', () => {
  test.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['text/html', 'application/json'],
    ['application/json', 'application/json'],
    [graphQLResponse, graphQLResponse],
    [`${graphQLResponse}; charset=utf-8`, graphQLResponse],
    [`${graphQLResponse},application/json;q=0.9`, graphQLResponse],
    [`application/json, ${graphQLResponse};q=0.5`, 'application/json'],
    [`${graphQLResponse};q=0`, 'application/json'],
    [`application/json, ${graphQLResponse}`, graphQLResponse],
  ])('to Accept: %s is %s', (accept, type) => {
    expect(mediaTypeFor(accept)).toBe(type)
  })

  test.each([
    ['data', '{ viewer { kind } }', 200, 200],
    ['data and an error', '{ products { edges { node { inventory { available } } } } }', 403, 200],
    ['an error before the execution', '{ products(first: 1000) { totalCount } }', 400, 400],
    ['a syntax error', '{', 400, 400],
    ['a refusal', '{ orders { totalCount } }', 403, 403],
  ])('with %s has the status for its content type', async (_what, query, asJson, asGraphQL) => {
    const limited = `Bearer ${await gateway.createKey({ permissions: ['products:read'] })}`
    for (const [type, status] of [
      ['application/json', asJson],
      [graphQLResponse, asGraphQL],
    ] as const) {
      const response = await ask(type, query, limited)
      expect([response.status, response.headers.get('content-type')]).toEqual([
        status,
        `${type}; charset=utf-8`,
      ])
      expect('data' in ((await response.json()) as object)).toBe(asGraphQL === 200)
    }
  })

  test('to a caller without a credential says how to send one', async () => {
    const response = await ask('application/json', '{ viewer { kind } }', '')
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="Commerce Graph"',
    ])
  })

  test('to a long query is compressed for a client that accepts it, and an answer to a mutation never is', async () => {
    const encodingOf = (query: string, acceptEncoding: string) =>
      new Promise<string | undefined>((resolve, reject) => {
        const headers = {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'accept-encoding': acceptEncoding,
        }
        const request = requestOver(gateway.url, { method: 'POST', headers }, (response) => {
          response.resume().on('end', () => resolve(response.headers['content-encoding']))
        })
        request.on('error', reject)
        request.end(JSON.stringify({ query }))
      })
    const fields = Array.from({ length: 8 }, (_, index) => `n${index}: name d${index}: description`).join(' ')
    const long = `{ products(first: 25) { edges { node { id ${fields} } } } }`
    expect(await encodingOf(long, 'br, gzip')).toBe('br')
    expect(await encodingOf(long, 'gzip')).toBe('gzip')
    expect(await encodingOf(long, 'gzip;q=0, br;q=0')).toBeUndefined()
    expect(await encodingOf('{ viewer { kind } }', 'gzip')).toBeUndefined()
    const names = Array.from({ length: 40 }, (_, index) => `e${index}: errors { field message code }`).join(
      ' ',
    )
    const written = `mutation { createProducts(inputs: [${'{ name: "", sku: "", price: 1, currency: "" }'.repeat(20)}]) { ${names} } }`
    expect(await encodingOf(written, 'gzip')).toBeUndefined()
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: long }),
    })
    expect(
      ((await response.json()) as { data: { products: { edges: unknown[] } } }).data.products.edges,
    ).toHaveLength(25)
  })
})
