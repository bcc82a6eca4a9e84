import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { backedUpFiles, postgresFolder, restoringFolder } from './data-folder.ts'

/** What a restore replaces, in this order: while there is no `postgres`, the log of the one before is looked for. */
const replaced = [postgresFolder, ...backedUpFiles] as const

export const dataThere = (dataDir: string): readonly string[] =>
  replaced.filter((name) => existsSync(join(dataDir, name)))

/** Removes what a restore has left that failed or was interrupted. */
export const removeUnfinished = (dataDir: string): void =>
  rmSync(join(dataDir, restoringFolder), { recursive: true, force: true })

/**
 * Puts what was restored in the place of the data that is there, which is set aside. Either all of it is moved, or nothing.
 *
 * @returns where the database is that was there; null if there was none
 */
export function putInPlace(dataDir: string, now: Date): string | null {
  const ending = `.before-${now.toISOString().replaceAll(/[:.]/g, '-')}`
  const there = dataThere(dataDir)
  moveAll([
    ...there.map((name) => [join(dataDir, name), join(dataDir, `${name}${ending}`)] as const),
    ...replaced
      .toReversed()
      .map((name) => [join(dataDir, restoringFolder, name), join(dataDir, name)] as const)
      .filter(([from]) => existsSync(from)),
  ])
  removeUnfinished(dataDir)
  return there.includes(postgresFolder) ? join(dataDir, `${postgresFolder}${ending}`) : null
}

function moveAll(moves: readonly (readonly [from: string, to: string])[]): void {
  const moved: (readonly [from: string, to: string])[] = []
  try {
    for (const [from, to] of moves) {
      renameSync(from, to)
      moved.push([from, to])
    }
  } catch (error) {
    for (const [from, to] of moved.toReversed()) renameSync(to, from)
    throw error
  }
}

/**
 * The folder of the log that may have transactions which were not archived: that of the database that is there. If it has none,
 * because a restore ended halfway, it is that of the database that was set aside last.
 */
export function unarchivedLog(dataDir: string): string | undefined {
  const before = existsSync(dataDir)
    ? readdirSync(dataDir).filter((name) => name.startsWith(`${postgresFolder}.before-`))
    : []
  return [postgresFolder, ...before.toSorted().toReversed()]
    .map((name) => join(dataDir, name, 'cluster/pg_wal'))
    .find(hasSegments)
}

const hasSegments = (folder: string): boolean =>
  existsSync(folder) && readdirSync(folder).some((name) => /^[\dA-F]{24}$/.test(name))
