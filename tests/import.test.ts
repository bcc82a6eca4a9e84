import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { runImport, silentProgress, type ImportOptions, type ImportSummary } from '@commerce-graph/importer'
import type { MerchantId } from '@commerce-graph/contract/ids'
import postgres from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openEmptyShop } from './support/empty-shop.ts'
import { bearer, createClient, type Client } from './support/graphql-client.ts'
import { longTest, longTests } from './support/long-tests.ts'
import { readAllPages } from './support/pages.ts'
import { succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'
import { startUnreliableProxy } from './support/unreliable-proxy.ts'

const root = path.resolve(import.meta.dirname, '..')

let platform: TestPlatform
let folder: string
let client: Client
let target: { url: string; key: string }
let merchantId: MerchantId

beforeAll(async () => {
  platform = await startTestPlatform()
}, 120_000)

afterAll(async () => {
  await platform.stop()
})

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'import-'))
  const { key, merchantId: opened } = await openEmptyShop(platform.databaseUrl)
  merchantId = opened
  target = { url: platform.graphqlUrl, key }
  client = createClient(target.url, bearer(key))
  return () => rm(folder, { recursive: true })
})

async function file(name: string, content: string): Promise<string> {
  const full = path.join(folder, name)
  await writeFile(full, content)
  return full
}

const jsonLines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

const importFiles = (
  files: readonly string[],
  options: Partial<ImportOptions> = {},
): Promise<ImportSummary> =>
  runImport({
    files,
    target,
    onExisting: 'skip',
    statePath: path.join(folder, 'state.jsonl'),
    reportPath: path.join(folder, 'refused.jsonl'),
    concurrency: 4,
    progress: silentProgress,
    stopping: new AbortController().signal,
    ...options,
  })

async function report(): Promise<unknown[]> {
  const content = await readFile(path.join(folder, 'refused.jsonl'), 'utf8')
  return content
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
}

async function count(): Promise<{ products: number; customers: number; categories: number }> {
  const data = succeeded(
    await client<Record<'products' | 'customers' | 'categories', { totalCount: number }>>(
      '{ products { totalCount } customers { totalCount } categories { totalCount } }',
    ),
  )
  return {
    products: data.products.totalCount,
    customers: data.customers.totalCount,
    categories: data.categories.totalCount,
  }
}

const jacket = {
  type: 'product',
  sku: 'JACKET',
  name: 'Rain jacket',
  description: 'Keeps "rain" out; also wind.',
  price: 3_000_000_000,
  currency: 'USD',
  compareAtPrice: 3_500_000_000,
  status: 'ACTIVE',
  featured: true,
  tags: ['rain', 'blue'],
  categories: ['Clothing > Jackets', 'Sale'],
  images: ['https://images.example/1.jpg', { url: 'https://images.example/2.jpg', alt: 'In use' }],
  variants: [
    { sku: 'JACKET-M', options: { Size: 'M' }, stock: 4 },
    { sku: 'JACKET-L', options: { Size: 'L' }, price: 3_100_000_000, stock: { BEND: 2, AVL: 3 } },
  ],
  reviews: [
    { authorName: 'Ann', rating: 5, body: 'Dry.', status: 'APPROVED' },
    { authorName: 'Ann', rating: 5, body: 'Dry.', status: 'APPROVED' },
    { authorName: 'Bo', rating: 3 },
  ],
}

const ann = {
  type: 'customer',
  email: 'Ann@example.com',
  name: 'Ann Example',
  phone: '(503) 555-0100',
  tags: ['vip'],
  addresses: [
    { line1: '1 First St', city: 'Bend', state: 'OR', postalCode: '97701', country: 'United States' },
    {
      line1: '2 Second St',
      city: 'Bend',
      state: 'OR',
      postalCode: '97701',
      country: 'United States',
      isDefault: true,
    },
  ],
}

