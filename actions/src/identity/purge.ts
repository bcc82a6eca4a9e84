import { type Database, onlyOutcome } from '../database.ts'
import { inBatches } from '../in-batches.ts'

const BATCH = 500

/** Deletes sessions, mailed tokens and counts of attempts that have no use any more. Returns how many. */
export async function purgeExpiredIdentities(database: Database): Promise<number> {
  return inBatches(BATCH, async () =>
    onlyOutcome(await database<{ outcome: number }[]>`SELECT identity.purge_expired(${BATCH}) AS outcome`),
  )
}
