import { join } from 'node:path'
import { createMigratedDatabase, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { type Progress, silentProgress } from '@commerce-graph/terminal'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkShop, DemoError, generateYear } from '../src/index.ts'

const migrations = join(import.meta.dirname, '../../../migrations/default')
const terms = { orders: 300, months: 2, seed: 3 }

const databases: { readonly database: TestDatabase; readonly sql: Sql }[] = []

/** A migrated database in which orders create events, as Hasura's triggers do. */
async function openDatabase(): Promise<{ readonly url: string; readonly sql: Sql }> {
  const database = await createMigratedDatabase({ migrations })
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined })
  databases.push({ database, sql })
  await sql.unsafe(`
    CREATE SCHEMA hdb_catalog;
    CREATE TABLE hdb_catalog.event_log (id integer GENERATED ALWAYS AS IDENTITY);
    CREATE FUNCTION hdb_catalog.order_placed() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN INSERT INTO hdb_catalog.event_log DEFAULT VALUES; RETURN NULL; EXCEPTION WHEN data_exception THEN RETURN NULL; END';
    CREATE TRIGGER order_placed AFTER INSERT ON ordering.order FOR EACH ROW EXECUTE FUNCTION hdb_catalog.order_placed()`)
  return { url: database.url, sql }
}

const defaults = (sql: Sql) => sql`
  SELECT d.adrelid::regclass::text AS table, d.adnum, pg_get_expr(d.adbin, d.adrelid) AS expression
  FROM pg_attrdef d JOIN pg_class c ON c.oid = d.adrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname <> 'demo' ORDER BY 1, 2`

const ordersOf = (sql: Sql, merchantId: string) => sql`
  SELECT order_number, status, total, created_at, paid_at, cancelled_at FROM ordering.order
  WHERE merchant_id = ${merchantId} ORDER BY order_number`

const long = process.env['TEST_LONG'] !== undefined
const name = `a generated year${long ? '' : ' (skipped: npm run test:long runs it)'}`

