import { pipeline } from 'node:stream'
import { parse } from 'csv-parse'
import { z } from 'zod'
import { fileTexts } from '../input/file-texts.ts'
import { InputError } from '../input/input-error.ts'

/** A mapping: the file's column for each field that a reader knows. `{n}` in a column stands for a number from 1 on. */
export type Mapping = Readonly<Record<string, string>>

/** A row of another shop system's table, by the names of the mapping. An absent column is an empty text. */
export interface Cells {
  (field: string, n?: number): string
  /** Where it ends in the file. */
  readonly line: number
}

/** A row of the platform, before it is checked. */
export type Row = Readonly<Record<string, unknown>>

/** A row of the platform, and the line of the file that it was made of, or the first of several. */
export interface PlacedRow {
  readonly line: number
  readonly row: Row
}

/** The reader of a format. */
export type Reader = (file: string, source: Source) => AsyncGenerator<PlacedRow>

export interface Source {
  readonly mapping: Mapping
  /** Of prices that don't say theirs. */
  readonly currency: string
  readonly now: Date
}

const tableRow = z.object({
  record: z.record(z.string(), z.string()),
  info: z.object({ lines: z.number() }),
})
const maxRecordLength = 1_000_000

/** @throws InputError if the file is not UTF-8, or has none of the mapping's columns */
export async function* readTable(file: string, mapping: Mapping): AsyncGenerator<Cells> {
  const parser = parse({
    columns: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRecordLength,
  })
  // Errors of the file come out of the parser.
  pipeline(fileTexts(file), parser, () => undefined)
  let checked = false
  for await (const item of parser) {
    const { record: cells, info } = tableRow.parse(item)
    if (!checked && !Object.values(mapping).some((column) => numbered(column, 1) in cells))
      throw new InputError(`${file} has none of the mapping's columns: ${Object.values(mapping).join(', ')}`)
    checked = true
    yield Object.assign((field: string, n = 1) => cells[numbered(mapping[field] ?? '', n)]?.trim() ?? '', {
      line: info.lines,
    })
  }
}

const numbered = (column: string, n: number): string => column.replace('{n}', String(n))

export type Group = readonly [Cells, ...Cells[]]

/** Rows that follow one another and have the same value of a field, put together. */
export async function* together(rows: AsyncIterable<Cells>, field: string): AsyncGenerator<Group> {
  let open: [Cells, ...Cells[]] | undefined
  for await (const cells of rows) {
    if (open !== undefined && open[0](field) === cells(field)) open.push(cells)
    else {
      if (open !== undefined) yield open
      open = [cells]
    }
  }
  if (open !== undefined) yield open
}
