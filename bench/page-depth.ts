/**
 * Milliseconds per page of 20, for page 1 and page 1,000 of long lists through /graphql: all products, the products of
 * one category, the orders of one product. A list's cost is independent of depth when both take about the same time.
 *
 *   npm run bench:page-depth -- [--products 200000] [--depth 1000] [--requests 30]
 */
import { PlatformProcess } from '@commerce-graph/platform/testing'
import postgres from '@commerce-graph/postgres-driver'
import { z } from 'zod'
import { fillLongLists } from './src/long-lists.ts'
import { median } from './src/median.ts'
import { readOptions } from './src/read-options.ts'

const pageSize = 20

const options = readOptions({
  products: z.coerce.number().int().min(200_000).max(1_000_000).default(200_000),
  depth: z.coerce.number().int().min(2).max(1000).default(1000),
  requests: z.coerce.number().int().min(1).max(10_000).default(30),
})

const connection = z.object({
  edges: z.array(z.unknown()),
  pageInfo: z.object({ endCursor: z.string().nullable() }),
})
const answer = z.object({
  data: z.union([z.object({ list: connection }), z.object({ owner: z.object({ list: connection }) })]),
})

const page = `list: products(first: $first, after: $after) {
  edges { node { id name price } } pageInfo { hasNextPage endCursor }
}`

function documents(category: string, product: string): Readonly<Record<string, string>> {
  const query = (field: string) => `query ($first: Int!, $after: String) { ${field} }`
  return {
    'all products': query(page),
    'products of a category': query(`owner: category(id: "${category}") { ${page} }`),
    'orders of a product': query(`owner: product(id: "${product}") {
      list: orders(first: $first, after: $after) {
        edges { node { id orderNumber total } } pageInfo { hasNextPage endCursor }
      }
    }`),
  }
}

type ReadPage = (after: string | null, first?: number) => Promise<z.infer<typeof connection>>

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
  const platform = await platformProcess.start()
  const sql = postgres(platform.databaseUrl, { max: 1 })
  const { category, product } = await fillLongLists(sql, platform.merchantId, options.products)
  await sql.end()
  for (const [name, query] of Object.entries(documents(category, product))) {
    const readPage: ReadPage = async (after, first = pageSize) => {
      const response = await fetch(platform.graphqlUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${platform.liveKey}` },
        body: JSON.stringify({ query, variables: { first, after } }),
      })
      const { data } = answer.parse(await response.json())
      return 'list' in data ? data.list : data.owner.list
    }
    const cursor = await deepCursor(readPage)
    const first = await medianTime(readPage, null)
    const deep = await medianTime(readPage, cursor)
    console.log(`${name}: page 1 ${first.toFixed(1)} ms, page ${options.depth} ${deep.toFixed(1)} ms`)
  }
} finally {
  await platformProcess.remove()
}
