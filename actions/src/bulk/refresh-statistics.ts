import type { Logger } from 'pino'
import type { Database } from '../database.ts'
import * as bulk from '../sql/generated/bulk.ts'
import { writerOf } from './records/record-writers.ts'
import type { RecordType } from './rows/row-types.ts'

/** Rows after which the tables are much larger than Postgres thinks: it would read them whole for each row of the next batch. */
const steps = [500, 2_000, 8_000, 32_000, 128_000, 512_000, 2_048_000]

/** Has Postgres look at the tables of an import anew, when the import has grown by a multiple. Autovacuum comes too late for it. */
export async function refreshStatistics(
  database: Database,
  {
    type,
    before,
    after,
    logger,
  }: {
    readonly type: RecordType | null
    /** Rows that were dealt with before and after the last batch. */
    readonly before: number
    readonly after: number
    readonly logger: Logger
  },
): Promise<void> {
  if (type === null || !steps.some((step) => before < step && after >= step)) return
  for (const table of writerOf(type).tables) {
    try {
      await bulk.refreshStatistics(database, { table })
    } catch (error) {
      // It may take longer than a statement may; the import is then slower, and as right.
      logger.warn({ error, table }, 'the statistics of a table could not be refreshed')
    }
  }
}
