import { readdir, readFile } from 'node:fs/promises'

const microsecondsPerTick = 10_000

/** Of /proc/<pid>/stat: what follows the program's name. */
async function statOf(pid: number | string): Promise<readonly string[] | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

const sumOf = (fields: readonly string[], places: readonly number[]): number =>
  places.reduce((sum, place) => sum + Number(fields[place]), 0) * microsecondsPerTick

/** A process's user and system time so far, over all threads, in microseconds. Undefined without /proc. */
export async function processorMicroseconds(pid: number): Promise<number | undefined> {
  const fields = await statOf(pid)
  return fields === undefined ? undefined : sumOf(fields, [11, 12])
}

/** The same of a process with all its descendants, those that have ended included. 0 without /proc. */
export async function processorMicrosecondsOfTree(pid: number): Promise<number> {
  const running = await readdir('/proc').catch(() => [])
  const stats = new Map<string, readonly string[]>()
  for (const name of running.filter((entry) => /^\d+$/.test(entry))) {
    const fields = await statOf(name)
    if (fields !== undefined) stats.set(name, fields)
  }
  const isOfTree = (name: string): boolean =>
    name === String(pid) || (stats.has(name) && name !== '0' && isOfTree(stats.get(name)?.[1] ?? '0'))
  return [...stats].reduce(
    (sum, [name, fields]) => sum + (isOfTree(name) ? sumOf(fields, [11, 12, 13, 14]) : 0),
    0,
  )
}
