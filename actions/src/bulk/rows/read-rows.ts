import { pipeline, type Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import {
  invalidFormat,
  invalidValue,
  outOfRange,
  textOfCell,
  type UserError,
  utf8Texts,
} from '@commerce-graph/contract/input'
import { z } from 'zod'
import { unflatten } from './unflatten.ts'

/** A row of a file, not checked. */
export type RawRow =
  | {
      /** Where the row begins; the first line of the file is 1. */
      readonly line: number
      readonly value: unknown
      /** Whether its values are the texts of CSV cells. */
      readonly cells: boolean
      /** Characters. */
      readonly size: number
    }
  | { readonly line: number; readonly problem: UserError; readonly size: number }

/** A file that can't be read on: not UTF-8, no CSV, or without a header. */
export class UnreadableFile extends Error {}

/** The longest row, in characters. */
const maxRowLength = 1_000_000

/** A header's bounds. A path has as many names as levels of the value that is made of it. */
const maxColumns = 10_000
const maxNamesOfPath = 20

/**
 * The rows of a file of one JSON object per line. Skips empty lines.
 *
 * @throws UnreadableFile if it is not UTF-8
 */
export async function* readJsonLines(content: Readable): AsyncGenerator<RawRow> {
  for await (const { number: line, text, tooLong } of readLines(content)) {
    if (tooLong)
      yield { line, problem: outOfRange('', `of over ${maxRowLength} characters`, 1, maxRowLength), size: 0 }
    else if (text.trim() !== '') yield parseLine(line, text)
  }
}

function parseLine(line: number, text: string): RawRow {
  try {
    return { line, value: JSON.parse(text) as unknown, cells: false, size: text.length }
  } catch {
    return { line, problem: invalidFormat('', 'a JSON object in one line'), size: text.length }
  }
}

interface Line {
  readonly number: number
  readonly text: string
  readonly tooLong: boolean
}

// node:readline would keep a line of any length in memory; this code drops the rest of a long line as it arrives.
async function* readLines(content: Readable): AsyncGenerator<Line> {
  let number = 1
  let text = ''
  let tooLong = false
  for await (const chunk of textsOf(content)) {
    for (const [position, part] of chunk.split('\n').entries()) {
      if (position > 0) {
        yield { number, text, tooLong }
        number += 1
        text = ''
        tooLong = false
      }
      if (tooLong) continue
      text += part
      tooLong = text.length > maxRowLength
      if (tooLong) text = ''
    }
  }
  if (text !== '' || tooLong) yield { number, text, tooLong }
}

const textsOf = (content: Readable): AsyncGenerator<string> =>
  utf8Texts(content as AsyncIterable<Uint8Array>, (message) => new UnreadableFile(message))

const parsedRecord = z.object({ record: z.array(z.string()), info: z.object({ lines: z.number() }) })

/**
 * The rows of a CSV file with a header of paths (`variants.0.sku`). An empty cell is an absent field. Texts that an
 * export has kept from being formulas are as they were before.
 *
 * @throws UnreadableFile if it is not UTF-8, or no CSV from some line on, or its header has a column twice, or is too large
 */
export async function* readCsv(content: Readable): AsyncGenerator<RawRow> {
  const parser = parse({
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRowLength,
  })
  // Errors of the content come out of the parser.
  pipeline(textsOf(content), parser, () => undefined)
  let columns: readonly string[] | null = null
  let line = 1
  try {
    for await (const item of parser) {
      const { record, info } = parsedRecord.parse(item)
      const began = line
      line = info.lines + 1
      if (columns === null) columns = readHeader(record)
      else yield readRecord(began, columns, record)
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new UnreadableFile(`The file is not CSV from line ${line} on: ${error.message}`)
  } finally {
    content.destroy()
  }
}

function readHeader(record: readonly string[]): readonly string[] {
  if (record.length > maxColumns) throw new UnreadableFile(`The header has more than ${maxColumns} columns`)
  const columns = record.map((column) => column.trim())
  const known = new Set<string>()
  for (const column of columns) {
    const shown = `"${column.slice(0, 100)}"`
    if (known.has(column)) throw new UnreadableFile(`The header has the column ${shown} twice`)
    if (column.split('.', maxNamesOfPath + 1).length > maxNamesOfPath)
      throw new UnreadableFile(`The column ${shown} of the header has more than ${maxNamesOfPath} names`)
    known.add(column)
  }
  return columns
}

function readRecord(line: number, columns: readonly string[], record: readonly string[]): RawRow {
  const size = record.reduce((sum, cell) => sum + cell.length, 0)
  if (record.length !== columns.length)
    return { line, problem: invalidFormat('', `a row of ${columns.length} cells`), size }
  const cells = columns.map((column, position) => [column, textOfCell(record[position] ?? '')] as const)
  const nested = unflatten(cells.filter(([, text]) => text !== ''))
  if ('conflict' in nested)
    return {
      line,
      problem: invalidValue(nested.conflict, 'The field has a value, and another column has a part of it'),
      size,
    }
  return { line, value: nested.value, cells: true, size }
}
