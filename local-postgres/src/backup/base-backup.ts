import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { basesFolder, walFolder } from './wal-archive.ts'
import { type CopiedFile, isGone } from './copy-files.ts'

/** What a backup tells of itself, in its `backup.json`. */
export interface BaseBackup {
  /** The name of its folder: when it began, in UTC. */
  readonly name: string
  /** Postgres' major version. */
  readonly major: number
  /** ISO 8601. A restore can go to any moment from the end on. */
  readonly beganAt: string
  readonly endedAt: string
  /** The first segment of the log that a restore needs. */
  readonly firstWal: string
  readonly files: readonly CopiedFile[]
}

export const manifestFile = 'backup.json'
export const clusterFolder = 'cluster'
/** Of the caller's own files. */
export const addedFolder = 'added'
export const draftEnding = '.partial'

/** The complete backups in a folder, oldest first. What else is there is none of them: it has no manifest. */
export async function listBackups(folder: string): Promise<readonly BaseBackup[]> {
  const names = await readdir(basesFolder(folder)).catch(() => [])
  const complete = names.filter((name) => !name.endsWith(draftEnding)).toSorted()
  const manifests = await Promise.all(
    complete.map((name) => readUnlessAbsent(join(basesFolder(folder), name, manifestFile))),
  )
  return manifests.flatMap((manifest) => (manifest === null ? [] : [JSON.parse(manifest) as BaseBackup]))
}

async function readUnlessAbsent(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const isAbsent = isGone(error) || (error instanceof Error && 'code' in error && error.code === 'ENOTDIR')
    if (isAbsent) return null
    throw error
  }
}

/** Where a backup has the files that its caller has added. */
export const addedFiles = (folder: string, { name }: BaseBackup): string =>
  join(basesFolder(folder), name, addedFolder)

/**
 * Removes all but the latest backups, and the part of the log that only the removed ones needed. One that is removed in part is a
 * draft, which the next backup removes. Returns the removed backups' names.
 */
export async function pruneBackups(folder: string, keep: number): Promise<readonly string[]> {
  const backups = await listBackups(folder)
  const removed = backups.slice(0, Math.max(0, backups.length - keep)).map(({ name }) => name)
  for (const name of removed) {
    const draft = join(basesFolder(folder), `${name}${draftEnding}`)
    await rename(join(basesFolder(folder), name), draft)
    await rm(draft, { recursive: true })
  }
  const oldest = backups.at(removed.length)
  if (oldest === undefined) return removed
  for (const name of await readdir(walFolder(folder))) {
    // Segments are ordered by the last sixteen digits; the first eight are the timeline.
    const isSegment = /^[0-9A-F]{24}(\.[0-9A-F]{8}\.backup)?$/.test(name)
    if (isSegment && name.slice(8, 24) < oldest.firstWal.slice(8)) await rm(join(walFolder(folder), name))
  }
  return removed
}
