import { createTestDatabase } from '@commerce-graph/local-postgres/testing'
import pg from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import { createHeldRows, isHeldSql } from './held-rows.ts'

afterEach(() => vi.restoreAllMocks())

test('a lost connection that tells of its end late does not displace the one that has taken its place', async () => {
  const connect = vi.spyOn(pg.Client.prototype, 'connect')
  const database = await createTestDatabase()
  connect.mockClear()
  const rows = createHeldRows({ connectionString: database.url })
  const look = () => rows.look<{ held: boolean }>(`select ${isHeldSql('event', '1')} as held`)
  try {
    await look()
    const [lost] = connect.mock.contexts as pg.Client[]
    lost?.emit('error', new Error('the connection is lost'))
    await look()
    expect(connect).toHaveBeenCalledTimes(2)
    await lost?.end()
    await look()
    expect(connect).toHaveBeenCalledTimes(2)
  } finally {
    await rows.leave()
    await database.drop()
  }
})
