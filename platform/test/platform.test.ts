import { createTestDatabase, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import { createHttpDataLayer } from '@commerce-graph/data-layer'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  firstQuery,
  type Platform,
  type PlatformConfig,
  readConfiguration,
  startPlatform,
} from '../src/index.ts'
import { checkPorts, choosePorts } from '../src/ports.ts'
import { reset } from '../src/reset.ts'

const long = process.env['TEST_LONG'] !== undefined
const longTest = (name: string) => (long ? name : `${name} (skipped: npm run test:long runs it)`)

describe('startPlatform', () => {
  let database: TestDatabase
  let config: PlatformConfig
  let platform: Platform
  const file = (name: string): string => join(config.dataDir, name)

  beforeAll(async () => {
    database = await createTestDatabase()
    config = {
      ...readConfiguration({ DATABASE_URL: database.url, LOG_LEVEL: 'silent' }),
      ports: { kind: 'free' },
      dataDir: mkdtempSync(join(tmpdir(), 'platform-')),
    }
    platform = await startPlatform(config)
  })

  afterAll(async () => {
    await platform.stop()
    await database.drop()
    rmSync(config.dataDir, { recursive: true, force: true })
  })

  test('answers the first query with the key in ready.json', async () => {
    const ready = JSON.parse(readFileSync(file('ready.json'), 'utf8')) as Record<string, string>
    expect(ready).toMatchObject({
      graphqlUrl: platform.urls.graphql,
      hasuraUrl: platform.urls.hasura,
      databaseUrl: database.url,
      ...platform.demoShop,
      pid: process.pid,
    })
    const response = await fetch(ready.graphqlUrl ?? '', {
      method: 'POST',
      headers: { authorization: `Bearer ${ready.liveKey ?? ''}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: firstQuery }),
    })
    expect(await response.json()).toMatchObject({ data: { products: { edges: { length: 3 } } } })
  })

  test('reports the state of all its parts', async () => {
    const readiness = async (): Promise<unknown> =>
      (await fetch(new URL('/readyz', platform.urls.graphql))).json()
    // The demo shop's events are delivered after a delay.
    await expect.poll(readiness, { timeout: 30_000 }).toMatchObject({
      status: 'ok',
      checks: {
        writes: 'ok',
        disk: 'ok',
        jobs: 'ok',
        events: 'ok',
        dataLayer: 'ok',
        authentication: 'ok',
        proxies: 'ok',
        rateLimits: 'ok',
      },
      details: { jobs: { 'expire-reservations': { late: false } }, events: { undelivered: 0 } },
    })
  })

  test('stores secrets and keys with access for their owner only', () => {
    for (const name of ['ready.json', 'keys.json', 'secrets.json']) {
      expect(statSync(file(name)).mode & 0o777).toBe(0o600)
    }
  })

  test('refuses a database with secrets that its keys can’t open, and names the key', async () => {
    const sql = postgres(database.url, { max: 1 })
    await sql`
      INSERT INTO identity.signing_key (algorithm, private_jwk, public_jwk, retired_at)
      VALUES ('ES256', 'elsewhere.c2VhbGVk', '{}', now())`
    const dataDir = mkdtempSync(join(tmpdir(), 'platform-'))
    const other = startPlatform({ ...config, dataDir })
    await expect(other).rejects.toThrow('sealed with the key elsewhere')
    await sql`DELETE FROM identity.signing_key WHERE private_jwk LIKE 'elsewhere.%'`
    await sql.end()
    rmSync(dataDir, { recursive: true, force: true })
  })

  test('refuses a second start and a reset of the same data folder while it runs', async () => {
    await expect(startPlatform(config)).rejects.toThrow(`is running on ${config.dataDir} already`)
    await expect(reset(config, { confirmed: true })).rejects.toThrow('is running on')
    expect(existsSync(file('ready.json'))).toBe(true)
  })

  test("accepts Hasura's own clients with the admin secret only", async () => {
    const layer = createHttpDataLayer({ url: platform.urls.hasura, adminSecret: platform.adminSecret })
    const role = { 'x-hasura-role': 'admin' }
    expect(await layer.execute({ query: '{ catalog_product(limit: 1) { currency } }' }, role)).toMatchObject({
      kind: 'data',
      json: expect.stringContaining('USD') as string,
    })
    const stranger = createHttpDataLayer({ url: platform.urls.hasura, adminSecret: 'guess' })
    expect(await stranger.execute({ query: '{ __typename }' }, role)).toMatchObject({ kind: 'errors' })
    layer.close()
    stranger.close()
  })

  test('has the same keys after a restart and does not restore deleted records', async () => {
    const { demoShop } = platform
    await platform.stop()
    expect(existsSync(file('ready.json'))).toBe(false)
    const sql = postgres(database.url, { max: 1, onnotice: () => undefined })
    await sql`delete from catalog.review`
    platform = await startPlatform(config)
    expect(platform.demoShop).toEqual(demoShop)
    expect(await sql`select count(*)::int as n from catalog.review`).toEqual([{ n: 0 }])
    expect(await sql`select count(*)::int as n from merchant.api_key where name like 'Demo%'`).toEqual([
      { n: 3 },
    ])
    await sql.end()
  })

  test.skipIf(!long)(
    longTest('leaves unchanged metadata in Hasura at a restart, and undoes what was changed of it'),
    async () => {
      const sql = postgres(database.url, { max: 1, onnotice: () => undefined })
      const stored = async () => {
        const [row] = await sql<{ version: string; metadata: object }[]>`
        select resource_version::text as version, metadata from hdb_catalog.hdb_metadata`
        return row
      }
      const before = await stored()
      await platform.stop()
      platform = await startPlatform(config)
      expect(await stored()).toEqual(before)
      const table = { schema: 'merchant', name: 'permission' }
      const response = await fetch(`${platform.urls.hasura}/v1/metadata`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-hasura-admin-secret': platform.adminSecret },
        body: JSON.stringify({ type: 'pg_untrack_table', args: { source: 'default', table, cascade: true } }),
      })
      expect([response.status, await response.text()]).toEqual([200, '{"message":"success"}'])
      expect((await stored())?.metadata).not.toEqual(before?.metadata)
      await platform.stop()
      platform = await startPlatform(config)
      expect((await stored())?.metadata).toEqual(before?.metadata)
      await sql.end()
    },
  )

  test.skipIf(!long)(longTest('finishes an interrupted seeding'), async () => {
    await platform.stop()
    const sql = postgres(database.url, { max: 1, onnotice: () => undefined })
    await sql`delete from catalog.review`
    await sql`comment on schema merchant is 'seeding the demo shop'`
    platform = await startPlatform(config)
    const [reviews] = await sql<{ n: number }[]>`select count(*)::int as n from catalog.review`
    expect(reviews?.n).toBeGreaterThan(0)
    await sql.end()
  })

  test('stops what it has started if the start fails, and releases the data folder', async () => {
    const other = { ...config, dataDir: mkdtempSync(join(tmpdir(), 'platform-')) }
    writeFileSync(join(other.dataDir, 'keys.json'), 'not JSON')
    await expect(startPlatform(other)).rejects.toThrow(/keys.json is damaged/)
    rmSync(join(other.dataDir, 'keys.json'))
    const again = await startPlatform(other)
    await again.stop()
    rmSync(other.dataDir, { recursive: true })
  })

  test.skipIf(!long)(
    longTest('can be reset only with confirmation, and the reset keeps other data in the database'),
    async () => {
      await platform.stop()
      const sql = postgres(database.url, { max: 1, onnotice: () => undefined })
      await sql`create table public.somebody_elses (id int)`
      await expect(reset(config, { confirmed: false })).rejects.toThrow(/drops the schemas .*catalog.*--yes/)
      await reset(config, { confirmed: true })
      const schemas = await sql`
      select nspname from pg_namespace
      where nspname not like 'pg\\_%' and nspname <> 'information_schema' order by 1`
      expect(schemas.map(({ nspname }) => nspname as string)).toEqual(['public'])
      expect(await sql`select to_regclass('public.somebody_elses') is not null as kept`).toEqual([
        { kept: true },
      ])
      expect(existsSync(file('keys.json'))).toBe(false)
      await sql.end()
      platform = await startPlatform(config)
      expect(platform.demoShop).toBeDefined()
    },
  )
})

describe('before anything is started', () => {
  test('a busy port is reported with its number and purpose', async () => {
    const ports = await choosePorts({ kind: 'free' })
    const squatter = createServer().listen(ports.actions, '127.0.0.1')
    await once(squatter, 'listening')
    await expect(checkPorts(ports, ['gateway', 'actions'])).rejects.toThrow(
      `${ports.actions}, meant for the actions`,
    )
    squatter.close()
  })

  test('an unreachable database is reported without its password', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'platform-'))
    const env = { DATABASE_URL: 'postgres://someone:hidden@127.0.0.1:1/shop', LOG_LEVEL: 'silent' }
    const config: PlatformConfig = { ...readConfiguration(env), ports: { kind: 'free' }, dataDir }
    const failure = await startPlatform(config).catch(String)
    expect(failure).toMatch(/DATABASE_URL can't be used: .*ECONNREFUSED/)
    expect(failure).not.toContain('hidden')
    rmSync(dataDir, { recursive: true })
  })
})

describe('readConfiguration', () => {
  test('has a default for everything', () => {
    expect(readConfiguration({})).toMatchObject({
      ports: { kind: 'from', first: 4000 },
      host: '127.0.0.1',
      databaseUrl: undefined,
    })
  })

  test('names every invalid variable, and treats an empty one as unset', () => {
    const read = () =>
      readConfiguration({ PORT: '65535', DATABASE_URL: 'mysql://x', COMMERCE_MODE: 'demo', LOG_LEVEL: '' })
    expect(read).toThrow(/^PORT must be from 1 to 65530.*\nDATABASE_URL must be.*\nCOMMERCE_MODE must be/)
  })
})
