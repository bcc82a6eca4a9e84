import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import * as search from '../sql/generated/search.ts'

/** Products whose documents are written anew in one transaction. */
const batch = 500

/**
 * Writes the values of attributes into the documents of search after a merchant has marked a key as an attribute or no longer does.
 * It begins when all transactions have ended that ran when it first saw the change. It can run twice at once and be cut off at any
 * point. Returns how much it did.
 */
export const followAttributes = async (database: Database): Promise<number> =>
  inBatches(batch, async () => search.rewriteAttributes(database, { limit: batch }))
