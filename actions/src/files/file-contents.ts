import type { MerchantId } from '@commerce-graph/contract/ids'
import { randomBytes } from 'node:crypto'

/** A random name that can't be guessed, for the folders of a file. */
export const newToken = (): string => randomBytes(16).toString('hex')

/** A file's folders in the storage: all of its contents are in them, so a file is deleted by its folders. */
export const foldersOf = (merchantId: MerchantId, token: string) => ({
  /** Served to everybody who has the URL. */
  public: `${merchantId}/public/${token}`,
  /** Served with a signature. */
  private: `${merchantId}/private/${token}`,
})

/** The key that a client uploads to. Its URL works for some minutes more after the upload, so nothing reads it later. */
export const uploadKey = (merchantId: MerchantId, token: string): string =>
  `${foldersOf(merchantId, token).private}/upload`

/** The key of what was uploaded, which nobody can write to any more. */
export const contentKey = (merchantId: MerchantId, token: string): string =>
  `${foldersOf(merchantId, token).private}/content`

/** The key of an image in one width. */
export const imageKey = (merchantId: MerchantId, token: string, width: number): string =>
  `${foldersOf(merchantId, token).public}/${width}.webp`
