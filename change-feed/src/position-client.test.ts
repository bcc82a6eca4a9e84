import { createTestDatabase } from '@commerce-graph/local-postgres/testing'
import pg from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import { openPositionClient } from './position-client.ts'

afterEach(() => vi.restoreAllMocks())

test('a lost connection that tells of it again does not end the one that has taken its place', async () => {
  const connect = vi.spyOn(pg.Client.prototype, 'connect')
  const database = await createTestDatabase()
  connect.mockClear()
  const positions = openPositionClient({ databaseUrl: database.url, namedStatements: true })
  try {
    await positions.ask()
    const [lost] = connect.mock.contexts as pg.Client[]
    lost?.emit('error', new Error('the connection is lost'))
    await positions.ask()
    lost?.emit('error', new Error('the connection is lost'))
    await positions.ask()
    expect(connect).toHaveBeenCalledTimes(2)
  } finally {
    await positions.close()
    await database.drop()
  }
})
