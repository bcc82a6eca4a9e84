import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { LocalPostgresError } from '../local-postgres-error.ts'
import { acquireLock } from '../process-lock.mjs'
import {
  addedFolder,
  type BaseBackup,
  clusterFolder,
  draftEnding,
  manifestFile,
  pruneBackups,
} from './base-backup.ts'
import { type CopiedFile, copyFile, isGone, pathsBelow } from './copy-files.ts'
import { refuseSuccessor } from './join-archive.ts'
import { archiveCommand, basesFolder } from './wal-archive.ts'

export interface TakeBackupOptions {
  /** The superuser's connection to the running server, on this machine. */
  readonly url: string
  /** The folder that the server archives its log to. */
  readonly folder: string
  /** How many backups stay, with this one; all when absent. */
  readonly keep?: number
  /** Adds files of the caller's to the backup: gets a folder in it. */
  readonly addFiles?: (folder: string) => Promise<void>
  /** Called about once a second. */
  readonly onProgress?: (progress: { readonly bytes: number; readonly ofBytes: number }) => void
}

export interface TakenBackup {
  readonly backup: BaseBackup
  /** The names of older ones that were removed. */
  readonly removed: readonly string[]
}

/** Postgres waits for the archive at the end of a backup; longer than this, and something is wrong with the archive. */
const archivePatience = '60s'

/**
 * Copies the files of the running server, which goes on meanwhile, and waits until the log that the copy needs is archived. Only then
 * the backup gets its name, so an interrupted one is never taken for complete. Two at once would remove each other's draft, so the
 * second one is refused. Throws LocalPostgresError.
 */
export async function takeBackup(options: TakeBackupOptions): Promise<TakenBackup> {
  const { url, folder, keep } = options
  const client = new pg.Client({ connectionString: url, application_name: 'backup' })
  await client.connect()
  try {
    const cluster = await archivedCluster(client, folder)
    await refuseSuccessor(folder, cluster.timeline)
    // Beside the cluster and not in the folder of the backups: that may be on a file system without links, which locks need.
    const lock = acquireLock(join(dirname(cluster.folder), 'backup.lock'))
    if (lock.kind === 'held')
      throw new LocalPostgresError(
        `Process ${lock.pid} is making a backup already. Wait until it is complete, or stop that process.`,
      )
    try {
      const backup = await takeLocked(client, cluster, options)
      return { backup, removed: keep === undefined ? [] : await pruneBackups(folder, keep) }
    } finally {
      lock.release()
    }
  } finally {
    await client.end()
  }
}

async function takeLocked(
  client: pg.Client,
  cluster: ArchivedCluster,
  { folder, addFiles, onProgress }: TakeBackupOptions,
): Promise<BaseBackup> {
  await removeDrafts(folder)
  const beganAt = new Date()
  const name = beganAt.toISOString().replaceAll(/[:.]/g, '-')
  const draft = join(basesFolder(folder), `${name}${draftEnding}`)
  await mkdir(join(draft, clusterFolder), { recursive: true, mode: 0o700 })
  await client.query('SELECT pg_backup_start($1, true)', [name])
  const ofBytes = await sizeOf(client)
  const files = await copyCluster(cluster.folder, join(draft, clusterFolder), (bytes) =>
    onProgress?.({ bytes, ofBytes }),
  )
  const { label, endedAt } = await stopBackup(client)
  await writeFile(join(draft, clusterFolder, 'backup_label'), label, { mode: 0o600, flush: true })
  const backup: BaseBackup = {
    name,
    major: cluster.major,
    beganAt: beganAt.toISOString(),
    endedAt: endedAt.toISOString(),
    firstWal: firstWalOf(label),
    files,
  }
  await writeFile(join(draft, manifestFile), JSON.stringify(backup, null, 1), { mode: 0o600, flush: true })
  await mkdir(join(draft, addedFolder), { mode: 0o700 })
  await addFiles?.(join(draft, addedFolder))
  await rename(draft, join(basesFolder(folder), name))
  return backup
}

interface ArchivedCluster {
  readonly folder: string
  readonly major: number
  /** In eight hexadecimal digits. */
  readonly timeline: string
}

/** Refuses a server that doesn't archive its log to this folder: such a backup could not be restored. */
async function archivedCluster(client: pg.Client, folder: string): Promise<ArchivedCluster> {
  const { rows } = await client.query<{ data: string; archives: boolean; version: number; timeline: string }>(
    `SELECT current_setting('data_directory') AS data, current_setting('server_version_num')::integer / 10000 AS version,
       left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline,
       current_setting('archive_mode') = 'on' AND current_setting('archive_command') = $1 AS archives`,
    [archiveCommand(folder)],
  )
  const [server] = rows
  if (server?.archives !== true)
    throw new LocalPostgresError(
      `The platform that runs here doesn't archive to ${folder}. Start it with BACKUP_FOLDER=${folder}.`,
    )
  return { folder: server.data, major: server.version, timeline: server.timeline }
}

async function removeDrafts(folder: string): Promise<void> {
  const names = await readdir(basesFolder(folder)).catch(() => [])
  for (const name of names.filter((name) => name.endsWith(draftEnding)))
    await rm(join(basesFolder(folder), name), { recursive: true })
}

async function sizeOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    'SELECT sum(pg_database_size(oid))::bigint AS bytes FROM pg_database',
  )
  return Number(rows[0]?.bytes ?? 0)
}

/** What a starting server makes anew: https://www.postgresql.org/docs/current/continuous-archiving.html */
const emptied = /^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\//
const leftOut = /^(postmaster\.(pid|opts)|backup_label(\.old)?)$|(^|\/)(pgsql_tmp[^/]*|pg_internal\.init)$/

async function copyCluster(
  from: string,
  to: string,
  onBytes: (bytes: number) => void,
): Promise<readonly CopiedFile[]> {
  const files: CopiedFile[] = []
  let bytes = 0
  let told = Date.now()
  for await (const { path, kind } of pathsBelow(from, (path) => emptied.test(path) || leftOut.test(path))) {
    if (kind === 'folder') {
      await mkdir(join(to, path), { recursive: true, mode: 0o700 })
      continue
    }
    const file = await copyFile(from, to, path).catch((error: unknown) => {
      if (isGone(error)) return null
      throw error
    })
    if (file === null) continue
    files.push(file)
    bytes += file.bytes
    if (Date.now() - told > 1_000) {
      told = Date.now()
      onBytes(bytes)
    }
  }
  return files
}

async function stopBackup(client: pg.Client): Promise<{ readonly label: string; readonly endedAt: Date }> {
  await client.query(`SET statement_timeout = '${archivePatience}'`)
  try {
    const { rows } = await client.query<{ label: string; endedAt: Date }>(
      'SELECT labelfile AS label, clock_timestamp() AS "endedAt" FROM pg_backup_stop(true)',
    )
    const [row] = rows
    if (row === undefined) throw new Error('pg_backup_stop has answered nothing')
    return row
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new LocalPostgresError(
      `The log could not be archived within ${archivePatience}: ${reason}. Look at the disk of BACKUP_FOLDER and at postgres.log.`,
    )
  }
}

function firstWalOf(label: string): string {
  const name = /^START WAL LOCATION: .*\(file ([0-9A-F]{24})\)$/m.exec(label)?.[1]
  if (name === undefined) throw new Error(`no segment in the label of the backup: ${label}`)
  return name
}
