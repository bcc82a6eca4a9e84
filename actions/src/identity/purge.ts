import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import * as identity from '../sql/generated/identity.ts'

const BATCH = 500

/** Deletes sessions, mailed tokens and counts of attempts that have no use any more. Returns how many. */
export async function purgeExpiredIdentities(database: Database): Promise<number> {
  return inBatches(BATCH, async () => identity.purgeExpired(database, { limit: BATCH }))
}
