import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client/core'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import { Client as UrqlClient, fetchExchange } from '@urql/core'
import { persistedExchange } from '@urql/exchange-persisted'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, createClient, type Client } from './support/graphql-client.ts'
import { createGuestCart, type Payload, visitor } from './support/guest.ts'
import { createStockedProduct, payload, succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

const origin = 'http://localhost:3000'
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

let platform: TestPlatform
let owner: Client
let productId: string
let pageHeaders: Readonly<Record<string, string>>
beforeAll(async () => {
  platform = await startTestPlatform()
  owner = createClient(platform.graphqlUrl, bearer(platform.liveKey))
  productId = (await createStockedProduct(owner, 5)).id
  pageHeaders = { ...bearer(platform.publishableKey), origin }
}, 120_000)
afterAll(() => platform.stop())

/** A document that no other test has sent. */
function documentOf(fields: string): string {
  documents += 1
  return `query Product${documents}($id: ID!) { product(id: $id) { ${fields} } }`
}
let documents = 0

interface Parameters {
  readonly hash: string
  /** The document itself, beside its hash. */
  readonly query?: string
  readonly variables?: object
  readonly headers?: Readonly<Record<string, string>>
}

function get({ hash, query, variables = { id: productId }, headers = {} }: Parameters): Promise<Response> {
  const search = new URLSearchParams({
    extensions: JSON.stringify({ persistedQuery: { version: 1, sha256Hash: hash } }),
    variables: JSON.stringify(variables),
    ...(query !== undefined && { query }),
  })
  return fetch(`${platform.graphqlUrl}?${search}`, { headers: { ...pageHeaders, ...headers } })
}

const post = (body: object, headers = pageHeaders): Promise<Response> =>
  fetch(platform.graphqlUrl, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** Sends a document with its hash, so that it is kept. */
async function persist(query: string, headers = pageHeaders): Promise<string> {
  const hash = sha256(query)
  const extensions = { persistedQuery: { version: 1, sha256Hash: hash } }
  const response = await post({ query, extensions, variables: { id: productId } }, headers)
  expect(response.status).toBe(200)
  return hash
}

async function firstError(response: Response) {
  const body = (await response.json()) as {
    errors: { message: string; extensions: { id: string; details: object } }[]
  }
  return body.errors[0]
}

test('Apollo Client sends a document once, and then asks for it by GET with its hash', async () => {
  const sent: string[] = []
  const link = ApolloLink.from([
    new PersistedQueryLink({ sha256, useGETForHashedQueries: true }),
    new HttpLink({
      uri: platform.graphqlUrl,
      headers: pageHeaders,
      fetch: (url, init) => {
        const hasDocument = typeof init?.body === 'string' && init.body.includes('"query"')
        sent.push(`${init?.method ?? 'GET'} ${hasDocument ? 'document' : 'hash'}`)
        return fetch(url, init)
      },
    }),
  ])
  const apollo = new ApolloClient({ link, cache: new InMemoryCache() })
  const query = gql(documentOf('id name'))
  const ask = () => apollo.query({ query, variables: { id: productId }, fetchPolicy: 'network-only' })
  expect((await ask()).data).toMatchObject({ product: { id: productId } })
  expect(sent).toEqual(['GET hash', 'POST document'])
  expect((await ask()).data).toMatchObject({ product: { id: productId } })
  expect(sent).toEqual(['GET hash', 'POST document', 'GET hash'])
  apollo.stop()
})

test('urql sends a document once, a long one by POST, and then asks for it by GET with its hash', async () => {
  const sent: string[] = []
  const urql = new UrqlClient({
    url: platform.graphqlUrl,
    fetchOptions: { headers: pageHeaders },
    fetch: (url, init) => {
      const address = new URL(url instanceof Request ? url.url : url)
      const isWhole = address.searchParams.has('query') || init?.method === 'POST'
      sent.push(`${init?.method ?? 'GET'} ${isWhole ? 'document' : 'hash'}`)
      return fetch(url, init)
    },
    exchanges: [
      persistedExchange({ generateHash: (query) => Promise.resolve(sha256(query)) }),
      fetchExchange,
    ],
  })
  const long = Array.from({ length: 40 }, (_, n) => `${'name_'.repeat(10)}${n}: name`).join(' ')
  for (const [fields, method] of [
    ['id name', 'GET'],
    [`id ${long}`, 'POST'],
  ] as const) {
    const query = documentOf(fields)
    const ask = () => urql.query(query, { id: productId }).toPromise()
    expect((await ask()).data).toMatchObject({ product: { id: productId } })
    expect((await ask()).data).toMatchObject({ product: { id: productId } })
    expect(sent.splice(0)).toEqual(['GET hash', `${method} document`, 'GET hash'])
  }
})

describe('a persisted query', () => {
  test('runs by POST with every credential, once its document was sent', async () => {
    const query = documentOf('id sku')
    const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(query) } }
    const named = { extensions, variables: { id: productId } }
    const key = bearer(platform.liveKey)
    const unknown = await post(named, key)
    expect([unknown.status, (await firstError(unknown))?.message]).toEqual([400, 'PersistedQueryNotFound'])
    await persist(query, key)
    expect(await (await post(named, key)).json()).toMatchObject({ data: { product: { id: productId } } })
  })

  test('is refused with a hash of another document, which stays what it was', async () => {
    const query = documentOf('id')
    const hash = await persist(query)
    const extensions = { persistedQuery: { version: 1, sha256Hash: hash } }
    const forged = await post({ query: documentOf('name'), extensions, variables: { id: productId } })
    expect([forged.status, (await firstError(forged))?.extensions]).toMatchObject([
      400,
      { id: 'SVC_VAL_002', details: { field: 'extensions.persistedQuery.sha256Hash' } },
    ])
    expect(await (await get({ hash })).json()).toEqual({ data: { product: { id: productId } } })
  })

  test('is not kept when its document is not valid', async () => {
    const query = documentOf('nothing')
    const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(query) } }
    expect((await post({ query, extensions })).status).toBe(400)
    expect((await firstError(await get({ hash: sha256(query) })))?.message).toBe('PersistedQueryNotFound')
  })

  test.each([
    [{ version: 2, sha256Hash: 'a'.repeat(64) }, 'extensions.persistedQuery.version'],
    [{ version: 1, sha256Hash: 'abc' }, 'extensions.persistedQuery.sha256Hash'],
    [{ version: 1 }, 'extensions.persistedQuery.sha256Hash'],
    ['abc', 'extensions.persistedQuery'],
  ])('%j is refused with the name of what is wrong', async (persistedQuery, field) => {
    const refused = await post({ extensions: { persistedQuery } })
    expect([refused.status, (await firstError(refused))?.extensions.details]).toMatchObject([400, { field }])
  })
})

