import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createAuthenticator } from '@commerce-graph/auth-webhook'
import { createEmbeddedDataLayer } from '@commerce-graph/data-layer'
import { limitsFrom } from '@commerce-graph/gateway/settings'
import { answerRequest, endpointParts } from '@commerce-graph/gateway/testing'
import { loginOf, PlatformProcess, sessionSettings } from '@commerce-graph/platform/testing'
import postgres from '@commerce-graph/postgres-driver'
import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import { createRateLimits } from '@commerce-graph/rate-limits'
import { ratesFrom } from '@commerce-graph/rate-limits/rates'
import { print } from 'graphql'
import { pino } from 'pino'
import { z } from 'zod'
import { comparePasses, type Contender } from './src/compare-passes.ts'
import { NewestProductsDocument } from './src/generated/operations.ts'
import { createManyProducts } from './src/many-products.ts'
import { median } from './src/median.ts'
import { startPlatformEngine } from './src/platform-engine.ts'
import { readOptions } from './src/read-options.ts'
import { type ServerProcess, startServerProcess } from './src/server-process.ts'

const usage = `npm run bench:row-security -- [--requests 400] [--products 20000] [--rounds 5] [--seconds 3] [--connections 16]

What row security costs: the same requests to an engine that connects as the owner, who is exempt, and to one that connects as
\`commerce_engine\`, alternating in one process over one database; then statements of the actions' driver, the same way; then requests
per second over HTTP, of a process with each.`

const options = readOptions(usage, {
  requests: z.coerce.number().int().min(20).max(100_000).default(400),
  products: z.coerce.number().int().min(100).max(1_000_000).default(20_000),
  rounds: z.coerce.number().int().min(1).max(100).default(5),
  seconds: z.coerce.number().int().min(1).max(600).default(3),
  connections: z.coerce.number().int().min(1).max(1000).default(16),
})

/** Runs both in each round, in either order, so that other load on the machine affects both. Prints the medians. */
async function compare(
  name: string,
  without: () => Promise<unknown>,
  withIt: () => Promise<unknown>,
): Promise<void> {
  const times = { without: [] as number[], withIt: [] as number[] }
  const timed = async (run: () => Promise<unknown>, into: number[] | undefined): Promise<void> => {
    const began = performance.now()
    await run()
    into?.push(performance.now() - began)
  }
  for (let round = -Math.ceil(options.requests / 5); round < options.requests; round += 1) {
    const [first, second] =
      round % 2 === 0 ? (['without', 'withIt'] as const) : (['withIt', 'without'] as const)
    for (const which of [first, second])
      await timed(which === 'without' ? without : withIt, round < 0 ? undefined : times[which])
  }
  const [off, on] = [median(times.without), median(times.withIt)]
  const more = `${on >= off ? '+' : ''}${((on / off - 1) * 100).toFixed(1)} %`
  console.log(
    `  ${name.padEnd(44)} ${off.toFixed(3).padStart(9)} ms ${on.toFixed(3).padStart(9)} ms ${more.padStart(9)}`,
  )
}

const logger = pino({ level: 'silent' })
await using started = new AsyncDisposableStack()
const platformProcess = await PlatformProcess.create()
started.defer(() => platformProcess.remove())
const platform = await platformProcess.start()
const key = platform.liveKey
const merchant = platform.merchantId

const logins = z
  .record(z.string(), z.string())
  .parse(JSON.parse(readFileSync(path.join(platformProcess.dataDir, 'postgres/logins.json'), 'utf8')))
function urlOf(part: 'engine' | 'actions'): string {
  const url = new URL(platform.databaseUrl)
  url.username = loginOf(part)
  url.password = logins[loginOf(part)] ?? ''
  return url.href
}

const owner = postgres(platform.databaseUrl, { max: 1, onnotice: () => undefined })
started.defer(() => owner.end())
await createManyProducts(owner, merchant, options.products)
await owner`
  INSERT INTO crm.customer (merchant_id, email, name)
  SELECT ${merchant}, 'customer' || n || '@example.com', 'Customer ' || n FROM generate_series(1, ${options.products}::integer) n`
await owner`ANALYZE`

