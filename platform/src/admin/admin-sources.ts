import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

const repository = join(import.meta.dirname, '../../..')

/** What the pages are built from: their package, and the client that they call the API with. */
const folders = ['admin', 'client/src'] as const
const leftOut = new Set(['node_modules', 'dist'])

/** The files that the pages of `/admin` are built from, as paths in the repository. */
function sourceFiles(): readonly string[] {
  const files = folders.flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(repository, join(parentPath, name))),
  )
  return files.filter((file) => !file.split(sep).some((part) => leftOut.has(part))).toSorted()
}

/** A name for these sources: another one whenever any of them changes. */
export function hashSources(): string {
  const hash = createHash('sha256')
  for (const file of sourceFiles()) {
    hash.update(`${file.replaceAll(sep, '/')}\0`)
    hash.update(readFileSync(join(repository, file)))
  }
  return hash.digest('hex').slice(0, 16)
}

export function copySources(target: string): void {
  for (const file of sourceFiles()) cpSync(join(repository, file), join(target, file))
}