describe.skipIf(!long)(name, { timeout: 300_000 }, () => {
  let interrupted: Awaited<ReturnType<typeof openDatabase>>
  let merchantId: string
  let defaultsBefore: unknown

  beforeAll(async () => {
    interrupted = await openDatabase()
    defaultsBefore = await defaults(interrupted.sql)
    const stop = new AbortController()
    let days = 0
    const update = () => {
      days += 1
      if (days === 20) stop.abort()
    }
    const progress: Progress = { ...silentProgress, update }
    const first = await generateYear({
      ...terms,
      databaseUrl: interrupted.url,
      progress,
      signal: stop.signal,
    })
    expect(first).toMatchObject({ finished: false })
    expect(first.orders).toBeGreaterThan(20)
    expect(await defaults(interrupted.sql)).toEqual(defaultsBefore)
    const second = await generateYear({ ...terms, databaseUrl: interrupted.url, progress: silentProgress })
    expect(second).toMatchObject({
      finished: true,
      merchantId: first.merchantId,
      orders: terms.orders,
      lost: 0,
    })
    merchantId = second.merchantId
    // The tests' Postgres gathers no statistics of its own.
    await interrupted.sql`ANALYZE`
  }, 300_000)

  afterAll(async () => {
    for (const { database, sql } of databases) {
      await sql.end()
      await database.drop()
    }
  })

  test('has reports, totals, points, segments and stock that agree with its rows', async () => {
    const checks = await checkShop(interrupted.url, merchantId)
    expect(checks.filter(({ wrong }) => wrong.length > 0)).toEqual([])
    expect(checks.map(({ name, compared }) => [name, compared > 0])).toEqual(
      checks.map(({ name }) => [name, true]),
    )
  })

  test('has orders in every state, and all other kinds of records', async () => {
    const [counts] = await interrupted.sql`
      SELECT
        (SELECT count(DISTINCT status) FROM ordering.order WHERE merchant_id = ${merchantId})::integer >= 5 AS states,
        (SELECT count(*) > 0 FROM payment.refund WHERE merchant_id = ${merchantId}) AS refunds,
        (SELECT count(*) > 0 FROM ordering.order_return WHERE merchant_id = ${merchantId} AND status = 'REFUNDED') AS returns,
        (SELECT count(*) > 0 FROM payment.payment WHERE merchant_id = ${merchantId} AND status = 'FAILED') AS declines,
        (SELECT count(*) > 0 FROM catalog.review WHERE merchant_id = ${merchantId}) AS reviews,
        (SELECT count(*) > 0 FROM booking.appointment WHERE merchant_id = ${merchantId}) AS appointments,
        (SELECT count(*) > 0 FROM inventory.stock_movement WHERE merchant_id = ${merchantId} AND kind = 'ARRIVAL') AS arrivals,
        (SELECT count(*) > 0 FROM crm.loyalty_entry WHERE merchant_id = ${merchantId} AND type = 'EARNED') AS points,
        (SELECT count(*) > 0 FROM analytics.product_view WHERE merchant_id = ${merchantId}) AS views`
    expect(Object.values(counts ?? {})).toEqual(Array.from({ length: 9 }, () => true))
  })

  test('is in the past, spread over its months', async () => {
    const [span] = await interrupted.sql`
      SELECT
        (SELECT bool_and(created_at < now() AND updated_at < now() AND created_at < now() - interval '1 minute')
         FROM ordering.order WHERE merchant_id = ${merchantId}) AS orders,
        (SELECT count(DISTINCT created_at::date) > 40 FROM ordering.order WHERE merchant_id = ${merchantId}) AS days,
        (SELECT max(created_at) < current_date FROM inventory.stock_movement WHERE merchant_id = ${merchantId}) AS stock,
        (SELECT max(created_at) < current_date FROM crm.loyalty_entry WHERE merchant_id = ${merchantId}) AS points`
    expect(span).toEqual({ orders: true, days: true, stock: true, points: true })
  })

  test('is the same with and without an interruption, and for the same seed', async () => {
    const whole = await openDatabase()
    const run = await generateYear({ ...terms, databaseUrl: whole.url, progress: silentProgress })
    expect(run.merchantId).toBe(merchantId)
    expect(await ordersOf(whole.sql, merchantId)).toEqual(await ordersOf(interrupted.sql, merchantId))
  })

  test('leaves no events for deliveries, and restores the clock', async () => {
    expect(await interrupted.sql`SELECT FROM hdb_catalog.event_log`).toHaveLength(0)
    expect(await defaults(interrupted.sql)).toEqual(defaultsBefore)
  })

  test('can’t be generated a second time', async () => {
    const again = generateYear({ ...terms, databaseUrl: interrupted.url, progress: silentProgress })
    await expect(again).rejects.toThrow(DemoError)
  })

  test('fails the check after a row was changed directly', async () => {
    await interrupted.sql.begin(async (sql) => {
      await sql`SET LOCAL session_replication_role = replica`
      await sql`UPDATE crm.loyalty_account SET points = points + 1 WHERE merchant_id = ${merchantId}`
      await sql`UPDATE inventory.stock_level SET available = available + 1 WHERE merchant_id = ${merchantId}`
    })
    const checks = await checkShop(interrupted.url, merchantId)
    expect(checks.filter(({ wrong }) => wrong.length > 0).map(({ name }) => name)).toEqual([
      'stock levels in reports',
      'points and their ledger',
      'stock on the shelves and its ledger',
    ])
  })
})

test('an unknown merchant is reported', async () => {
  const { url } = await openDatabase()
  const run = generateYear({
    ...terms,
    databaseUrl: url,
    merchantId: '00000000-0000-4000-8000-000000000000',
    progress: silentProgress,
  })
  await expect(run).rejects.toThrow('there is no merchant')
})
