// Written from sql/ by `npm run generate`. Don't edit.
import type { MerchantId } from '@commerce-graph/contract/ids'
import { jsonOf, type Queryable } from '../../database.ts'
import { answerOf, type Caller, rowsOf } from '../answer-of.ts'

export interface CreateUploadArguments {
  readonly merchantId: MerchantId
  readonly purpose: string
  readonly fileName: string
  readonly contentType: string
  readonly size: number
  readonly token: string
  readonly expiresAt: string
}

export type CreateUploadAnswer =
  | { readonly outcome: 'created'; readonly fileId: string }
  | { readonly outcome: 'over_quota'; readonly left: number; readonly quota: number }

/** `files.create_upload`: Records an upload that is to come, within the quota of the merchant's plan. */
export const createUpload = (caller: Caller, args: CreateUploadArguments): Promise<CreateUploadAnswer> =>
  answerOf<CreateUploadAnswer>(caller, 'files.create_upload', (sql) => sql`files.create_upload(
      p_merchant_id => ${args.merchantId}::uuid,
      p_purpose => ${args.purpose}::text,
      p_file_name => ${args.fileName}::text,
      p_content_type => ${args.contentType}::text,
      p_size => ${args.size}::bigint,
      p_token => ${args.token}::text,
      p_expires_at => ${args.expiresAt}::text::timestamptz
    )`)

export interface CompleteUploadArguments {
  readonly merchantId: MerchantId
  readonly fileId: string
  readonly contentType: string
}

export type CompleteUploadAnswer = boolean

/** `files.complete_upload`: Notes that the content has arrived: an image waits for its sizes, any other file is ready. A repetition changes nothing. */
export const completeUpload = (caller: Caller, args: CompleteUploadArguments): Promise<CompleteUploadAnswer> =>
  answerOf<CompleteUploadAnswer>(caller, 'files.complete_upload', (sql) => sql`files.complete_upload(
      p_merchant_id => ${args.merchantId}::uuid,
      p_file_id => ${args.fileId}::uuid,
      p_content_type => ${args.contentType}::text
    )`)

export interface DiscardArguments {
  readonly merchantId: MerchantId
  readonly fileId: string
}

export type DiscardAnswer = boolean

/** `files.discard`: Deletes the row of a file. Its contents are deleted from the storage by a job. */
export const discard = (caller: Caller, args: DiscardArguments): Promise<DiscardAnswer> =>
  answerOf<DiscardAnswer>(caller, 'files.discard', (sql) => sql`files.discard(
      p_merchant_id => ${args.merchantId}::uuid,
      p_file_id => ${args.fileId}::uuid
    )`)

export interface DeleteFileArguments {
  readonly merchantId: MerchantId
  readonly fileId: string
}

export type DeleteFileAnswer =
  | { readonly outcome: 'deleted' }
  | { readonly outcome: 'unknown_file' }
  | { readonly outcome: 'in_use'; readonly products: number; readonly categories: number }

/** `files.delete_file` */
export const deleteFile = (caller: Caller, args: DeleteFileArguments): Promise<DeleteFileAnswer> =>
  answerOf<DeleteFileAnswer>(caller, 'files.delete_file', (sql) => sql`files.delete_file(
      p_merchant_id => ${args.merchantId}::uuid,
      p_file_id => ${args.fileId}::uuid
    )`)

export type ClaimImageAnswer = { readonly merchantId: MerchantId; readonly fileId: string; readonly token: string }

/** `files.claim_image`: The next image that waits for its sizes, if there is one. Another worker gets it two minutes later, if this one dies. An image that three workers have not ended is rejected: it may be what ends them. */
export const claimImage = (sql: Queryable): Promise<readonly ClaimImageAnswer[]> =>
  rowsOf<ClaimImageAnswer>(sql`SELECT merchant_id AS "merchantId", file_id AS "fileId", token AS "token" FROM files.claim_image()`)

export interface ReleaseImageArguments {
  readonly merchantId: MerchantId
  readonly fileId: string
}

export type ReleaseImageAnswer = boolean

/** `files.release_image`: Gives an image back whose sizes could not be made for no fault of its own, as when the storage is away. That was no attempt. */
export const releaseImage = (caller: Caller, args: ReleaseImageArguments): Promise<ReleaseImageAnswer> =>
  answerOf<ReleaseImageAnswer>(caller, 'files.release_image', (sql) => sql`files.release_image(
      p_merchant_id => ${args.merchantId}::uuid,
      p_file_id => ${args.fileId}::uuid
    )`)

export interface RecordImageArguments {
  readonly merchantId: MerchantId
  readonly fileId: string
  readonly url: string
  readonly width: number
  readonly height: number
  readonly bytes: number
  readonly sizes: object
}

export type RecordImageAnswer = boolean

/** `files.record_image`: Records what was made of an image: p_sizes has {width, height, url} of each size, p_bytes are those of all together. */
export const recordImage = (caller: Caller, args: RecordImageArguments): Promise<RecordImageAnswer> =>
  answerOf<RecordImageAnswer>(caller, 'files.record_image', (sql) => sql`files.record_image(
      p_merchant_id => ${args.merchantId}::uuid,
      p_file_id => ${args.fileId}::uuid,
      p_url => ${args.url}::text,
      p_width => ${args.width}::integer,
      p_height => ${args.height}::integer,
      p_bytes => ${args.bytes}::bigint,
      p_sizes => ${jsonOf(sql, args.sizes)}::jsonb
    )`)

export interface RejectImageArguments {
  readonly merchantId: MerchantId
  readonly fileId: string
  readonly reason: string
}

export type RejectImageAnswer = boolean

/** `files.reject_image`: Notes that a file is no image that can be shown. */
export const rejectImage = (caller: Caller, args: RejectImageArguments): Promise<RejectImageAnswer> =>
  answerOf<RejectImageAnswer>(caller, 'files.reject_image', (sql) => sql`files.reject_image(
      p_merchant_id => ${args.merchantId}::uuid,
      p_file_id => ${args.fileId}::uuid,
      p_reason => ${args.reason}::text
    )`)

export interface DiscardOrphansArguments {
  readonly limit: number
}

export type DiscardOrphansAnswer = number

/** `files.discard_orphans`: Deletes files that nobody needs: uploads that were not completed in an hour, rejected files after a week, and images that nothing has shown for 30 days. Returns how many. */
export const discardOrphans = (caller: Caller, args: DiscardOrphansArguments): Promise<DiscardOrphansAnswer> =>
  answerOf<DiscardOrphansAnswer>(caller, 'files.discard_orphans', (sql) => sql`files.discard_orphans(
      p_limit => ${args.limit}::integer
    )`)

export interface SettleUrlArguments {
  readonly url: string
}

export type SettleUrlAnswer = number

/** `files.settle_url`: Notes where clients reach the files, and corrects the URLs of images if that has changed. Returns how many. */
export const settleUrl = (caller: Caller, args: SettleUrlArguments): Promise<SettleUrlAnswer> =>
  answerOf<SettleUrlAnswer>(caller, 'files.settle_url', (sql) => sql`files.settle_url(
      p_url => ${args.url}::text
    )`)
