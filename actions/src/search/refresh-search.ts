import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import * as search from '../sql/generated/search.ts'

/** Changes taken up in one transaction. */
const batch = 1000

/**
 * Brings stock and units sold of changed products to their documents. Until then search looks at the stock itself, and sorts by the
 * units of the last run. It can run twice at once and be cut off at any point. Returns how many changes it took up.
 */
export const refreshSearch = async (database: Database): Promise<number> =>
  inBatches(batch, async () => search.refreshProducts(database, { limit: batch }))
