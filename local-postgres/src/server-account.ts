import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { LocalPostgresError } from './local-postgres-error.ts'

const run = promisify(execFile)

/**
 * The account that Postgres runs under. Postgres refuses to run as root, so root runs it as the user `postgres`. Other
 * users run it as themselves.
 */
export type ServerAccount =
  | { readonly kind: 'self' }
  | {
      readonly kind: 'other'
      readonly uid: number
      readonly gid: number
      readonly throughClosedFolders: boolean
    }

/** A command line to spawn, and the ids to spawn it with. */
export interface AccountCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly ids: { readonly uid?: number; readonly gid?: number }
}

/** Chooses the account for the data folder, creating the user `postgres` when root has none yet. */
export async function chooseServerAccount(dataDir: string): Promise<ServerAccount> {
  if (process.getuid?.() !== 0) return { kind: 'self' }
  const { uid, gid } = (await postgresUser()) ?? (await createPostgresUser())
  const account = { kind: 'other', uid, gid, throughClosedFolders: false } as const
  if (canReach(account, dataDir)) return account
  await checkCanPassClosedFolders(dataDir)
  return { ...account, throughClosedFolders: true }
}

/** Whether the account may enter and read the path by the permissions of the folders above it. */
export function canReach(account: ServerAccount, path: string): boolean {
  if (account.kind === 'self') return true
  const { uid, gid } = account
  const { status } = spawnSync('/bin/sh', ['-c', 'test -r "$0" -a -x "$0"', path], { uid, gid, cwd: '/' })
  return status === 0
}

/**
 * The command line that runs a program as the account. Another user can't reach data below /root (mode 700); root then
 * passes on the one capability that opens folders. Postgres still accepts that: it only refuses the user id of root.
 */
export function asAccount(account: ServerAccount, file: string, args: readonly string[]): AccountCommand {
  if (account.kind === 'self') return { file, args, ids: {} }
  const { uid, gid, throughClosedFolders } = account
  if (!throughClosedFolders) return { file, args, ids: { uid, gid } }
  const change = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  const keep = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override']
  return { file: 'setpriv', args: [...change, ...keep, '--', file, ...args], ids: {} }
}

async function postgresUser(): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])])
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  } catch {
    return undefined
  }
}

async function createPostgresUser(): Promise<{ uid: number; gid: number }> {
  try {
    await run('useradd', [
      '--system',
      '--user-group',
      '--no-create-home',
      '--shell',
      '/bin/false',
      'postgres',
    ])
  } catch {
    // Two starts may both find no user: then the other one has created it.
  }
  const user = await postgresUser()
  if (user === undefined) {
    throw new LocalPostgresError(
      'Postgres refuses to run as root, and the user "postgres" could not be created. Start as an ordinary user, or set DATABASE_URL.',
    )
  }
  return user
}

async function checkCanPassClosedFolders(dataDir: string): Promise<void> {
  try {
    await run('setpriv', ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--', 'true'])
  } catch {
    throw new LocalPostgresError(
      `Postgres refuses to run as root, and the user "postgres" can't reach ${dataDir}. Choose a DATA_DIR that others may enter (below /srv or /var/lib, say), start as an ordinary user, or set DATABASE_URL.`,
    )
  }
}
