import { chown, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { findBinaries } from '../binaries.ts'
import { superuser } from '../cluster.ts'
import { freePorts } from '../free-port.ts'
import { DataFolderInUse, LocalPostgresError } from '../local-postgres-error.ts'
import { acquireLock } from '../process-lock.mjs'
import { reachableBinaries } from '../reachable-binaries.ts'
import { chooseServerAccount, type ServerAccount } from '../server-account.ts'
import { startServer } from '../server-process.ts'
import { type BaseBackup, clusterFolder } from './base-backup.ts'
import { copyFile, pathsBelow } from './copy-files.ts'
import { archiveEnds, restoredFromFile } from './join-archive.ts'
import { basesFolder, recoverySettings, walFolder } from './wal-archive.ts'

export interface RestoreOptions {
  /** The folder of the backups and the archive. */
  readonly folder: string
  readonly backup: BaseBackup
  /** Where the data will live; it has no cluster yet. */
  readonly dataDir: string
  /** The cluster's password, which the backup's owner keeps beside it. */
  readonly password: string
  /** Nothing that was committed later comes back; all of the archive does when absent. */
  readonly until?: Date | undefined
  /** Of several that restores have begun, the timeline to follow; the latest when absent. */
  readonly timeline?: number | undefined
  /** A folder with segments that never reached the archive: the lost cluster's own, if it is still there. */
  readonly unarchivedWal?: string | undefined
  readonly onProgress?: (progress: { readonly bytes: number; readonly ofBytes: number }) => void
}

/** A day: replaying a log takes as long as it takes. */
const recoveryPatienceMs = 86_400_000

/**
 * Copies a backup into the data folder and replays the log up to the moment. Every file is compared with its hash. An interrupted
 * restore leaves no cluster. Returns when the last transaction was committed that came back, or null if none was replayed.
 * Throws LocalPostgresError.
 */
export async function restoreCluster(options: RestoreOptions): Promise<Date | null> {
  mkdirSync(options.dataDir, { recursive: true })
  const dataDir = realpathSync(options.dataDir)
  const lock = acquireLock(join(dataDir, 'lock'))
  if (lock.kind === 'held') throw new DataFolderInUse(dataDir, lock.pid)
  try {
    return await restoreLocked(dataDir, options)
  } finally {
    lock.release()
  }
}

async function restoreLocked(dataDir: string, options: RestoreOptions): Promise<Date | null> {
  const { folder, backup, password, until, timeline, unarchivedWal } = options
  const cluster = join(dataDir, 'cluster')
  if (existsSync(cluster)) throw new LocalPostgresError(`${cluster} has a database already.`)
  const account = await chooseServerAccount(dataDir)
  const binaries = await reachableBinaries(await findBinaries(), account)
  if (binaries.major !== backup.major)
    throw new LocalPostgresError(
      `The backup ${backup.name} is of PostgreSQL ${backup.major}, and this is PostgreSQL ${binaries.major}.`,
    )
  const ends = await archiveEnds(folder)
  const draft = `${cluster}.restoring`
  await rm(draft, { recursive: true, force: true })
  await copyBack(options, draft)
  await writeFile(join(draft, 'recovery.signal'), '', { mode: 0o600 })
  await own(draft, account)
  const port = await freePorts(1)
  const server = await startServer(binaries, account, {
    folder: draft,
    logFile: join(dataDir, 'postgres.log'),
    port,
    durable: true,
    patienceMs: recoveryPatienceMs,
    more: recoverySettings([walFolder(folder), ...(unarchivedWal === undefined ? [] : [unarchivedWal])], {
      until,
      timeline,
    }),
  }).catch((error: unknown) => {
    throw explained(error, until)
  })
  let last: Date | null
  try {
    last = await lastReplayed(`postgres://${superuser}:${password}@127.0.0.1:${port}/postgres`)
  } finally {
    await server.stop()
  }
  await writeFile(join(dataDir, 'password'), password, { mode: 0o600 })
  await writeFile(join(dataDir, restoredFromFile), JSON.stringify(ends), { mode: 0o600, flush: true })
  await rename(draft, cluster)
  return last
}

async function copyBack({ folder, backup, onProgress }: RestoreOptions, to: string): Promise<void> {
  const from = join(basesFolder(folder), backup.name, clusterFolder)
  const ofBytes = backup.files.reduce((sum, { bytes }) => sum + bytes, 0)
  let bytes = 0
  let told = Date.now()
  await mkdir(to, { mode: 0o700 })
  for await (const { path, kind } of pathsBelow(from))
    if (kind === 'folder') await mkdir(join(to, path), { recursive: true, mode: 0o700 })
  for (const { path, sha256 } of [...backup.files, { path: 'backup_label', sha256: null }]) {
    const copied = await copyFile(from, to, path).catch((error: unknown) => {
      throw new LocalPostgresError(`The backup ${backup.name} is damaged: ${String(error)}`)
    })
    if (sha256 !== null && copied.sha256 !== sha256)
      throw new LocalPostgresError(
        `The backup ${backup.name} is damaged: ${path} is not what was copied. Restore an older one with --backup.`,
      )
    bytes += copied.bytes
    if (Date.now() - told > 1_000) {
      told = Date.now()
      onProgress?.({ bytes, ofBytes })
    }
  }
}

/** Postgres reads its cluster as its own account. */
async function own(folder: string, account: ServerAccount): Promise<void> {
  if (account.kind === 'self') return
  await chown(folder, account.uid, account.gid)
  for await (const { path } of pathsBelow(folder)) await chown(join(folder, path), account.uid, account.gid)
}

async function lastReplayed(url: string): Promise<Date | null> {
  const client = new pg.Client({ connectionString: url, application_name: 'restore' })
  await client.connect()
  try {
    const { rows } = await client.query<{ last: Date | null }>(
      'SELECT pg_last_xact_replay_timestamp() AS last',
    )
    return rows[0]?.last ?? null
  } finally {
    await client.end()
  }
}

function explained(error: unknown, until: Date | undefined): unknown {
  if (!(error instanceof LocalPostgresError) || until === undefined) return error
  return error.message.includes('recovery ended before configured recovery target was reached')
    ? new LocalPostgresError(
        `The archive ends before ${until.toISOString()}. Without --to, everything that it has comes back.`,
      )
    : error
}
