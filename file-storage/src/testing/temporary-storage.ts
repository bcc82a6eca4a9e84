import { createSecretBox, newEncryptionKey } from '@commerce-graph/secret-box'
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { FileStorage } from '../file-storage.ts'
import { createLocalFolder } from '../local-folder.ts'
import type { UrlSigner } from '../signed-urls.ts'

/** A folder for a test, which is created with its first file and has to be removed. Its URLs lead nowhere. */
export function temporaryStorage(): {
  readonly storage: FileStorage
  /** Signs its URLs. */
  readonly signer: UrlSigner
  readonly remove: () => Promise<void>
} {
  const folder = path.join(tmpdir(), `commerce-graph-files-${randomUUID()}`)
  const signer = createSecretBox([newEncryptionKey()])
  return {
    storage: createLocalFolder({ folder, url: 'http://127.0.0.1/files', signer }),
    signer,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
