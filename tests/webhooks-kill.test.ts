import type { TestDatabase } from '@commerce-graph/local-postgres/testing'
import { afterEach, expect, test } from 'vitest'
import { killWebhooks } from './soak/kill-webhooks.ts'
import { createDemoDatabase } from './support/demo-database.ts'
import { longTest, longTests } from './support/long-tests.ts'

let database: TestDatabase | undefined
afterEach(() => database?.drop())

test.skipIf(!longTests)(
  longTest(
    'a platform that is killed while rows change and receivers fail in every way loses no webhook, keeps the order, and sends nothing that was rolled back',
  ),
  async () => {
    database = await createDemoDatabase()
    const { faults, changes, webhooks } = await killWebhooks({
      databaseUrl: database.url,
      rounds: 20,
      seed: Date.now(),
    })
    expect(faults).toEqual([])
    expect(changes).toBeGreaterThan(0)
    expect(webhooks).toBeGreaterThanOrEqual(changes)
  },
  1_800_000,
)
