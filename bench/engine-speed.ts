import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startLocalPostgres } from '@commerce-graph/local-postgres'
import { createSession, startEngine } from 'hasura-embedded'
import pg from 'pg'
import { pino } from 'pino'
import { z } from 'zod'
import { applyMetadata } from './src/apply-metadata.ts'
import { comparePasses, type Contender } from './src/compare-passes.ts'
import { createEngineShop, merchant, shopTables } from './src/engine-shop.ts'
import { readOptions } from './src/read-options.ts'
import { poolSize, startBareServer, startServerProcess } from './src/server-process.ts'
import { type ShopOperation, shopOperations } from './src/shop-operations.ts'

const usage = `npm run bench:engine -- [--rounds 7] [--seconds 4] [--connections 16] [--products 200000] [--only "row by key"]

Compares the engine's /v1/graphql with the limit (the same SQL as one prepared statement behind a bare node:http
server) and with PostGraphile 5, over the same 200,000 products in the same Postgres: a list of 20 products with
images, categories and stock, one row by key, one insert. The passes are interleaved; the result is the ratio to the
limit.`

const options = readOptions(usage, {
  rounds: z.coerce.number().int().min(1).max(100).default(7),
  seconds: z.coerce.number().int().min(1).max(600).default(4),
  connections: z.coerce.number().int().min(1).max(1000).default(16),
  products: z.coerce.number().int().min(1000).max(10_000_000).default(200_000),
  only: z.string().optional(),
})

const adminSecret = 'bench-secret'
const enginePath = path.resolve(import.meta.dirname, '../hasura/engine/bin/hasura-embedded.ts')

await using started = new AsyncDisposableStack()
const folder = await mkdtemp(path.join(tmpdir(), 'engine-speed-'))
started.defer(() => rm(folder, { recursive: true, force: true }))
const postgres = await startLocalPostgres({ dataDir: folder, databases: ['shop'] })
started.defer(() => postgres.stop())

const pool = new pg.Pool({ connectionString: postgres.url, max: 1 })
await createEngineShop(pool, options.products)
const middle = await pool.query<{ id: number }>(
  'select id::integer from product where merchant_id = $1 and id >= $2 order by id limit 1',
  [merchant, options.products / 2],
)
await pool.end()

const engine = await startServerProcess(
  enginePath,
  {
    HASURA_GRAPHQL_ADMIN_SECRET: adminSecret,
    HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: 'true',
    HASURA_GRAPHQL_PG_CONNECTIONS: String(poolSize),
  },
  ['--database-url', postgres.url, '--port', '0'],
)
started.defer(() => engine.stop())
await applyMetadata(engine.url, adminSecret, shopTables)
const postgraphile = await startServerProcess(path.join(import.meta.dirname, 'src/serve-postgraphile.ts'), {
  DATABASE_URL: postgres.url,
  POOL_SIZE: String(poolSize),
  NODE_ENV: 'production',
  GRAPHILE_ENV: 'production',
})
started.defer(() => postgraphile.stop())

for (const operation of shopOperations(middle.rows[0]?.id ?? 0)) {
  if (options.only !== undefined && options.only !== operation.name) continue
  console.log(`\n${operation.name}`)
  const bare = await startBareServer(postgres.url, operation.field, await statementOf(operation))
  try {
    await comparePasses(contendersOf(operation, bare), options)
  } finally {
    await bare.stop()
  }
}

function contendersOf(operation: ShopOperation, bare: { url: string; pid: number }): readonly Contender[] {
  const json = { 'content-type': 'application/json' }
  return [
    { name: 'limit', url: bare.url, pid: bare.pid, headers: json, body: JSON.stringify(operation.engine) },
    {
      name: 'engine',
      url: engine.url,
      pid: engine.pid,
      headers: {
        ...json,
        'x-hasura-admin-secret': adminSecret,
        'x-hasura-role': 'merchant',
        'x-hasura-merchant-id': merchant,
      },
      body: JSON.stringify(operation.engine),
    },
    {
      name: 'PostGraphile 5',
      url: postgraphile.url,
      pid: postgraphile.pid,
      headers: json,
      body: JSON.stringify(operation.postgraphile),
    },
  ]
}

/** The statement into which the engine compiles an operation, from an engine in this process over the same database. */
async function statementOf({ name, engine: request }: ShopOperation) {
  const explainer = await startEngine({
    databaseUrl: postgres.url,
    stringifyNumericTypes: true,
    logger: pino({ level: 'silent' }),
    events: { delivery: 'when-asked' },
  })
  try {
    const session = createSession('merchant', { 'x-hasura-merchant-id': merchant })
    const [statement, ...others] = explainer.explain(request, session)
    if (statement === undefined || others.length > 0) throw new Error(`${name} is not one statement`)
    return statement
  } finally {
    await explainer.stop()
  }
}
