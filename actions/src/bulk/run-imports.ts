import type { FileStorage } from '@commerce-graph/file-storage'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import type { Logger } from 'pino'
import type { Database } from '../database.ts'
import * as bulk from '../sql/generated/bulk.ts'
import { type Batch, batchesOf } from './batches.ts'
import { checkBatches } from './check-batches.ts'
import { readAhead } from './read-ahead.ts'
import { fileOfImport } from './file-of-import.ts'
import { refreshStatistics } from './refresh-statistics.ts'
import { readCsv, readJsonLines, UnreadableFile } from './rows/read-rows.ts'
import { recordTypeNamed } from './rows/row-types.ts'
import { Turn } from './turn.ts'
import { type ImportUnderWay, lease, writeBatch } from './write-batch.ts'

export interface ImportOptions {
  readonly database: Database
  readonly files: FileStorage
  readonly logger: Logger
  /** Aborts when the process stops: the batch under way ends, and another worker goes on after it. */
  readonly signal?: AbortSignal
  /** Milliseconds for which a run works on imports, from the first batch that it deals with; 30 seconds by default. */
  readonly turn?: number
}

/** Far below the minute after which a job that hasn't ended is late; the file's rows before the turn's are read as well. */
const defaultTurn = 30_000

const maxRowsOfImport = 5_000_000
/** Seconds after an error until the next attempt. */
const retryDelay = 10
/** Attempts that didn't get on by a batch: a file that a worker can't read, or that ends its process, mustn't come back for ever. */
const maxAttempts = 10

type Claimed = bulk.ClaimImportAnswer['claimed']

/**
 * Deals with imports that wait, one after the other, for a turn. A long import takes several, and others have theirs in between. Returns
 * how many rows it dealt with.
 */
export async function runImports(options: ImportOptions): Promise<number> {
  const turn = new Turn(options.turn ?? defaultTurn, options.signal)
  let rows = 0
  while (!turn.isOver) {
    const [claimed] = await bulk.claimImport(options.database, { lease })
    if (claimed === undefined) break
    const { merchantId, id } = claimed
    const database = forMerchant(options.database, merchantId)
    rows += await runImport({ ...options, database, turn }, { ...claimed.claimed, merchantId, id })
  }
  return rows
}

/** In the scope of an import's merchant, with the turn of the run. */
interface OwnImportOptions extends Pick<ImportOptions, 'database' | 'files' | 'logger'> {
  readonly turn: Turn
}

/** Goes on with an import from where it was left, to its end. */
async function runImport(options: OwnImportOptions, job: Job): Promise<number> {
  if (job.attempts > maxAttempts) {
    const row = job.status === 'CHECKING' ? job.checked : job.written
    await finish(
      options,
      job,
      'FAILED',
      `It was tried ${maxAttempts} times to go on after row ${row}, without success`,
    )
    return 0
  }
  try {
    const end = await runPhases(options, job)
    if (end.kind === 'ended') await finish(options, job, end.status, end.failure)
    return end.rows
  } catch (error) {
    if (!(error instanceof UnreadableFile)) {
      // The next attempt need not wait for the end of a lease that no worker holds. If Postgres is gone, it has to.
      await release(options.database, job, retryDelay).catch(() => undefined)
      throw error
    }
    await finish(options, job, 'FAILED', error.message.slice(0, 500))
    return 0
  }
}

async function finish(
  { database, files }: Pick<ImportOptions, 'database' | 'files'>,
  { merchantId, id }: Job,
  status: 'SUCCEEDED' | 'FAILED',
  failure: string | null,
): Promise<void> {
  await bulk.finishImport(database, { merchantId, importId: id, status, failure })
  await files.delete(fileOfImport(merchantId, id))
}

type Job = Claimed & { readonly merchantId: MerchantId; readonly id: string }

type PhasesEnd =
  | {
      readonly kind: 'ended'
      readonly status: 'SUCCEEDED' | 'FAILED'
      readonly failure: string | null
      readonly rows: number
    }
  /** Cancelled, taken over by another worker, or left to one. */
  | { readonly kind: 'left'; readonly rows: number }

