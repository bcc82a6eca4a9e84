import { byMerchant, merchantsOfRun, type OfMerchant } from '../by-merchant.ts'
import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import * as email from '../sql/generated/email.ts'

const batch = 500

/** Empties messages of the log that are older, in seconds. Returns how many. */
export const purgeRenderedEmails = async (database: Database, age: number): Promise<number> =>
  byMerchant(
    database,
    database<OfMerchant[]>`
      SELECT DISTINCT d.merchant_id AS "merchantId" FROM email.delivery d
      WHERE d.html IS NOT NULL AND d.created_at < now() - ${age} * interval '1 second'
        AND d.status NOT IN ('QUEUED', 'SENDING')
      LIMIT ${merchantsOfRun}`,
    (own, merchantId) => inBatches(batch, () => email.purgeRendered(own, { merchantId, age, limit: batch })),
  )
