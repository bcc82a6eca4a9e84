import { createTestDatabase, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import postgres from '@commerce-graph/postgres-driver'
import { SharedListener } from '@commerce-graph/postgres-driver/shared-listener'
import { afterAll, beforeAll, expect, test } from 'vitest'

let database: TestDatabase
let sql: postgres.Sql

beforeAll(async () => {
  database = await createTestDatabase()
  sql = postgres(database.url, { max: 1 })
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

const listeners = () =>
  sql<{ pid: number }[]>`
    SELECT pid FROM pg_stat_activity WHERE application_name = 'listener' AND datname = current_database()`

test('listeners share one connection, each hears its channel, and the last one closes it', async () => {
  const listener = new SharedListener(database.url)
  const shares = await Promise.all([listener.lend(), listener.lend()])
  const heard = shares.map((share, index) => {
    const texts: (string | undefined)[] = []
    share.on('notification', ({ channel, payload }) => {
      if (channel === `channel_${index}`) texts.push(payload)
    })
    return texts
  })
  await Promise.all(shares.map((share, index) => share.query(`LISTEN channel_${index}`)))
  expect(await listeners()).toHaveLength(1)
  await sql`SELECT pg_notify('channel_0', 'a'), pg_notify('channel_1', 'b')`
  await expect.poll(() => heard).toEqual([['a'], ['b']])
  shares[0].release()
  expect(await listeners()).toHaveLength(1)
  shares[1].release()
  await expect.poll(async () => (await listeners()).length).toBe(0)
})

test('when the connection is lost, each listener is told, and gets a new one', async () => {
  const listener = new SharedListener(database.url)
  const shares = await Promise.all([listener.lend(), listener.lend()])
  const told = shares.map((share) => new Promise<Error>((resolve) => share.on('error', resolve)))
  const [lost] = await listeners()
  await sql`SELECT pg_terminate_backend(${lost?.pid ?? 0})`
  for (const error of await Promise.all(told)) expect(error.message).toBe('the connection has ended')
  // What is late to give it back doesn't end the next one.
  const next = await listener.lend()
  for (const share of shares) share.giveUp()
  expect((await next.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  next.release()
})

test('a database that is away is an error, and is asked again', async () => {
  const listener = new SharedListener('postgres://nobody@127.0.0.1:1/none')
  await expect(listener.lend()).rejects.toThrow('ECONNREFUSED')
  await expect(listener.lend()).rejects.toThrow('ECONNREFUSED')
})