const authenticator = createAuthenticator({ databaseUrl: platform.databaseUrl, mode: 'live', logger })
started.defer(() => authenticator.close())
while (!authenticator.healthy) await new Promise((resolve) => setTimeout(resolve, 50))
const rateLimits = await createRateLimits({
  settings: ratesFrom({ LIMIT_RATE_ENTERPRISE: '1000000000/1000000000/1000000000' }),
  logger,
})
async function openEndpoint(databaseUrl: string, settings?: typeof sessionSettings) {
  const engine = await startPlatformEngine(databaseUrl, logger, settings && { sessionSettings: settings })
  started.defer(() => engine.stop())
  const dataLayer = createEmbeddedDataLayer(engine)
  return endpointParts({ dataLayer, authenticator, rateLimits, limits: limitsFrom({}), logger })
}
const exempt = await openEndpoint(platform.databaseUrl)
const secured = await openEndpoint(urlOf('engine'), sessionSettings)

const requests: Readonly<Record<string, readonly [query: string, variables: object]>> = {
  '20 newest products, with 3 relationships': [print(NewestProductsDocument), { first: 20 }],
  'a product by its id': [
    'query ($id: ID!) { product(id: $id) { id name price } }',
    {
      id: (
        await owner<{ id: string }[]>`SELECT id FROM catalog.product WHERE merchant_id = ${merchant} LIMIT 1`
      )[0]?.id,
    },
  ],
  'products whose text has a word': [
    '{ products(first: 20, filters: { searchQuery: "product 1777" }) { totalCount edges { node { id name } } } }',
    {},
  ],
  'customers whose name has a word': [
    '{ customers(first: 20, filters: { searchQuery: "customer1777" }) { totalCount edges { node { id name } } } }',
    {},
  ],
  search: ['{ search(query: "bench product 1777", first: 20) { totalCount } }', {}],
  'facets of search': ['{ search(query: "bench product", first: 1) { facets { name value count } } }', {}],
  'orders with their lines': [
    '{ orders(first: 20) { totalCount edges { node { id status items { quantity } } } } }',
    {},
  ],
}

console.log(
  `medians of ${options.requests} requests: without row security, with it, and how much more that is`,
)
for (const [name, [query, variables]] of Object.entries(requests)) {
  const body = Buffer.from(JSON.stringify({ query, variables }))
  const ask = (parts: typeof exempt) => async (): Promise<void> => {
    const answer = await answerRequest(parts, { key, body })
    if (answer?.status !== 200 || String(answer.body).includes('"errors":[{'))
      throw new Error(`${name}: ${String(answer?.body)}`)
  }
  await compare(name, ask(exempt), ask(secured))
}

const actions = postgres(urlOf('actions'), { max: 1, onnotice: () => undefined })
started.defer(() => actions.end())
const one = forMerchant(actions, merchant)
console.log('statements of the actions:')
const byEmail = (sql: typeof owner) => () =>
  sql`SELECT id FROM crm.customer WHERE merchant_id = ${merchant} AND email = ${'customer777@example.com'}::citext`
await compare('a customer by the e-mail address', byEmail(owner), byEmail(one))
const adjust = (sql: typeof owner) => () =>
  sql.begin(
    (transaction) => transaction`
      UPDATE crm.customer SET notes = 'seen' WHERE merchant_id = ${merchant} AND email = 'customer778@example.com'::citext`,
  )
await compare('a change in a transaction', adjust(owner), adjust(one))

async function serve(env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const server = await startServerProcess(path.join(import.meta.dirname, 'src/serve-contract.ts'), {
    AUTH_URL: platform.databaseUrl,
    ...env,
  })
  started.defer(() => server.stop())
  return server
}
const exemptServer = await serve({ DATABASE_URL: platform.databaseUrl })
const securedServer = await serve({ DATABASE_URL: urlOf('engine'), ROW_SECURITY: 'on' })
for (const [name, [query, variables]] of Object.entries(requests)) {
  console.log(`\n${name}`)
  const contender = (called: string, { url, pid }: ServerProcess): Contender => ({
    name: called,
    url,
    pid,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  await comparePasses(
    [contender('/graphql, exempt', exemptServer), contender('/graphql, row security', securedServer)],
    options,
  )
}
