// Row security where sessions aren't the platform's own, and where a standby answers: with permissions that have lost their filters.
import { keepDemoKeys } from '@commerce-graph/demo-shop'
import { generateApiKey } from '@commerce-graph/auth-webhook'
import { startReplicatedPostgres } from '@commerce-graph/local-postgres/testing'
import { PlatformProcess, prepareDatabase, type Ready } from '@commerce-graph/platform/testing'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDemoDatabase } from '../support/demo-database.ts'
import { bearer, type Client, createClient } from '../support/graphql-client.ts'
import { visitor } from '../support/guest.ts'
import { longTest, longTests } from '../support/long-tests.ts'
import { partUrlsOf } from '../support/part-urls.ts'
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { canary, copyMerchant } from './tenants.ts'

const merchant = '01a1f000-0001-7000-8000-000000000001'
const other = '0198c0de-0000-7000-8000-00000000beef'

/** Takes the filter out of a role's permission to read a table. */
async function forgetFilter(
  { hasuraUrl, adminSecret }: Pick<Ready, 'hasuraUrl' | 'adminSecret'>,
  table: { readonly schema: string; readonly name: string },
  role: string,
): Promise<void> {
  const permission = { columns: '*', filter: {}, allow_aggregations: true }
  const answer = await fetch(`${hasuraUrl}/v1/metadata`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-hasura-admin-secret': adminSecret },
    body: JSON.stringify({
      type: 'bulk',
      args: [
        { type: 'pg_drop_select_permission', args: { source: 'default', table, role } },
        { type: 'pg_create_select_permission', args: { source: 'default', table, role, permission } },
      ],
    }),
  })
  expect({ status: answer.status, text: await answer.text() }).toMatchObject({ status: 200 })
}

/** The copy of the demo shop, with a key of its own. */
async function openOther(owner: Sql): Promise<string> {
  await copyMerchant(owner, merchant, other)
  const { key, hash, prefix } = generateApiKey('live')
  await owner`
    WITH key AS (
      INSERT INTO merchant.api_key (merchant_id, name, mode, prefix, permissions)
      SELECT ${other}, 'test', 'live', ${prefix}, array_agg(name) FROM merchant.permission
      RETURNING merchant_id, id
    )
    INSERT INTO merchant.api_key_hash (merchant_id, key_id, hash) SELECT merchant_id, id, ${hash} FROM key`
  return key
}

/** The addresses of the parts as the platform's process reads them. */
const partVariables = (urls: Readonly<Partial<Record<string, string | undefined>>>) =>
  Object.fromEntries(
    Object.entries(urls).map(([part, url]) => [`DATABASE_URL_${part.toUpperCase()}`, url ?? '']),
  )

async function customersSeen(client: Client): Promise<'own' | 'foreign' | 'both'> {
  const { text } = await client('{ customers(first: 100) { nodes { id name } } }')
  const names = [...text.matchAll(/"name":"([^"]*)"/g)].map(([, name = '']) => name.startsWith(canary))
  expect(names).not.toEqual([])
  if (new Set(names).size === 2) return 'both'
  return names[0] === true ? 'foreign' : 'own'
}

const missing = hasPgBouncer ? '' : ' (skipped: no pgbouncer is installed)'

