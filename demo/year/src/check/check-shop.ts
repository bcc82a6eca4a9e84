import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { ledgerChecks } from './ledgers.ts'
import { reportChecks } from './reports.ts'
import type { Check } from './compare.ts'

/** Recalculates a shop's derived values (reports, totals, points, stock) from its rows, and compares. */
export async function checkShop(databaseUrl: string, merchantId: string): Promise<readonly Check[]> {
  const sql = postgres(databaseUrl, {
    max: 1,
    onnotice: () => undefined,
    connection: { application_name: 'demo check' },
  })
  try {
    // One snapshot, so that an open shop can be checked as well.
    return await sql.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', async (transaction) => {
      const snapshot = transaction as unknown as Sql
      return [...(await reportChecks(snapshot, merchantId)), ...(await ledgerChecks(snapshot, merchantId))]
    })
  } finally {
    await sql.end({ timeout: 5 })
  }
}
