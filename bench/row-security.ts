import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createAuthenticator } from '@commerce-graph/auth-webhook'
import { createEmbeddedDataLayer } from '@commerce-graph/data-layer'
import { loginOf, PlatformProcess, type Ready, sessionSettings } from '@commerce-graph/platform/testing'
import postgres from '@commerce-graph/postgres-driver'
import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import { createRateLimits } from '@commerce-graph/rate-limits'
import { ratesFrom } from '@commerce-graph/rate-limits/rates'
import { print } from 'graphql'
import { pino } from 'pino'
import { z } from 'zod'
import { NewestProductsDocument, PlaceOrderDocument } from './src/generated/operations.ts'
import { startLocalGateway } from './src/local-gateway.ts'
import { createManyProducts } from './src/many-products.ts'
import { fillOrderShop, shippingAddress } from './src/order-shop.ts'
import { startPlatformEngine } from './src/platform-engine.ts'
import { compareProcessorCost, type Costed } from './src/processor-cost.ts'
import { readOptions } from './src/read-options.ts'
import { openRequestThread } from './src/request-thread.ts'

const usage = `npm run bench:row-security -- [--blocks 240] [--products 5000] [--only "an order of three lines"]

What row security costs: the processor time of the same requests to two engines with the rights of \`commerce_engine\`, of which one is
exempt from row security (BYPASSRLS) and names no merchant, in short blocks that take turns, over one database and in one process; then of
orders at two platforms of which one's engine and actions are exempt, and of statements of the actions' driver, the same way.`

const options = readOptions(usage, {
  blocks: z.coerce.number().int().min(20).max(100_000).default(240),
  products: z.coerce.number().int().min(100).max(1_000_000).default(5000),
  only: z.string().optional(),
})

/** Prints what a run costs without row security and with it: in the sessions, in the process that serves, and how much more in all. */
async function compare(name: string, without: Costed, withIt: Costed): Promise<void> {
  if (options.only !== undefined && options.only !== name) return
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
const env = {
  ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
  LIMIT_RATE_PRO: 'unlimited/10000000/10000000',
  // One of two platforms over a database would follow the log for itself alone.
  CHANGE_FEED: 'off',
}
const platform = await platformProcess.start(env)
const key = platform.liveKey
const merchant = platform.merchantId

const logins = z
  .record(z.string(), z.string())
  .parse(JSON.parse(readFileSync(path.join(platformProcess.dataDir, 'postgres/logins.json'), 'utf8')))
function urlOf(login: string, password: string): string {
  const url = new URL(platform.databaseUrl)
  url.username = login
  url.password = password
  return url.href
}

// Only a superuser may exempt a role, and end the sessions of others.
const server = postgres(platform.superuserUrl ?? '', { max: 1, onnotice: () => undefined })
started.defer(() => server.end())
type Part = 'engine' | 'actions'
const urlOfPart = (part: Part): string => urlOf(loginOf(part), logins[loginOf(part)] ?? '')
/** Of a login that differs from the part's own in nothing but that row security isn't for it. */
async function exemptUrlOf(part: Part): Promise<string> {
  const [login, password] = [`exempt_${part}`, randomBytes(16).toString('hex')]
  await server.unsafe(`CREATE ROLE ${login} LOGIN BYPASSRLS PASSWORD '${password}' IN ROLE commerce_${part}`)
  return urlOf(login, password)
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
async function openEndpoint(name: string, databaseUrl: string, settings?: typeof sessionSettings) {
  const url = new URL(databaseUrl)
  url.searchParams.set('application_name', name)
  const engine = await startPlatformEngine(url.href, logger, settings && { sessionSettings: settings })
  started.defer(() => engine.stop())
  const dataLayer = createEmbeddedDataLayer(engine)
  return { name, url: await startLocalGateway(started, { dataLayer, authenticator, rateLimits, logger }) }
}
type Endpoint = Awaited<ReturnType<typeof openEndpoint>>

type OfSessions = Pick<Costed, 'sessions' | 'endSessions'>
/** The sessions that have connected under a name. */
const sessionsNamed = (name: string): OfSessions => sessionsOf(server`application_name = ${name}`)
/** The sessions of logins. */
const sessionsOfLogins = (...names: readonly string[]): OfSessions =>
  sessionsOf(server`usename = ANY (${names})`)
const sessionsOf = (condition: postgres.PendingQuery<postgres.Row[]>): OfSessions => ({
  async sessions() {
    const found = await server<
      { pid: number }[]
    >`SELECT pid FROM pg_stat_activity WHERE ${condition} ORDER BY pid`
    return found.map(({ pid }) => pid)
  },
  endSessions: () => server`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE ${condition}`,
})

const client = started.use(openRequestThread())
const [exemptEngine, exemptActions] = [await exemptUrlOf('engine'), await exemptUrlOf('actions')]
const exempt = await openEndpoint('exempt', exemptEngine)
const secured = await openEndpoint('secured', urlOfPart('engine'), sessionSettings)

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
  'processor time of a request, without row security -> with it: sessions, serving process, and how much more in all',
)
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
for (const [name, [query, variables]] of Object.entries(requests)) {
  const body = JSON.stringify({ query, variables })
  const costed = ({ name: endpoint, url }: Endpoint): Costed => ({
    ...sessionsNamed(endpoint),
    run: (times) => client.send({ url, headers, body }, times),
  })
  await compare(name, costed(exempt), costed(secured))
}

// Both name the merchant of a statement, so what is compared is the tables' part. An order's few settings are some 50 µs.
async function startBeside(engineUrl: string, actionsUrl: string): Promise<Ready> {
  const beside = await PlatformProcess.create()
  started.defer(() => beside.remove())
  const { databaseUrl } = platform
  const parts = { DATABASE_URL_ENGINE: engineUrl, DATABASE_URL_ACTIONS: actionsUrl }
  return beside.start({ ...env, DATABASE_URL: databaseUrl, ...parts })
}
const exemptPlatform = await startBeside(exemptEngine, exemptActions)
const securedPlatform = await startBeside(urlOfPart('engine'), urlOfPart('actions'))
const shop = await fillOrderShop(owner, { merchantId: merchant, liveKey: key })
await owner`ANALYZE`
const order = JSON.stringify({
  query: print(PlaceOrderDocument),
  variables: {
    input: {
      customerId: shop.customerIds[0],
      items: shop.productIds.slice(0, 3).map((productId) => ({ productId, quantity: 1 })),
      shippingAddress,
    },
  },
})
const ordersAt = ({ graphqlUrl: url, pid }: Ready, of: OfSessions): Costed => ({
  ...of,
  server: pid,
  run: (times) => client.send({ url, headers, body: order }, times),
})
await compare(
  'an order of three lines',
  ordersAt(exemptPlatform, sessionsOfLogins('exempt_engine', 'exempt_actions')),
  ordersAt(securedPlatform, sessionsOfLogins(loginOf('engine'), loginOf('actions'))),
)

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
const plain = openDriver('plain', exemptActions)
const scoped = forMerchant(openDriver('scoped', urlOfPart('actions')), merchant)
const repeat = (once: () => PromiseLike<unknown>) => async (times: number) => {
  for (let done = 0; done < times; done += 1) await once()
}
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
    { ...sessionsNamed('plain'), run: repeat(() => statement(plain)) },
    { ...sessionsNamed('scoped'), run: repeat(() => statement(scoped)) },
  )
