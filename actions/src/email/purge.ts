import { type Database, onlyOutcome } from '../database.ts'

/** Days for which the log shows what a message said. */
const KEPT_DAYS = 90
const BATCH = 500

/** Empties messages of the log that are old. Returns how many. */
export async function purgeRenderedEmails(database: Database): Promise<number> {
  let purged = 0
  let batch: number
  do {
    batch = onlyOutcome(
      await database<{ outcome: number }[]>`
        SELECT email.purge_rendered(make_interval(days => ${KEPT_DAYS}), ${BATCH}) AS outcome`,
    )
    purged += batch
  } while (batch === BATCH)
  return purged
}
