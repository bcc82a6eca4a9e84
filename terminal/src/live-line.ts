import { type Output, widthOf } from './output.ts'
import { cutTo } from './text-width.ts'

/** A text that changes while something goes on. */
export interface LiveLine {
  readonly show: (text: string) => void
  /** Shows the last text for good. */
  readonly end: () => void
}

const redrawMs = 100
/** Where there is no terminal, each text stays. */
const lineMs = 5_000

const clear = '\r\u001B[K'

/** On a terminal a line that is written again and again; elsewhere a new line at most each five seconds, and none before. */
export function createLiveLine({
  stream = process.stderr,
  now = () => performance.now(),
}: {
  readonly stream?: Output
  readonly now?: () => number
} = {}): LiveLine {
  const isTerminal = stream.isTTY === true
  let shownAt = isTerminal ? -Infinity : now()
  let shown: string | undefined
  let latest: string | undefined
  const draw = (text: string): void => {
    shown = text
    shownAt = now()
    stream.write(isTerminal ? `${clear}${cutTo(text, widthOf(stream) - 1)}` : `${text}\n`)
  }
  return {
    show(text) {
      latest = text
      if (text !== shown && now() - shownAt >= (isTerminal ? redrawMs : lineMs)) draw(text)
    },
    end() {
      if (!isTerminal || latest === undefined) return
      if (latest !== shown) draw(latest)
      stream.write('\n')
      latest = undefined
    },
  }
}