const jacketQuery = `{
  product(sku: "JACKET") {
    name description price compareAtPrice currency status featured tags
    images { url alt order }
    categories { name level parent { name } }
    variants { sku price options { name value } inventory { available warehouses { available warehouse { code } } } }
    inventory { available }
    reviews(first: 10) { totalCount edges { node { authorName rating status } } }
  }
}`

const many = (howMany: number): object[] =>
  Array.from({ length: howMany }, (_, index) => ({
    type: 'product',
    sku: `SKU-${index}`,
    name: `Product ${index}`,
    price: index + 1,
    currency: 'USD',
    categories: [`Group ${index % 7} > Part ${index % 3}`],
    stock: index,
    reviews: [
      { authorName: 'Ann', rating: 5 },
      { authorName: 'Ann', rating: 5 },
    ],
  }))

async function expectExactly(howMany: number): Promise<void> {
  expect(await count()).toEqual({ products: howMany, customers: 0, categories: 7 + 21 })
  const { nodes } = await readAllPages(
    client,
    'products',
    'sku inventory { available } reviews(first: 1) { totalCount }',
    productNode,
  )
  const seen = nodes.map(({ sku, reviews, inventory }) => ({
    sku,
    reviews: reviews.totalCount,
    stock: inventory.available,
  }))
  const expected = Array.from({ length: howMany }, (_, index) => ({
    sku: `SKU-${index}`,
    reviews: 2,
    stock: index,
  }))
  const bySku = (a: { sku: string }, b: { sku: string }) => a.sku.localeCompare(b.sku)
  expect(seen.sort(bySku)).toEqual(expected.sort(bySku))
}

