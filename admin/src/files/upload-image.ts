import { ask, change } from '../api/api.ts'
import {
  CompleteFileUploadDocument,
  CreateFileUploadDocument,
  UploadedFileDocument,
} from '../generated/operations.ts'
import { uploadFile } from './upload-file.ts'

/** What the API takes as a picture. */
export const imageTypes = ['image/jpeg', 'image/png', 'image/webp', 'image/avif']

/** Milliseconds between two questions whether the sizes of a picture are made, and until one gives up. */
const pause = 400
const patience = 120_000

export interface ImageProgress {
  readonly step: 'sending' | 'preparing'
  /** Of the file, from 0 to 1. */
  readonly share: number
}

/**
 * Uploads a picture, and resolves with its URL as soon as its sizes are made.
 *
 * @throws RequestFailed if the API refuses it; Error with what the person should know
 */
export async function uploadImage(
  file: File,
  onProgress: (progress: ImageProgress) => void,
): Promise<string> {
  const { createFileUpload } = await change(CreateFileUploadDocument, {
    input: { fileName: file.name, contentType: file.type, size: file.size, purpose: 'IMAGE' },
  })
  const upload = createFileUpload?.upload
  if (upload == null) throw new Error('The API has named no place for the upload.')
  await uploadFile(upload, file, { onProgress: (share) => onProgress({ step: 'sending', share }) })
  onProgress({ step: 'preparing', share: 1 })
  const { completeFileUpload } = await change(CompleteFileUploadDocument, { id: upload.id })
  let current = completeFileUpload?.file ?? null
  const giveUpAt = Date.now() + patience
  while (current?.status === 'PROCESSING' && Date.now() < giveUpAt) {
    await new Promise((resolve) => setTimeout(resolve, pause))
    current = (await ask(UploadedFileDocument, { id: upload.id })).file
  }
  if (current?.url == null) throw new Error(current?.rejection ?? 'The picture is not ready yet.')
  return current.url
}
