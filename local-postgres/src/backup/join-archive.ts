import { existsSync } from 'node:fs'
import { chown, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LocalPostgresError } from '../local-postgres-error.ts'
import type { ServerAccount } from '../server-account.ts'
import { isGone } from './copy-files.ts'
import { type WalArchive, walFolder } from './wal-archive.ts'

/** In the data folder of a restored cluster: how far the archive went when the restore began. */
export const restoredFromFile = 'restored-from.json'

interface Joining {
  readonly dataDir: string
  /** The cluster's folder. Its server doesn't run. */
  readonly cluster: string
  readonly archive: WalArchive
  readonly account: ServerAccount
}

/**
 * Refuses an archive in which the log of this cluster can't go on, and tells the archive of the cluster's timeline. Postgres archives the
 * history of a timeline only when the timeline begins; that of a restored cluster begins before it has an archive. Without the history,
 * the next restore would neither see the timeline nor leave its number free. Throws LocalPostgresError.
 */
export async function joinArchive({ dataDir, cluster, archive, account }: Joining): Promise<void> {
  const folder = walFolder(archive.folder)
  const log = join(cluster, 'pg_wal')
  const ends = await archiveEnds(archive.folder)
  const names = await readdir(log)
  const newest = names.filter(isSegment).toSorted().at(-1) ?? ''
  const timeline = timelineOf(newest)
  const differs = async (name: string): Promise<boolean> =>
    names.includes(name) &&
    existsSync(join(folder, name)) &&
    !(await isSame(join(log, name), join(folder, name)))
  // Once two logs differ, so do all later segments.
  const end = ends[timeline] ?? ''
  if (end > newest || (await differs(end)) || (await differs(`${timeline}.history`)))
    throw new LocalPostgresError(
      `${archive.folder} has the log of another database, which ${cluster} doesn't continue. ${remedy}`,
    )
  const added = names.filter((name) => name.endsWith('.history') && !existsSync(join(folder, name)))
  if (added.length === 0) return
  const before = await endsAtRestore(dataDir)
  if (before !== undefined && Object.entries(ends).some(([of, end]) => end > (before[of] ?? '')))
    throw new LocalPostgresError(
      `Another server has written to ${archive.folder} since ${cluster} was restored from it, so it seems to run still. If this one takes its place, stop that one and restore again. ${remedy}`,
    )
  for (const name of added) await copyHistory(join(log, name), { folder, name, account })
}

const remedy =
  'To try out a copy, start it without an archive: BACKUP_FOLDER= (empty). Otherwise choose an empty folder for BACKUP_FOLDER, and make a new backup.'

/**
 * Refuses an archive that another database has joined, which began after this one: a copy, for example, that was started with the
 * archive by mistake. Restores would follow that database. Throws LocalPostgresError.
 *
 * @param timeline of this database, as eight hexadecimal digits
 */
export async function refuseSuccessor(folder: string, timeline: string): Promise<void> {
  const names = await archivedNames(folder)
  const newest = names
    .filter((name) => /^[0-9A-F]{8}\.history$/.test(name))
    .toSorted()
    .at(-1)
  if (newest === undefined || timelineOf(newest) <= timeline) return
  throw new LocalPostgresError(
    `Another database, restored from this archive, has taken it over: restores would follow that one. If it is only a copy, stop it and remove the files ${timelineOf(newest)}* from ${walFolder(folder)}. Otherwise choose an empty folder for BACKUP_FOLDER here.`,
  )
}

/** The newest segment of each timeline in the archive. */
export async function archiveEnds(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = await archivedNames(folder)
  const segments = names.filter(isSegment).toSorted()
  return Object.fromEntries(segments.map((name) => [timelineOf(name), name]))
}

/** None while the folder is absent, because its disk is not mounted. Postgres says more of that. */
async function archivedNames(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(walFolder(folder))
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

const isSegment = (name: string): boolean => /^[0-9A-F]{24}$/.test(name)
/** Of a segment or a history. */
const timelineOf = (name: string): string => name.slice(0, 8)

const isSame = async (one: string, other: string): Promise<boolean> =>
  (await readFile(one)).equals(await readFile(other))

async function endsAtRestore(dataDir: string): Promise<Readonly<Record<string, string>> | undefined> {
  const path = join(dataDir, restoredFromFile)
  return existsSync(path)
    ? (JSON.parse(await readFile(path, 'utf8')) as Readonly<Record<string, string>>)
    : undefined
}

/** As a whole or not at all, and for the server's account, which reads it at a restore. */
async function copyHistory(
  from: string,
  {
    folder,
    name,
    account,
  }: { readonly folder: string; readonly name: string; readonly account: ServerAccount },
): Promise<void> {
  const draft = join(folder, `.${name}.new`)
  await writeFile(draft, await readFile(from), { mode: 0o600, flush: true })
  if (account.kind === 'other') await chown(draft, account.uid, account.gid)
  await rename(draft, join(folder, name))
}
