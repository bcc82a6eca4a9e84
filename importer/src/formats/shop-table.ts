import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'
import { z } from 'zod'
import { InputError } from '../input/input-error.ts'

/** A mapping: the file's column for each field that a reader knows. */
export type Mapping = Readonly<Record<string, string>>

/** A row of another shop system's table, by the names of the mapping. An absent column is an empty text. */
export type Cells = (field: string) => string

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
    if (!checked && !Object.values(mapping).some((column) => column in cells))
      throw new InputError(`${file} has none of the mapping's columns: ${Object.values(mapping).join(', ')}`)
    checked = true
    yield (field) => cells[mapping[field] ?? '']?.trim() ?? ''
  }
}
