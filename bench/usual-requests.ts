import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { PlatformProcess, type Ready } from '@commerce-graph/platform/testing'
import postgres from '@commerce-graph/postgres-driver'
import { parse, print, separateOperations } from 'graphql'
import { z } from 'zod'
import { type BusyShop, fillBusyShop } from './src/busy-shop.ts'
import { median } from './src/median.ts'
import { readOptions } from './src/read-options.ts'

const usage = `npm run bench:usual -- [--sizes 10000,200000] [--requests 15] [--keep <folder>]

Milliseconds of the requests that the example storefront and the admin send most, in shops of different sizes: so many
products, as many orders. A page is to cost the same in all of them; what counts or sums has a bound of its own, for the size.

\`--keep\` leaves the shops in the folder for the next run: 200,000 take some ten minutes to fill, 1,000,000 a hundred.`

const options = readOptions(usage, {
  sizes: z
    .string()
    .regex(/^\d+(,\d+)*$/)
    .default('10000,200000')
    .transform((given) => given.split(',').map(Number)),
  requests: z.coerce.number().int().min(1).max(10_000).default(15),
  keep: z.string().min(1).optional(),
})

interface UsualRequest {
  readonly name: string
  /** The application whose document it is, and the operation; or the document. */
  readonly document: readonly [file: string, operation: string] | string
  readonly variables: (shop: BusyShop) => Readonly<Record<string, unknown>>
  /** A storefront's key for visitors; otherwise the shop's own. */
  readonly key?: 'publishable'
  /** Milliseconds at a size; absent for a page, which may cost half as much again as in the smallest shop. */
  readonly most?: Bound
}

type Bound = (size: number) => number

/** What counts or adds up takes so long in any shop, and so much more for each million. */
const counting =
  (milliseconds: number, perMillion: number): Bound =>
  (size) =>
    milliseconds + (size / 1_000_000) * perMillion
const always =
  (milliseconds: number): Bound =>
  () =>
    milliseconds

const storefront = (name: string): string => `examples/storefront/app/${name}`
const admin = (name: string): string => `admin/src/${name}`
const day = (daysAgo: number): string =>
  new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)

const catalog = storefront('catalog/catalog.graphql')
const home = admin('home/home.graphql')
const usualRequests: readonly UsualRequest[] = [
  { name: 'shop: home, in stock', key: 'publishable', document: [catalog, 'Home'], variables: () => ({}) },
  {
    name: 'shop: category, facets',
    key: 'publishable',
    document: [catalog, 'Listing'],
    variables: ({ categoryId }) => ({ filters: { categoryId } }),
    most: always(100),
  },
  {
    name: 'shop: search',
    key: 'publishable',
    document: [catalog, 'Listing'],
    variables: () => ({ query: 'wool jacket' }),
    most: always(100),
  },
  {
    name: 'shop: product',
    key: 'publishable',
    document: [catalog, 'ProductBySlug'],
    variables: ({ productSlug }) => ({ slug: productSlug }),
  },
  {
    name: 'shop: in stock, counted',
    document: '{ products(first: 20, filters: { inStock: true }) { totalCount nodes { id name price } } }',
    variables: () => ({}),
    key: 'publishable',
    most: counting(4, 80),
  },
  {
    name: 'shop: cart',
    document: [storefront('cart/cart.graphql'), 'CartById'],
    variables: ({ cartId }) => ({ id: cartId }),
  },
  {
    name: 'admin: home, 30 days',
    document: [home, 'Home'],
    variables: () => ({ start: day(30), end: day(1), today: day(0), currency: 'USD' }),
    most: counting(100, 700),
  },
  {
    name: 'admin: stock at risk',
    document: [home, 'StockAtRisk'],
    variables: () => ({}),
    most: counting(50, 500),
  },
  {
    name: 'admin: orders to send',
    document: [home, 'OrdersToSend'],
    variables: () => ({}),
    most: always(50),
  },
  {
    name: 'admin: carts bought',
    document: [home, 'CartConversion'],
    variables: () => ({ since: new Date(Date.now() - 7 * 86_400_000).toISOString() }),
    most: always(50),
  },
  {
    name: 'admin: orders, counted',
    document: [admin('orders/orders.graphql'), 'OrderList'],
    variables: () => ({ first: 50, customers: true, payments: true }),
    most: counting(20, 150),
  },
  {
    name: 'admin: order',
    document: [admin('orders/orders.graphql'), 'OrderDetail'],
    variables: ({ orderId }) => ({ id: orderId, customers: true, payments: true }),
  },
  {
    name: 'admin: customers, counted',
    document: [admin('customers/customers.graphql'), 'CustomerList'],
    variables: () => ({ first: 50 }),
    most: counting(20, 150),
  },
  {
    name: 'admin: products, counted',
    document: [admin('products/products.graphql'), 'ProductList'],
    variables: () => ({ first: 50 }),
    most: counting(20, 150),
  },
  {
    name: 'admin: year by product',
    document: [admin('reports/reports.graphql'), 'ReportOf'],
    variables: () => ({
      metrics: ['GROSS_SALES'],
      startDate: day(360),
      endDate: day(0),
      groupBy: 'PRODUCT',
      currency: 'USD',
    }),
    most: counting(100, 2_000),
  },
]

