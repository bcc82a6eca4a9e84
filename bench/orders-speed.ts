import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { PlatformProcess, type Ready } from '@commerce-graph/platform/testing'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { print } from 'graphql'
import { z } from 'zod'
import { comparePasses, type Contender } from './src/compare-passes.ts'
import { PlaceOrderDocument } from './src/generated/operations.ts'
import {
  faultsOfOrders,
  fillOrderShop,
  openShops,
  placeFormerOrders,
  type OrderShop,
  shippingAddress,
  someOrder,
  someProducts,
} from './src/order-shop.ts'
import { readOptions } from './src/read-options.ts'
import { poolSize, type ServerProcess, startServerProcess } from './src/server-process.ts'

const usage = `npm run bench:orders -- [--rounds 5] [--seconds 6] [--connections 16] [--shops 16]

Orders per second through /graphql (createOrder with an Idempotency-Key), beside two limits written by hand
(limits/orders): SQL that writes all that an order promises, and SQL that writes nothing but the order, its lines and
their stock. All of them take turns on one platform and its durable Postgres.

At the end it counts the orders, their numbers and the stock. It ends with 1 if a number is missing or a unit is.`

const options = readOptions(usage, {
  rounds: z.coerce.number().int().min(1).max(100).default(5),
  seconds: z.coerce.number().int().min(1).max(600).default(6),
  connections: z.coerce.number().int().min(1).max(1000).default(16),
  shops: z.coerce.number().int().min(2).max(100).default(16),
})

const linesOfOrder = 3
const withoutRates = 'unlimited/10000000/10000000'
const limitsFolder = path.join(import.meta.dirname, 'limits/orders')
const query = print(PlaceOrderDocument)

/** What orders of a case have in common. */
interface OrderCase {
  readonly name: string
  readonly connections: number
  readonly productIds: (shop: OrderShop) => readonly string[]
}

const orderCases: readonly OrderCase[] = [
  { name: 'three lines, one client', connections: 1, productIds: (shop) => someProducts(shop, linesOfOrder) },
  {
    name: `three lines, ${options.connections} clients`,
    connections: options.connections,
    productIds: (shop) => someProducts(shop, linesOfOrder),
  },
  {
    name: `one line, all of the same SKU, ${options.connections} clients`,
    connections: options.connections,
    productIds: ({ productIds: [first] }) => (first === undefined ? [] : [first]),
  },
]

const limits = [
  { name: 'limit: all that is promised', path: 'promised-disk-after' },
  { name: '  the disk under its locks', path: 'promised' },
  { name: '  order, lines, stock', path: 'bare' },
] as const

const limitOf = (
  { name, path: pathOfLimit }: (typeof limits)[number],
  { url, pid }: ServerProcess,
  shops: readonly OrderShop[],
  { productIds }: OrderCase,
): Contender => ({
  name,
  url: `${url}/${pathOfLimit}`,
  pid,
  headers: {},
  body: '',
  vary: () => ({ body: JSON.stringify(someOrder(shops, productIds)) }),
})

const contractOf = (
  { graphqlUrl, pid }: Ready,
  shops: readonly OrderShop[],
  { productIds }: OrderCase,
): Contender => ({
  name: shops.length === 1 ? '/graphql' : `/graphql, ${shops.length} merchants`,
  url: graphqlUrl,
  pid,
  headers: {},
  body: '',
  vary() {
    const order = someOrder(shops, productIds)
    const items = order.productIds.map((productId, index) => ({
      productId,
      quantity: order.quantities[index],
    }))
    return {
      headers: {
        authorization: `Bearer ${order.liveKey}`,
        'content-type': 'application/json',
        'idempotency-key': order.key,
      },
      body: JSON.stringify({
        query,
        variables: { input: { customerId: order.customerId, items, shippingAddress } },
      }),
    }
  },
})

async function compare(platform: Ready, limit: ServerProcess, shops: readonly OrderShop[]): Promise<void> {
  for (const orderCase of orderCases) {
    console.log(`\n${orderCase.name}`)
    const oneShop = shops.slice(0, 1)
    await comparePasses(
      [
        ...limits.map((each) => limitOf(each, limit, oneShop, orderCase)),
        contractOf(platform, oneShop, orderCase),
        ...(orderCase.connections === 1 ? [] : [contractOf(platform, shops, orderCase)]),
      ],
      { ...options, connections: orderCase.connections },
    )
  }
}

async function createLimits(sql: Sql): Promise<void> {
  for (const file of ['tables', 'place-bare', 'place-promised'])
    await sql.unsafe(await readFile(path.join(limitsFolder, `${file}.sql`), 'utf8'))
}

await using started = new AsyncDisposableStack()
const platformProcess = await PlatformProcess.create()
started.defer(() => platformProcess.remove())
const platform = await platformProcess.start(
  Object.fromEntries(
    ['FREE', 'STARTER', 'PRO', 'ENTERPRISE'].map((plan) => [`LIMIT_RATE_${plan}`, withoutRates]),
  ),
)
const sql = postgres(platform.databaseUrl, { max: 1, onnotice: () => undefined })
started.defer(() => sql.end())
const shops: OrderShop[] = []
for (const shop of [platform, ...(await openShops(platformProcess, options.shops - 1))])
  shops.push(await fillOrderShop(sql, shop))
await createLimits(sql)
await placeFormerOrders(sql, shops)
const limit = await startServerProcess(path.join(import.meta.dirname, 'src/limit-order-server.ts'), {
  DATABASE_URL: platform.databaseUrl,
  POOL_SIZE: String(poolSize),
})
started.defer(() => limit.stop())
await compare(platform, limit, shops)
const faults = await faultsOfOrders(sql, shops)
for (const fault of faults) console.error(fault)
const [{ orders }] = await sql<[{ orders: number }]>`SELECT count(*)::integer AS orders FROM ordering.order`
console.log(
  `\n${orders} orders were placed: ${faults.length === 0 ? 'each number and unit is there' : 'see the faults above'}`,
)
if (faults.length > 0) process.exitCode = 1
