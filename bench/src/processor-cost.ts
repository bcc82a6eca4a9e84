import { readFile } from 'node:fs/promises'

/** Work that is repeated, and the sessions of Postgres that do a part of it. */
export interface Costed {
  readonly run: () => Promise<unknown>
  /** Ends the sessions, so that the next run has new ones. */
  readonly endSessions: () => Promise<unknown>
  /** The processes of the sessions there are. */
  readonly sessions: () => Promise<readonly number[]>
}

/** Microseconds of processor time for one run. */
export interface ProcessorCost {
  /** Of this process. */
  readonly own: number
  /** Of the sessions. */
  readonly sessions: number
}

/** So long that the resolution of the measurement doesn't matter, and so short that both are soon measured again. */
const blockMs = 10
/** On which processor a session runs, and what it shares there, is for its life and can double what it costs. */
const blocksOfSession = 20
/** A statement has its plan for good after five. */
const warmUpRuns = 20

/**
 * What each of two costs in processor time, measured in short blocks that take turns, with new sessions every twenty. The figure is
 * the tenth percentile of the blocks: what a run costs when nothing disturbs it. Other load on the machine adds to a block by the
 * caches that it takes, often by more than what is to be found, and never takes away. It needs /proc, so Linux.
 */
export async function compareProcessorCost(
  first: Costed,
  second: Costed,
  blocks: number,
): Promise<readonly [ProcessorCost, ProcessorCost]> {
  const costs: readonly [ProcessorCost[], ProcessorCost[]] = [[], []]
  for (let done = 0; done < blocks; done += blocksOfSession) {
    const [[firstMs, firstSessions], [secondMs, secondSessions]] = [await warmUp(first), await warmUp(second)]
    const runs = Math.max(1, Math.round((2 * blockMs) / (firstMs + secondMs)))
    const takeFirst = async () => costs[0].push(await costOfBlock(first, firstSessions, runs))
    const takeSecond = async () => costs[1].push(await costOfBlock(second, secondSessions, runs))
    for (let block = 0; block < blocksOfSession; block += 1)
      for (const take of block % 2 === 0 ? [takeFirst, takeSecond] : [takeSecond, takeFirst]) await take()
  }
  return [undisturbed(costs[0]), undisturbed(costs[1])]
}

/** With new sessions. Returns the milliseconds of a run, and the sessions. */
async function warmUp({ run, endSessions, sessions }: Costed): Promise<readonly [number, readonly number[]]> {
  await endSessions()
  for (let done = 0; done < warmUpRuns; done += 1) await run()
  const began = performance.now()
  await run()
  return [performance.now() - began, await sessions()]
}

async function costOfBlock(
  { run }: Costed,
  sessions: readonly number[],
  runs: number,
): Promise<ProcessorCost> {
  const [ownBefore, sessionsBefore] = [process.threadCpuUsage(), await microsecondsOf(sessions)]
  for (let done = 0; done < runs; done += 1) await run()
  const own = process.threadCpuUsage(ownBefore)
  return {
    own: (own.user + own.system) / runs,
    sessions: ((await microsecondsOf(sessions)) - sessionsBefore) / runs,
  }
}

/** The time on a processor so far, in microseconds, as the kernel's scheduler counts it. */
async function microsecondsOf(pids: readonly number[]): Promise<number> {
  const times = await Promise.all(
    pids.map(async (pid) => Number((await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ')[0]) / 1000),
  )
  return times.reduce((sum, time) => sum + time, 0)
}

const undisturbed = (costs: readonly ProcessorCost[]): ProcessorCost => ({
  own: tenthPercentile(costs.map(({ own }) => own)),
  sessions: tenthPercentile(costs.map(({ sessions }) => sessions)),
})

function tenthPercentile(values: readonly number[]): number {
  const value = values.toSorted((a, b) => a - b)[Math.floor(values.length / 10)]
  if (value === undefined) throw new Error('nothing was measured')
  return value
}
