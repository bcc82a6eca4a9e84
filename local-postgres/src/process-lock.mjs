// Plain JavaScript: scripts/run.mjs needs the lock before the Node that strips types is installed.
import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync, rmSync, writeFileSync, linkSync } from 'node:fs'
import process from 'node:process'

/**
 * When a process started, in whatever form the system tells it. A pid alone doesn't name a process: after a
 * crash in a container the same small number soon belongs to something else.
 */
function startedAt(pid) {
  try {
    if (process.platform === 'linux') {
      // The command name (field 2) may hold spaces and parentheses, so fields are counted after its end.
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const zombie = fields[0] === 'Z'
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
      return zombie ? undefined : `${boot}/${fields[19]}`
    }
    if (process.platform === 'win32') {
      process.kill(pid, 0)
      return 'running'
    }
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: 5000,
    }).trim()
  } catch (error) {
    return error.code === 'EPERM' ? 'running' : undefined
  }
}

/** The holder written in a lock file, or undefined when there is none or it no longer runs. */
export function lockHolder(path) {
  let holder
  try {
    holder = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
  return Number.isInteger(holder?.pid) && startedAt(holder.pid) === holder.startedAt ? holder : undefined
}

/** Takes away a lock file that no living process holds, without ever taking away one that was just acquired. */
function removeStale(path) {
  const aside = `${path}.${process.pid}.stale`
  try {
    renameSync(path, aside)
  } catch (error) {
    if (error.code === 'ENOENT') return
    throw error
  }
  if (lockHolder(aside) !== undefined) {
    try {
      linkSync(aside, path)
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
  }
  rmSync(aside, { force: true })
}

/**
 * Acquires the lock file at `path` for this process, or tells who holds it. A lock whose holder died, however
 * hard, is free. The folder must exist.
 */
export function acquireLock(path) {
  const mine = { pid: process.pid, startedAt: startedAt(process.pid) }
  const draft = `${path}.${process.pid}.new`
  // Written to another file and linked into place, so that no process ever reads half a lock.
  writeFileSync(draft, JSON.stringify(mine))
  try {
    for (let attempt = 0; attempt < 10; attempt++) {
      try {
        linkSync(draft, path)
        return { kind: 'acquired', release: () => release(path) }
      } catch (error) {
        if (error.code !== 'EEXIST') throw error
      }
      const holder = lockHolder(path)
      if (holder !== undefined) return { kind: 'held', pid: holder.pid }
      removeStale(path)
    }
    return { kind: 'held', pid: lockHolder(path)?.pid ?? process.pid }
  } finally {
    rmSync(draft, { force: true })
  }
}

function release(path) {
  if (lockHolder(path)?.pid === process.pid) rmSync(path, { force: true })
}