describe('a GET', () => {
  test('answers 304 until the answer changes', async () => {
    const hash = await persist(documentOf('id name'))
    const first = await get({ hash })
    const etag = first.headers.get('etag') ?? ''
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'public, no-cache'])
    for (const name of ['Authorization', 'Origin', 'Accept', 'X-Cart-Secret'])
      expect(first.headers.get('vary')).toContain(name)
    const same = await get({ hash, headers: { 'if-none-match': `"other", ${etag}` } })
    expect([same.status, await same.text(), same.headers.get('etag')]).toEqual([304, '', etag])
    payload(
      await owner<Record<string, Payload>>(
        'mutation ($id: ID!) { updateProduct(id: $id, input: { name: "Another name" }) { product { id } errors { field message code } } }',
        { id: productId },
      ),
    )
    const changed = await get({ hash, headers: { 'if-none-match': etag } })
    expect(changed.status).toBe(200)
    expect(await changed.json()).toEqual({ data: { product: { id: productId, name: 'Another name' } } })
    expect(changed.headers.get('etag')).not.toBe(etag)
  })

  test('is kept by caches for as long as the merchant lets them, which a rotated key takes over', async () => {
    const { key, apiKey } = payload(
      await owner<Record<string, { key: string; apiKey: { id: string }; errors: [] }>>(
        'mutation { createPublishableKey(input: { name: "CDN" }) { key apiKey { id } errors { message } } }',
      ),
    )
    payload(
      await owner<Record<string, Payload>>(
        'mutation ($id: ID!) { setPublishableKeyMaxAge(id: $id, maxAge: 90) { apiKey { maxAge } errors { field message code } } }',
        { id: apiKey.id },
      ),
    )
    const hash = await persist(documentOf('id'))
    const maxAgeOf = async (of: string) =>
      (await get({ hash, headers: bearer(of) })).headers.get('cache-control')
    await expect.poll(() => maxAgeOf(key), { timeout: 5_000 }).toBe('public, max-age=90')
    const rotated = payload(
      await owner<Record<string, { key: string; errors: [] }>>(
        'mutation ($id: ID!) { rotateApiKey(id: $id) { key errors { message } } }',
        { id: apiKey.id },
      ),
    )
    expect(await maxAgeOf(rotated.key)).toBe('public, max-age=90')
  })

  test('with a cart’s secret, or with errors, is kept by no cache', async () => {
    const guest = visitor(platform.graphqlUrl, { key: platform.publishableKey, origin })
    const { secret } = await createGuestCart(guest, productId)
    const hash = await persist(documentOf('id'))
    const ofCart = await get({ hash, headers: { 'x-cart-secret': secret } })
    expect([ofCart.status, ofCart.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const forbidden = 'query Forbidden($id: ID!) { product(id: $id) { id inventory { available } } }'
    const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(forbidden) } }
    await post({ query: forbidden, extensions, variables: { id: productId } })
    const refused = await get({ hash: sha256(forbidden) })
    expect(await firstError(refused)).toBeDefined()
    expect([refused.headers.get('cache-control'), refused.headers.get('etag')]).toEqual(['no-store', null])
  })

  test('is for publishable keys and queries alone', async () => {
    const hash = await persist(documentOf('id'))
    const secret = await get({ hash, headers: bearer(platform.liveKey) })
    expect([secret.status, (await firstError(secret))?.message]).toEqual([
      405,
      expect.stringContaining('GET is for publishable keys'),
    ])
    const mutation = 'mutation { createCart(input: {}) { cart { id } errors { message } } }'
    const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(mutation) } }
    await post({ query: mutation, extensions })
    const carts = async () =>
      succeeded(await owner<{ carts: { totalCount: number } }>('{ carts { totalCount } }'))
    const before = await carts()
    for (const query of [undefined, mutation]) {
      const written = await get({ hash: sha256(mutation), ...(query && { query }), variables: {} })
      expect([written.status, (await firstError(written))?.message]).toEqual([
        405,
        expect.stringContaining('send a mutation by POST'),
      ])
    }
    expect(await carts()).toEqual(before)
  })

  test('keeps a document that comes beside its hash, and refuses one beside the hash of another', async () => {
    const query = documentOf('id')
    const sent = await get({ hash: sha256(query), query })
    expect(await sent.json()).toEqual({ data: { product: { id: productId } } })
    expect((await get({ hash: sha256(query) })).status).toBe(200)
    const forged = await get({ hash: sha256(query), query: documentOf('name') })
    expect([forged.status, (await firstError(forged))?.extensions.details]).toMatchObject([
      400,
      { field: 'extensions.persistedQuery.sha256Hash' },
    ])
  })

  test.each([
    ['?extensions={}&query={shop{id}}', 'query'],
    ['?extensions={', 'extensions'],
    ['?extensions={}&extensions={}', 'extensions'],
    ['?extensions={}', 'query'],
    ['?extensions={}&variables=1', 'variables'],
  ])('to %s is refused with the name of what is wrong', async (search, field) => {
    const response = await fetch(`${platform.graphqlUrl}${search}`, { headers: pageHeaders })
    expect([response.status, (await firstError(response))?.extensions.details]).toMatchObject([
      400,
      { field },
    ])
  })
})
