import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { LocalPostgresError } from './local-postgres-error.ts'

const stopTimeoutMs = 15_000

/**
 * Ends a Postgres server that outlived the process that started it, and removes its pid file. The caller must hold the
 * lock of the data folder, so that no other process is using the server. Throws LocalPostgresError when the server
 * doesn't stop.
 */
export async function endOrphan(dataDir: string): Promise<void> {
  const folder = join(dataDir, 'cluster')
  const pidFile = join(folder, 'postmaster.pid')
  const pid = await postmasterPid(pidFile)
  if (pid === undefined) return
  if (await servesCluster(pid, folder)) {
    process.kill(pid, 'SIGINT')
    const deadline = Date.now() + stopTimeoutMs
    while (await servesCluster(pid, folder)) {
      if (Date.now() > deadline) {
        throw new LocalPostgresError(
          `A server left over from an earlier start (process ${pid}) doesn't stop.`,
        )
      }
      await sleep(50)
    }
  }
  // Postgres refuses to start while this file holds a live process id, even when another program has that id by now.
  await rm(pidFile, { force: true })
}

async function postmasterPid(pidFile: string): Promise<number | undefined> {
  const content = await readFile(pidFile, 'utf8').catch(() => '')
  const pid = Number.parseInt(content, 10)
  return pid > 0 ? pid : undefined
}

const servesCluster = async (pid: number, folder: string): Promise<boolean> =>
  (await commandLine(pid)).includes(folder)

async function commandLine(pid: number): Promise<string> {
  try {
    if (process.platform === 'linux') return await readFile(`/proc/${pid}/cmdline`, 'utf8')
    if (process.platform === 'win32') {
      const query = `(Get-CimInstance Win32_Process -Filter "ProcessId=${pid}").CommandLine`
      return (await promisify(execFile)('powershell', ['-NoProfile', '-Command', query])).stdout
    }
    return (await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)])).stdout
  } catch {
    return ''
  }
}
