import { createProgress as createBar } from '@commerce-graph/terminal'
import type { Settled } from './api/attempts.ts'

/** Shows the progress of an import. */
export interface Progress {
  start(total: number): void
  update(done: number, counts: Counts): void
  stop(): void
}

const jsonIntervalMs = 1_000

/** On standard error: a bar on a terminal; elsewhere, for example in CI, a plain line at intervals. */
export function createProgress(): Progress {
  const bar = createBar({ doing: 'Importing rows' })
  return {
    start: bar.start,
    update: (done, { refused }) => bar.update(done, `${refused} refused`),
    stop: bar.stop,
  }
}

/** On standard output, for a program: `{"progress": …}` at most once a second. */
export function createJsonProgress(): Progress {
  let rows = 0
  let printedAt = -Infinity
  return {
    start(total) {
      rows = total
    },
    update(done, { refused }) {
      if (performance.now() - printedAt < jsonIntervalMs) return
      printedAt = performance.now()
      console.log(JSON.stringify({ progress: { rows, done, refused } }))
    },
    stop: () => undefined,
  }
}

export const silentProgress: Progress = {
  start: () => undefined,
  update: () => undefined,
  stop: () => undefined,
}

export type Counts = Readonly<Record<Settled['kind'], number>>
