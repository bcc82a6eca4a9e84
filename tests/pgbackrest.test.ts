// The drill of docs/backup.md for a Postgres of one's own: it fails with everything in it, and comes back at a second between two orders.
import { PlatformProcess, type Ready } from '@commerce-graph/platform/testing'
import postgres from '@commerce-graph/postgres-driver'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, createClient } from './support/graphql-client.ts'
import { longTest, longTests } from './support/long-tests.ts'
import { BackedUpPostgres, hasPgBackRest } from './support/pgbackrest.ts'
import { Program } from './support/program.ts'
import { createCustomer, createOrder, createStockedProduct, type StockedProduct } from './support/shop.ts'

const missing = hasPgBackRest ? '' : ' (skipped: pgbackrest or the programs of a Postgres are not installed)'

describe.skipIf(!longTests || !hasPgBackRest)(
  longTest(`a Postgres that pgBackRest backs up${missing}`),
  () => {
    const started = new AsyncDisposableStack()
    let server: BackedUpPostgres
    let platform: PlatformProcess
    let ready: Ready
    let product: StockedProduct
    let customerId: string

    beforeAll(async () => {
      server = await BackedUpPostgres.start()
      started.defer(() => server.remove())
      platform = await PlatformProcess.create()
      started.defer(() => platform.remove())
      ready = await platform.start({ DATABASE_URL: server.url })
      product = await createStockedProduct(client(), 100)
      customerId = await createCustomer(client())
    }, 180_000)
    afterAll(() => started.disposeAsync(), 60_000)

    const client = () => createClient(ready.graphqlUrl, bearer(ready.liveKey))

    async function order(): Promise<string> {
      const answer = await createOrder(client(), customerId, [{ productId: product.id, quantity: 1 }])
      return answer.data?.createOrder?.order?.id ?? `refused: ${answer.text}`
    }

    async function orders(): Promise<readonly string[]> {
      const sql = postgres(server.url, { max: 1 })
      try {
        const rows = await sql<{ id: string }[]>`
        SELECT order_id AS id FROM ordering.product_order WHERE product_id = ${product.id} ORDER BY created_at`
        return rows.map(({ id }) => id)
      } finally {
        await sql.end()
      }
    }

    test('is restored to a second between two orders: the first is there, the second is not, all rules hold, and the shop sells', async () => {
      const before = await order()
      await server.backRest('--type=full', 'backup')
      const kept = await order()
      await sleep(1_100)
      const between = new Date(Math.floor(Date.now() / 1_000) * 1_000)
      await sleep(1_100)
      const mistaken = await order()
      expect(await orders()).toEqual([before, kept, mistaken])
      // The end of the log is archived with the segment that it is in.
      const sql = postgres(server.url, { max: 1 })
      await sql`SELECT pg_switch_wal()`
      await expect
        .poll(
          async () =>
            (
              await sql`SELECT last_archived_time > ${between}::timestamptz AS archived FROM pg_stat_archiver`
            )[0],
          { timeout: 30_000 },
        )
        .toEqual({ archived: true })
      await sql.end()

      await platform.kill()
      await server.halt()
      const target = `${between.toISOString().slice(0, 19).replace('T', ' ')}+00`
      await server.backRest(
        '--delta',
        '--type=time',
        `--target=${target}`,
        '--target-action=promote',
        'restore',
      )
      await server.boot()
      const restored = postgres(server.url, { max: 1 })
      await expect
        .poll(async () => (await restored`SELECT pg_is_in_recovery() AS replays`)[0], { timeout: 60_000 })
        .toEqual({ replays: false })
      await restored.end()
      expect(await orders()).toEqual([before, kept])

      const verify = new Program(path.resolve(import.meta.dirname, '../platform/bin/verify.ts'), [], {
        DATABASE_URL: server.url,
      })
      expect({ code: await verify.ended(), output: verify.output }).toMatchObject({ code: 0 })
      ready = await platform.start({ DATABASE_URL: server.url })
      expect(await orders()).toEqual([before, kept])
      const after = await order()
      expect(await orders()).toEqual([before, kept, after])
    }, 300_000)
  },
)
