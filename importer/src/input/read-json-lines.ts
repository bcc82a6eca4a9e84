import { fileTexts } from './file-texts.ts'
import type { RawRow } from './row.ts'

// A longer row exceeds the size of a request and could not be imported.
const maxLineLength = 1_000_000

interface Line {
  readonly number: number
  readonly text: string
  readonly tooLong: boolean
}

/**
 * Reads a file of one JSON object per line. Skips empty lines.
 *
 * @throws InputError if it is not UTF-8
 */
export async function* readJsonLines(file: string): AsyncGenerator<RawRow> {
  let index = 0
  for await (const line of readLines(file)) {
    const location = { file, line: line.number, index }
    if (line.tooLong) {
      const message = `the line is longer than ${maxLineLength} characters`
      yield { location, kind: undefined, problem: { field: undefined, message, code: 'OUT_OF_RANGE' } }
    } else if (line.text.trim() === '') {
      continue
    } else {
      yield parseLine(location, line.text)
    }
    index += 1
  }
}

function parseLine(location: RawRow['location'], text: string): RawRow {
  try {
    return { location, kind: undefined, value: JSON.parse(text) as unknown }
  } catch (error) {
    const message = `is not JSON: ${error instanceof Error ? error.message : String(error)}`
    return { location, kind: undefined, problem: { field: undefined, message, code: 'INVALID_FORMAT' } }
  }
}

// node:readline would keep a line of any length in memory; this code drops the rest of a long line as it arrives.
async function* readLines(file: string): AsyncGenerator<Line> {
  let number = 1
  let text = ''
  let tooLong = false
  for await (const chunk of fileTexts(file)) {
    for (const [position, part] of chunk.split('\n').entries()) {
      if (position > 0) {
        yield { number, text, tooLong }
        number += 1
        text = ''
        tooLong = false
      }
      if (tooLong) continue
      text += part
      tooLong = text.length > maxLineLength
      if (tooLong) text = ''
    }
  }
  if (text !== '' || tooLong) yield { number, text, tooLong }
}
