import { type Database, onlyOutcome } from '../database.ts'
import { inBatches } from '../in-batches.ts'

/** Days for which the log shows what a message said. */
const KEPT_DAYS = 90
const BATCH = 500

/** Empties messages of the log that are old. Returns how many. */
export async function purgeRenderedEmails(database: Database): Promise<number> {
  return inBatches(BATCH, async () =>
    onlyOutcome(
      await database<{ outcome: number }[]>`
        SELECT email.purge_rendered(make_interval(days => ${KEPT_DAYS}), ${BATCH}) AS outcome`,
    ),
  )
}
