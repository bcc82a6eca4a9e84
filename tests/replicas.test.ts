import { type ReplicatedPostgres, startReplicatedPostgres } from '@commerce-graph/local-postgres/testing'
import { type Platform, startPlatform } from '@commerce-graph/platform'
import postgres from '@commerce-graph/postgres-driver'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, createClient, type Client } from './support/graphql-client.ts'
import { type Payload, visitor } from './support/guest.ts'
import { longTest, longTests } from './support/long-tests.ts'
import { createStockedProduct, payload, succeeded } from './support/shop.ts'

/** Long enough that what is seen at once can only come from a standby that stands still. */
const maxLagMs = 5_000

let servers: ReplicatedPostgres
let standby: postgres.Sql
let primary: postgres.Sql
let platform: Platform
let dataDir: string
let owner: Client
let guest: Client
let merchantId: string

/** Runs with a standby that stands still, so that its answers differ from the primary's. */
async function whileStandbyStands<T>(run: () => Promise<T>): Promise<T> {
  await standby`SELECT pg_wal_replay_pause()`
  try {
    return await run()
  } finally {
    await standby`SELECT pg_wal_replay_resume()`
  }
}

async function untilCaughtUp(): Promise<void> {
  const [row] = await primary<{ lsn: string }[]>`SELECT pg_current_wal_flush_lsn()::text AS lsn`
  const caughtUp = async () =>
    (
      await standby<{ done: boolean }[]>`SELECT pg_last_wal_replay_lsn() >= ${row?.lsn ?? ''}::pg_lsn AS done`
    )[0]
  await expect.poll(caughtUp, { timeout: 20_000 }).toEqual({ done: true })
}

const nameSeenBy = async (client: Client, id: string): Promise<string | undefined> =>
  succeeded(
    await client<{ product: { name: string } | null }>('query ($id: ID!) { product(id: $id) { name } }', {
      id,
    }),
  ).product?.name

const dashboardsSeenBy = async (client: Client): Promise<readonly string[]> =>
  succeeded(
    await client<{ dashboards: { edges: { node: { name: string } }[] } }>(
      '{ dashboards(first: 100) { edges { node { name } } } }',
    ),
  ).dashboards.edges.map(({ node }) => node.name)

describe.skipIf(!longTests)(longTest('a platform with a standby'), () => {
  beforeAll(async () => {
    servers = await startReplicatedPostgres()
    dataDir = await mkdtemp(path.join(tmpdir(), 'commerce-graph-test-'))
    platform = await startPlatform({
      ports: { kind: 'free' },
      host: '127.0.0.1',
      dataDir,
      databaseUrl: servers.primary.url,
      mode: 'test',
      demoShop: true,
      // The gateway's wish then reaches the engine as it does between processes of roles.
      dataLayer: 'http',
      replicas: { urls: [servers.standby.url], maxLagMs },
      logLevel: 'error',
    })
    if (platform.demoShop === undefined) throw new Error('the demo shop is missing')
    merchantId = platform.demoShop.merchantId
    primary = postgres(servers.primary.url, { max: 1 })
    standby = postgres(servers.standby.url, { max: 1 })
    owner = createClient(platform.urls.graphql, bearer(platform.demoShop.liveKey))
    guest = visitor(platform.urls.graphql, {
      key: platform.demoShop.publishableKey,
      origin: 'http://localhost:3000',
    })
  }, 180_000)
  afterAll(async () => {
    await standby.end()
    await primary.end()
    await platform.stop()
    await servers.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  test(
    'a visitor’s catalog comes from the standby, the merchant’s from the primary',
    { timeout: 60_000 },
    async () => {
      const { id } = await createStockedProduct(owner, 1)
      const name = await nameSeenBy(owner, id)
      await untilCaughtUp()
      await expect.poll(() => nameSeenBy(guest, id), { timeout: 20_000 }).toBe(name)
      await whileStandbyStands(async () => {
        payload(
          await owner<Record<string, Payload>>(
            'mutation ($id: ID!) { updateProduct(id: $id, input: { name: "Renamed" }) { errors { field message code } } }',
            { id },
          ),
        )
        expect(await nameSeenBy(guest, id)).toBe(name)
        expect(await nameSeenBy(owner, id)).toBe('Renamed')
        // What is older than the limit is not shown: then the primary answers.
        await expect.poll(() => nameSeenBy(guest, id), { timeout: maxLagMs * 2 }).toBe('Renamed')
      })
    },
  )

  test('a report comes from the standby, except for who has just written', { timeout: 60_000 }, async () => {
    // The last write of the first test is no longer recent.
    await sleep(maxLagMs + 500)
    await untilCaughtUp()
    const before = await dashboardsSeenBy(owner)
    // The first request that may lag only finds out where the standby is.
    await sleep(500)
    await whileStandbyStands(async () => {
      await primary`INSERT INTO analytics.dashboard (merchant_id, name) VALUES (${merchantId}, 'Of another process')`
      expect(await dashboardsSeenBy(owner)).toEqual(before)
      payload(
        await owner<Record<string, Payload>>(
          'mutation { createDashboard(input: { name: "Own" }) { errors { field message code } } }',
        ),
      )
      expect(await dashboardsSeenBy(owner)).toEqual(expect.arrayContaining(['Of another process', 'Own']))
    })
  })

  test('a standby that is gone costs no answer', { timeout: 60_000 }, async () => {
    await standby.end()
    await servers.standby.stop()
    for (let round = 0; round < 10; round += 1)
      succeeded(await guest('{ products(first: 1) { edges { node { id } } } }'))
    standby = postgres(servers.primary.url, { max: 1 })
  })
})
