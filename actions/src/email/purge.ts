import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import * as email from '../sql/generated/email.ts'

const batch = 500

/** Empties messages of the log that are older, in seconds. Returns how many. */
export const purgeRenderedEmails = async (database: Database, age: number): Promise<number> =>
  inBatches(batch, async () => email.purgeRendered(database, { age, limit: batch }))
