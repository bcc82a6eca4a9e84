import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Binaries } from './binaries.ts'
import { LocalPostgresError } from './local-postgres-error.ts'
import { asAccount, type ServerAccount } from './server-account.ts'

export const superuser = 'postgres'

/** A database cluster on disk that is ready to be served. */
export interface Cluster {
  readonly folder: string
  readonly password: string
}

/**
 * Opens the cluster below `dataDir` and creates it when there is none. The caller must hold the lock of that folder.
 */
export async function openCluster(
  dataDir: string,
  binaries: Binaries,
  account: ServerAccount,
): Promise<Cluster> {
  const folder = join(dataDir, 'cluster')
  const version = await readFile(join(folder, 'PG_VERSION'), 'utf8').catch(() => undefined)
  const password = await keptPassword(join(dataDir, 'password'), version === undefined)
  if (version === undefined) {
    await createCluster(folder, password, binaries, account)
  } else {
    checkMajor(version.trim(), folder, binaries)
    await checkOwner(folder, account)
  }
  return { folder, password }
}

/**
 * Runs initdb in a temporary folder, which is renamed when it is complete: a start that is killed halfway leaves
 * nothing that the next start could mistake for a cluster.
 */
async function createCluster(
  folder: string,
  password: string,
  binaries: Binaries,
  account: ServerAccount,
): Promise<void> {
  const draft = `${folder}.new`
  const passwordFile = `${folder}.password`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (account.kind === 'other') {
    await chown(draft, account.uid, account.gid)
    await chown(passwordFile, account.uid, account.gid)
  }
  const { file, args, ids } = asAccount(account, binaries.initdb, initdbArguments(draft, passwordFile))
  try {
    await promisify(execFile)(file, args, { ...ids, cwd: '/', env: cleanEnvironment(), timeout: 120_000 })
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
    throw new LocalPostgresError(`initdb could not create ${folder}:\n${output.trim()}`)
  } finally {
    await rm(passwordFile, { force: true })
  }
  await rename(draft, folder)
}

/**
 * The built-in C.UTF-8 locale sorts by code point on every system, so an operating system's new collation can't break
 * an index.
 */
const initdbArguments = (folder: string, passwordFile: string): string[] => [
  `--pgdata=${folder}`,
  `--username=${superuser}`,
  `--pwfile=${passwordFile}`,
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  // Syncing is not needed: the first checkpoint writes everything again, and a half-written cluster is never used (see
  // createCluster).
  '--no-sync',
]

/** The environment without the variables that change what libpq and Postgres do. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name))
  return { ...Object.fromEntries(inherited), LC_ALL: 'C', TZ: 'UTC' }
}

async function keptPassword(path: string, replace: boolean): Promise<string> {
  if (replace) {
    await rm(path, { force: true })
    await writeFile(path, randomBytes(24).toString('base64url'), { mode: 0o600 })
  }
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch {
    throw new LocalPostgresError(
      `${path} is missing, and with it the password of the database beside it. Bring the file back, or start anew with npm run reset.`,
    )
  }
}

function checkMajor(version: string, folder: string, binaries: Binaries): void {
  if (Number(version) === binaries.major) return
  throw new LocalPostgresError(
    `${folder} was written by PostgreSQL ${version}, and this is PostgreSQL ${binaries.major}. Take the data over with pg_dump and DATABASE_URL, choose another DATA_DIR, or start anew with npm run reset.`,
  )
}

async function checkOwner(folder: string, account: ServerAccount): Promise<void> {
  if (process.getuid === undefined) return
  const expected = account.kind === 'self' ? process.getuid() : account.uid
  const { uid } = await stat(folder)
  if (uid === expected) return
  throw new LocalPostgresError(
    `${folder} belongs to the user with id ${uid}, and Postgres would run as ${expected}. Start as the user who started it first, or choose another DATA_DIR.`,
  )
}
