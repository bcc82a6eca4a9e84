import { createTestDatabase, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { acrossMerchants, forMerchant, scopedPool } from '@commerce-graph/postgres-driver/merchant-scope'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const settings = (sql: Sql) => sql<{ merchant: string | null; across: string | null; n: number }[]>`
  SELECT nullif(current_setting('commerce.merchant_id', TRUE), '') AS merchant,
    nullif(current_setting('commerce.across_merchants', TRUE), '') AS across, ${7}::integer AS n`

describe.each([
  { prepare: true, kind: 'prepared' },
  { prepare: false, kind: 'unnamed' },
])('statements that are $kind', ({ prepare }) => {
  let database: TestDatabase
  let pool: Sql
  beforeAll(async () => {
    database = await createTestDatabase()
    pool = postgres(database.url, { max: 1, prepare, onnotice: () => undefined })
  })
  afterAll(async () => {
    await pool.end()
    await database.drop()
  })

  test('have the setting of their scope, and the next statement of the session has nothing of it', async () => {
    for (let run = 0; run < 3; run += 1) {
      expect([...(await settings(forMerchant(pool, 'a')))]).toEqual([{ merchant: 'a', across: null, n: 7 }])
      expect([...(await settings(pool))]).toEqual([{ merchant: null, across: null, n: 7 }])
      expect([...(await settings(acrossMerchants(pool, 'sweep')))]).toEqual([
        { merchant: null, across: 'sweep', n: 7 },
      ])
    }
  })

  test('have the scope that was named last alone, when a pool has been given another one before', async () => {
    const narrowed = forMerchant(acrossMerchants(pool, 'sweep'), 'a')
    expect([...(await settings(narrowed))]).toEqual([{ merchant: 'a', across: null, n: 7 }])
    expect([...(await narrowed.begin((sql) => settings(sql as unknown as Sql)))]).toEqual([
      { merchant: 'a', across: null, n: 7 },
    ])
  })

  test('have it side by side on one connection, each its own', async () => {
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (id) => (await settings(forMerchant(pool, id)))[0]?.merchant),
    )
    expect(answers).toEqual(['a', 'b', 'c', 'd'])
  })

  test('answer with the rows, the count and the columns of the statement alone', async () => {
    const sql = forMerchant(pool, 'a')
    await sql`CREATE TABLE IF NOT EXISTS item (id integer)`
    const inserted = await sql`INSERT INTO item SELECT generate_series(1, 5)`
    expect([inserted.count, inserted.command, inserted.length]).toEqual([5, 'INSERT', 0])
    const none = await sql`SELECT id FROM item WHERE id > 5`
    expect([none.count, none.columns.map(({ name }) => name)]).toEqual([0, ['id']])
    expect(await sql.unsafe('SELECT count(*)::integer AS n FROM item')).toEqual([{ n: 5 }])
  })

  test('fail with their own error, and the session goes on', async () => {
    const sql = forMerchant(pool, 'a')
    await expect(sql`SELECT 1 / ${0}::integer`).rejects.toThrow('division by zero')
    await expect(sql`SELECT nothing`).rejects.toThrow('does not exist')
    expect((await settings(sql))[0]?.merchant).toBe('a')
  })

  test('have it in a transaction and its savepoints, and not after it', async () => {
    const seen = await forMerchant(pool, 'a').begin(async (sql) => {
      const [first] = await settings(sql as unknown as Sql)
      const [second] = await sql.savepoint((inner) => settings(inner as unknown as Sql))
      return [first?.merchant, second?.merchant]
    })
    expect(seen).toEqual(['a', 'a'])
    expect((await settings(pool))[0]?.merchant).toBeNull()
  })

  test('have that of the work that they belong to, and outside of any work none', async () => {
    const scoped = scopedPool(pool)
    const seen = await Promise.all([
      scoped.forMerchant('a', async () => (await settings(scoped.database))[0]?.merchant),
      scoped.forMerchant('b', () =>
        scoped.database.begin(async (sql) => (await settings(sql as unknown as Sql))[0]?.merchant),
      ),
      scoped.acrossMerchants('sweep', async () => (await settings(scoped.database))[0]?.across),
    ])
    expect(seen).toEqual(['a', 'b', 'sweep'])
    expect((await settings(scoped.database))[0]).toEqual({ merchant: null, across: null, n: 7 })
  })
})