async function runPhases(options: OwnImportOptions, job: Job): Promise<PhasesEnd> {
  const { database } = options
  let rows = 0
  if (job.status === 'CHECKING') {
    const checked = await runPhase(options, job, 'CHECKING', job.checked)
    rows += checked.rows
    if (!checked.whole) return { kind: 'left', rows }
    if (job.dryRun || (job.onRefused === 'STOP' && (await hasRefused(database, job)))) {
      await database`
        UPDATE bulk.import SET rows = checked WHERE merchant_id = ${job.merchantId} AND id = ${job.id}`
      return job.dryRun
        ? { kind: 'ended', status: 'SUCCEEDED', failure: null, rows }
        : { kind: 'ended', status: 'FAILED', failure: 'Rows are refused, so nothing was written', rows }
    }
    const { merchantId, id: importId } = job
    if (!(await bulk.beginWriting(database, { merchantId, importId, rows: job.checked + checked.rows })))
      return { kind: 'left', rows }
  }
  const written = await runPhase(options, job, 'WRITING', job.written)
  rows += written.rows
  return written.whole ? { kind: 'ended', status: 'SUCCEEDED', failure: null, rows } : { kind: 'left', rows }
}

async function hasRefused(database: Database, { merchantId, id }: Job): Promise<boolean> {
  const [row] = await database<{ refused: number }[]>`
    SELECT refused FROM bulk.import WHERE merchant_id = ${merchantId} AND id = ${id}`
  return (row?.refused ?? 0) > 0
}

/** Reads the file once. `whole`: to its end. */
async function runPhase(
  { database, files, turn, logger }: OwnImportOptions,
  { merchantId, id, format, recordType, onExisting }: Job,
  phase: 'CHECKING' | 'WRITING',
  skip: number,
): Promise<{ readonly rows: number; readonly whole: boolean }> {
  const file = await files.get(fileOfImport(merchantId, id))
  if (file === null) throw new UnreadableFile('The file is gone')
  const read = format === 'CSV' ? readCsv(file.content) : readJsonLines(file.content)
  const job = { merchantId, id, phase, update: onExisting === 'UPDATE' }
  let rows = 0
  try {
    const batches = batchesOf(read, {
      defaultType: recordTypeNamed(recordType),
      skip,
      trying: phase === 'CHECKING',
    })
    const begun = beginning(turn, withinBounds(batches))
    const dealt = phase === 'CHECKING' ? checkBatches : writeBatches
    for await (const { batch, goesOn } of dealt(database, job, readAhead(begun))) {
      if (!goesOn) return { rows, whole: false }
      const before = skip + rows
      rows += batch.entries.length
      await refreshStatistics(database, {
        type: batch.type,
        before,
        after: before + batch.entries.length,
        logger,
      })
      if (turn.isOver) {
        await release(database, { merchantId, id }, 0)
        return { rows, whole: false }
      }
    }
    return { rows, whole: true }
  } finally {
    file.content.destroy()
  }
}

/** Begins the turn with the first batch. */
async function* beginning(turn: Turn, batches: AsyncGenerator<Batch>): AsyncGenerator<Batch> {
  for await (const batch of batches) {
    turn.begin()
    yield batch
  }
}

async function* withinBounds(batches: AsyncGenerator<Batch>): AsyncGenerator<Batch> {
  for await (const batch of batches) {
    if (batch.from + batch.entries.length > maxRowsOfImport)
      throw new UnreadableFile(`The file has more than ${maxRowsOfImport} rows: divide it`)
    yield batch
  }
}

/** Writes one batch after the other. Yields each, and whether the import goes on. */
async function* writeBatches(
  database: Database,
  job: ImportUnderWay,
  batches: AsyncIterable<Batch>,
): AsyncGenerator<{ readonly batch: Batch; readonly goesOn: boolean }> {
  for await (const batch of batches) yield { batch, goesOn: await writeBatch(database, job, batch) }
}

/** Lets another worker have an import, after some seconds. */
async function release(
  database: Database,
  { merchantId, id }: Pick<Job, 'merchantId' | 'id'>,
  delay: number,
): Promise<void> {
  await database`
    UPDATE bulk.import SET claimed_until = now() + make_interval(secs => ${delay})
    WHERE merchant_id = ${merchantId} AND id = ${id} AND finished_at IS NULL`
}
