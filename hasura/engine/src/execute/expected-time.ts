import { performance } from 'node:perf_hooks'

/** Milliseconds that this process has waited for sockets so far, with nothing else to do. */
export const idleTime = (): number => performance.nodeTiming.idleTime

/** What runs of a statement took, in milliseconds. */
interface Times {
  /** For how long this process had nothing else to do than to wait for the answer. */
  readonly wait: number
  /** From its beginning until its answer was read. */
  readonly total: number
}

const times = new WeakMap<object, Times>()

const weight = 0.1
/** A run that took less than those before counts for more: what it took longer, another may have caused. */
const weightOfLess = 0.3
const weightOfMore = 0.03

/** Remembers how long a run took, for as long as its statement stays compiled. */
export function noteTimes(statement: object, { wait, total }: Times): void {
  const before = times.get(statement) ?? { wait, total }
  times.set(statement, {
    wait: moved(before.wait, wait, weight),
    total: moved(before.total, total, total < before.total ? weightOfLess : weightOfMore),
  })
}

const moved = (from: number, to: number, share: number): number => from + (to - from) * share

/** An answer that is there is read within this time, even if there is much else to do. */
const mostUnreadMs = 10

/**
 * Milliseconds that statements take together, by their last runs. Infinite if one of them has not run yet. While this
 * process has other work, an answer lies unread, and it costs nothing to wait longer for it: so a statement is expected to take
 * the time that is spent waiting for it alone, unless it is certain to take long.
 */
export const expectedMs = (statements: readonly object[]): number =>
  statements.reduce<number>((sum, statement) => {
    const { wait, total } = times.get(statement) ?? { wait: Infinity, total: Infinity }
    return sum + (total > mostUnreadMs ? total : wait)
  }, 0)