/** The operation with the fragments that it needs. */
async function textOf(of: UsualRequest['document']): Promise<string> {
  if (typeof of === 'string') return of
  const [file, operation] = of
  const document = parse(await readFile(path.join(import.meta.dirname, '..', file), 'utf8'))
  const found = separateOperations(document)[operation]
  if (found === undefined) throw new Error(`${file} has no operation ${operation}`)
  return print(found)
}

async function timesIn(
  shop: BusyShop,
  { graphqlUrl, liveKey, publishableKey }: Ready,
): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>()
  for (const { name, document, variables, key } of usualRequests) {
    const body = JSON.stringify({ query: await textOf(document), variables: variables(shop) })
    const taken: number[] = []
    for (let request = -5; request < options.requests; request += 1) {
      const began = performance.now()
      const response = await fetch(graphqlUrl, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${key === 'publishable' ? publishableKey : liveKey}`,
        },
        body,
      })
      const answer = await response.text()
      if (!response.ok || answer.includes('"errors":[{')) throw new Error(`${name}: ${answer.slice(0, 500)}`)
      if (request >= 0) taken.push(performance.now() - began)
    }
    times.set(name, median(taken))
  }
  return times
}

const measured: (readonly [size: number, times: ReadonlyMap<string, number>])[] = []
for (const size of options.sizes) {
  const platformProcess =
    options.keep === undefined
      ? await PlatformProcess.create()
      : await PlatformProcess.createIn(path.resolve(options.keep, String(size)))
  try {
    const platform = await platformProcess.start({ ANSWER_CACHE: 'off' })
    const sql = postgres(platform.databaseUrl, { max: 1, onnotice: () => undefined })
    const shop = await fillBusyShop(sql, platform.merchantId, size)
    await sql.end()
    measured.push([size, await timesIn(shop, platform)])
  } finally {
    await platformProcess.remove()
  }
}

const cell = (text: string): string => text.padStart(12)
console.log(
  ''.padEnd(30) + measured.map(([size]) => cell(size.toLocaleString('en')) + cell('limit')).join(''),
)
for (const { name, most } of usualRequests) {
  const page = 1.5 * (measured[0]?.[1].get(name) ?? 0)
  const times = measured.map(([size, of]) => ({ time: of.get(name) ?? 0, limit: most?.(size) ?? page }))
  const missed = times.some(({ time, limit }) => time > limit) ? '  missed' : ''
  const cells = times.map(({ time, limit }) => cell(time.toFixed(1)) + cell(limit.toFixed(0)))
  console.log(name.padEnd(30) + cells.join('') + missed)
}
