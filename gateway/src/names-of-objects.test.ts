import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { everyPermission, openTestGateway, send, type TestGateway } from './testing/gateway.ts'
import { fixtureId } from './testing/shop.ts'

/** Aliases and variables with the names of properties that JavaScript objects inherit, or get by assignment. */
const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'toJSON', 'then']

let gateway: TestGateway
let key: string
beforeAll(async () => {
  gateway = await openTestGateway()
  key = await gateway.createKey({ permissions: everyPermission })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const orderId = fixtureId('order', 1, 1)
const productId = fixtureId('product', 1, 1)

/** Documents in which `NAME` stands for an alias. */
const queries = {
  'values of the caller': '{ NAME: viewer { NAME: id merchant { NAME: plan } } }',
  'the kind of a root': '{ NAME: __typename a: viewer { NAME: __typename } }',
  connections:
    '{ NAME: products(first: 2) { NAME: totalCount edges { NAME: cursor node { NAME: name t: __typename } } pageInfo { NAME: hasNextPage } } }',
  'connections in rows': `{ product(id: "${productId}") { NAME: reviews(first: 1) { NAME: totalCount } } }`,
  'parts of connections':
    '{ products(first: 2) { NAME: edges { NAME: node { id NAME: variants { NAME: sku } } } } p: products(first: 1) { NAME: pageInfo { NAME: endCursor NAME2: __typename } } }',
  'nested rows': `{ order(id: "${orderId}") { NAME: items { NAME: quantity } shippingAddress { NAME: city NAME2: __typename } } }`,
  'what functions make':
    '{ NAME: search(query: "product") { NAME: totalCount results { NAME: __typename } facets { NAME: label } } }',
  introspection:
    '{ NAME: __schema { NAME: queryType { NAME: name } } n: __type(name: "Product") { NAME: kind } }',
  entities: `{ NAME: _entities(representations: [{ __typename: "Product", id: "${productId}" }]) { ... on Product { NAME: id } } }`,
} as const

const named = (document: string, name: string) =>
  document.replaceAll(/NAME2?/g, (used) => used.replace('NAME', name))
const plain = 'plain'

describe.each(names)('an alias called %s', (name) => {
  test.each(Object.entries(queries))('works in %s', async (_what, document) => {
    const expected = await send(gateway, key, named(document, plain))
    const answer = await send(gateway, key, named(document, name))
    expect(expected.errors).toEqual([])
    expect(answer.text).toBe(expected.text.replaceAll(plain, name))
  })

  test('works in a mutation', async () => {
    const mutation = (alias: string) =>
      named(
        `mutation { NAME: updateProduct(id: "${productId}", input: { name: "Product 01" }) { NAME: product { NAME: name } NAME2: errors { NAME: message } }
          bad: updateProduct(id: "${productId}", input: { name: "" }) { product { id } NAME: errors { NAME: field NAME2: __typename } } }`,
        alias,
      )
    const expected = await send(gateway, key, mutation(plain))
    const answer = await send(gateway, key, mutation(name))
    expect(expected.text).toContain('Product 01')
    expect(answer.text).toBe(expected.text.replaceAll(plain, name))
  })

  test('works in a subscription', async () => {
    const client = createClient({
      url: gateway.url.replace('http', 'ws'),
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `Bearer ${key}` },
      // The client's own reviver would assign the property, and lose the server's value.
      jsonMessageReviver: function (this: object, member: string, value: unknown) {
        return member === '' ? value : value
      },
    })
    const query = named(`subscription { NAME: product(id: "${productId}") { NAME: name } }`, name)
    for await (const { data } of client.iterate({ query })) {
      expect(JSON.stringify(data)).toBe(`{"${name}":{"${name}":"Product 01"}}`)
      break
    }
    await client.dispose()
  })
})

describe.each(names)('a variable called %s', (name) => {
  test('has its value in arguments, inputs, directives and introspection', async () => {
    const query = (variable: string) =>
      `query ($${variable}: ProductFilters, $n: Int) { products(first: $n, filters: $${variable}) { totalCount } }`
    const filters = { searchQuery: 'Product 01' }
    const values = (variable: string) =>
      JSON.parse(`{"n":1,"${variable}":${JSON.stringify(filters)}}`) as Record<string, unknown>
    const expected = await send(gateway, key, query(plain), values(plain))
    const all = await send(gateway, key, '{ products { totalCount } }')
    expect(expected.text).not.toBe(all.text)
    expect((await send(gateway, key, query(name), values(name))).text).toBe(expected.text)
    expect((await send(gateway, key, query(name), { n: 1 })).data).toEqual(all.data)

    const text = JSON.parse(`{"${name}":"Product"}`) as Record<string, unknown>
    const introspected = await send(
      gateway,
      key,
      `query ($${name}: String!) { __type(name: $${name}) { name } }`,
      text,
    )
    expect(introspected.data).toEqual({ __type: { name: 'Product' } })
    const included = JSON.parse(`{"${name}":false}`) as Record<string, unknown>
    const without = await send(
      gateway,
      key,
      `query ($${name}: Boolean!) { viewer @include(if: $${name}) { id } __schema @include(if: $${name}) { queryType { name } } }`,
      included,
    )
    expect(without.text).toBe('{"data":{}}')
  })

  test('has its value in a mutation, and is reported if it is required and missing', async () => {
    const mutation = `mutation ($${name}: UpdateProductInput!) { updateProduct(id: "${productId}", input: $${name}) { product { name } errors { field } } }`
    const given = JSON.parse(`{"${name}":{"name":"Renamed by ${name}"}}`) as Record<string, unknown>
    expect((await send(gateway, key, mutation, given)).data).toEqual({
      updateProduct: { product: { name: `Renamed by ${name}` }, errors: [] },
    })
    const missing = await send(gateway, key, mutation, {})
    expect(missing.errors).toMatchObject([{ extensions: { id: 'SVC_VAL_001' } }])
    await send(
      gateway,
      key,
      mutation,
      JSON.parse(`{"${name}":{"name":"Product 01"}}`) as Record<string, unknown>,
    )
  })
})
