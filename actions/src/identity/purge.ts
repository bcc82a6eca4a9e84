import { byMerchant, merchantsOfRun } from '../by-merchant.ts'
import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import * as identity from '../sql/generated/identity.ts'

const batch = 500

/**
 * Deletes sessions, mailed tokens, counts of attempts and guests that have no use any more. Returns how many it looked at.
 *
 * @param sessionsKept seconds that an ended session stays, a day at least
 */
export const purgeExpiredIdentities = async (database: Database, sessionsKept: number): Promise<number> =>
  byMerchant(
    database,
    identity.merchantsToPurge(database, { limit: merchantsOfRun, sessionsKept }),
    (own, merchantId) =>
      inBatches(batch, () => identity.purgeExpired(own, { merchantId, limit: batch, sessionsKept })),
  )
