import { keepDemoKeys } from '@commerce-graph/demo-shop'
import postgres from '@commerce-graph/postgres-driver'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDemoDatabase } from './support/demo-database.ts'
import { bearer, type Client, createClient } from './support/graphql-client.ts'
import { longTest, longTests } from './support/long-tests.ts'
import { hasRedis, RedisProcess } from './support/redis-process.ts'
import { type Role, RoleProcesses } from './support/role-processes.ts'
import { createCustomer, createOrder, createStockedProduct, payload, succeeded } from './support/shop.ts'
import { VersionTree } from './support/version-tree.ts'

/** In the order of docs/upgrading.md: callers of a role may be older than it. */
const order: readonly Role[] = ['engine', 'webhook', 'actions', 'worker', 'gateway']
const categories = 'databases/default/tables/catalog_category.yaml'
const columnsOfMerchants = '  - role: merchant\n    permission:\n      columns:\n'

/** Orders and reads without a pause, until they are stopped. */
class Load {
  readonly failures: string[] = []
  orders = 0
  reads = 0
  #stopped = false
  readonly #running: Promise<unknown>

  constructor(client: Client, customerId: string, productId: string) {
    const buyers = Array.from({ length: 2 }, () =>
      this.#repeat(async () => {
        const answer = await createOrder(client, customerId, [{ productId, quantity: 1 }])
        payload(answer as never)
        this.orders += 1
      }),
    )
    const readers = Array.from({ length: 2 }, () =>
      this.#repeat(async () => {
        succeeded(
          await client('{ products(first: 5) { nodes { id name } } orders(first: 2) { nodes { id } } }'),
        )
        this.reads += 1
      }),
    )
    this.#running = Promise.all([...buyers, ...readers])
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    while (!this.#stopped) {
      await work().catch((error: unknown) =>
        this.failures.push(`${new Date().toISOString()} ${String(error)}`),
      )
      await sleep(100)
    }
  }
}

describe.skipIf(!longTests)(longTest('two of each role under load'), () => {
  const started = new AsyncDisposableStack()
  let roles: RoleProcesses
  let sql: postgres.Sql
  let client: Client
  let load: Load

  beforeAll(async () => {
    const database = await createDemoDatabase()
    started.defer(() => database.drop())
    sql = postgres(database.url, { max: 1, onnotice: () => undefined })
    started.defer(() => sql.end())
    const shop = await keepDemoKeys(sql, { read: () => undefined, write: () => undefined })
    const redis = hasRedis ? await RedisProcess.start() : undefined
    if (redis !== undefined) started.defer(() => redis.stop())
    roles = await RoleProcesses.open(database.url, {
      REDIS_URL: redis?.url ?? '',
      LIMIT_RATE_FREE: 'unlimited/300000/600000',
      LIMIT_RATE_PRO: 'unlimited/300000/600000',
      LIMIT_RATE_ENTERPRISE: 'unlimited/300000/600000',
      DATABASE_CONNECTIONS_ENGINE: '6',
      DATABASE_CONNECTIONS_ACTIONS: '6',
      DATABASE_CONNECTIONS_WORKER: '8',
    })
    started.defer(() => roles.close())
    // One of each at a time: the processes share this machine's cores.
    for (let number = 0; number < 2; number += 1) {
      const some = await Promise.all(order.map((role) => roles.start([role])))
      await Promise.all(some.map((one) => roles.served(one)))
    }
    client = createClient(`${roles.proxies.gateway.url}/graphql`, bearer(shop.liveKey))
    const product = await createStockedProduct(client, 100_000)
    load = new Load(client, await createCustomer(client), product.id)
  }, 600_000)
  afterAll(() => started.disposeAsync(), 300_000)

  const readsTrial = async () => {
    const answer = await fetch(`${roles.proxies.engine.url}/v1/graphql`, {
      method: 'POST',
      headers: { 'x-hasura-admin-secret': roles.adminSecret, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ catalog_category(limit: 1) { trial } }' }),
    })
    return (await answer.text()).includes('"data"')
  }

  /** Replaces each process by one of the version, as docs/upgrading.md says. */
  async function replaceAll(version: VersionTree): Promise<void> {
    for (const role of order)
      for (const old of roles.processes.filter((one) => one.roles.includes(role))) {
        const next = await roles.start([role], { tree: version.path })
        await roles.served(next)
        const code = await roles.stop(old)
        expect({ role, code, output: code === 0 ? '' : old.output }).toEqual({ role, code: 0, output: '' })
      }
  }

  async function migrateTo(version: VersionTree): Promise<void> {
    const { code, output } = await roles.migrate(['--embedded'], version.path)
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' })
  }

  test('an expanding migration, the replacement of every process and a contracting migration fail no request', async () => {
    const expanding = VersionTree.after()
    started.defer(() => expanding.remove())
    // As docs/upgrading.md says of large tables: the index is there before its migration.
    await sql`CREATE INDEX CONCURRENTLY IF NOT EXISTS category_by_name_trial ON catalog.category (merchant_id, name)`
    expanding.addMigration(
      '1895219200000_expand',
      `SET lock_timeout = '2s';
      ALTER TABLE catalog.category ADD COLUMN trial text;
      CREATE INDEX IF NOT EXISTS category_by_name_trial ON catalog.category (merchant_id, name);`,
    )
    expanding.editMetadata(categories, columnsOfMerchants, `${columnsOfMerchants}        - trial\n`)
    expect(await readsTrial()).toBe(false)
    await migrateTo(expanding)
    // The engines of the version before go on, and have the new metadata.
    await expect.poll(readsTrial, { timeout: 60_000 }).toBe(true)

    await replaceAll(expanding)

    // A migration can't drop what the metadata of the version before name: they leave it a version earlier.
    const unlisting = VersionTree.after(expanding)
    started.defer(() => unlisting.remove())
    unlisting.editMetadata(categories, `${columnsOfMerchants}        - trial\n`, columnsOfMerchants)
    await migrateTo(unlisting)
    const contracting = VersionTree.after(unlisting)
    started.defer(() => contracting.remove())
    contracting.addMigration(
      '1896219200000_contract',
      `SET lock_timeout = '2s';
      ALTER TABLE catalog.category DROP COLUMN trial;`,
    )
    await migrateTo(contracting)
    await expect.poll(readsTrial, { timeout: 60_000 }).toBe(false)
    await sleep(5_000)
    await load.stop()

    expect(load.failures).toEqual([])
    expect(load.orders).toBeGreaterThan(50)
    expect(load.reads).toBeGreaterThan(50)
    const [kept] = await sql<{ orders: number }[]>`
      SELECT count(*)::integer AS orders FROM ordering.order o WHERE EXISTS (
        SELECT FROM ordering.order_item i WHERE i.merchant_id = o.merchant_id AND i.order_id = o.id AND i.sku LIKE 'TEST-%')`
    expect(kept?.orders).toBe(load.orders)
    console.log(`${load.orders} orders and ${load.reads} reads, none failed`)
  }, 1_800_000)

  test('no event and no job was lost', async () => {
    const open = async () => {
      const [row] = await sql`
        SELECT (SELECT count(*)::integer FROM hdb_catalog.event_log WHERE NOT delivered AND NOT archived) AS undelivered,
          (SELECT count(*)::integer FROM bullmq.job WHERE queue = 'events' AND state <> 'completed') AS unhandled,
          (SELECT count(*)::integer FROM operator.dead_letter) AS dead`
      return row
    }
    await expect.poll(open, { timeout: 120_000 }).toEqual({ undelivered: 0, unhandled: 0, dead: 0 })
  }, 180_000)
})
