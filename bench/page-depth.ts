import { PlatformProcess, type Ready } from '@commerce-graph/platform/testing'
import postgres from '@commerce-graph/postgres-driver'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { print } from 'graphql'
import { z } from 'zod'
import {
  PageOfCategoryDocument,
  PageOfOrdersDocument,
  PageOfProductsDocument,
} from './src/generated/operations.ts'
import { fillLongLists } from './src/long-lists.ts'
import { median } from './src/median.ts'
import { readOptions } from './src/read-options.ts'

const pageSize = 20

const usage = `npm run bench:page-depth -- [--products 200000] [--depth 1000] [--requests 30]

Milliseconds per page of 20, for page 1 and page 1,000 of long lists through /graphql: all products, the products of
one category, the orders of one product. A list's cost is independent of depth when both take about the same time.`

const options = readOptions(usage, {
  products: z.coerce.number().int().min(200_000).max(1_000_000).default(200_000),
  depth: z.coerce.number().int().min(2).max(1000).default(1000),
  requests: z.coerce.number().int().min(1).max(10_000).default(30),
})

interface Page {
  readonly first: number
  readonly after: string | null
}

interface Connection {
  readonly edges: readonly unknown[]
  readonly pageInfo: { readonly endCursor: string | null }
}

type ReadPage = (after: string | null, first?: number) => Promise<Connection>

/** Reads the pages of a long list. Throws if an answer lacks the list. */
function reader<Data, Variables>(
  { graphqlUrl, liveKey }: Ready,
  document: TypedDocumentNode<Data, Variables>,
  variablesOf: (page: Page) => NoInfer<Variables>,
  listOf: (data: Data) => Connection | null | undefined,
): ReadPage {
  const query = print(document)
  return async (after, first = pageSize) => {
    const response = await fetch(graphqlUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${liveKey}` },
      body: JSON.stringify({ query, variables: variablesOf({ first, after }) }),
    })
    const { data } = (await response.json()) as { readonly data?: Data | null }
    const list = data == null ? undefined : listOf(data)
    if (list == null) throw new Error(`${response.status}: the list is missing`)
    return list
  }
}

const readers = (platform: Ready, category: string, product: string): Readonly<Record<string, ReadPage>> => ({
  'all products': reader(
    platform,
    PageOfProductsDocument,
    (page) => page,
    ({ products }) => products,
  ),
  'products of a category': reader(
    platform,
    PageOfCategoryDocument,
    (page) => ({ id: category, ...page }),
    (data) => data.category?.products,
  ),
  'orders of a product': reader(
    platform,
    PageOfOrdersDocument,
    (page) => ({ productId: product, ...page }),
    (data) => data.product?.orders,
  ),
})

/** The cursor before the deep page, found by reading pages of 100. */
async function deepCursor(readPage: ReadPage): Promise<string | null> {
  let cursor: string | null = null
  for (let read = 0; read < (options.depth - 1) * pageSize; read += 100) {
    const { pageInfo } = await readPage(cursor, Math.min(100, (options.depth - 1) * pageSize - read))
    cursor = pageInfo.endCursor
  }
  return cursor
}

async function medianTime(readPage: ReadPage, after: string | null): Promise<number> {
  const times: number[] = []
  for (let request = 0; request < options.requests; request++) {
    const start = performance.now()
    await readPage(after)
    times.push(performance.now() - start)
  }
  return median(times)
}

const platformProcess = await PlatformProcess.create()
try {
  const platform = await platformProcess.start({ ANSWER_CACHE: 'off' })
  const sql = postgres(platform.databaseUrl, { max: 1, onnotice: () => undefined })
  const { category, product } = await fillLongLists(sql, platform.merchantId, options.products)
  await sql.end()
  for (const [name, readPage] of Object.entries(readers(platform, category, product))) {
    const cursor = await deepCursor(readPage)
    const first = await medianTime(readPage, null)
    const deep = await medianTime(readPage, cursor)
    console.log(`${name}: page 1 ${first.toFixed(1)} ms, page ${options.depth} ${deep.toFixed(1)} ms`)
  }
} finally {
  await platformProcess.remove()
}
