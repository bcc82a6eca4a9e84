import { createTestDatabase, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withConnection } from './lend-connection.ts'
import { postgresError } from './postgres-error.ts'
import { RequestFailure } from './request-failure.ts'

let database: TestDatabase
let pool: pg.Pool
beforeAll(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool({ connectionString: database.url, max: 1 })
  pool.on('error', () => undefined)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const asItIs = (error: unknown): unknown => error
function inItsFinalForm(error: unknown): unknown {
  const known = postgresError(error, '$')
  return known === undefined ? error : new RequestFailure(known, { cause: error })
}

test.each([
  ['as Postgres sends it', asItIs],
  ['in its final form', inItsFinalForm],
])('a connection that Postgres ends with an error, %s, is not lent again', async (_, converted) => {
  for (let round = 0; round < 20; round += 1) {
    const ended = withConnection(pool, undefined, (client) =>
      client.query('SELECT pg_terminate_backend(pg_backend_pid())').catch((error: unknown) => {
        throw converted(error)
      }),
    )
    await expect(ended).rejects.toThrow()
    const { rows } = await withConnection(pool, undefined, (client) => client.query('SELECT 1 AS one'))
    expect(rows).toEqual([{ one: 1 }])
  }
})

test('a connection whose statement fails is lent again', async () => {
  const pid = async () => {
    const { rows } = await withConnection(pool, undefined, (client) =>
      client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'),
    )
    return rows
  }
  const before = await pid()
  await expect(withConnection(pool, undefined, (client) => client.query('SELECT 1 / 0'))).rejects.toThrow(
    'division by zero',
  )
  expect(await pid()).toEqual(before)
})
