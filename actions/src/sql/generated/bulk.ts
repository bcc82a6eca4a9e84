// Written from sql/ by `npm run generate`. Don't edit.
import type { MerchantId } from '@commerce-graph/contract/ids'
import { jsonOf, type Queryable } from '../../database.ts'
import { answerOf, type Caller, listOf, rowsOf, type Seconds } from '../answer-of.ts'

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

export type ExportKind =
  | 'QUERY'
  | 'CUSTOMER_DATA'

export type ExportStatus =
  | 'QUEUED'
  | 'RUNNING'
  | 'SUCCEEDED'
  | 'FAILED'
  | 'CANCELLED'

export type ExportFormat =
  | 'JSON_LINES'
  | 'CSV'

export type ExportHolderKind =
  | 'KEY'
  | 'USER'
  | 'CUSTOMER'

export type Claimed = { readonly status: ImportStatus; readonly format: ImportFormat; readonly recordType: string | null; readonly dryRun: boolean; readonly onExisting: ImportOnExisting; readonly onRefused: ImportOnRefused; readonly checked: number; readonly written: number; readonly attempts: number }

export interface RefreshStatisticsArguments {
  readonly table: string
}

export type RefreshStatisticsAnswer = void

/** `bulk.refresh_statistics`: Has Postgres look at a table anew, because an import has made it much larger.  */
export const refreshStatistics = (caller: Caller, args: RefreshStatisticsArguments): Promise<RefreshStatisticsAnswer> =>
  answerOf<RefreshStatisticsAnswer>(caller, 'bulk.refresh_statistics', (sql) => sql`bulk.refresh_statistics(
      p_table => ${args.table}::text
    )`)

export interface ClaimImportArguments {
  readonly lease: Seconds
}

export type ClaimImportAnswer = { readonly merchantId: MerchantId; readonly id: string; readonly claimed: Claimed }

/** `bulk.claim_import`:  Takes the import that has waited longest, never begun or given back after its turn, or was left by a worker that died. One import of a merchant is under way at a time.  */
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
  readonly merchantId: MerchantId
  readonly limit: number
}

export type PurgeImportsAnswer = { readonly id: string }

/** `bulk.purge_imports`: Imports that ended long ago, or whose file never came, for their files to be deleted.  */
export const purgeImports = (sql: Queryable, args: PurgeImportsArguments): Promise<readonly PurgeImportsAnswer[]> =>
  rowsOf<PurgeImportsAnswer>(sql`SELECT id AS "id" FROM bulk.purge_imports(
      p_merchant_id => ${args.merchantId}::uuid,
      p_limit => ${args.limit}::integer
    )`)

export interface CreateExportArguments {
  readonly merchantId: MerchantId
  readonly export: object
  readonly max: number
}

export type CreateExportAnswer =
  | { readonly outcome: 'created'; readonly exportId: string }
  | { readonly outcome: 'too_many' }
  | { readonly outcome: 'unknown_customer' }

/** `bulk.create_export`: Of a merchant's keys and users, `p_max` exports may be under way at a time. A shopper has three within a day.  */
export const createExport = (caller: Caller, args: CreateExportArguments): Promise<CreateExportAnswer> =>
  answerOf<CreateExportAnswer>(caller, 'bulk.create_export', (sql) => sql`bulk.create_export(
      p_merchant_id => ${args.merchantId}::uuid,
      p_export => ${jsonOf(sql, args.export)}::jsonb,
      p_max => ${args.max}::integer
    )`)

export interface ClaimExportArguments {
  readonly lease: Seconds
}

export type ClaimExportAnswer = { readonly merchantId: MerchantId; readonly id: string; readonly claim: string; readonly kind: ExportKind; readonly format: ExportFormat; readonly compressed: boolean; readonly query: string | null; readonly pageSize: number | null; readonly customerId: string | null; readonly holderKind: ExportHolderKind; readonly holderId: string; readonly permissions: readonly string[]; readonly rows: number; readonly bytes: number; readonly position: string | null; readonly parts: number; readonly createdAt: Date }

