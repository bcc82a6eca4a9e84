import { type Database, onlyOutcome } from '../database.ts'

const BATCH = 500

/** Deletes sessions, mailed tokens and counts of attempts that have no use any more. Returns how many. */
export async function purgeExpiredIdentities(database: Database): Promise<number> {
  let purged = 0
  let batch: number
  do {
    batch = onlyOutcome(
      await database<{ outcome: number }[]>`SELECT identity.purge_expired(${BATCH}) AS outcome`,
    )
    purged += batch
  } while (batch >= BATCH)
  return purged
}
