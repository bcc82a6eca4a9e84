import { createTestDatabase } from '@commerce-graph/local-postgres/testing'
import { pino } from 'pino'
import postgres from '@commerce-graph/postgres-driver'
import { expect, test } from 'vitest'
import { errorForLog } from './error-for-log.ts'

test('an error of Postgres is logged with its message and place, but without the row’s values', async () => {
  const database = await createTestDatabase()
  const sql = postgres(database.url, { max: 1, debug: true })
  const lines: string[] = []
  const logger = pino(
    { serializers: { err: errorForLog, error: errorForLog } },
    { write: (line) => void lines.push(line) },
  )
  try {
    await sql`CREATE TABLE credential (hash text NOT NULL, failures int CONSTRAINT not_many CHECK (failures < 5))`
    const failing = sql`INSERT INTO credential VALUES (${'secret-hash'}, ${9})`
    await failing.catch((error: unknown) =>
      logger.child({ service: 'x' }).error({ err: error, error }, 'failed'),
    )
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('not_many')
    expect(lines[0]).toContain('violates check constraint')
    expect(lines[0]).not.toContain('secret-hash')
  } finally {
    await sql.end()
    await database.drop()
  }
})
