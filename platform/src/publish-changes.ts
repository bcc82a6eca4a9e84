import { announceSchema, publishTables } from '@commerce-graph/change-feed'
import type { Sql } from '@commerce-graph/postgres-driver'

/** What the change feed follows, and the column that says whose a row is. */
export const changes = { publication: 'commerce_changes', partitionColumn: 'merchant_id' } as const

/** Queues, and the sandbox of payments: many writes, and no live query. */
const leftOut = ['bullmq', 'sandbox_processor']

/**
 * Brings the publication of the platform's tables up to date, as their owner.
 *
 * @param isMigrated whether views and functions may have changed, which running processes have to learn
 */
export async function publishChanges(sql: Sql, isMigrated: boolean): Promise<void> {
  const run = async (text: string): Promise<readonly unknown[]> => await sql.unsafe(text)
  await publishTables(run, { ...changes, leftOut })
  if (isMigrated) await announceSchema(run)
}
