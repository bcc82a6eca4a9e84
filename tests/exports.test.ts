import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { generateApiKey } from '@commerce-graph/auth-webhook'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEmptyShop } from './support/empty-shop.ts'
import { bearer, type Client, createClient } from './support/graphql-client.ts'
import { succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

interface Export {
  readonly id: string
  readonly status: string
  readonly rows: number
  readonly totalRows: number | null
  readonly bytes: number
  readonly url: string | null
  readonly failure: string | null
  readonly expiresAt: string | null
}

interface Created {
  readonly export: Export | null
  readonly errors: readonly { readonly field: string; readonly message: string }[]
}

const fields = 'id status rows totalRows bytes url failure expiresAt'

let platform: TestPlatform
let sql: Sql
let shop: Client
beforeAll(async () => {
  platform = await startTestPlatform()
  sql = postgres(platform.databaseUrl, { max: 2 })
  shop = createClient(platform.graphqlUrl, bearer(platform.liveKey))
}, 120_000)
afterAll(async () => {
  await sql.end()
  await platform.stop()
})

const create = async (client: Client, input: Readonly<Record<string, unknown>>): Promise<Created> =>
  succeeded(
    await client<{ created: Created }>(
      `mutation ($input: CreateExportInput!) { created: createExport(input: $input) { export { ${fields} } errors { field message } } }`,
      { input },
    ),
  ).created

const find = async (client: Client, id: string): Promise<Export | null> =>
  succeeded(
    await client<{ export: Export | null }>(`query ($id: ID!) { export(id: $id) { ${fields} } }`, { id }),
  ).export

async function ended(client: Client, { export: begun, errors }: Created): Promise<Export> {
  expect(errors).toEqual([])
  const id = String(begun?.id)
  await expect
    .poll(async () => (await find(client, id))?.status, { timeout: 30_000, interval: 100 })
    .not.toMatch(/QUEUED|RUNNING/)
  const found = await find(client, id)
  if (found === null) throw new Error('the export is gone')
  return found
}

async function contentOf({ url, failure }: Export): Promise<Buffer> {
  if (url === null) throw new Error(`the export has no file: ${String(failure)}`)
  const response = await fetch(url)
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

const linesOf = (content: Buffer): readonly Readonly<Record<string, unknown>>[] =>
  content
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)

/** A key of the demo shop with these permissions. */
async function keyWith(
  ...permissions: readonly string[]
): Promise<{ readonly id: string; readonly client: Client }> {
  const { key, hash, prefix } = generateApiKey('live')
  const [row] = await sql<[{ id: string }]>`
    WITH key AS (
      INSERT INTO merchant.api_key (merchant_id, name, mode, prefix, permissions)
      VALUES (${platform.merchantId}, 'exports', 'live', ${prefix}, ${[...permissions]})
      RETURNING merchant_id, id
    )
    INSERT INTO merchant.api_key_hash (merchant_id, key_id, hash) SELECT merchant_id, id, ${hash} FROM key
    RETURNING key_id AS id`
  return { id: row.id, client: createClient(platform.graphqlUrl, bearer(key)) }
}

test('the examples of docs/export.md work', async () => {
  const page = readFileSync(path.join(import.meta.dirname, '../docs/export.md'), 'utf8')
  const examples = Array.from(page.matchAll(/```graphql\n(.*?)```/gs), ([, text]) => String(text))
  expect(examples).toHaveLength(3)
  const [customer] = await sql<[{ id: string }]>`
    SELECT id FROM crm.customer WHERE merchant_id = ${platform.merchantId} LIMIT 1`
  for (const example of examples) {
    const variables = example.includes('$customerId') ? { customerId: customer.id } : {}
    const answer = await shop<Readonly<Record<string, { readonly errors?: readonly unknown[] }>>>(
      example,
      variables,
    )
    for (const { errors = [] } of Object.values(succeeded(answer)))
      expect([example, errors]).toEqual([example, []])
  }
})

describe('an export of a query', { timeout: 60_000 }, () => {
  const query =
    '{ orders { edges { node { id orderNumber total customer { email } items { sku quantity } } } } }'

  test('has each record once, with its nested lists, by a link without a credential', async () => {
    const done = await ended(shop, await create(shop, { query }))
    const [counted] = await sql<[{ count: number }]>`
      SELECT count(*)::integer FROM ordering.order WHERE merchant_id = ${platform.merchantId}`
    expect(done).toMatchObject({
      status: 'SUCCEEDED',
      rows: counted.count,
      totalRows: counted.count,
      failure: null,
    })
    const content = await contentOf(done)
    const rows = linesOf(content)
    expect(content.length).toBe(done.bytes)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(counted.count)
    expect(rows[0]).toMatchObject({
      customer: { email: expect.stringContaining('@') as string },
      items: [{ sku: expect.any(String) as string }],
    })
  })

  test('is compressed on request, and CSV has a header by path', async () => {
    const csv = {
      query: '{ products { nodes { sku price analytics { views } tags } } }',
      format: 'CSV',
      compressed: true,
    }
    const done = await ended(shop, await create(shop, csv))
    const [header, ...rows] = gunzipSync(await contentOf(done))
      .toString()
      .trimEnd()
      .split('\r\n')
    expect(header).toBe('sku,price,analytics.views,tags')
    expect(rows).toHaveLength(done.rows)
  })

  test('that can’t run is refused when it is made, with the reason', async () => {
    const refusals: readonly (readonly [string, RegExp])[] = [
      ['{ orders { nodes { nothing } } }', /nothing/],
      ['{ orders(first: 3) { nodes { id } } }', /sets first itself/],
      ['{ orders { nodes { id } } products { nodes { id } } }', /one field/],
      ['query ($a: String) { orders(after: $a) { nodes { id } } }', /variables/],
      ['{ customers { nodes { orders { nodes { id } } } } }', /inside of the records/],
      ['mutation { signOut(refreshToken: "x") { success } }', /must be a query/],
      ['{ orders { totalCount } }', /nodes/],
      ['{', /Syntax/],
    ]
    for (const [text, reason] of refusals)
      expect((await create(shop, { query: text })).errors, text).toEqual([
        expect.objectContaining({ field: 'query', message: expect.stringMatching(reason) as string }),
      ])
  })

  test('has no field that its caller may not see', async () => {
    const { client } = await keyWith('exports:read', 'exports:write', 'products:read')
    expect((await create(client, { query })).errors).toMatchObject([{ field: 'query' }])
    const products = await create(client, { query: '{ products { nodes { id } } }' })
    expect(await ended(client, products)).toMatchObject({ status: 'SUCCEEDED' })
  })

  test('is there for callers who may see as much, and no others', async () => {
    const { export: made } = await create(shop, { query })
    const id = String(made?.id)
    const everything = await sql<{ name: string }[]>`SELECT name FROM merchant.permission`
    const colleague = await keyWith(...everything.map(({ name }) => name))
    expect(await find(colleague.client, id)).toMatchObject({ id })
    const { client } = await keyWith('exports:read', 'exports:write')
    const other = await openEmptyShop(platform.databaseUrl)
    for (const stranger of [client, createClient(platform.graphqlUrl, bearer(other.key))]) {
      expect(await find(stranger, id)).toBeNull()
      const { cancelled } = succeeded(
        await stranger<{ cancelled: Created }>(
          'mutation ($id: ID!) { cancelled: cancelExport(id: $id) { export { id } errors { field message } } }',
          { id },
        ),
      )
      expect(cancelled).toMatchObject({ export: null, errors: [{ field: 'id' }] })
    }
  })
})
