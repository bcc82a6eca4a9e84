/**
 * Requests per second of "20 newest active products with images, categories and stock" through /graphql, compared with
 * the same SQL as one prepared statement behind a bare node:http server, on the same machine in the same run. The
 * result is the ratio: absolute numbers depend on the machine.
 *
 *   npm run bench -- [--rounds 5] [--seconds 6] [--connections 16] [--products 5000]
 */
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

const options = readOptions({
  rounds: z.coerce.number().int().min(1).max(100).default(5),
  seconds: z.coerce.number().int().min(1).max(600).default(6),
  connections: z.coerce.number().int().min(1).max(1000).default(16),
  products: z.coerce.number().int().min(20).max(1_000_000).default(5000),
})

const platformProcess = await PlatformProcess.create()
try {
  const platform = await platformProcess.start()
  const sql = postgres(platform.databaseUrl, { max: 1, onnotice: () => undefined })
  await createManyProducts(sql, platform.merchantId, options.products)
  await sql.end()

  const body = JSON.stringify({ query: print(NewestProductsDocument), variables: { first: 20 } })
  const statement = await compiledStatement(platform, body)
  const bare = await startBareServer(platform.databaseUrl, 'products', statement)
  const contenders: readonly Contender[] = [
    { name: 'bare node:http, same SQL', url: bare.url, headers: {}, body: '' },
    {
      name: '/graphql',
      url: platform.graphqlUrl,
      headers: { authorization: `Bearer ${platform.liveKey}`, 'content-type': 'application/json' },
      body,
    },
  ]
  try {
    await comparePasses(contenders, options)
  } finally {
    await bare.stop()
  }
} finally {
  await platformProcess.remove()
}
