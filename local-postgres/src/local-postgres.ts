import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { joinArchive } from './backup/join-archive.ts'
import { archiveSettings, type WalArchive, walFolder } from './backup/wal-archive.ts'
import { findBinaries } from './binaries.ts'
import { openCluster, superuser } from './cluster.ts'
import { freePorts, isPortFree } from './free-port.ts'
import { DataFolderInUse, LocalPostgresError } from './local-postgres-error.ts'
import { keptPasswords, type Login, settleLogins } from './logins.ts'
import { endOrphan } from './orphan.ts'
import { acquireLock } from './process-lock.mjs'
import { reachableBinaries } from './reachable-binaries.ts'
import { canReach, chooseServerAccount, type ServerAccount } from './server-account.ts'
import { type ServerExit, type ServerProcess, startServer } from './server-process.ts'

export interface LocalPostgresOptions {
  /** Where the data lives; created when absent. One server at a time. */
  readonly dataDir: string
  /** A fixed port, refused when busy; any free one when absent. */
  readonly port?: number
  /** Databases that must exist; created when absent. */
  readonly databases?: readonly string[]
  /** Roles that log in, beside the superuser; `urlOf` has their addresses. */
  readonly logins?: readonly Login[]
  /** False makes it faster, but a power cut may destroy the data: for tests only. Default: true. */
  readonly durable?: boolean
  /** Where its log is archived, so that `takeBackup` and `restoreCluster` work; nowhere when absent. */
  readonly archive?: WalArchive | undefined
  /** Settings of the server that replace ours, for tests of servers with other ones. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface LocalPostgres {
  /** The superuser's connection string of the first of `databases`, or of `postgres`. Holds the password. */
  readonly url: string
  /** The same for one of `logins`. */
  readonly urlOf: (login: string) => string
  /** Connection string of the database `postgres`. */
  readonly adminUrl: string
  readonly port: number
  /** Settles when the server ends, whether stopped or crashed. */
  readonly exit: Promise<ServerExit>
  /** Stops the server within about 20 seconds. Committed data is on disk. */
  readonly stop: () => Promise<void>
}

/**
 * Starts a Postgres for the data folder. It listens on the loopback address and requires a random password, which is
 * kept in the folder. Throws LocalPostgresError, whose message says what to do.
 */
export async function startLocalPostgres(options: LocalPostgresOptions): Promise<LocalPostgres> {
  mkdirSync(options.dataDir, { recursive: true })
  const dataDir = realpathSync(options.dataDir)
  const lock = acquireLock(join(dataDir, 'lock'))
  if (lock.kind === 'held') throw new DataFolderInUse(dataDir, lock.pid)
  try {
    return await startLocked(dataDir, options, lock.release)
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * Ends a server that outlived its process on the data folder, so that its port is free. Does nothing when there is no folder
 * yet, or while another process uses it.
 */
export async function endLeftServer(folder: string): Promise<void> {
  if (!existsSync(folder)) return
  const dataDir = realpathSync(folder)
  const lock = acquireLock(join(dataDir, 'lock'))
  if (lock.kind === 'held') return
  try {
    await endOrphan(dataDir)
  } finally {
    lock.release()
  }
}

async function startLocked(
  dataDir: string,
  {
    port: fixedPort,
    databases = [],
    logins = [],
    durable = true,
    archive,
    settings: given = {},
  }: LocalPostgresOptions,
  release: () => void,
): Promise<LocalPostgres> {
  const account = await chooseServerAccount(dataDir)
  const binaries = await reachableBinaries(await findBinaries(), account)
  await endOrphan(dataDir)
  const port = fixedPort ?? (await freePorts(1))
  if (!(await isPortFree(port))) {
    throw new LocalPostgresError(`Port ${port}, meant for Postgres, is in use by another program.`)
  }
  const { folder, password } = await openCluster(dataDir, binaries, account)
  const archiving = archive === undefined ? {} : await openArchive(archive, account)
  if (archive !== undefined) await joinArchive({ dataDir, cluster: folder, archive, account })
  const more = { ...archiving, ...given }
  const settings = { folder, logFile: join(dataDir, 'postgres.log'), port, durable, more }
  const passwords = await keptPasswords(join(dataDir, 'logins.json'), logins)
  const server = await startServer(binaries, account, settings)
  const exit = server.exit.finally(release)
  const address = (user: string, secret: string, database: string): string =>
    `postgres://${user}:${secret}@127.0.0.1:${port}/${encodeURIComponent(database)}`
  const adminUrl = address(superuser, password, 'postgres')
  await prepare(adminUrl, server, async (client) => {
    await settleLogins(client, logins, passwords)
    await createDatabases(client, databases, logins.find(({ ownsDatabases }) => ownsDatabases)?.name)
  })
  const database = databases[0] ?? 'postgres'
  const url = address(superuser, password, database)
  const urlOf = (login: string): string => address(login, passwords.get(login) ?? '', database)
  const stop = async (): Promise<void> => {
    await server.stop()
    await exit
  }
  return { url, urlOf, adminUrl, port, exit, stop }
}

/** Creates the folder, which the server writes to under its own account. */
async function openArchive(
  archive: WalArchive,
  account: ServerAccount,
): Promise<Readonly<Record<string, string>>> {
  const folder = walFolder(archive.folder)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (account.kind === 'self') return archiveSettings(archive)
  await chown(folder, account.uid, account.gid)
  if (!account.throughClosedFolders && !canReach(account, folder))
    throw new LocalPostgresError(
      `Postgres runs as the user with id ${account.uid}, who can't reach ${folder}. Choose a BACKUP_FOLDER that others may enter.`,
    )
  return archiveSettings(archive)
}

/** Stops the server if the work fails. */
async function prepare(
  adminUrl: string,
  server: ServerProcess,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  try {
    await client.connect()
    await work(client)
  } catch (error) {
    await server.stop()
    throw error
  } finally {
    await client.end()
  }
}

/** @param owner the superuser when absent */
async function createDatabases(
  client: pg.Client,
  databases: readonly string[],
  owner: string | undefined,
): Promise<void> {
  const { rows } = await client.query<{ datname: string; owner: string }>(
    'select datname, pg_get_userbyid(datdba) as owner from pg_database',
  )
  const owners = new Map(rows.map((row) => [row.datname, row.owner]))
  for (const database of databases) {
    const name = client.escapeIdentifier(database)
    if (!owners.has(database)) await client.query(`create database ${name}`)
    if (owner !== undefined && owners.get(database) !== owner)
      await client.query(`alter database ${name} owner to ${client.escapeIdentifier(owner)}`)
  }
}
