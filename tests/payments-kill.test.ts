import type { TestDatabase } from '@commerce-graph/local-postgres/testing'
import { afterEach, expect, test } from 'vitest'
import { killPayments } from './soak/kill-payments.ts'
import { createDemoDatabase } from './support/demo-database.ts'
import { longTest, longTests } from './support/long-tests.ts'

let database: TestDatabase | undefined
afterEach(() => database?.drop())

test.skipIf(!longTests)(
  longTest(
    'a platform that is killed while shoppers pay leaves one order, one charge and one mail for each purchase',
  ),
  async () => {
    database = await createDemoDatabase()
    const { faults, charges, mails } = await killPayments({
      databaseUrl: database.url,
      rounds: 1,
      seed: Date.now(),
      // A client that never comes back is waited for by the reconciler, for half a minute.
      leaving: 0,
    })
    expect(faults).toEqual([])
    expect(charges).toBeGreaterThan(0)
    expect(mails).toBeGreaterThan(0)
  },
  240_000,
)
