import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type LocalPostgres, startLocalPostgres } from './local-postgres.ts'

/** A primary and a hot standby that follows it by streaming replication, for tests. */
export interface ReplicatedPostgres {
  readonly primary: LocalPostgres
  readonly standby: LocalPostgres
  readonly stop: () => Promise<void>
}

/** Starts both in folders of their own, which `stop` removes. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'commerce-graph-replicated-'))
  const primaryDir = join(folder, 'primary')
  const standbyDir = join(folder, 'standby')
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const first = await startLocalPostgres({ dataDir: primaryDir })
    await first.stop()
    // The copy of a server that was stopped is a backup; cp keeps the owner, whom Postgres insists on.
    await promisify(execFile)('cp', ['-a', primaryDir, standbyDir])
    await writeFile(join(standbyDir, 'cluster/standby.signal'), '')
    const primary = await startLocalPostgres({ dataDir: primaryDir, port: first.port })
    try {
      const { username, password, port } = new URL(primary.url)
      const source = `host=127.0.0.1 port=${port} user=${username} password=${password}`
      const standby = await startLocalPostgres({
        dataDir: standbyDir,
        settings: { primary_conninfo: source },
      })
      const stop = async () => {
        await standby.stop()
        await primary.stop()
        await remove()
      }
      return { primary, standby, stop }
    } catch (error) {
      await primary.stop()
      throw error
    }
  } catch (error) {
    await remove()
    throw error
  }
}
