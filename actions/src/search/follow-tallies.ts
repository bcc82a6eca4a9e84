import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import * as search from '../sql/generated/search.ts'

/** Changes of documents, or documents, counted in one transaction. */
const batch = 2_000

/** From this many documents on, a merchant's facets are read from counts that are kept. */
const documentsOfLargeMerchant = 10_000

/**
 * Keeps the counts of large merchants' documents, which facets without a text and other filters are read from. Search adds the changes
 * that it hasn't taken up yet, so they are right at any time. It can run twice at once and be cut off at any point. Returns how many
 * changes and documents it counted.
 */
export const followTallies = async (database: Database): Promise<number> =>
  // Each run takes up one merchant's, which may be fewer than a batch.
  inBatches(1, async () => search.followTallies(database, { limit: batch }))

/** Finds merchants whose documents have become many. Returns how many it found. */
export const tallyLargeMerchants = async (database: Database): Promise<number> =>
  search.tallyLargeMerchants(database, { documents: documentsOfLargeMerchant })
