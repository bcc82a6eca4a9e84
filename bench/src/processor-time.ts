import { readFile } from 'node:fs/promises'

const microsecondsPerTick = 10_000

/** A process's user and system time so far, over all threads, in microseconds. Undefined without /proc. */
export async function processorMicroseconds(pid: number): Promise<number | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick
  } catch {
    return undefined
  }
}
