import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { extname } from 'node:path'
import { InputError } from './input-error.ts'
import { readCsv } from './read-csv.ts'
import { readJsonLines } from './read-json-lines.ts'
import type { RawRow } from './row.ts'

/** An input file. The state file identifies it by the hash of its content, so a changed file is a new one. */
export interface Source {
  readonly file: string
  readonly sha256: string
  /** Rows, valid and invalid. */
  readonly rowCount: number
  readonly read: () => AsyncGenerator<RawRow>
}

/**
 * Reads a file once before anything is imported.
 *
 * @throws InputError if it is missing, or no JSON Lines or CSV file
 */
export async function openSource(file: string): Promise<Source> {
  const read = readerFor(file)
  const hash = createHash('sha256')
  let rowCount = 0
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) hash.update(chunk)
    const rows = read()
    while ((await rows.next()).done !== true) rowCount += 1
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw new InputError(`${file}: ${error.message}`)
    throw error
  }
  return { file, sha256: hash.digest('hex'), rowCount, read }
}

function readerFor(file: string): () => AsyncGenerator<RawRow> {
  switch (extname(file).toLowerCase()) {
    case '.jsonl':
    case '.ndjson':
      return () => readJsonLines(file)
    case '.csv':
      return () => readCsv(file)
    default:
      throw new InputError(`${file}: the name must end in .jsonl, .ndjson or .csv`)
  }
}
