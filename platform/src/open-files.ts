import {
  createLocalFolder,
  createS3Storage,
  type FilesRoute,
  type FileStorage,
  serveFiles,
} from '@commerce-graph/file-storage'
import { createSecretBox } from '@commerce-graph/secret-box'
import { join } from 'node:path'
import type { PlatformConfig } from './configuration.ts'
import { filesFolder } from './data-folder.ts'
import type { RunningServices, Services } from './services.ts'

export interface Files extends Pick<RunningServices, 'files'> {
  readonly storage: FileStorage
  /** Serves `/files/…` of the gateway. */
  readonly route: FilesRoute
  /** The URL of that route, as clients reach it, without a slash at the end. */
  readonly url: string
}

/** The storage of files that all services share: the bucket, if there is one, and otherwise a folder. */
export function openFiles(
  { addresses, secrets, logger }: Pick<Services, 'addresses' | 'secrets' | 'logger'>,
  { mode, dataDir, filesUrl, filesFolder: folder, filesBucket }: PlatformConfig,
): Files {
  const url = filesUrl ?? `${addresses.gateway}/files`
  if (mode === 'live') warnOfMissing({ filesUrl, filesBucket }, logger)
  if (filesBucket !== undefined) {
    const storage = createS3Storage(filesBucket)
    return { files: 's3', storage, url, route: serveFiles({ storage, signer: null }) }
  }
  const signer = createSecretBox(secrets.encryptionKeys)
  const storage = createLocalFolder({ folder: folder ?? join(dataDir, filesFolder), url, signer })
  return { files: 'folder', storage, url, route: serveFiles({ storage, signer }) }
}

function warnOfMissing(
  { filesUrl, filesBucket }: Pick<PlatformConfig, 'filesUrl' | 'filesBucket'>,
  logger: Services['logger'],
): void {
  if (filesUrl === undefined)
    logger.warn('FILES_URL is not set: the URLs of files lead to this machine, and only work on it')
  if (filesBucket === undefined)
    logger.warn(
      'FILES_S3_ENDPOINT is not set: files are stored in a folder. Another machine needs the same folder, or it neither has nor serves them',
    )
}
