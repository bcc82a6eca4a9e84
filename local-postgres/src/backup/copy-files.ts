import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** A file of a backup, by its path in the cluster. */
export interface CopiedFile {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

/**
 * Copies a file, and adds up what was copied. A file that grows meanwhile is copied as far as it goes: the log, which is replayed at
 * a restore, has the rest.
 */
export async function copyFile(from: string, to: string, path: string): Promise<CopiedFile> {
  const hash = createHash('sha256')
  let bytes = 0
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
  })
  const target = join(to, path)
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  await pipeline(
    createReadStream(join(from, path), { highWaterMark: 1 << 20 }),
    measure,
    createWriteStream(target, { mode: 0o600, flush: true }),
  )
  return { path, bytes, sha256: hash.digest('hex') }
}

/** Everything below a folder, in the order of paths. `skip` gets the path from the folder on, and leaves out what is below it, too. */
export async function* pathsBelow(
  folder: string,
  skip: (path: string) => boolean = () => false,
): AsyncGenerator<{ readonly path: string; readonly kind: 'file' | 'folder' }> {
  const walk = async function* (
    inside: string,
  ): AsyncGenerator<{ readonly path: string; readonly kind: 'file' | 'folder' }> {
    const entries = await readdir(inside, { withFileTypes: true }).catch((error: unknown) => {
      if (isGone(error)) return []
      throw error
    })
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = relative(folder, join(inside, entry.name))
      if (skip(path)) continue
      if (entry.isDirectory()) {
        yield { path, kind: 'folder' }
        yield* walk(join(inside, entry.name))
      } else if (entry.isFile()) yield { path, kind: 'file' }
    }
  }
  yield* walk(folder)
}

/** A table that was dropped takes its files with it, also between listing and copying them. */
export const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'
