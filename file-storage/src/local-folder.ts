import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, type Stats } from 'node:fs'
import { copyFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { requireFileKey, requireFolder } from './file-key.ts'
import type { FileHead, FileStorage, PutOptions } from './file-storage.ts'
import { interruptible } from './interruptible.ts'
import { signedQuery, type UrlSigner } from './signed-urls.ts'

export interface LocalFolderOptions {
  /** An absolute path. The folder is created with its first file. */
  readonly folder: string
  /** Where `serveFiles` answers, as clients reach it, without a slash at the end. */
  readonly url: string
  readonly signer: UrlSigner
}

/** Milliseconds. No write takes longer, so an older draft belongs to a process that is gone. */
const oldestDraft = 60 * 60_000

/**
 * Stores files in a folder: the contents below `content/`, their types below `types/`, and what is being written in
 * `drafts/`. All processes that share the storage need the same folder.
 */
export function createLocalFolder({ folder, url, signer }: LocalFolderOptions): FileStorage {
  const contentOf = (key: string): string => join(folder, 'content', requireFileKey(key))
  const typeOf = (key: string): string => join(folder, 'types', requireFileKey(key))
  const drafts = join(folder, 'drafts')
  const signedUrl = (method: 'GET' | 'PUT', key: string, parameters: Readonly<Record<string, string>>) =>
    `${url}/${requireFileKey(key)}?${signedQuery(signer, { method, key, parameters })}`

  /** Writes a draft, and makes it the file. The type is there before the content, so a file always has one. */
  async function store(
    key: string,
    contentType: string,
    write: (draft: string) => Promise<void>,
  ): Promise<void> {
    const draft = join(drafts, randomUUID())
    await mkdir(drafts, { recursive: true, mode: 0o700 })
    try {
      await write(draft)
      await mkdir(dirname(typeOf(key)), { recursive: true, mode: 0o700 })
      await writeFile(typeOf(key), contentType, { mode: 0o600, flush: true })
      await mkdir(dirname(contentOf(key)), { recursive: true, mode: 0o700 })
      await rename(draft, contentOf(key))
      await syncFolder(dirname(contentOf(key)))
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  }

  async function head(key: string): Promise<FileHead | null> {
    const found = await orNull(stat(contentOf(key)))
    if (found === null || !found.isFile()) return null
    return { size: found.size, contentType: (await orNull(readFile(typeOf(key), 'utf8'))) ?? '' }
  }

  return {
    async put(key, content, { contentType, signal }: PutOptions) {
      let size = 0
      await store(key, contentType, (draft) =>
        pipeline(
          interruptible(content, signal),
          async function* count(chunks: AsyncIterable<Uint8Array>) {
            for await (const chunk of chunks) {
              size += chunk.length
              yield chunk
            }
          },
          createWriteStream(draft, { mode: 0o600, flush: true }),
        ),
      )
      return { size, contentType }
    },
    async get(key, { range, signal } = {}) {
      const found = await head(key)
      if (found === null) return null
      // Opened here, so that a file which is deleted in the meantime counts as absent.
      const file = await orNull(open(contentOf(key)))
      if (file === null) return null
      return { ...found, content: createReadStream('', { fd: file, ...range, signal }) }
    },
    head,
    async copy(from, to) {
      const found = await head(from)
      if (found === null) return null
      try {
        await store(to, found.contentType, async (draft) => {
          await copyFile(contentOf(from), draft)
          await syncFolder(draft)
        })
      } catch (error) {
        if (isAbsence(error) && (await head(from)) === null) return null
        throw error
      }
      return head(to)
    },
    async delete(key) {
      await rm(contentOf(key), { force: true })
      await rm(typeOf(key), { force: true })
    },
    async deleteFolder(name) {
      const path = join(folder, 'content', requireFolder(name))
      const entries = (await orNull(readdir(path, { withFileTypes: true, recursive: true }))) ?? []
      await rm(path, { recursive: true, force: true })
      await rm(join(folder, 'types', name), { recursive: true, force: true })
      return entries.filter((entry) => entry.isFile()).length
    },
    signedUploadUrl(key, { contentType, size, expiresInSeconds }) {
      const expires = expiry(expiresInSeconds)
      return Promise.resolve({
        url: signedUrl('PUT', key, { type: contentType, size: String(size), expires: String(expires) }),
        method: 'PUT',
        headers: { 'Content-Type': contentType },
        expiresAt: new Date(expires * 1_000),
      })
    },
    signedDownloadUrl: (key, { fileName, expiresInSeconds }) =>
      Promise.resolve(signedUrl('GET', key, { name: fileName, expires: String(expiry(expiresInSeconds)) })),
    async sweep() {
      const names = (await orNull(readdir(drafts))) ?? []
      const left = await Promise.all(names.map((name) => isLeft(join(drafts, name))))
      const old = names.filter((_, index) => left[index])
      await Promise.all(old.map((name) => rm(join(drafts, name), { force: true })))
      return old.length
    },
  }
}

async function isLeft(draft: string): Promise<boolean> {
  const found: Stats | null = await orNull(stat(draft))
  return found !== null && found.mtimeMs < Date.now() - oldestDraft
}

/** Seconds since 1970. */
const expiry = (inSeconds: number): number => Math.floor(Date.now() / 1_000) + inSeconds

/** Makes a file or a folder's entries last through a power failure. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (error) {
    if (isAbsence(error)) return null
    throw error
  }
}

const isAbsence = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
