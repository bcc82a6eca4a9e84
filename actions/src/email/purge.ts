import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import * as email from '../sql/generated/email.ts'

/** Days for which the log shows what a message said. */
const KEPT_DAYS = 90
const BATCH = 500

/** Empties messages of the log that are old. Returns how many. */
export async function purgeRenderedEmails(database: Database): Promise<number> {
  return inBatches(BATCH, async () =>
    email.purgeRendered(database, { age: KEPT_DAYS * 24 * 60 * 60, limit: BATCH }),
  )
}
