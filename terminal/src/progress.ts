import { createLiveLine } from './live-line.ts'
import type { Output } from './output.ts'

/** Shows how far a command is. */
export interface Progress {
  readonly start: (total: number) => void
  /** @param note what else is told, such as the number of refused rows */
  readonly update: (done: number, note?: string) => void
  readonly stop: () => void
}

export interface ProgressOptions {
  /** What is done: `Copying`. */
  readonly doing: string
  /** An amount with its unit; the number with thousands unless given. */
  readonly amount?: (value: number) => string
  readonly stream?: Output
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number
}

const barLength = 24
/** A rate is not told of the first moments. */
const settledAfterMs = 2_000

/** A bar on a terminal; elsewhere, for example in CI, a line at intervals. */
export function createProgress({
  doing,
  amount = (value) => value.toLocaleString('en'),
  stream = process.stderr,
  now = () => performance.now(),
}: ProgressOptions): Progress {
  const line = createLiveLine({ stream, now })
  let total = 0
  let startedAt = now()
  /** What was done before the first update: an interrupted run goes on where it stopped. */
  let before: number | undefined
  const left = (done: number): readonly string[] => {
    const elapsed = now() - startedAt
    const own = done - (before ?? 0)
    if (elapsed < settledAfterMs || own <= 0 || done >= total) return []
    return [`${durationInWords((elapsed / own) * (total - done))} left`]
  }
  return {
    start(ofAll) {
      total = ofAll
      startedAt = now()
    },
    update(done, note) {
      const far = [`${amount(done)} of ${amount(total)}`, ...(note === undefined ? [] : [note])]
      line.show(
        stream.isTTY === true
          ? [`${doing} ${bar(done, total)}`, ...far, ...left(done)].join('  ')
          : `${doing}: ${far.join(', ')}`,
      )
      before ??= done
    },
    stop: line.end,
  }
}

function bar(done: number, total: number): string {
  const part = total <= 0 ? 1 : Math.min(1, done / total)
  const full = Math.round(part * barLength)
  return `${'█'.repeat(full)}${'░'.repeat(barLength - full)} ${String(Math.floor(part * 100)).padStart(3)} %`
}

function durationInWords(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** As in `12 MB`. */
export const bytesInWords = (bytes: number): string =>
  new Intl.NumberFormat('en', { style: 'unit', unit: 'megabyte', maximumFractionDigits: 0 }).format(
    bytes / 1e6,
  )

export const silentProgress: Progress = {
  start: () => undefined,
  update: () => undefined,
  stop: () => undefined,
}
