// Written from sql/ by `npm run generate`. Don't edit.
import type { MerchantId } from '@commerce-graph/contract/ids'
import { jsonOf, type Queryable } from '../../database.ts'
import { answerOf, type Caller, rowsOf, type Seconds } from '../answer-of.ts'

export type ImportStatus =
  | 'AWAITING_UPLOAD'
  | 'QUEUED'
  | 'CHECKING'
  | 'WRITING'
  | 'SUCCEEDED'
  | 'FAILED'
  | 'CANCELLED'

export type ImportFormat =
  | 'JSON_LINES'
  | 'CSV'

export type ImportOnExisting =
  | 'SKIP'
  | 'UPDATE'

export type ImportOnRefused =
  | 'SKIP'
  | 'STOP'

export type Claimed = { readonly status: ImportStatus; readonly format: ImportFormat; readonly recordType: string | null; readonly dryRun: boolean; readonly onExisting: ImportOnExisting; readonly onRefused: ImportOnRefused; readonly checked: number; readonly written: number }

export interface ClaimImportArguments {
  readonly lease: Seconds
}

export type ClaimImportAnswer = { readonly merchantId: MerchantId; readonly id: string; readonly claimed: Claimed }

/** `bulk.claim_import`:  Takes the oldest import that waits or was left by a worker that died. One import of a merchant is under way at a time.  */
export const claimImport = (sql: Queryable, args: ClaimImportArguments): Promise<readonly ClaimImportAnswer[]> =>
  rowsOf<ClaimImportAnswer>(sql`SELECT merchant_id AS "merchantId", id AS "id", claimed AS "claimed" FROM bulk.claim_import(
      p_lease => make_interval(secs => ${args.lease})
    )`)

export interface CreateImportArguments {
  readonly merchantId: MerchantId
  readonly import: object
  readonly max: number
}

export type CreateImportAnswer =
  | { readonly outcome: 'created'; readonly importId: string }
  | { readonly outcome: 'too_many' }

/** `bulk.create_import` */
export const createImport = (caller: Caller, args: CreateImportArguments): Promise<CreateImportAnswer> =>
  answerOf<CreateImportAnswer>(caller, 'bulk.create_import', (sql) => sql`bulk.create_import(
      p_merchant_id => ${args.merchantId}::uuid,
      p_import => ${jsonOf(sql, args.import)}::jsonb,
      p_max => ${args.max}::integer
    )`)

export interface QueueImportArguments {
  readonly merchantId: MerchantId
  readonly importId: string
}

export type QueueImportAnswer =
  | { readonly outcome: 'queued'; readonly importId: string }
  | { readonly outcome: 'unknown_import' }
  | { readonly outcome: 'import_refused'; readonly status: ImportStatus }

/** `bulk.queue_import` */
export const queueImport = (caller: Caller, args: QueueImportArguments): Promise<QueueImportAnswer> =>
  answerOf<QueueImportAnswer>(caller, 'bulk.queue_import', (sql) => sql`bulk.queue_import(
      p_merchant_id => ${args.merchantId}::uuid,
      p_import_id => ${args.importId}::uuid
    )`)

export interface CancelImportArguments {
  readonly merchantId: MerchantId
  readonly importId: string
}

export type CancelImportAnswer =
  | { readonly outcome: 'cancelled'; readonly importId: string }
  | { readonly outcome: 'unknown_import' }
  | { readonly outcome: 'import_refused'; readonly status: ImportStatus }

/** `bulk.cancel_import` */
export const cancelImport = (caller: Caller, args: CancelImportArguments): Promise<CancelImportAnswer> =>
  answerOf<CancelImportAnswer>(caller, 'bulk.cancel_import', (sql) => sql`bulk.cancel_import(
      p_merchant_id => ${args.merchantId}::uuid,
      p_import_id => ${args.importId}::uuid
    )`)

export interface FinishImportArguments {
  readonly merchantId: MerchantId
  readonly importId: string
  readonly status: string
  readonly failure: string | null
}

export type FinishImportAnswer = void

/** `bulk.finish_import`: Ends an import that has not ended yet.  */
export const finishImport = (caller: Caller, args: FinishImportArguments): Promise<FinishImportAnswer> =>
  answerOf<FinishImportAnswer>(caller, 'bulk.finish_import', (sql) => sql`bulk.finish_import(
      p_merchant_id => ${args.merchantId}::uuid,
      p_import_id => ${args.importId}::uuid,
      p_status => ${args.status}::text,
      p_failure => ${args.failure}::text
    )`)

export interface BeginWritingArguments {
  readonly merchantId: MerchantId
  readonly importId: string
  readonly rows: number
}

export type BeginWritingAnswer = boolean

/** `bulk.begin_writing`: Ends the check of an import whose file has so many rows. Its rows are counted again as they are written.  */
export const beginWriting = (caller: Caller, args: BeginWritingArguments): Promise<BeginWritingAnswer> =>
  answerOf<BeginWritingAnswer>(caller, 'bulk.begin_writing', (sql) => sql`bulk.begin_writing(
      p_merchant_id => ${args.merchantId}::uuid,
      p_import_id => ${args.importId}::uuid,
      p_rows => ${args.rows}::integer
    )`)

export interface RecordProgressArguments {
  readonly merchantId: MerchantId
  readonly importId: string
  readonly phase: string
  readonly from: number
  readonly batch: object
  readonly lease: Seconds
}

export type RecordProgressAnswer = boolean

/** `bulk.record_progress`: Moves an import on by some rows, if it is where the worker left it: else it was cancelled, or another worker has it. Keeps the errors of its first 100,000 refused rows.  */
export const recordProgress = (caller: Caller, args: RecordProgressArguments): Promise<RecordProgressAnswer> =>
  answerOf<RecordProgressAnswer>(caller, 'bulk.record_progress', (sql) => sql`bulk.record_progress(
      p_merchant_id => ${args.merchantId}::uuid,
      p_import_id => ${args.importId}::uuid,
      p_phase => ${args.phase}::text,
      p_from => ${args.from}::integer,
      p_batch => ${jsonOf(sql, args.batch)}::jsonb,
      p_lease => make_interval(secs => ${args.lease})
    )`)

export interface PurgeImportsArguments {
  readonly limit: number
}

export type PurgeImportsAnswer = { readonly merchantId: MerchantId; readonly id: string }

/** `bulk.purge_imports`: Imports that ended long ago, or whose file never came, for their files to be deleted.  */
export const purgeImports = (sql: Queryable, args: PurgeImportsArguments): Promise<readonly PurgeImportsAnswer[]> =>
  rowsOf<PurgeImportsAnswer>(sql`SELECT merchant_id AS "merchantId", id AS "id" FROM bulk.purge_imports(
      p_limit => ${args.limit}::integer
    )`)
