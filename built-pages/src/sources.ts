import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

const repository = join(import.meta.dirname, '../..')

/** What packages and builds leave behind. */
const leftOut = new Set(['node_modules', 'dist', 'build', '.react-router'])

/** All files of these folders and files of the repository, as paths in it. */
function sourceFiles(sources: readonly string[]): readonly string[] {
  const files = sources.flatMap((source) => {
    const path = join(repository, source)
    if (statSync(path).isFile()) return [source]
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(repository, join(parentPath, name)))
  })
  return files.filter((file) => !file.split(sep).some((part) => leftOut.has(part))).toSorted()
}

/** A name for these sources: another one whenever any of them changes. */
export function hashSources(sources: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of sourceFiles(sources)) {
    hash.update(`${file.replaceAll(sep, '/')}\0`)
    hash.update(readFileSync(join(repository, file)))
  }
  return hash.digest('hex').slice(0, 16)
}

export function copySources(sources: readonly string[], target: string): void {
  for (const file of sourceFiles(sources)) cpSync(join(repository, file), join(target, file))
}