describe('an import', () => {
  test('creates a product with its images, categories, variants, stock and reviews', async () => {
    const summary = await importFiles([await file('shop.jsonl', jsonLines([jacket, ann]))])
    expect(summary).toEqual({
      rows: 2,
      counts: { created: 2, updated: 0, skipped: 0, refused: 0 },
      stopped: undefined,
    })
    const { product } = succeeded(await client<{ product: Record<string, unknown> }>(jacketQuery))
    expect(product).toMatchObject({
      name: 'Rain jacket',
      description: 'Keeps "rain" out; also wind.',
      price: 3_000_000_000,
      compareAtPrice: 3_500_000_000,
      currency: 'USD',
      status: 'ACTIVE',
      featured: true,
      tags: ['rain', 'blue'],
      images: [
        { url: 'https://images.example/1.jpg', alt: null, order: 0 },
        { url: 'https://images.example/2.jpg', alt: 'In use', order: 1 },
      ],
      categories: [
        { name: 'Jackets', level: 1, parent: { name: 'Clothing' } },
        { name: 'Sale', level: 0, parent: null },
      ],
      inventory: { available: 9 },
      reviews: { totalCount: 3 },
    })
    expect(product.variants).toMatchObject([
      { sku: 'JACKET-M', price: null, options: [{ name: 'Size', value: 'M' }], inventory: { available: 4 } },
      { sku: 'JACKET-L', price: 3_100_000_000, inventory: { available: 5 } },
    ])
  })

  test('creates a customer with addresses and the row’s default address', async () => {
    await importFiles([await file('shop.jsonl', jsonLines([ann]))])
    const { customers } = succeeded(
      await client<{ customers: { edges: unknown[] } }>(
        '{ customers { edges { node { email name phone tags addresses { line1 } defaultAddress { line1 } } } } }',
      ),
    )
    expect(customers.edges).toMatchObject([
      {
        node: {
          email: 'Ann@example.com',
          name: 'Ann Example',
          tags: ['vip'],
          defaultAddress: { line1: '2 Second St' },
        },
      },
    ])
  })

  test('accepts the same rows as CSV and as JSON Lines', async () => {
    const csv =
      'sku,name,price,currency,categories,tags,stock.AVL,variants.0.sku\n' +
      'MUG,"Mug, blue",1800,USD,Kitchen > Mugs,a|b,40,\n'
    await importFiles([await file('products.csv', csv)])
    const { product } = succeeded(
      await client<{ product: unknown }>(
        '{ product(sku: "MUG") { name price status tags categories { name } inventory { available warehouses { available warehouse { code } } } } }',
      ),
    )
    expect(product).toEqual({
      name: 'Mug, blue',
      price: 1800,
      status: 'DRAFT',
      tags: ['a', 'b'],
      categories: [{ name: 'Mugs' }],
      inventory: { available: 40, warehouses: [{ available: 40, warehouse: { code: 'AVL' } }] },
    })
  })

  test('creates nothing twice when it is repeated', async () => {
    const files = [await file('shop.jsonl', jsonLines([jacket, ann]))]
    await importFiles(files)
    const before = { ...(await count()), jacket: succeeded(await client(jacketQuery)) }
    expect((await importFiles(files)).counts).toEqual({ created: 0, updated: 0, skipped: 2, refused: 0 })
    expect((await importFiles(files, { onExisting: 'update' })).counts).toEqual({
      created: 0,
      updated: 2,
      skipped: 0,
      refused: 0,
    })
    expect({ ...(await count()), jacket: succeeded(await client(jacketQuery)) }).toEqual(before)
  })

  test('updates existing records on request, and adds what they lack', async () => {
    await importFiles([await file('shop.jsonl', jsonLines([jacket, ann]))])
    const changed = {
      type: 'product',
      sku: 'JACKET',
      name: 'Storm jacket',
      price: 100,
      currency: 'USD',
      variants: [
        { sku: 'JACKET-M', price: 90, stock: 1 },
        { sku: 'JACKET-XL', options: { Size: 'XL' }, stock: 7 },
      ],
      reviews: [
        { authorName: 'Bo', rating: 3 },
        { authorName: 'Cy', rating: 1 },
      ],
    }
    await importFiles([await file('changed.jsonl', jsonLines([changed]))], { onExisting: 'update' })
    const { product } = succeeded(await client<{ product: Record<string, unknown> }>(jacketQuery))
    expect(product).toMatchObject({
      name: 'Storm jacket',
      price: 100,
      tags: ['rain', 'blue'],
      inventory: { available: 1 + 5 + 7 },
      reviews: { totalCount: 4 },
    })
    expect(product.variants).toMatchObject([
      { sku: 'JACKET-M', price: 90 },
      { sku: 'JACKET-L' },
      { sku: 'JACKET-XL' },
    ])
  })

  test('refuses a wrong row with all its reasons, its line and its fields, and imports the other rows', async () => {
    const rows = [
      { ...jacket, sku: 'A' },
      { type: 'product', sku: 'B', name: 'x', price: 0, currency: 'USD' },
      { ...jacket, sku: 'A', variants: [] },
      { ...jacket, sku: 'C', slug: 'c', variants: [{ sku: 'C-1', stock: { NOWHERE: 1 } }] },
      { ...ann, email: 'no address' },
    ]
    const shop = await file('shop.jsonl', jsonLines(rows))
    const summary = await importFiles([shop])
    expect(summary.counts).toMatchObject({ created: 1, refused: 4 })
    expect(await report()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          file: shop,
          line: 2,
          type: 'product',
          key: 'B',
          field: 'name',
          code: 'OUT_OF_RANGE',
        }),
        expect.objectContaining({
          file: shop,
          line: 2,
          type: 'product',
          key: 'B',
          field: 'price',
          code: 'OUT_OF_RANGE',
        }),
        expect.objectContaining({
          line: 3,
          key: 'A',
          field: 'sku',
          message: `A stands already in ${shop}:1`,
          code: 'ALREADY_EXISTS',
        }),
        expect.objectContaining({ line: 4, key: 'C', field: 'variants.0.stock.NOWHERE', code: 'NOT_FOUND' }),
        expect.objectContaining({ line: 5, type: 'customer', field: 'email', code: 'INVALID_FORMAT' }),
      ]),
    )
    expect(await count()).toMatchObject({ products: 1, customers: 0 })
  })

  test('reports errors that only the API can find with the field of the row', async () => {
    await importFiles([await file('first.jsonl', jsonLines([jacket]))])
    const taken = {
      type: 'product',
      sku: 'OTHER',
      name: 'Other',
      price: 1,
      currency: 'USD',
      variants: [{ sku: 'JACKET-M' }],
    }
    const summary = await importFiles([await file('second.jsonl', jsonLines([taken]))])
    expect(summary.counts).toMatchObject({ created: 0, refused: 1 })
    expect(await report()).toMatchObject([{ line: 1, key: 'OTHER' }])
    expect(await count()).toMatchObject({ products: 1 })
  })

  test('refuses rows that the plan’s state excludes, with the API’s reason', async () => {
    const sql = postgres(platform.databaseUrl, { max: 1 })
    await sql`UPDATE merchant.subscription SET status = 'UNPAID' WHERE merchant_id = ${merchantId}`
    await sql.end()
    const mug = { type: 'product', sku: 'MUG', name: 'Camp mug', price: 1_800, currency: 'USD' }
    const summary = await importFiles([await file('unpaid.jsonl', jsonLines([mug]))])
    expect(summary).toMatchObject({ counts: { created: 0, refused: 1 }, stopped: undefined })
    expect(await report()).toMatchObject([
      { line: 1, key: 'MUG', message: expect.stringContaining('The subscription is UNPAID') as string },
    ])
  })

  test('as a dry run reports the rows that would be refused, and sends nothing', async () => {
    const rows = [jacket, { type: 'product', sku: 'B' }]
    const summary = await importFiles([await file('shop.jsonl', jsonLines(rows))], { target: undefined })
    expect(summary.counts.refused).toBe(1)
    expect(await count()).toMatchObject({ products: 0 })
  })

  test.skipIf(!longTests)(
    longTest('creates every row once although the network loses answers and the server is overloaded'),
    async () => {
      await using stack = new AsyncDisposableStack()
      const proxy = await startUnreliableProxy(target.url)
      stack.defer(() => proxy.close())
      const summary = await importFiles([await file('many.jsonl', jsonLines(many(60)))], {
        target: { ...target, url: proxy.url },
        retryPolicy: { attempts: 30, firstDelayMs: 10, maxDelayMs: 50 },
      })
      expect(summary).toEqual({
        rows: 60,
        counts: { created: 60, updated: 0, skipped: 0, refused: 0 },
        stopped: undefined,
      })
      expect(proxy.lost()).toBeGreaterThan(3)
      await expectExactly(60)
    },
    120_000,
  )
})

