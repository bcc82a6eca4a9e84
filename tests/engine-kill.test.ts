import { createTestDatabase, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import { afterEach, expect, test } from 'vitest'
import { killEngines } from './support/kill-engine.ts'
import { longTest, longTests } from './support/long-tests.ts'

let database: TestDatabase | undefined
afterEach(() => database?.drop())

test.skipIf(!longTests)(
  longTest('killed engines lose no event, create no second job and leave no operation half done'),
  async () => {
    database = await createTestDatabase()
    const { faults, answered, jobs } = await killEngines({
      databaseUrl: database.url,
      kills: 4,
      seed: Date.now(),
    })
    expect(answered).toBeGreaterThan(0)
    expect(jobs).toBeGreaterThan(0)
    expect(Object.entries(faults).filter(([, ids]) => ids.length > 0)).toEqual([])
  },
  180_000,
)
