import { SingleBar } from 'cli-progress'

/** Shows the progress of a run. */
export interface Progress {
  start(total: number): void
  /** @param day the day that was simulated last, `YYYY-MM-DD` */
  update(done: number, day: string): void
  stop(): void
}

const lineInterval = 5_000

/** A bar on a terminal; elsewhere, for example in CI, a plain line at intervals. */
export const createProgress = (stream: NodeJS.WriteStream): Progress =>
  stream.isTTY ? barOn(stream) : linesOn(stream)

export const silentProgress: Progress = {
  start: () => undefined,
  update: () => undefined,
  stop: () => undefined,
}

function barOn(stream: NodeJS.WriteStream): Progress {
  const format = '{bar} {percentage}% | {value} of {total} orders | {day} | {eta_formatted} left'
  const bar = new SingleBar({ stream, format, hideCursor: true, etaBuffer: 50, barsize: 30 })
  return {
    start: (total) => bar.start(total, 0, { day: '' }),
    update: (done, day) => bar.update(done, { day }),
    stop: () => bar.stop(),
  }
}

function linesOn(stream: NodeJS.WriteStream): Progress {
  let total = 0
  let shownAt = performance.now()
  return {
    start(orders) {
      total = orders
      stream.write(`generating ${orders} orders\n`)
    },
    update(done, day) {
      if (performance.now() - shownAt < lineInterval) return
      shownAt = performance.now()
      stream.write(`${done} of ${total} orders, ${day}\n`)
    },
    stop: () => undefined,
  }
}
