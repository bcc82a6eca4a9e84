import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import * as search from '../sql/generated/search.ts'

/** Documents written anew in one transaction. */
const batch = 200

/**
 * Writes the documents of search anew whose merchant has changed its language. Until then a word is found as it is written, and not
 * in its other forms. It can run twice at once and be cut off at any point. Returns how many documents it wrote.
 */
export const followLanguages = async (database: Database): Promise<number> =>
  inBatches(batch, async () => search.rewriteDocuments(database, { limit: batch }))
