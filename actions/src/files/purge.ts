import type { MerchantId } from '@commerce-graph/contract/ids'
import type { FileStorage } from '@commerce-graph/file-storage'
import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import type { Database } from '../database.ts'
import { eachApart } from '../each-apart.ts'
import { inBatches } from '../in-batches.ts'
import * as files from '../sql/generated/files.ts'
import { foldersOf } from './file-contents.ts'

const purgeBatch = 100

/** Deletes files that nobody needs, and the contents of all deleted files. It can be interrupted. Returns how many. */
export async function purgeFiles(database: Database, storage: FileStorage): Promise<number> {
  const orphans = await inBatches(purgeBatch, () => files.discardOrphans(database, { limit: purgeBatch }))
  const folders = await inBatches(purgeBatch, () => deleteFolders(database, storage))
  return orphans + folders
}

/** The row goes last, so that an interruption leaves no content without one. */
async function deleteFolders(database: Database, storage: FileStorage): Promise<number> {
  const due = await database<{ merchantId: MerchantId; token: string }[]>`
    SELECT merchant_id AS "merchantId", token FROM files.deleted_folder
    WHERE due_at <= now() ORDER BY due_at LIMIT ${purgeBatch}`
  return eachApart(due, async ({ merchantId, token }) => {
    const folders = foldersOf(merchantId, token)
    await storage.deleteFolder(folders.public)
    await storage.deleteFolder(folders.private)
    await forMerchant(database, merchantId)`
      DELETE FROM files.deleted_folder WHERE merchant_id = ${merchantId} AND token = ${token}`
    return 1
  })
}
