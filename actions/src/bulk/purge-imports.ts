import { byMerchant, merchantsOfRun, type OfMerchant } from '../by-merchant.ts'
import type { FileStorage } from '@commerce-graph/file-storage'
import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import * as bulk from '../sql/generated/bulk.ts'
import { fileOfImport } from './file-of-import.ts'

const batchSize = 100

/** Deletes imports that ended 30 days ago, and those whose file hasn't come within 2 days. Returns how many there were. */
export const purgeImports = (database: Database, files: FileStorage): Promise<number> =>
  byMerchant(
    database,
    database<OfMerchant[]>`
      SELECT DISTINCT i.merchant_id AS "merchantId" FROM bulk.import i
      WHERE i.finished_at < now() - interval '30 days'
        OR i.status = 'AWAITING_UPLOAD' AND i.finished_at IS NULL AND i.created_at < now() - interval '2 days'
      LIMIT ${merchantsOfRun}`,
    (own, merchantId) =>
      inBatches(batchSize, async () => {
        const gone = await bulk.purgeImports(own, { merchantId, limit: batchSize })
        for (const { id } of gone) await files.delete(fileOfImport(merchantId, id))
        return gone.length
      }),
  )
