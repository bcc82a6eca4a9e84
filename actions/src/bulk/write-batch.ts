import type { MerchantId } from '@commerce-graph/contract/ids'
import { alreadyExists, invalidValue, type UserError } from '@commerce-graph/contract/input'
import postgres from '@commerce-graph/postgres-driver'
import { type Database, isTimeout, type Queryable } from '../database.ts'
import * as bulk from '../sql/generated/bulk.ts'
import { type Batch, type Entry, textOfKey } from './batches.ts'
import { writerOf } from './records/record-writers.ts'
import type { PreparedRecord, WrittenRecord } from './records/record-writer.ts'

export interface ImportUnderWay {
  readonly merchantId: MerchantId
  readonly id: string
  readonly phase: 'CHECKING' | 'WRITING'
  readonly update: boolean
}

/** Seconds for which a worker has an import, from its last batch on. */
export const lease = 120

/** A batch, or a part of one, whose rows were tried and not kept. */
export interface TriedBatch {
  readonly batch: Batch
  readonly written: readonly WrittenRecord[]
}

/**
 * Writes a batch, and notes it, in one transaction. A row that the database refuses leaves the others alone: the batch is written
 * in halves. So is one that takes longer than a statement may.
 *
 * @returns whether the import goes on: else it was cancelled, or another worker has it
 */
export async function writeBatch(database: Database, job: ImportUnderWay, batch: Batch): Promise<boolean> {
  const refusedBefore = await linesRefused(database, job, batch)
  const entries = batch.entries.map((entry) => {
    const error = refusedBefore.get(entry.line)
    return error === undefined ? entry : refused(entry, [error])
  })
  for await (const goesOn of settled({ ...batch, entries }, (part) => writeAll(database, job, part)))
    if (!goesOn) return false
  return true
}

/** Tries a batch in a transaction that is rolled back; `noteTried` notes what came of it. Parts as in `writeBatch`. */
export async function tryBatch(
  database: Database,
  job: ImportUnderWay,
  batch: Batch,
): Promise<readonly TriedBatch[]> {
  const taken = await keysTaken(database, job, batch)
  const entries = batch.entries.map((entry) => {
    if ('errors' in entry.content) return entry
    const twice = entry.content.keys.filter((key) => taken.has(textOfKey(key)))
    return twice.length === 0
      ? entry
      : refused(
          entry,
          twice.map(({ field, key }) => alreadyExists(field, key)),
        )
  })
  return Array.fromAsync(settled({ ...batch, entries }, (part) => tryAll(database, job, part)))
}

/** @returns as `writeBatch` does */
export async function noteTried(
  database: Database,
  job: ImportUnderWay,
  tried: readonly TriedBatch[],
): Promise<boolean> {
  for (const { batch, written } of tried) if (!(await note(database, job, batch, written))) return false
  return true
}

const refused = (entry: Entry, errors: readonly UserError[]): Entry =>
  'errors' in entry.content ? entry : { ...entry, content: { errors } }

/** What `deal` makes of the batch, or of each part that the database takes. */
async function* settled<Outcome>(
  batch: Batch,
  deal: (part: Batch) => Promise<Outcome>,
): AsyncGenerator<Outcome> {
  let outcome: Outcome
  try {
    outcome = await deal(batch)
  } catch (error) {
    const refusal = refusalOf(error)
    const { entries, from, type } = batch
    const [only] = entries
    if (refusal === null && !(isTimeout(error) && entries.length > 1)) throw error
    if (refusal !== null && entries.length === 1 && only !== undefined) {
      yield* settled({ ...batch, entries: [refused(only, [refusal])] }, deal)
      return
    }
    const half = Math.floor(entries.length / 2)
    yield* settled({ from, type, entries: entries.slice(0, half) }, deal)
    yield* settled({ from: from + half, type, entries: entries.slice(half) }, deal)
    return
  }
  yield outcome
}

class NotMine extends Error {}

async function writeAll(database: Database, job: ImportUnderWay, batch: Batch): Promise<boolean> {
  try {
    await database.begin(async (sql) => {
      const written = await writeRecords(sql, job, batch)
      if (!(await note(sql, job, batch, written))) throw new NotMine()
    })
    return true
  } catch (error) {
    if (error instanceof NotMine) return false
    throw error
  }
}

/** Ends a transaction that only tried whether the rows can be written. */
class Tried extends Error {
  readonly written: readonly WrittenRecord[]

