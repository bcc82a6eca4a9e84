import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import * as email from '../sql/generated/email.ts'

/** Days for which the log shows what a message said. */
const keptDays = 90
const batch = 500

/** Empties messages of the log that are old. Returns how many. */
export const purgeRenderedEmails = async (database: Database): Promise<number> =>
  inBatches(batch, async () => email.purgeRendered(database, { age: keptDays * 24 * 60 * 60, limit: batch }))
