import { readdir, readFile } from 'node:fs/promises'
import { median } from './median.ts'

/** Work that is repeated, and the sessions of Postgres that do a part of it. */
export interface Costed {
  /** Does the work so often. */
  readonly run: (times: number) => Promise<unknown>
  /** The process that does the other part. Without it, it is this one's main thread. */
  readonly server?: number
  /** Ends the sessions, so that the next run has new ones. */
  readonly endSessions: () => Promise<unknown>
  /** The processes of the sessions there are. */
  readonly sessions: () => Promise<readonly number[]>
}

/** Microseconds of processor time for one run. */
export interface ProcessorCost {
  /** Of the process that serves. */
  readonly own: number
  /** Of the sessions. */
  readonly sessions: number
}

/** So long that the resolution of the measurement doesn't matter, and so short that both are soon measured again. */
const blockMs = 10
/** On which processor a session runs, and what it shares there, is for its life and can double what it costs. */
const blocksOfSession = 8
/** A statement has its plan for good after five runs, and a session its caches after some more. */
const warmUp = { runs: 8, ms: 150 }

/**
 * What each of two costs in processor time, measured in short blocks that take turns, with new sessions every eight. The figures are
 * medians of the rounds between new sessions; of a round, that of its cheapest block, in which nothing disturbed the work: other load on
 * the machine adds to a block by the caches that it takes, often by more than what is to be found, and never takes away. It needs
 * /proc, so Linux.
 */
export async function compareProcessorCost(
  first: Costed,
  second: Costed,
  blocks: number,
): Promise<readonly [ProcessorCost, ProcessorCost]> {
  const rounds: readonly [ProcessorCost[], ProcessorCost[]] = [[], []]
  for (let done = 0; done < blocks; done += blocksOfSession) {
    const [firstMs, secondMs] = [await begin(first), await begin(second)]
    const runs = Math.max(1, Math.round((2 * blockMs) / (firstMs + secondMs)))
    const costs: readonly [ProcessorCost[], ProcessorCost[]] = [[], []]
    const takeFirst = async () => costs[0].push(await costOfBlock(first, runs))
    const takeSecond = async () => costs[1].push(await costOfBlock(second, runs))
    for (let block = 0; block < blocksOfSession; block += 1)
      for (const take of block % 2 === 0 ? [takeFirst, takeSecond] : [takeSecond, takeFirst]) await take()
    rounds[0].push(combine(costs[0], cheapest))
    rounds[1].push(combine(costs[1], cheapest))
  }
  return [combine(rounds[0], median), combine(rounds[1], median)]
}

/** With new sessions. Returns the milliseconds of a run. */
async function begin({ run, endSessions }: Costed): Promise<number> {
  await endSessions()
  await run(warmUp.runs)
  const began = performance.now()
  let runs = 0
  while (performance.now() - began < warmUp.ms) {
    await run(1)
    runs += 1
  }
  return (performance.now() - began) / runs
}

/** How often a block is measured whose sessions don't stay the same. */
const attempts = 100

/** A pool may open a session at any time. A block in which it did is measured again: what opens a session isn't what is compared. */
async function costOfBlock({ run, server, sessions }: Costed, runs: number): Promise<ProcessorCost> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const open = await sessions()
    const [ownBefore, sessionsBefore] = [await microsecondsOfServer(server), await microsecondsOf(open)]
    await run(runs)
    const own = (await microsecondsOfServer(server)) - ownBefore
    const sessionsAfter = await microsecondsOf(open)
    if ((await sessions()).join() === open.join())
      return { own: own / runs, sessions: (sessionsAfter - sessionsBefore) / runs }
  }
  throw new Error(`a session was opened or ended in each of ${attempts} blocks`)
}

async function microsecondsOfServer(pid: number | undefined): Promise<number> {
  if (pid === undefined) {
    const { user, system } = process.threadCpuUsage()
    return user + system
  }
  const threads = await readdir(`/proc/${pid}/task`)
  return microsecondsOf(threads.map((thread) => `${pid}/task/${thread}`))
}

/** The time of processes or threads on a processor so far, in microseconds, as the kernel's scheduler counts it. */
async function microsecondsOf(tasks: readonly (number | string)[]): Promise<number> {
  const times = await Promise.all(
    tasks.map(
      async (task) => Number((await readFile(`/proc/${task}/schedstat`, 'utf8')).split(' ')[0]) / 1000,
    ),
  )
  return times.reduce((sum, time) => sum + time, 0)
}

const cheapest = (values: readonly number[]): number => Math.min(...values)

const combine = (
  costs: readonly ProcessorCost[],
  by: (values: readonly number[]) => number,
): ProcessorCost => ({
  own: by(costs.map(({ own }) => own)),
  sessions: by(costs.map(({ sessions }) => sessions)),
})
