import type { UserError } from '@commerce-graph/contract/input'
import type { PreparedRecord, RecordKey } from './records/record-writer.ts'
import { writerOf } from './records/record-writers.ts'
import { keyOf, readRow } from './rows/read-row.ts'
import type { RawRow } from './rows/read-rows.ts'
import type { RecordType } from './rows/row-types.ts'

/** A row of a file, as it is written or why it isn't. */
export interface Entry {
  readonly line: number
  readonly type: RecordType | null
  readonly key: string | null
  readonly content: PreparedRecord<unknown> | { readonly errors: readonly UserError[] }
}

/** Rows that go into one transaction: of one type, and without a key in common. */
export interface Batch {
  /** Rows of the file before these. */
  readonly from: number
  readonly type: RecordType | null
  readonly entries: readonly Entry[]
}

const maxRows = 500
/** Characters of the file. */
const maxSize = 4_000_000

/**
 * Reads, checks and prepares rows, and puts them together into batches. Leaves out the first `skip` rows.
 *
 * @param options.trying whether the batches are tried, and not kept
 */
export async function* batchesOf(
  rows: AsyncIterable<RawRow>,
  options: { readonly defaultType: RecordType | null; readonly skip: number; readonly trying: boolean },
): AsyncGenerator<Batch> {
  const { defaultType, skip, trying } = options
  let from = skip
  let index = 0
  let open = new OpenBatch(trying)
  for await (const raw of rows) {
    index += 1
    if (index <= skip) continue
    const entry = entryOf(raw, defaultType)
    if (!open.takes(entry, raw.size)) {
      yield { from, type: open.type, entries: open.entries }
      from += open.entries.length
      open = new OpenBatch(trying)
    }
    open.add(entry, raw.size)
  }
  if (open.entries.length > 0) yield { from, type: open.type, entries: open.entries }
}

class OpenBatch {
  type: RecordType | null = null
  readonly entries: Entry[] = []
  readonly #trying: boolean
  #size = 0
  readonly #keys = new Set<string>()

  constructor(trying: boolean) {
    this.#trying = trying
  }

  takes({ type, content }: Entry, size: number): boolean {
    if (this.entries.length === 0) return true
    if (this.entries.length >= this.#maxRows() || this.#size + size > maxSize) return false
    if ('errors' in content) return true
    return (
      (this.type === null || this.type === type) && !keysOf({ content }).some((key) => this.#keys.has(key))
    )
  }

  #maxRows(): number {
    return (this.#trying && this.type !== null ? writerOf(this.type).maxRowsTried : undefined) ?? maxRows
  }

  add(entry: Entry, size: number): void {
    this.entries.push(entry)
    this.#size += size
    if ('errors' in entry.content) return
    this.type = entry.type
    for (const key of keysOf(entry)) this.#keys.add(key)
  }
}

/** A record's key as a text. */
export const textOfKey = ({ kind, key }: Pick<RecordKey, 'kind' | 'key'>): string => `${kind} ${key}`

/** The keys of a record that is prepared; none of one that is refused. */
export const keysOf = ({ content }: Pick<Entry, 'content'>): readonly string[] =>
  'errors' in content ? [] : content.keys.map(textOfKey)

function entryOf(raw: RawRow, defaultType: RecordType | null): Entry {
  const read = readRow(raw, defaultType)
  if (read.kind === 'refused') {
    const { line, type, key, errors } = read.row
    return { line, type, key, content: { errors } }
  }
  const { row } = read
  const found = writerOf(row.type).prepare(row)
  return {
    line: row.line,
    type: row.type,
    key: keyOf(row.values),
    content: found.kind === 'invalid' ? { errors: found.errors } : found.record,
  }
}
