import type { MerchantId } from '@commerce-graph/contract/ids'
import type { FileStorage } from '@commerce-graph/file-storage'
import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Database } from '../database.ts'
import * as files from '../sql/generated/files.ts'
import { contentKey, imageKey } from './file-contents.ts'
import { ImageFault, type MadeSize, makeSizes, SlowImage } from './make-sizes.ts'

export interface ImageProcessing {
  readonly database: Database
  readonly storage: FileStorage
  /** Where clients reach the stored files, without a slash at the end. */
  readonly url: string
}

/** Images of one run, so that the job's end is noted from time to time. */
const imagesAtOnce = 20

/**
 * Makes the sizes of images that were uploaded, one image after the other. Returns how many were looked at. Rejects when the storage
 * or the database fails; the image waits for a later run.
 */
export async function processImages(processing: ImageProcessing): Promise<number> {
  for (let count = 0; count < imagesAtOnce; count += 1) {
    const [claimed] = await files.claimImage(processing.database)
    if (claimed === undefined) return count
    const database = forMerchant(processing.database, claimed.merchantId)
    try {
      await processImage({ ...processing, database }, claimed)
    } catch (error) {
      // A slow image may be what keeps the machine busy, so it has no more attempts than one that ends the process.
      if (!(error instanceof SlowImage)) await files.releaseImage(database, claimed)
      throw error
    }
  }
  return imagesAtOnce
}

interface ClaimedImage {
  readonly merchantId: MerchantId
  readonly fileId: string
  readonly token: string
}

async function processImage(
  { database, storage, url }: ImageProcessing,
  { merchantId, fileId, token }: ClaimedImage,
): Promise<void> {
  const file = await storage.get(contentKey(merchantId, token))
  const sizes =
    file === null ? new ImageFault('The upload is gone') : await madeOf(await buffer(file.content))
  if (sizes instanceof ImageFault) {
    await files.rejectImage(database, { merchantId, fileId, reason: sizes.message })
    return
  }
  const stored = []
  for (const { width, height, content } of sizes) {
    const key = imageKey(merchantId, token, width)
    await storage.put(key, Readable.from([content]), { contentType: 'image/webp' })
    stored.push({ width, height, url: `${url}/${key}` })
  }
  const whole = stored.at(-1)
  if (whole === undefined) throw new Error('an image has one size at least')
  const bytes = sizes.reduce((sum, { content }) => sum + content.length, 0)
  await files.recordImage(database, { merchantId, fileId, ...whole, bytes, sizes: stored })
  // The original has metadata, and nothing needs it any more.
  await storage.delete(contentKey(merchantId, token))
}

const madeOf = (original: Buffer): Promise<readonly MadeSize[] | ImageFault> =>
  makeSizes(original).catch((error: unknown) => {
    if (error instanceof ImageFault) return error
    throw error
  })
