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
import { NewestProductsDocument } from './src/generated/operations.ts'
import { createManyProducts } from './src/many-products.ts'
import { startPlatformEngine } from './src/platform-engine.ts'
import { compareProcessorCost, type Costed } from './src/processor-cost.ts'
import { readOptions } from './src/read-options.ts'

const usage = `npm run bench:row-security -- [--blocks 200] [--products 20000]

What row security costs: the processor time of the same requests to an engine that connects as the owner, who is exempt, and to one
that connects as \`commerce_engine\`, in short blocks that take turns, over one database and in one process; then of statements of the
actions' driver, the same way.`

const options = readOptions(usage, {
  blocks: z.coerce.number().int().min(20).max(100_000).default(200),
  products: z.coerce.number().int().min(100).max(1_000_000).default(20_000),
})

/** Prints what a run costs without row security and with it: in the sessions, in this process, and how much more in all. */
async function compare(name: string, without: Costed, withIt: Costed): Promise<void> {
  const [off, on] = await compareProcessorCost(without, withIt, options.blocks)
  const both = (before: number, after: number): string =>
    `${before.toFixed(0).padStart(7)} -> ${after.toFixed(0).padStart(6)} µs`
  const ratio = (on.own + on.sessions) / (off.own + off.sessions)
  const more = `${ratio >= 1 ? '+' : ''}${((ratio - 1) * 100).toFixed(1)} %`
  console.log(
    `  ${name.padEnd(42)} ${both(off.sessions, on.sessions)} ${both(off.own, on.own)} ${more.padStart(9)}`,
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

// The owner can't end sessions of other roles.
const server = postgres(platform.superuserUrl ?? '', { max: 1, onnotice: () => undefined })
started.defer(() => server.end())
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
async function openEndpoint(name: string, databaseUrl: string, settings?: typeof sessionSettings) {
  const url = new URL(databaseUrl)
  url.searchParams.set('application_name', name)
  const engine = await startPlatformEngine(url.href, logger, settings && { sessionSettings: settings })
  started.defer(() => engine.stop())
  const dataLayer = createEmbeddedDataLayer(engine)
  const parts = endpointParts({ dataLayer, authenticator, rateLimits, limits: limitsFrom({}), logger })
  return { name, parts }
}
type Endpoint = Awaited<ReturnType<typeof openEndpoint>>

/** The sessions that have connected under a name. */
const sessionsNamed = (name: string): Pick<Costed, 'sessions' | 'endSessions'> => ({
  async sessions() {
    const found = await server<
      { pid: number }[]
    >`SELECT pid FROM pg_stat_activity WHERE application_name = ${name}`
    return found.map(({ pid }) => pid)
  },
  endSessions: () =>
    server`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = ${name}`,
})

const exempt = await openEndpoint('exempt', platform.databaseUrl)
const secured = await openEndpoint('secured', urlOf('engine'), sessionSettings)

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
  'processor time of a request, without row security -> with it: sessions, this process, and how much more in all',
)
for (const [name, [query, variables]] of Object.entries(requests)) {
  const body = Buffer.from(JSON.stringify({ query, variables }))
  const costed = (endpoint: Endpoint): Costed => ({
    ...sessionsNamed(endpoint.name),
    async run() {
      const answer = await answerRequest(endpoint.parts, { key, body })
      if (answer?.status !== 200 || String(answer.body).includes('"errors":[{'))
        throw new Error(`${name}: ${String(answer?.body)}`)
    },
  })
  await compare(name, costed(exempt), costed(secured))
}

type Sql = typeof owner
function openDriver(name: string, databaseUrl: string): Sql {
  const sql = postgres(databaseUrl, {
    max: 1,
    onnotice: () => undefined,
    connection: { application_name: name },
  })
  started.defer(() => sql.end())
  return sql
}
const plain = openDriver('plain', platform.databaseUrl)
const scoped = forMerchant(openDriver('scoped', urlOf('actions')), merchant)
const byEmail = (sql: Sql) =>
  sql`SELECT id FROM crm.customer WHERE merchant_id = ${merchant} AND email = ${'customer777@example.com'}::citext`
const adjust = (sql: Sql) =>
  sql.begin(
    (transaction) => transaction`
      UPDATE crm.customer SET notes = 'seen' WHERE merchant_id = ${merchant} AND email = 'customer778@example.com'::citext`,
  )
console.log('statements of the actions:')
for (const [name, statement] of [
  ['a customer by the e-mail address', byEmail],
  ['a change in a transaction', adjust],
] as const)
  await compare(
    name,
    { ...sessionsNamed('plain'), run: () => statement(plain) },
    { ...sessionsNamed('scoped'), run: () => statement(scoped) },
  )
