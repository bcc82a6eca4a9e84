import type { FileStorage } from '@commerce-graph/file-storage'
import type { Database } from '../database.ts'
import { inBatches } from '../in-batches.ts'
import * as bulk from '../sql/generated/bulk.ts'
import { fileOfImport } from './file-of-import.ts'

const batchSize = 100

/** Deletes imports that ended 30 days ago, and those whose file hasn't come within 2 days. Returns how many there were. */
export const purgeImports = (database: Database, files: FileStorage): Promise<number> =>
  inBatches(batchSize, async () => {
    const gone = await bulk.purgeImports(database, { limit: batchSize })
    for (const { merchantId, id } of gone) await files.delete(fileOfImport(merchantId, id))
    return gone.length
  })