  constructor(written: readonly WrittenRecord[]) {
    super('tried')
    this.written = written
  }
}

async function tryAll(database: Database, job: ImportUnderWay, batch: Batch): Promise<TriedBatch> {
  try {
    await database.begin(async (sql) => {
      const found = await writeRecords(sql, job, batch)
      await sql`SET CONSTRAINTS ALL IMMEDIATE`
      throw new Tried(found)
    })
    throw new Error('a transaction that only tries its rows has committed')
  } catch (error) {
    if (!(error instanceof Tried)) throw error
    return { batch, written: error.written }
  }
}

async function writeRecords(
  sql: Queryable,
  job: ImportUnderWay,
  { type, entries }: Batch,
): Promise<readonly WrittenRecord[]> {
  const records = entries.flatMap(({ content }) => ('errors' in content ? [] : [content]))
  if (type === null || records.length === 0) return []
  const { merchantId, id: importId, update, phase } = job
  return writerOf(type).write(sql, records, { merchantId, importId, update, checkOnly: phase === 'CHECKING' })
}

function note(
  sql: Queryable,
  { merchantId, id: importId, phase }: ImportUnderWay,
  { from, entries }: Batch,
  written: readonly WrittenRecord[],
): Promise<boolean> {
  const byId = new Map(written.map((record) => [record.id, record]))
  const errorsOf = ({ content }: Entry): readonly UserError[] => {
    if ('errors' in content) return content.errors
    const error = byId.get(content.id)?.error
    return error == null ? [] : [error]
  }
  const count = (outcome: WrittenRecord['outcome']) =>
    written.filter((record) => record.outcome === outcome).length
  const good = (content: Entry['content']): content is PreparedRecord<unknown> =>
    !('errors' in content) && byId.get(content.id)?.outcome !== 'refused'
  return bulk.recordProgress(sql, {
    merchantId,
    importId,
    phase,
    from,
    lease,
    batch: {
      rows: entries.length,
      imported: count('imported'),
      unchanged: count('unchanged'),
      refused: entries.filter((entry) => errorsOf(entry).length > 0).length,
      keys:
        phase === 'CHECKING'
          ? entries.flatMap(({ content }) =>
              good(content) ? content.keys.map(({ kind, key }) => ({ kind, key })) : [],
            )
          : [],
      errors: entries.flatMap((entry) =>
        errorsOf(entry).map(({ field, code, message }) => ({
          line: entry.line,
          record_type: entry.type,
          key: entry.key,
          field,
          code,
          message: message.slice(0, 1000),
        })),
      ),
    },
  })
}

/** A row that the check has refused is not written, even if it could be now. */
async function linesRefused(
  database: Database,
  { merchantId, id }: ImportUnderWay,
  { entries }: Batch,
): Promise<ReadonlyMap<number, UserError>> {
  const rows = await database<{ line: number; field: string; code: UserError['code']; message: string }[]>`
    SELECT line, field, code, message FROM bulk.import_error
    WHERE merchant_id = ${merchantId} AND import_id = ${id}
      AND line BETWEEN ${entries.at(0)?.line ?? 0} AND ${entries.at(-1)?.line ?? 0}`
  return new Map(rows.map(({ line, ...error }) => [line, error]))
}

/** What earlier rows of the file will have written. */
async function keysTaken(
  database: Database,
  { merchantId, id }: ImportUnderWay,
  { entries }: Batch,
): Promise<ReadonlySet<string>> {
  const keys = entries.flatMap(({ content }) => ('errors' in content ? [] : content.keys))
  const rows = await database<{ kind: string; key: string }[]>`
    SELECT k.kind, k.key
    FROM unnest(${keys.map(({ kind }) => kind)}::text[], ${keys.map(({ key }) => key)}::text[]) AS w (kind, key)
    JOIN bulk.import_key k
      ON k.merchant_id = ${merchantId} AND k.import_id = ${id} AND k.kind = w.kind AND k.key = w.key`
  return new Set(rows.map(textOfKey))
}

/** Errors of data (class 22) and of constraints (23) are the row's; others are ours, or pass. */
function refusalOf(error: unknown): UserError | null {
  if (!(error instanceof postgres.PostgresError) || !/^(22|23)/.test(error.code)) return null
  const what = error.constraint_name ?? error.column_name ?? error.code
  return invalidValue('', `The database refuses the row: ${error.message} (${what})`)
}
