import { Writable } from 'node:stream'
import type { Output } from './output.ts'

export interface GatheredOutput {
  readonly stream: Output
  /** What was written until now. */
  readonly text: () => string
}

/** For tests: a terminal of a width, or, without one, a pipe. */
export function gatheredOutput(columns?: number): GatheredOutput {
  let text = ''
  const writable = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      done()
    },
  })
  const stream = Object.assign(
    writable,
    columns !== undefined && { isTTY: true, columns, getColorDepth: () => 4 },
  )
  return { stream, text: () => text }
}