describe('npm run import', () => {
  /** Enough that a signal finds the import in the middle. */
  const rows = 100

  function start(...args: string[]): ChildProcess & { output: Promise<string> } {
    const child = spawn(process.execPath, ['importer/bin/import.ts', ...args], {
      cwd: root,
      env: { ...process.env, COMMERCE_GRAPH_API_KEY: target.key, DATA_DIR: folder, INIT_CWD: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = Promise.all([text(child.stdout), text(child.stderr)]).then((parts) => parts.join(''))
    return Object.assign(child, { output })
  }

  async function run(...args: string[]): Promise<{ code: number | null; output: string }> {
    const child = start(...args)
    const [code] = (await once(child, 'exit')) as [number | null]
    return { code, output: await child.output }
  }

  async function untilSomeAreAdded(): Promise<void> {
    const { products } = await count()
    await expect.poll(async () => (await count()).products, { timeout: 30_000 }).toBeGreaterThan(products)
  }

  test.skipIf(!longTests)(
    longTest('continues after it was killed, and creates nothing twice'),
    async () => {
      await file('many.jsonl', jsonLines(many(rows)))
      for (let kill = 0; kill < 2; kill++) {
        const child = start('many.jsonl', '--url', target.url)
        await untilSomeAreAdded()
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
      const { code, output } = await run('many.jsonl', '--url', target.url)
      expect(output).toContain(`${rows} rows: ${rows} created, 0 updated, 0 skipped, 0 refused`)
      expect(code).toBe(0)
      await expectExactly(rows)
    },
    120_000,
  )

  test.skipIf(!longTests)(
    longTest('ends with code 130 after Ctrl-C and can be resumed'),
    async () => {
      await file('many.jsonl', jsonLines(many(rows)))
      const child = start('many.jsonl', '--url', target.url, '--concurrency', '1')
      await untilSomeAreAdded()
      child.kill('SIGINT')
      child.kill('SIGINT')
      const [code] = (await once(child, 'exit')) as [number | null]
      expect(code).toBe(130)
      expect(await child.output).toMatch(/Not finished: interrupted. The same command goes on from here./)
      expect((await count()).products).toBeLessThan(rows)
      expect((await run('many.jsonl', '--url', target.url)).code).toBe(0)
      await expectExactly(rows)
    },
    120_000,
  )

  test('ends with code 1 and prints the path of the report if rows were refused', async () => {
    await file('bad.csv', 'sku,name,price,currency\nA,A tent,9.99,USD\n')
    const { code, output } = await run('bad.csv', '--url', target.url)
    expect(code).toBe(1)
    expect(output).toContain(path.join(folder, 'import/refused.jsonl'))
  })

  test('names the line of another system’s file, of which several lines make a row', async () => {
    await file(
      'shop.csv',
      [
        'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Status',
        'tee,Tee,Size,S,TEE-S,19.00,active',
        'tee,,,M,TEE-M,19.00,active',
        'mug,,Title,Default Title,MUG,9.00,active',
      ].join('\n'),
    )
    const args = ['shop.csv', '--format', 'shopify-products', '--currency', 'USD', '--url', target.url]
    const { code } = await run(...args)
    expect(code).toBe(1)
    const report = await readFile(path.join(folder, 'import/refused.jsonl'), 'utf8')
    expect(JSON.parse(report)).toMatchObject({ line: 4, key: 'mug', field: 'name' })
  }, 60_000)

  test.each([[[]], [['--format', 'jsonl']]])(
    'tells a program its progress and its result as JSON Lines, with %j',
    async (format) => {
      const sku = `JSON-${format.length}`
      await file(
        'json.jsonl',
        jsonLines([{ type: 'product', sku, name: 'Mug', price: 900, currency: 'USD' }]),
      )
      const { code, output } = await run('json.jsonl', '--url', target.url, '--json', ...format)
      const lines = output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Readonly<Record<string, object>>)
      expect(lines.flatMap(Object.keys)).toEqual([...lines.slice(1).map(() => 'progress'), 'result'])
      expect(lines.length).toBeGreaterThan(1)
      expect(lines.at(-1)).toMatchObject({
        result:
          format.length === 0 ? { rows: 1, counts: { created: 1 } } : { status: 'SUCCEEDED', imported: 1 },
      })
      expect(code).toBe(0)
    },
    60_000,
  )

  test.skipIf(!longTests)(
    longTest('explains a wrong key, file or option without a stack trace'),
    async () => {
      await file('one.jsonl', jsonLines([jacket]))
      const nowhere = 'http://127.0.0.1:1/graphql'
      for (const [args, message, expected] of [
        [['one.jsonl', '--url', target.url, '--key', 'cg_live_wrong'], /API key invalid or malformed/, 1],
        [['one.jsonl', '--url', nowhere], /does not answer/, 1],
        [['one.jsonl', '--format', 'jsonl', '--url', nowhere], /does not answer/, 1],
        [['absent.csv', '--url', target.url], /absent\.csv: there is no such file/, 1],
        [['one.jsonl', '--concurrency', '99'], /must be a whole number from 1 to 16/, 2],
        [['one.jsonl'], /no platform is running here/, 1],
      ] as const) {
        const { code, output } = await run(...args)
        expect(output).toMatch(message)
        expect(output).not.toMatch(/\n {4}at /)
        expect(code).toBe(expected)
      }
      expect(await count()).toMatchObject({ products: 0 })
    },
    60_000,
  )
})

const productNode = z.object({
  sku: z.string(),
  inventory: z.object({ available: z.number() }),
  reviews: z.object({ totalCount: z.number() }),
})
