import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'
import { z } from 'zod'
import { InputError } from '../input/input-error.ts'

/** A mapping: the file's column for each field that a reader knows. `{n}` in a column stands for a number from 1 on. */
export type Mapping = Readonly<Record<string, string>>

/** A row of another shop system's table, by the names of the mapping. An absent column is an empty text. */
export type Cells = (field: string, n?: number) => string

/** A row of the platform, before it is checked. */
export type Row = Readonly<Record<string, unknown>>

/** The reader of a format. */
export type Reader = (file: string, source: Source) => AsyncGenerator<Row>

export interface Source {
  readonly mapping: Mapping
  /** Of prices that don't say theirs. */
  readonly currency: string
  readonly now: Date
}

const record = z.record(z.string(), z.string())
const maxRecordLength = 1_000_000

/** @throws InputError if the file has none of the mapping's columns */
export async function* readTable(file: string, mapping: Mapping): AsyncGenerator<Cells> {
  const parser = createReadStream(file).pipe(
    parse({
      bom: true,
      columns: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: maxRecordLength,
    }),
  )
  let checked = false
  for await (const item of parser) {
    const cells = record.parse(item)
    if (!checked && !Object.values(mapping).some((column) => numbered(column, 1) in cells))
      throw new InputError(`${file} has none of the mapping's columns: ${Object.values(mapping).join(', ')}`)
    checked = true
    yield (field, n = 1) => cells[numbered(mapping[field] ?? '', n)]?.trim() ?? ''
  }
}

const numbered = (column: string, n: number): string => column.replace('{n}', String(n))

/** Rows that follow one another and have the same value of a field, put together. */
export async function* together(rows: AsyncIterable<Cells>, field: string): AsyncGenerator<readonly Cells[]> {
  let open: Cells[] = []
  for await (const cells of rows) {
    const [first] = open
    if (first !== undefined && first(field) !== cells(field)) {
      yield open
      open = []
    }
    open.push(cells)
  }
  if (open.length > 0) yield open
}
