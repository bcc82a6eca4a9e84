import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startLocalPostgres } from '@commerce-graph/local-postgres'
import { PlatformProcess, type Ready } from '@commerce-graph/platform/testing'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { print } from 'graphql'
import { z } from 'zod'
import { FacetsOfSearchDocument, PageOfSearchDocument } from './src/generated/operations.ts'
import { median } from './src/median.ts'
import { readOptions } from './src/read-options.ts'
import { searchCases, targetOf, type SearchCase } from './src/search-cases.ts'
import { fillSearchShop } from './src/search-shop.ts'

const usage = `npm run bench:search -- [--products 200000] [--rounds 15] [--keep <folder>]

Milliseconds of searches through /graphql, as a storefront asks, in a shop of 200,000 products with 600,000 variants.
Beside each figure is its limit: SQL for that case alone, written by hand and prepared, over the same tables.

\`--keep\` leaves the shop in the folder for the next run; it takes some ten minutes to fill.`

const options = readOptions(usage, {
  products: z.coerce.number().int().min(1000).max(1_000_000).default(200_000),
  rounds: z.coerce.number().int().min(1).max(1000).default(15),
  keep: z.string().min(1).optional(),
})

const limitsFolder = path.join(import.meta.dirname, 'limits/search')

interface Contender {
  readonly ask: () => Promise<unknown>
  readonly times: number[]
}

async function ask(
  { graphqlUrl, publishableKey }: Ready,
  query: string,
  variables: object,
): Promise<unknown> {
  const response = await fetch(graphqlUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${publishableKey}` },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = (await response.json()) as { readonly data?: unknown; readonly errors?: unknown }
  if (data == null || errors !== undefined) throw new Error(`${response.status}: ${JSON.stringify(errors)}`)
  return data
}

async function cursorAfterFirstPage(platform: Ready, variables: object): Promise<string> {
  const { search } = z
    .object({ search: z.object({ pageInfo: z.object({ endCursor: z.string() }) }) })
    .parse(await ask(platform, print(PageOfSearchDocument), variables))
  return search.pageInfo.endCursor
}

async function searchOf(platform: Ready, searchCase: SearchCase): Promise<Contender> {
  switch (searchCase.kind) {
    case 'page':
      return { ask: () => ask(platform, print(PageOfSearchDocument), searchCase.variables), times: [] }
    case 'nextPage': {
      const after = await cursorAfterFirstPage(platform, searchCase.variables)
      return {
        ask: () => ask(platform, print(PageOfSearchDocument), { ...searchCase.variables, after }),
        times: [],
      }
    }
    case 'facets':
      return { ask: () => ask(platform, print(FacetsOfSearchDocument), searchCase.variables), times: [] }
    default:
      return searchCase satisfies never
  }
}

async function limitOf(sql: Sql, name: string, parameters: readonly string[]): Promise<Contender> {
  const statement = await readFile(path.join(limitsFolder, `${name}.sql`), 'utf8')
  const used = parameters.slice(
    0,
    Math.max(...[...statement.matchAll(/\$(\d)/g)].map(([, place]) => Number(place))),
  )
  return { ask: () => sql.unsafe(statement, [...used], { prepare: true }), times: [] }
}

async function time({ ask: run, times }: Contender): Promise<void> {
  const start = performance.now()
  await run()
  times.push(performance.now() - start)
}

async function compare(platform: Ready, sql: Sql, categoryId: string): Promise<void> {
  for (const searchCase of searchCases(categoryId)) {
    const search = await searchOf(platform, searchCase)
    const limit = await limitOf(sql, searchCase.limit, [platform.merchantId, categoryId])
    // The first of each plans its documents and statements, and reads its pages.
    for (const contender of [search, limit]) await contender.ask()
    for (let round = 0; round < options.rounds; round += 1)
      for (const contender of [search, limit]) await time(contender)
    const [taken, least] = [median(search.times), median(limit.times)]
    console.log(
      `${searchCase.name.padEnd(36)} ${taken.toFixed(1).padStart(7)} ms   of ${targetOf(searchCase)}   limit ${least.toFixed(1).padStart(6)} ms   ${(taken / least).toFixed(1)} times`,
    )
  }
}

/** Has the shop's facets counted, as the platform's jobs do within some ten minutes: first all documents, then those of common words. */
async function tally(sql: Sql): Promise<void> {
  await sql`SELECT search.tally_large_merchants(10000)`
  await countDocuments(sql)
  await sql`SELECT search.tally_common_words(10000, 50)`
  await countDocuments(sql)
}

async function countDocuments(sql: Sql): Promise<void> {
  let open = 1
  while (open > 0) {
    await sql`SELECT search.follow_tallies(2000)`
    const [left] = await sql<[{ open: number }]>`
      SELECT count(*)::integer AS open FROM search.tallied_scope WHERE NOT counted`
    open = left.open
  }
}

await using started = new AsyncDisposableStack()
const folder = options.keep ?? (await mkdtemp(path.join(tmpdir(), 'bench-search-')))
if (options.keep === undefined) started.defer(() => rm(folder, { recursive: true, force: true }))
const server = await startLocalPostgres({ dataDir: folder, databases: ['shop'] })
started.defer(() => server.stop())
const platformProcess = await PlatformProcess.create()
started.defer(() => platformProcess.remove())
const platform = await platformProcess.start({ DATABASE_URL: server.url, ANSWER_CACHE: 'off' })
const sql = postgres(server.url, { max: 1, onnotice: () => undefined })
started.defer(() => sql.end())
const { categoryId } = await fillSearchShop(sql, platform.merchantId, options.products)
await tally(sql)
await compare(platform, sql, categoryId)
