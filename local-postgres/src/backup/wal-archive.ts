import { join } from 'node:path'
import { LocalPostgresError } from '../local-postgres-error.ts'

/** Where the write-ahead log (WAL) is kept, beside the base backups. */
export interface WalArchive {
  readonly folder: string
  /** Seconds until a segment is archived that is not full: what a lost disk can cost. */
  readonly everySeconds: number
}

export const walFolder = (folder: string): string => join(folder, 'wal')
export const basesFolder = (folder: string): string => join(folder, 'base')

/**
 * The settings of a server whose WAL is archived. A segment appears in the archive as a whole, after it is on disk. One that is there
 * already is only accepted if it is the same, so two servers can't share an archive by mistake.
 */
export function archiveSettings({ folder, everySeconds }: WalArchive): Readonly<Record<string, string>> {
  if (process.platform === 'win32')
    throw new LocalPostgresError(
      'BACKUP_FOLDER needs a system with /bin/sh. On Windows, use a Postgres of your own (DATABASE_URL).',
    )
  return {
    archive_mode: 'on',
    archive_timeout: `${everySeconds}s`,
    archive_command: archiveCommand(folder),
  }
}

/** Copies a segment into the archive, unless the same one is there. */
export function archiveCommand(folder: string): string {
  const kept = quoted(`${walFolder(folder)}/%f`)
  const draft = quoted(`${walFolder(folder)}/.%f.new`)
  return `if test -f ${kept}; then cmp -s "%p" ${kept}; else cp "%p" ${draft} && sync ${draft} && mv ${draft} ${kept}; fi`
}

/**
 * The settings of a server that recovers from an archive.
 *
 * @param target.until nothing that was committed later comes back; everything does when absent
 * @param target.timeline the one to follow; the latest when absent
 */
export function recoverySettings(
  folders: readonly string[],
  { until, timeline }: { readonly until?: Date | undefined; readonly timeline?: number | undefined },
): Readonly<Record<string, string>> {
  const copies = folders.map((folder) => `cp ${quoted(`${folder}/%f`)} "%p"`)
  return {
    restore_command: copies.join(' || '),
    recovery_target_timeline: String(timeline ?? 'latest'),
    // Otherwise the server counts as ready before it has replayed the log.
    hot_standby: 'off',
    ...(until !== undefined && {
      // Postgres knows no `Z` when it reads its settings.
      recovery_target_time: until.toISOString().replace('Z', '+00'),
      recovery_target_action: 'promote',
    }),
  }
}

/** For a command that Postgres gives to /bin/sh: `%p` and `%f` are replaced in it, and only a quote ends the text. */
function quoted(path: string): string {
  const [file] = /%f(\.new)?$/.exec(path) ?? ['']
  const folder = path.slice(0, path.length - file.length)
  return `'${folder.replaceAll('%', '%%').replaceAll("'", `'\\''`)}${file}'`
}
