import { loadContract } from '@commerce-graph/contract'
import type { FileStorage } from '@commerce-graph/file-storage'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip as gzipCallback } from 'node:zlib'
import * as bulk from '../../sql/generated/bulk.ts'
import { pageReader, type Page } from './contract-client.ts'
import { csvHeader, csvRow } from './csv.ts'
import { contentTypeOf, keyOfFile, keyOfPart } from './export-file.ts'
import { type ExportQuery, readExportQuery } from './export-query.ts'
import { type ExportJob, type ExportOptions, lease, type Turn } from './export-job.ts'

/** Several gzip streams in a row are one file for every reader (RFC 1952, 2.2). So each part is compressed by itself. */
const gzip = promisify(gzipCallback)

/** Bytes of a file at most. */
const maxBytes = 2_000_000_000
/** Milliseconds after which rows are kept, however few they are. */
const partTime = 5_000

export interface QueryExportOptions extends ExportOptions {
  /** When the turn ends, in milliseconds since 1970. */
  readonly deadline: number
  readonly partBytes: number
}

/** Goes on with an export of a query after its last part, until the turn ends or the file is whole. */
export async function writeQuery(options: QueryExportOptions, job: ExportJob): Promise<Turn> {
  const { query: text, pageSize } = job
  if (text === null || pageSize === null || job.holderKind === 'CUSTOMER')
    throw new Error(`The export ${job.id} has no query of a key or user.`)
  const read = readExportQuery(loadContract().schema, text)
  if (read.kind === 'refused') return { kind: 'refused', rows: 0, reason: read.reason }
  const { query } = read
  const readPage = pageReader(options, {
    merchantId: job.merchantId,
    jobId: job.id,
    holder: { kind: job.holderKind === 'KEY' ? 'key' : 'user', id: job.holderId },
    permissions: job.permissions,
  })
  const writer = new PartWriter(options, job, query)
  // The end of the rows, with no row behind it.
  let isWhole = job.parts > 0 && job.position === null
  while (!isWhole) {
    const { position } = writer
    const answer = await readPage({
      query: query.page,
      first: pageSize,
      after: position,
      counted: position === null,
    })
    switch (answer.kind) {
      case 'refused':
      case 'failed':
        // What is read so far stays.
        if (!(await writer.keep())) return { kind: 'lost' }
        return { kind: answer.kind, rows: writer.newRows, reason: answer.reason }
      case 'page':
        writer.add(answer.page)
        isWhole = answer.page.next === null
        break
      default:
        return answer satisfies never
    }
    const turnIsOver = Date.now() >= options.deadline || options.signal?.aborted === true
    if ((writer.isFull || turnIsOver || isWhole) && !(await writer.keep())) return { kind: 'lost' }
    if (writer.bytes > maxBytes)
      return {
        kind: 'refused',
        rows: writer.newRows,
        reason: `The file would have more than ${maxBytes} bytes: filter the records`,
      }
    if (turnIsOver && !isWhole) return { kind: 'more', rows: writer.newRows }
  }
  const { rows } = writer
  return { kind: 'whole', what: query.field, rows, ...(await assemble(options, job, query)) }
}

/** Collects rows, and keeps them as parts. Holds a part and a page in memory at most. */
class PartWriter {
  readonly #options: QueryExportOptions
  readonly #job: ExportJob
  readonly #query: ExportQuery
  #lines: string[] = []
  #length = 0
  #since = Date.now()
  #number: number
  #total: number | null = null
  /** The cursor after the last row that was added. */
  position: string | null
  /** Rows that are kept, those of earlier turns included. */
  rows: number
  bytes: number

  constructor(options: QueryExportOptions, job: ExportJob, query: ExportQuery) {
    this.#options = options
    this.#job = job
    this.#query = query
    this.#number = job.parts
    this.position = job.position
    this.rows = job.rows
    this.bytes = job.bytes
  }

  get newRows(): number {
    return this.rows - this.#job.rows
  }

  get isFull(): boolean {
    return this.#length >= this.#options.partBytes || Date.now() - this.#since > partTime
  }

  add({ rows, next, total }: Page): void {
    const { format } = this.#job
    for (const row of rows) {
      const line = format === 'CSV' ? csvRow(this.#query.columns, row) : `${JSON.stringify(row)}\n`
      this.#lines.push(line)
      this.#length += line.length
    }
    this.position = next
    this.#total = total ?? this.#total
  }

  /** Stores what was added, then records it. False: the export is another worker's, or cancelled. */
  async keep(): Promise<boolean> {
    const rows = this.#lines.length
    if (rows === 0) return true
    const { files, database } = this.#options
    const { merchantId, id, claim, compressed } = this.#job
    const text = Buffer.from(this.#lines.join(''))
    const content = compressed ? await gzip(text) : text
    const number = this.#number + 1
    const key = keyOfPart(this.#job, claim, number)
    await files.put(key, Readable.from([content]), { contentType: contentTypeOf(this.#job) })
    const kept = await bulk.keepExportPart(database, {
      merchantId,
      exportId: id,
      claim,
      part: { number, file_key: key, bytes: content.length, rows },
      position: this.position,
      totalRows: this.#total,
      lease,
    })
    if (!kept) return false
    this.#number = number
    this.rows += rows
    this.bytes += content.length
    this.#lines = []
    this.#length = 0
    this.#since = Date.now()
    return true
  }
}

/** Puts the parts together into the file, with the header of CSV in front. */
async function assemble(
  { database, files }: QueryExportOptions,
  job: ExportJob,
  { columns }: ExportQuery,
): Promise<{ readonly fileKey: string; readonly bytes: number }> {
  const parts = await database<{ key: string }[]>`
    SELECT file_key AS key FROM bulk.export_part
    WHERE merchant_id = ${job.merchantId} AND export_id = ${job.id} ORDER BY number`
  const fileKey = keyOfFile(job, job.claim)
  const header = Buffer.from(job.format === 'CSV' ? csvHeader(columns) : '')
  const front = job.compressed ? await gzip(header) : header
  const content = concatenated(
    files,
    front,
    parts.map(({ key }) => key),
  )
  const { size } = await files.put(fileKey, content, { contentType: contentTypeOf(job) })
  return { fileKey, bytes: size }
}

async function* concatenated(
  files: FileStorage,
  front: Buffer,
  keys: readonly string[],
): AsyncGenerator<Uint8Array> {
  if (front.length > 0) yield front
  for (const key of keys) {
    const part = await files.get(key)
    if (part === null) throw new Error(`The part ${key} is gone.`)
    yield* part.content as AsyncIterable<Uint8Array>
  }
}
