import { startLocalPostgres } from '@commerce-graph/local-postgres'
import postgres, { sessionOptions } from '@commerce-graph/postgres-driver'
import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPgBouncer, startPgBouncer } from './support/pgbouncer.ts'

const missing = hasPgBouncer ? '' : ' (skipped: no pgbouncer is installed)'

describe.skipIf(!hasPgBouncer)(`through PgBouncer in transaction mode${missing}`, () => {
  const started = new AsyncDisposableStack()
  let pools: postgres.Sql[] = []

  beforeAll(async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'pooled-statements-'))
    started.defer(() => rm(dataDir, { recursive: true, force: true }))
    const server = await startLocalPostgres({ dataDir, databases: ['shop'], durable: false })
    started.defer(() => server.stop())
    const pooler = await startPgBouncer(server.url, 3)
    started.defer(() => pooler.stop())
    pools = Array.from({ length: 4 }, () => {
      const pool = postgres(pooler.url, {
        max: 2,
        onnotice: () => undefined,
        ...sessionOptions({}, { directUrl: server.url, namedStatements: false }),
      })
      started.defer(() => pool.end({ timeout: 1 }))
      return pool
    })
  }, 60_000)
  afterAll(() => started.disposeAsync(), 60_000)

  test('statements with and without parameters that wait for a connection are all answered', async () => {
    const rounds = Array.from({ length: 300 }, (_, n) => n)
    const answers = await Promise.all(
      pools.flatMap((pool) =>
        rounds.map(async (n) => {
          const [row] = n % 2 === 0 ? await pool`SELECT 1 AS n` : await pool`SELECT ${n}::integer AS n`
          return row?.['n'] as number
        }),
      ),
    )
    const expected = rounds.map((n) => (n % 2 === 0 ? 1 : n))
    expect(answers).toEqual(pools.flatMap(() => expected))
  }, 20_000)

  test('each transaction has its connection to itself, and its own setting', async () => {
    const merchants = Array.from({ length: 100 }, () => crypto.randomUUID())
    const answers = await Promise.all(
      merchants.map((merchant, n) =>
        forMerchant(pools[n % pools.length] as postgres.Sql, merchant).begin(async (sql) => {
          const [first] = await sql`SELECT txid_current()::text AS xid`
          const [second] = await sql`
            SELECT txid_current()::text AS xid, current_setting('commerce.merchant_id') AS merchant, ${n}::integer AS n`
          return { isOne: first?.['xid'] === second?.['xid'], merchant: second?.['merchant'] as string }
        }),
      ),
    )
    expect(answers).toEqual(merchants.map((merchant) => ({ isOne: true, merchant })))
  }, 20_000)
})
