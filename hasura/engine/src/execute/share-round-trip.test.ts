import { setTimeout as delay } from 'node:timers/promises'
import { createTestDatabase, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withSharedConnection } from './share-round-trip.ts'
import { runStatement } from './statement-query.ts'

let database: TestDatabase
let pool: pg.Pool
beforeAll(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool({ connectionString: database.url, max: 5, pipeline: true })
  pool.on('error', () => undefined)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

interface Asked {
  readonly text: string
  /** Of the statement; its text when absent. */
  readonly name?: string
  readonly expectedMs?: number
  readonly signal?: AbortSignal
  readonly settings?: readonly (readonly [string, string])[]
}

/** The first column of the first row that a statement answers. */
const ask = ({ text, name = text, expectedMs = 0.1, signal, settings = [] }: Asked): Promise<unknown> =>
  withSharedConnection(pool, { expectedMs, signal }, async (client) => {
    const [row] = await runStatement(client, { statement: { name, text }, values: [] }, settings)
    return row?.[0]
  })

const pid = 'SELECT pg_backend_pid()'

const different = (values: readonly unknown[]): number => new Set(values).size

test('requests of one turn of the event loop share a connection', async () => {
  const pids = await Promise.all(Array.from({ length: 8 }, () => ask({ text: pid })))
  expect(different(pids)).toBe(1)
})

test('a round trip takes no more than its statements are expected to take in a millisecond', async () => {
  const pids = await Promise.all(Array.from({ length: 6 }, () => ask({ text: pid, expectedMs: 0.45 })))
  expect(different(pids)).toBe(3)
})

test('a statement that takes long, or of which nothing is known, has a connection of its own', async () => {
  const pids = await Promise.all(
    [1.1, Infinity, 0.1, 0.1].map((expectedMs) => ask({ text: pid, expectedMs })),
  )
  expect(different(pids)).toBe(3)
  expect(pids[2]).toBe(pids[3])
})

test('connections that do not pipeline are not shared', async () => {
  const own = new pg.Pool({ connectionString: database.url, max: 2 })
  const backend = () =>
    withSharedConnection(own, { expectedMs: 0.1, signal: undefined }, async (client) => {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      return rows[0]?.pid
    })
  expect(different(await Promise.all([backend(), backend()]))).toBe(2)
  await own.end()
})

test('each request has its own settings, and none of those before it', async () => {
  const text = `SELECT current_setting('a.tenant', true)`
  const tenant = (name: string) => ask({ text, settings: [['a.tenant', name]] })
  const answers = await Promise.all([tenant('1'), ask({ text }), tenant('2'), ask({ text }), tenant('1')])
  expect(answers).toEqual(['1', '', '2', '', '1'])
})

test('a statement that fails takes no other with it', async () => {
  const answers = await Promise.allSettled([
    ask({ text: 'SELECT 1' }),
    ask({ text: 'SELECT 1 / 0' }),
    ask({ text: 'SELECT 2' }),
  ])
  expect(answers).toMatchObject([
    { status: 'fulfilled', value: '1' },
    { status: 'rejected', reason: { code: '22012' } },
    { status: 'fulfilled', value: '2' },
  ])
})

test('requests with the same faulty statement are each told what is wrong with it', async () => {
  const faulty = () => ask({ text: 'SELECT absent_column' })
  const answers = await Promise.allSettled([faulty(), faulty(), faulty(), ask({ text: 'SELECT 3' })])
  expect(answers).toMatchObject([
    ...Array.from({ length: 3 }, () => ({ status: 'rejected', reason: { code: '42703' } })),
    { status: 'fulfilled', value: '3' },
  ])
})

test('a request that ends early is refused at once, and its statement is cancelled for those behind it', async () => {
  const leaving = new AbortController()
  const reason = new Error('the client has gone')
  const began = performance.now()
  const slow = ask({ text: 'SELECT pg_sleep(30)', signal: leaving.signal })
  const behind = Promise.all([ask({ text: pid }), ask({ text: pid })])
  await delay(100)
  leaving.abort(reason)
  await expect(slow).rejects.toBe(reason)
  expect(different(await behind)).toBe(1)
  expect(performance.now() - began).toBeLessThan(10_000)
})

test('a request that ends before its turn is cancelled when the turn comes', async () => {
  const leaving = new AbortController()
  const began = performance.now()
  const first = ask({ text: 'SELECT pg_sleep(0.3)' })
  const second = ask({ text: 'SELECT pg_sleep(30)', name: 'slow', signal: leaving.signal })
  const third = ask({ text: 'SELECT 4' })
  await delay(100)
  leaving.abort()
  await expect(second).rejects.toThrow('aborted')
  expect(await first).toBe('')
  expect(await third).toBe('4')
  expect(performance.now() - began).toBeLessThan(10_000)
})

test('when Postgres ends the connection, the statement at fault fails, and the others run on another', async () => {
  const [ended, ...others] = await Promise.allSettled([
    ask({ text: 'SELECT pg_terminate_backend(pg_backend_pid())' }),
    ask({ text: 'SELECT 5' }),
    ask({ text: 'SELECT 6' }),
  ])
  expect(ended).toMatchObject({ status: 'rejected', reason: { code: '57P01' } })
  expect(others).toEqual([
    { status: 'fulfilled', value: '5' },
    { status: 'fulfilled', value: '6' },
  ])
  expect(await ask({ text: 'SELECT 7' })).toBe('7')
})

test('requests without a free connection wait for one', async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => ask({ text: `SELECT ${n}`, expectedMs: 0.9 })),
  )
  expect(answers).toEqual(Array.from({ length: 12 }, (_, n) => String(n)))
})