describe.skipIf(!longTests || !hasPgBouncer)(
  longTest(`parts that share two sessions each through PgBouncer in transaction mode${missing}`),
  () => {
    const started = new AsyncDisposableStack()
    let ready: Ready
    let owner: Sql
    let clients: readonly [Client, Client]

    beforeAll(async () => {
      const database = await createDemoDatabase()
      started.defer(() => database.drop())
      owner = postgres(database.url, { max: 1, onnotice: () => undefined })
      started.defer(() => owner.end())
      const shop = await keepDemoKeys(owner, { read: () => undefined, write: () => undefined })
      const urls = await partUrlsOf(database.url)
      const direct = Object.values(urls).filter((url) => url !== undefined)
      const pooler = await startPgBouncer(database.url, 2, [database.url, ...direct])
      started.defer(() => pooler.stop())
      const pooled = (url: string): string => {
        const address = new URL(pooler.url)
        address.username = new URL(url).username
        address.password = new URL(url).password
        return address.href
      }
      const platform = await PlatformProcess.create()
      started.defer(() => platform.remove())
      ready = await platform.start({
        DATABASE_URL: pooled(database.url),
        DATABASE_DIRECT_URL: database.url,
        ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
        ...partVariables(
          Object.fromEntries(Object.entries(urls).map(([part, url]) => [part, url && pooled(url)])),
        ),
      })
      const otherKey = await openOther(owner)
      clients = [
        createClient(ready.graphqlUrl, bearer(shop.liveKey)),
        createClient(ready.graphqlUrl, bearer(otherKey)),
      ]
      await forgetFilter(ready, { schema: 'crm', name: 'customer' }, 'merchant')
    }, 240_000)
    afterAll(() => started.disposeAsync(), 60_000)

    const seen = () =>
      Promise.all(Array.from({ length: 60 }, (_, turn) => customersSeen(clients[turn % 2] as Client)))

    test('see one merchant’s rows in each transaction, whoever had the session before, and would see all without row security', async () => {
      expect(await seen()).toEqual(
        Array.from({ length: 60 }, (_, turn) => (turn % 2 === 0 ? 'own' : 'foreign')),
      )
      await owner`ALTER TABLE crm.customer DISABLE ROW LEVEL SECURITY`
      try {
        expect(new Set(await seen())).toEqual(new Set(['both']))
      } finally {
        await owner`ALTER TABLE crm.customer ENABLE ROW LEVEL SECURITY`
      }
    }, 60_000)
  },
)

describe.skipIf(!longTests)(longTest('a standby that answers visitors'), () => {
  const started = new AsyncDisposableStack()
  let guest: Client
  let owner: Sql
  let standby: Sql

  beforeAll(async () => {
    const servers = await startReplicatedPostgres()
    started.defer(() => servers.stop())
    const { url } = servers.primary
    await prepareDatabase({ databaseUrl: url, adminSecret: randomBytes(16).toString('hex') })
    const urls = await partUrlsOf(url)
    owner = postgres(url, { max: 1, onnotice: () => undefined })
    standby = postgres(servers.standby.url, { max: 1 })
    for (const sql of [owner, standby]) started.defer(() => sql.end())
    const replica = new URL(servers.standby.url)
    replica.username = new URL(urls.engine ?? '').username
    replica.password = new URL(urls.engine ?? '').password
    const platform = await PlatformProcess.create()
    started.defer(() => platform.remove())
    const ready = await platform.start({
      DATABASE_URL: url,
      DATABASE_REPLICA_URLS: replica.href,
      DATABASE_REPLICA_MAX_LAG: '5000',
      // A kept answer would ask neither server.
      ANSWER_CACHE: 'off',
      ...partVariables(urls),
    })
    await openOther(owner)
    guest = visitor(ready.graphqlUrl, { key: ready.publishableKey, origin: 'http://localhost:3000' })
    await forgetFilter(ready, { schema: 'catalog', name: 'product' }, 'guest')
  }, 240_000)
  afterAll(() => started.disposeAsync(), 60_000)

  const seesForeign = async () =>
    (await guest('{ products(first: 100) { nodes { id name } } }')).text.includes(canary)

  test('shows them the products of their shop alone, and would show all without row security', async () => {
    const answered = async () =>
      (
        await standby<{ queries: number }[]>`
          SELECT count(*)::integer AS queries FROM pg_stat_activity WHERE usename = 'test_engine' AND query ILIKE '%catalog%product%'`
      )[0]?.queries
    await expect
      .poll(
        async () => {
          expect(await seesForeign()).toBe(false)
          return answered()
        },
        { timeout: 30_000 },
      )
      .toBeGreaterThan(0)
    await owner`ALTER TABLE catalog.product DISABLE ROW LEVEL SECURITY`
    try {
      await expect.poll(seesForeign, { timeout: 20_000 }).toBe(true)
    } finally {
      await owner`ALTER TABLE catalog.product ENABLE ROW LEVEL SECURITY`
    }
  }, 90_000)
})
