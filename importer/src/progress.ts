import { SingleBar } from 'cli-progress'
import type { Settled } from './api/attempts.ts'

/** Shows the progress of an import. */
export interface Progress {
  start(total: number): void
  update(done: number, counts: Counts): void
  stop(): void
}

const lineIntervalMs = 5_000

/** A bar on a terminal; elsewhere, for example in CI, a plain line at intervals. */
export const createProgress = (stream: NodeJS.WriteStream): Progress =>
  stream.isTTY ? barOn(stream) : linesOn(stream)

export const silentProgress: Progress = {
  start: () => undefined,
  update: () => undefined,
  stop: () => undefined,
}

function barOn(stream: NodeJS.WriteStream): Progress {
  const format = '{bar} {percentage}% | {value} of {total} rows | {refused} refused | {eta_formatted} left'
  const bar = new SingleBar({ stream, format, hideCursor: true, etaBuffer: 200, barsize: 30 })
  return {
    start: (total) => bar.start(total, 0, { refused: 0 }),
    update: (done, { refused }) => bar.update(done, { refused }),
    stop: () => bar.stop(),
  }
}

function linesOn(stream: NodeJS.WriteStream): Progress {
  let total = 0
  let shownAt = 0
  return {
    start(rows) {
      total = rows
      shownAt = performance.now()
      stream.write(`importing ${rows} rows\n`)
    },
    update(done, { refused }) {
      if (done < total && performance.now() - shownAt < lineIntervalMs) return
      shownAt = performance.now()
      stream.write(`${done} of ${total} rows, ${refused} refused\n`)
    },
    stop: () => undefined,
  }
}

export type Counts = Readonly<Record<Settled['kind'], number>>