/** `bulk.claim_export`: Takes the export that waits longest. Each is worked on for a while, then given back: a long one doesn't keep others waiting. One of a merchant is worked on at a time.  */
export const claimExport = (sql: Queryable, args: ClaimExportArguments): Promise<readonly ClaimExportAnswer[]> =>
  rowsOf<ClaimExportAnswer>(sql`SELECT merchant_id AS "merchantId", id AS "id", claim AS "claim", kind AS "kind", format AS "format", compressed AS "compressed", query AS "query", page_size AS "pageSize", customer_id AS "customerId", holder_kind AS "holderKind", holder_id AS "holderId", permissions AS "permissions", rows AS "rows", bytes AS "bytes", position AS "position", parts AS "parts", created_at AS "createdAt" FROM bulk.claim_export(
      p_lease => make_interval(secs => ${args.lease})
    )`)

export interface KeepExportPartArguments {
  readonly merchantId: MerchantId
  readonly exportId: string
  readonly claim: string
  readonly part: object
  readonly position: string | null
  readonly totalRows: number | null
  readonly lease: Seconds
}

export type KeepExportPartAnswer = boolean

/** `bulk.keep_export_part`: Keeps a part that is stored. False: the export was cancelled, or another worker has it.  */
export const keepExportPart = (caller: Caller, args: KeepExportPartArguments): Promise<KeepExportPartAnswer> =>
  answerOf<KeepExportPartAnswer>(caller, 'bulk.keep_export_part', (sql) => sql`bulk.keep_export_part(
      p_merchant_id => ${args.merchantId}::uuid,
      p_export_id => ${args.exportId}::uuid,
      p_claim => ${args.claim}::uuid,
      p_part => ${jsonOf(sql, args.part)}::jsonb,
      p_position => ${args.position}::text,
      p_total_rows => ${args.totalRows}::integer,
      p_lease => make_interval(secs => ${args.lease})
    )`)

export interface GiveExportBackArguments {
  readonly merchantId: MerchantId
  readonly exportId: string
  readonly claim: string
  readonly failure: string | null
  readonly maxAttempts: number
}

export type GiveExportBackAnswer = void

/** `bulk.give_export_back`: Gives an export back, for the next turn or, later, for a further try. After the last try it has failed.  */
export const giveExportBack = (caller: Caller, args: GiveExportBackArguments): Promise<GiveExportBackAnswer> =>
  answerOf<GiveExportBackAnswer>(caller, 'bulk.give_export_back', (sql) => sql`bulk.give_export_back(
      p_merchant_id => ${args.merchantId}::uuid,
      p_export_id => ${args.exportId}::uuid,
      p_claim => ${args.claim}::uuid,
      p_failure => ${args.failure}::text,
      p_max_attempts => ${args.maxAttempts}::integer
    )`)

export interface FinishExportArguments {
  readonly merchantId: MerchantId
  readonly exportId: string
  readonly claim: string
  readonly rows: number
  readonly bytes: number
  readonly url: string | null
  readonly failure: string | null
  readonly kept: Seconds
}

export type FinishExportAnswer = boolean

/** `bulk.finish_export`: Ends an export: with the link to its file, or with why there is none. False: it was cancelled, or another worker has it.  */
export const finishExport = (caller: Caller, args: FinishExportArguments): Promise<FinishExportAnswer> =>
  answerOf<FinishExportAnswer>(caller, 'bulk.finish_export', (sql) => sql`bulk.finish_export(
      p_merchant_id => ${args.merchantId}::uuid,
      p_export_id => ${args.exportId}::uuid,
      p_claim => ${args.claim}::uuid,
      p_rows => ${args.rows}::integer,
      p_bytes => ${args.bytes}::integer,
      p_url => ${args.url}::text,
      p_failure => ${args.failure}::text,
      p_kept => make_interval(secs => ${args.kept})
    )`)

export interface CancelExportArguments {
  readonly merchantId: MerchantId
  readonly exportId: string
  readonly permissions: readonly string[]
  readonly customerId: string | null
}

export type CancelExportAnswer =
  | { readonly outcome: 'cancelled'; readonly exportId: string }
  | { readonly outcome: 'unknown_export' }
  | { readonly outcome: 'export_refused'; readonly status: ExportStatus }

/** `bulk.cancel_export`: An export is there for callers who have all permissions that it was begun with, and a shopper's for that shopper.  */
export const cancelExport = (caller: Caller, args: CancelExportArguments): Promise<CancelExportAnswer> =>
  answerOf<CancelExportAnswer>(caller, 'bulk.cancel_export', (sql) => sql`bulk.cancel_export(
      p_merchant_id => ${args.merchantId}::uuid,
      p_export_id => ${args.exportId}::uuid,
      p_permissions => ${listOf(args.permissions)}::text[],
      p_customer_id => ${args.customerId}::uuid
    )`)
