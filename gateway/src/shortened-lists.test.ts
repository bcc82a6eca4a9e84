import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { maxListLength } from './cursor/page.ts'
import { everyPermission, openTestGateway, send, type TestGateway } from './testing/gateway.ts'
import { fixtureId } from './testing/shop.ts'

let gateway: TestGateway
let key: string
beforeAll(async () => {
  gateway = await openTestGateway()
  key = await gateway.createKey({ permissions: everyPermission })
  await setImages(longId, maxListLength + 1)
  await setImages(fullId, maxListLength)
})
afterAll(() => gateway[Symbol.asyncDispose]())

const longId = fixtureId('product', 1, 1)
const fullId = fixtureId('product', 1, 2)

async function setImages(productId: string, count: number): Promise<void> {
  await gateway.shop.sql(`DELETE FROM catalog.product_image WHERE product_id = '${productId}'`)
  await gateway.shop.sql(
    `INSERT INTO catalog.product_image (merchant_id, product_id, url, position)
     SELECT '${fixtureId('merchant', 1, 0)}', '${productId}', 'https://images.example/' || n, n FROM generate_series(1, ${count}) n`,
  )
}

interface Answer {
  readonly data: { readonly shown: { readonly pictures: readonly { readonly url: string }[] } }
  readonly extensions?: unknown
}

const ask = async (query: string): Promise<Answer> =>
  JSON.parse((await send(gateway, key, query)).text) as Answer

const shortened = (path: readonly (string | number)[]) => ({ shortenedLists: [{ path, max: maxListLength }] })

test('a list beyond the maximum length is shortened, and the answer says so', async () => {
  const answer = await ask(`{ shown: product(id: "${longId}") { pictures: images { url } } }`)
  expect(answer.data.shown.pictures.map(({ url }) => url)).toEqual(
    Array.from({ length: maxListLength }, (_, index) => `https://images.example/${index + 1}`),
  )
  expect(answer.extensions).toEqual(shortened(['shown', 'pictures']))
})

test('a list of exactly the maximum length is complete, and the answer has no extension', async () => {
  const answer = await ask(`{ shown: product(id: "${fullId}") { pictures: images { url } } }`)
  expect(answer.data.shown.pictures).toHaveLength(maxListLength)
  expect(answer).not.toHaveProperty('extensions')
})

test('a list with a requested size is not reported as shortened', async () => {
  const answer = await ask(`{ shown: product(id: "${longId}") { pictures: images(limit: 3) { url } } }`)
  expect(answer.data.shown.pictures).toHaveLength(3)
  expect(answer).not.toHaveProperty('extensions')
})

test('a shortened list is reported with its path in a connection, among others that are complete', async () => {
  const query = '{ products(first: 100) { edges { node { id images { url } } } } }'
  const answer = JSON.parse((await send(gateway, key, query)).text) as {
    readonly data: { readonly products: { readonly edges: readonly { readonly node: { id: string } }[] } }
    readonly extensions: unknown
  }
  const place = answer.data.products.edges.findIndex(({ node }) => node.id === longId)
  expect(answer.extensions).toEqual(shortened(['products', 'edges', place, 'node', 'images']))
})

test('a shortened list behind a link table is reported, too', async () => {
  await gateway.shop.sql(
    `WITH made AS (
       INSERT INTO catalog.category (merchant_id, name, slug)
       SELECT '${fixtureId('merchant', 1, 0)}', 'Many ' || n, 'many-' || n FROM generate_series(1, ${maxListLength + 1}) n
       RETURNING merchant_id, id)
     INSERT INTO catalog.product_category (merchant_id, product_id, category_id)
     SELECT merchant_id, '${longId}', id FROM made`,
  )
  const answer = await ask(`{ shown: product(id: "${longId}") { categories { id } } }`)
  expect(answer.extensions).toEqual(shortened(['shown', 'categories']))
})

test('a mutation reports a shortened list in its answer', async () => {
  const answer = await ask(
    `mutation { changed: updateProduct(id: "${longId}", input: { name: "Longer" }) { product { images { url } } } }`,
  )
  expect(answer.extensions).toEqual(shortened(['changed', 'product', 'images']))
})

test('a subscription reports a shortened list in each answer', async () => {
  const client = createClient({
    url: gateway.url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `Bearer ${key}` },
    retryAttempts: 0,
  })
  const query = `subscription { product(id: "${longId}") { images { url } } }`
  const answers = client.iterate({ query })
  expect(await answers.next()).toMatchObject({ value: { extensions: shortened(['product', 'images']) } })
  await answers.return?.()
  await client.dispose()
})
