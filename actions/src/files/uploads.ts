import type { MerchantId } from '@commerce-graph/contract/ids'
import type { FileStorage, SignedUpload } from '@commerce-graph/file-storage'
import type { Database, Queryable } from '../database.ts'
import * as files from '../sql/generated/files.ts'
import { contentType } from './content-type.ts'
import { contentKey, newToken, uploadKey } from './file-contents.ts'
import { imageTypes } from './image-bounds.ts'

/** Seconds for which an upload URL works. */
const uploadSeconds = 15 * 60
/** Seconds for which a download URL works. */
const downloadSeconds = 60 * 60

export interface NewFile {
  readonly fileName: string
  readonly contentType: string
  readonly size: number
  readonly purpose: 'IMAGE' | 'DOWNLOAD'
}

export type UploadOutcome =
  | { readonly outcome: 'created'; readonly fileId: string; readonly upload: SignedUpload }
  | { readonly outcome: 'over_quota'; readonly left: number; readonly quota: number }

export async function createUpload(
  sql: Queryable,
  storage: FileStorage,
  merchantId: MerchantId,
  { fileName, contentType, size, purpose }: NewFile,
): Promise<UploadOutcome> {
  const token = newToken()
  const upload = await storage.signedUploadUrl(uploadKey(merchantId, token), {
    contentType,
    size,
    expiresInSeconds: uploadSeconds,
  })
  const created = await files.createUpload(sql, {
    merchantId,
    purpose,
    fileName,
    contentType,
    size,
    token,
    expiresAt: upload.expiresAt.toISOString(),
  })
  return created.outcome === 'created' ? { ...created, upload } : created
}

interface FileRow {
  readonly token: string
  readonly status: 'UPLOADING' | 'PROCESSING' | 'READY' | 'REJECTED'
  readonly purpose: NewFile['purpose']
  readonly fileName: string
  readonly declared: string
  readonly size: number
}

async function findFile(sql: Queryable, merchantId: MerchantId, id: string): Promise<FileRow | null> {
  const [row] = await sql<FileRow[]>`
    SELECT token, status, purpose, file_name AS "fileName", content_type AS declared, size::float8 AS size
    FROM files.file WHERE merchant_id = ${merchantId} AND id = ${id}`
  return row ?? null
}

export type UploadedFile =
  | { readonly outcome: 'unknown_file' }
  | { readonly outcome: 'not_uploaded' }
  /** It can't be what it was uploaded for, and is deleted. */
  | { readonly outcome: 'not_an_image'; readonly found: string }
  /** Its content is where no upload URL can change it. The upload itself is still there, so that this can be repeated. */
  | { readonly outcome: 'checked'; readonly contentType: string; readonly token: string }
  | { readonly outcome: 'completed_before' }

/** Looks at what was uploaded. It can be repeated. */
export async function checkUpload(
  database: Database,
  storage: FileStorage,
  merchantId: MerchantId,
  id: string,
): Promise<UploadedFile> {
  const file = await findFile(database, merchantId, id)
  if (file === null) return { outcome: 'unknown_file' }
  if (file.status !== 'UPLOADING') {
    await forgetUpload(storage, merchantId, file.token)
    return { outcome: 'completed_before' }
  }
  // The client could still replace the upload, so the copy is what counts.
  const key = contentKey(merchantId, file.token)
  const copied = await storage.copy(uploadKey(merchantId, file.token), key)
  const type = copied?.size === file.size ? await contentType(storage, key, file) : null
  if (type === null) {
    // Another call may have completed it meanwhile, and forgotten the upload.
    const now = await findFile(database, merchantId, id)
    return { outcome: now === null || now.status === 'UPLOADING' ? 'not_uploaded' : 'completed_before' }
  }
  if (file.purpose === 'IMAGE' && !imageTypes.includes(type)) {
    await files.discard(database, { merchantId, fileId: id })
    return { outcome: 'not_an_image', found: type }
  }
  return { outcome: 'checked', contentType: type, token: file.token }
}

/** Deletes what was uploaded, once the file is completed with its copy. */
export const forgetUpload = (storage: FileStorage, merchantId: MerchantId, token: string): Promise<void> =>
  storage.delete(uploadKey(merchantId, token))

export type DownloadOutcome =
  | { readonly outcome: 'unknown_file' }
  | { readonly outcome: 'not_a_download' }
  | { readonly outcome: 'not_ready' }
  | { readonly outcome: 'signed'; readonly url: string; readonly expiresAt: string }

export async function createDownload(
  sql: Queryable,
  storage: FileStorage,
  merchantId: MerchantId,
  id: string,
): Promise<DownloadOutcome> {
  const file = await findFile(sql, merchantId, id)
  if (file === null) return { outcome: 'unknown_file' }
  if (file.purpose !== 'DOWNLOAD') return { outcome: 'not_a_download' }
  if (file.status !== 'READY') return { outcome: 'not_ready' }
  const expiresAt = new Date(Date.now() + downloadSeconds * 1_000).toISOString()
  const url = await storage.signedDownloadUrl(contentKey(merchantId, file.token), {
    fileName: file.fileName,
    expiresInSeconds: downloadSeconds,
  })
  return { outcome: 'signed', url, expiresAt }
}
