import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import * as search from '../sql/generated/search.ts'

/** Changes of documents, or documents, counted in one transaction. */
const batch = 2_000

/** In one run of the job, which other work of the search waits for. */
const mostOfRun = 50 * batch

/** From this many documents on, of a merchant or of a word, counts are kept. */
const documentsOfTally = 10_000

/** Each costs a change of a document that has it about as much as a category. */
const mostCommonWords = 50

/**
 * Keeps the counts of large merchants' documents, which facets of all, of a category or of a common word are read from. Search
 * adds the changes that it hasn't taken up yet, so they are right at any time. It can run twice at once and be cut off at any
 * point. Returns how many changes and documents it counted.
 */
export const followTallies = async (database: Database): Promise<number> =>
  // Each run takes up one merchant's, which may be fewer than a batch.
  inBatches(1, async () => search.followTallies(database, { limit: batch }), mostOfRun)

/** Finds merchants whose documents have become many. Returns how many it found. */
export const tallyLargeMerchants = async (database: Database): Promise<number> =>
  search.tallyLargeMerchants(database, { documents: documentsOfTally })

/** Chooses the words of large merchants whose documents are counted, once a day. Returns for how many merchants it did. */
export const tallyCommonWords = async (database: Database): Promise<number> =>
  inBatches(1, async () =>
    search.tallyCommonWords(database, { documents: documentsOfTally, words: mostCommonWords }),
  )
