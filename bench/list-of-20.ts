import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { PlatformProcess } from '@commerce-graph/platform/testing'
import postgres from '@commerce-graph/postgres-driver'
import { print } from 'graphql'
import { z } from 'zod'
import { comparePasses, type Contender } from './src/compare-passes.ts'
import { compiledStatement } from './src/compiled-statement.ts'
import { NewestProductsDocument } from './src/generated/operations.ts'
import { createManyProducts } from './src/many-products.ts'
import { readOptions } from './src/read-options.ts'
import { startBareServer } from './src/server-process.ts'

const usage = `npm run bench -- [--rounds 5] [--seconds 6] [--connections 16] [--products 5000]

Requests per second of "20 newest active products with images, categories and stock" through /graphql, compared with
two prepared statements behind a bare node:http server, on the same machine in the same run: SQL written by hand for
this list (limits/list), which is the limit and has to answer the same, and the SQL that the engine makes of the
request. The third is /graphql of a platform that keeps no answers (ANSWER_CACHE=off), the fourth of one that does, over the same
database. The result is the ratio: absolute numbers depend on the machine.`

const options = readOptions(usage, {
  rounds: z.coerce.number().int().min(1).max(100).default(5),
  seconds: z.coerce.number().int().min(1).max(600).default(6),
  connections: z.coerce.number().int().min(1).max(1000).default(16),
  products: z.coerce.number().int().min(20).max(1_000_000).default(5000),
})

const handWritten = path.join(import.meta.dirname, 'limits/list/newest-products.sql')

const answerOf = async ({ url, headers, body }: Contender): Promise<unknown> =>
  (await fetch(url, { method: 'POST', headers, body })).json()

/** Throws if the two answer differently: their speeds couldn't be compared. */
async function assertSameAnswer(one: Contender, other: Contender): Promise<void> {
  const [first, second] = await Promise.all([answerOf(one), answerOf(other)])
  if (!isDeepStrictEqual(first, second)) throw new Error(`${one.name} and ${other.name} answer differently`)
}

const [platformProcess, keepingProcess] = [await PlatformProcess.create(), await PlatformProcess.create()]
const env = { ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}` }
try {
  const platform = await platformProcess.start({ ...env, ANSWER_CACHE: 'off' })
  const { databaseUrl } = platform
  const keeping = await keepingProcess.start({
    ...env,
    DATABASE_URL: databaseUrl,
    DATABASE_URL_FEED: platform.superuserUrl ?? '',
    ANSWER_CACHE: 'on',
  })
  if (!keepingProcess.output.includes('follow the log of the database'))
    throw new Error(`the platform that should keep answers can't:\n${keepingProcess.output}`)
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  await createManyProducts(sql, platform.merchantId, options.products)
  await sql.end()

  const body = JSON.stringify({ query: print(NewestProductsDocument), variables: { first: 20 } })
  const statement = await compiledStatement(platform, body)
  const bare = await startBareServer(databaseUrl, 'products', statement)
  const limit = await startBareServer(databaseUrl, 'products', {
    text: await readFile(handWritten, 'utf8'),
    values: [platform.merchantId],
  })
  const contract: Contender = {
    name: '/graphql',
    url: platform.graphqlUrl,
    pid: platform.pid,
    headers: { authorization: `Bearer ${platform.liveKey}`, 'content-type': 'application/json' },
    body,
  }
  const kept: Contender = {
    ...contract,
    name: '/graphql, answers kept',
    url: keeping.graphqlUrl,
    pid: keeping.pid,
  }
  const byHand: Contender = {
    name: 'limit: SQL by hand',
    url: limit.url,
    pid: limit.pid,
    headers: {},
    body: '',
  }
  const compiled: Contender = {
    name: '  the engine’s SQL',
    url: bare.url,
    pid: bare.pid,
    headers: {},
    body: '',
  }
  try {
    await assertSameAnswer(byHand, contract)
    await assertSameAnswer(byHand, kept)
    await comparePasses([byHand, compiled, contract, kept], options)
  } finally {
    await Promise.all([limit.stop(), bare.stop()])
  }
} finally {
  await keepingProcess.remove()
  await platformProcess.remove()
}
