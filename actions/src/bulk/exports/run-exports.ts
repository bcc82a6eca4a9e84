import type { MerchantId } from '@commerce-graph/contract/ids'
import type { FileStorage } from '@commerce-graph/file-storage'
import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import type { Database } from '../../database.ts'
import * as bulk from '../../sql/generated/bulk.ts'
import { writeCustomerData } from './customer-data.ts'
import { type ExportJob, type ExportOptions, lease, type Turn } from './export-job.ts'
import { fileNameOf, folderOfExport } from './export-file.ts'
import { writeQuery } from './query-export.ts'

/** Milliseconds between two signs of life. */
const heartbeat = 15_000
/** Seconds for which a file is kept; a link of S3 is good for no longer. */
const keptSeconds = 7 * 24 * 60 * 60
const defaultTurn = 20_000
const defaultPartBytes = 8_000_000
const maxAttempts = 12

/** Works on exports that wait, each for its turn, on one at least. Returns how many rows were written. */
export async function runExports(options: ExportOptions): Promise<number> {
  let rows = 0
  const end = Date.now() + (options.turn ?? defaultTurn)
  do {
    if (options.signal?.aborted === true) break
    const [claimed] = await bulk.claimExport(options.database, { lease })
    if (claimed === undefined) break
    const { merchantId } = claimed
    const database = forMerchant(options.database, merchantId)
    rows += await runTurn({ ...options, database }, { ...claimed, merchantId })
  } while (Date.now() < end)
  return rows
}

async function runTurn(options: ExportOptions, job: ExportJob): Promise<number> {
  const { database, files } = options
  const living = setInterval(() => void prolong(options, job), heartbeat).unref()
  const turn = await workOn(options, job).finally(() => clearInterval(living))
  const ours = { merchantId: job.merchantId, exportId: job.id, claim: job.claim }
  switch (turn.kind) {
    case 'whole': {
      const fileName = fileNameOf(turn.what, job.createdAt, job)
      const url = await files.signedDownloadUrl(turn.fileKey, { fileName, expiresInSeconds: keptSeconds })
      const { rows, bytes } = turn
      const finished = await bulk.finishExport(database, {
        ...ours,
        rows,
        bytes,
        url,
        failure: null,
        kept: keptSeconds,
      })
      if (!finished) return 0
      await files.deleteFolder(`${folderOfExport(job)}/parts`)
      return rows - job.rows
    }
    case 'refused': {
      const failure = turn.reason.slice(0, 1_000)
      const { rows, bytes } = job
      await bulk.finishExport(database, { ...ours, rows, bytes, url: null, failure, kept: keptSeconds })
      return turn.rows
    }
    case 'more':
      await bulk.giveExportBack(database, { ...ours, failure: null, maxAttempts })
      return turn.rows
    case 'failed':
      await bulk.giveExportBack(database, { ...ours, failure: turn.reason.slice(0, 1_000), maxAttempts })
      return turn.rows
    case 'lost':
      return 0
    default:
      return turn satisfies never
  }
}

/** If that fails, the next one may not, and `keepExportPart` prolongs it, too. */
async function prolong({ database }: ExportOptions, { merchantId, id, claim }: ExportJob): Promise<void> {
  await database`
    UPDATE bulk.export SET claimed_until = now() + ${lease} * interval '1 second'
    WHERE merchant_id = ${merchantId} AND id = ${id} AND claim = ${claim}`.catch(() => undefined)
}

/** An exception is a failed try: the export is tried again, and doesn't wait for its lease to end. */
async function workOn(options: ExportOptions, job: ExportJob): Promise<Turn> {
  const deadline = Date.now() + (options.turn ?? defaultTurn)
  try {
    return job.kind === 'QUERY'
      ? await writeQuery({ ...options, deadline, partBytes: options.partBytes ?? defaultPartBytes }, job)
      : await writeCustomerData(options, job)
  } catch (error) {
    return { kind: 'failed', rows: 0, reason: error instanceof Error ? error.message : 'The export failed' }
  }
}

/** Deletes exports that have expired, with their files. Returns how many. */
export async function purgeExports(database: Database, files: FileStorage): Promise<number> {
  const expired = await database<{ merchantId: MerchantId; id: string }[]>`
    SELECT merchant_id AS "merchantId", id FROM bulk.export WHERE expires_at <= now() ORDER BY expires_at LIMIT 100`
  for (const job of expired) {
    await files.deleteFolder(folderOfExport(job))
    await forMerchant(database, job.merchantId)`
      DELETE FROM bulk.export WHERE merchant_id = ${job.merchantId} AND id = ${job.id}`
  }
  return expired.length
}
