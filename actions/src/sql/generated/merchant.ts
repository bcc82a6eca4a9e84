// Written from sql/ by `npm run generate`. Don't edit.
import type { MerchantId } from '@commerce-graph/contract/ids'
import { jsonOf, type Queryable } from '../../database.ts'
import { answerOf, type Caller, listOf, rowsOf, type Seconds } from '../answer-of.ts'
import type * as notification from './notification.ts'

export type MerchantStatus =
  | 'ACTIVE'
  | 'SUSPENDED'
  | 'CLOSED'

export type SubscriptionPlan =
  | 'FREE'
  | 'STARTER'
  | 'PRO'
  | 'ENTERPRISE'

export type SubscriptionStatus =
  | 'ACTIVE'
  | 'TRIALING'
  | 'PAST_DUE'
  | 'CANCELLED'
  | 'UNPAID'

export type NewKey = { readonly mode: 'live' | 'test'; readonly name: string; readonly prefix: string; readonly hash: string }

export type NewSenderRecord = { readonly purpose: 'OWNERSHIP' | 'DKIM' | 'SPF'; readonly type: 'TXT'; readonly name: string; readonly value: string }

export interface IsTwinArguments {
  readonly merchantId: MerchantId
}

export type IsTwinAnswer = boolean

/** `merchant.is_twin`: Whether the merchant's rows are another merchant's test data.  */
export const isTwin = (caller: Caller, args: IsTwinArguments): Promise<IsTwinAnswer> =>
  answerOf<IsTwinAnswer>(caller, 'merchant.is_twin', (sql) => sql`merchant.is_twin(
      p_merchant_id => ${args.merchantId}::uuid
    )`)

export interface RequestPlanArguments {
  readonly merchantId: MerchantId
  readonly plan: string
  readonly from: readonly string[]
}

export type RequestPlanAnswer =
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'not_allowed'; readonly status: SubscriptionStatus }
  | { readonly outcome: 'twin' }

/** `merchant.request_plan` */
export const requestPlan = (caller: Caller, args: RequestPlanArguments): Promise<RequestPlanAnswer> =>
  answerOf<RequestPlanAnswer>(caller, 'merchant.request_plan', (sql) => sql`merchant.request_plan(
      p_merchant_id => ${args.merchantId}::uuid,
      p_plan => ${args.plan}::text,
      p_from => ${listOf(args.from)}::text[]
    )`)

export interface AnswerPlanRequestArguments {
  readonly merchantId: MerchantId
  readonly plan: string
  readonly confirm: boolean
  readonly from: readonly string[]
  readonly to: string
}

export type AnswerPlanRequestAnswer =
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'not_allowed'; readonly status: SubscriptionStatus }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'not_requested'; readonly requested: SubscriptionPlan | null }

/** `merchant.answer_plan_request` */
export const answerPlanRequest = (caller: Caller, args: AnswerPlanRequestArguments): Promise<AnswerPlanRequestAnswer> =>
  answerOf<AnswerPlanRequestAnswer>(caller, 'merchant.answer_plan_request', (sql) => sql`merchant.answer_plan_request(
      p_merchant_id => ${args.merchantId}::uuid,
      p_plan => ${args.plan}::text,
      p_confirm => ${args.confirm}::boolean,
      p_from => ${listOf(args.from)}::text[],
      p_to => ${args.to}::text
    )`)

export interface SetPlanArguments {
  readonly merchantId: MerchantId
  readonly plan: string
  readonly from: readonly string[]
  readonly to: string
}

export type SetPlanAnswer =
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'unknown' }

/** `merchant.set_plan` */
export const setPlan = (caller: Caller, args: SetPlanArguments): Promise<SetPlanAnswer> =>
  answerOf<SetPlanAnswer>(caller, 'merchant.set_plan', (sql) => sql`merchant.set_plan(
      p_merchant_id => ${args.merchantId}::uuid,
      p_plan => ${args.plan}::text,
      p_from => ${listOf(args.from)}::text[],
      p_to => ${args.to}::text
    )`)

export interface SetCancellationArguments {
  readonly merchantId: MerchantId
  readonly cancel: boolean
  readonly from: readonly string[]
}

export type SetCancellationAnswer =
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'not_allowed'; readonly status: SubscriptionStatus }
  | { readonly outcome: 'twin' }

/** `merchant.set_cancellation` */
export const setCancellation = (caller: Caller, args: SetCancellationArguments): Promise<SetCancellationAnswer> =>
  answerOf<SetCancellationAnswer>(caller, 'merchant.set_cancellation', (sql) => sql`merchant.set_cancellation(
      p_merchant_id => ${args.merchantId}::uuid,
      p_cancel => ${args.cancel}::boolean,
      p_from => ${listOf(args.from)}::text[]
    )`)

export interface SetBillingStatusArguments {
  readonly merchantId: MerchantId
  readonly from: readonly string[]
  readonly to: string
}

export type SetBillingStatusAnswer =
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'not_allowed'; readonly status: SubscriptionStatus }
  | { readonly outcome: 'unknown' }

/** `merchant.set_billing_status` */
export const setBillingStatus = (caller: Caller, args: SetBillingStatusArguments): Promise<SetBillingStatusAnswer> =>
  answerOf<SetBillingStatusAnswer>(caller, 'merchant.set_billing_status', (sql) => sql`merchant.set_billing_status(
      p_merchant_id => ${args.merchantId}::uuid,
      p_from => ${listOf(args.from)}::text[],
      p_to => ${args.to}::text
    )`)

export interface BeginPeriodsArguments {
  readonly limit: number
  readonly from: readonly string[]
  readonly renewed: string
  readonly ended: string
}

export type BeginPeriodsAnswer = number

/** `merchant.begin_periods` */
export const beginPeriods = (caller: Caller, args: BeginPeriodsArguments): Promise<BeginPeriodsAnswer> =>
  answerOf<BeginPeriodsAnswer>(caller, 'merchant.begin_periods', (sql) => sql`merchant.begin_periods(
      p_limit => ${args.limit}::integer,
      p_from => ${listOf(args.from)}::text[],
      p_renewed => ${args.renewed}::text,
      p_ended => ${args.ended}::text
    )`)

export interface ChangeStatusArguments {
  readonly merchantId: MerchantId
  readonly from: readonly string[]
  readonly to: string
  readonly reason: string | null
}

export type ChangeStatusAnswer =
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'not_allowed'; readonly status: MerchantStatus }

/** `merchant.change_status` */
export const changeStatus = (caller: Caller, args: ChangeStatusArguments): Promise<ChangeStatusAnswer> =>
  answerOf<ChangeStatusAnswer>(caller, 'merchant.change_status', (sql) => sql`merchant.change_status(
      p_merchant_id => ${args.merchantId}::uuid,
      p_from => ${listOf(args.from)}::text[],
      p_to => ${args.to}::text,
      p_reason => ${args.reason}::text
    )`)

export interface CloseMerchantArguments {
  readonly merchantId: MerchantId
  readonly from: readonly string[]
  readonly reason: string | null
  readonly delay: number
}

export type CloseMerchantAnswer =
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'not_exported' }
  | { readonly outcome: 'not_allowed'; readonly status: MerchantStatus }

/** `merchant.close_merchant`: Shuts a merchant out and has its rows deleted after the delay, in days. Refused unless the merchant got its data within the last 30 days.  */
export const closeMerchant = (caller: Caller, args: CloseMerchantArguments): Promise<CloseMerchantAnswer> =>
  answerOf<CloseMerchantAnswer>(caller, 'merchant.close_merchant', (sql) => sql`merchant.close_merchant(
      p_merchant_id => ${args.merchantId}::uuid,
      p_from => ${listOf(args.from)}::text[],
      p_reason => ${args.reason}::text,
      p_delay => ${args.delay}::integer
    )`)

export interface ConfirmExportArguments {
  readonly merchantId: MerchantId
}

export type ConfirmExportAnswer = boolean

/** `merchant.confirm_export` */
export const confirmExport = (caller: Caller, args: ConfirmExportArguments): Promise<ConfirmExportAnswer> =>
  answerOf<ConfirmExportAnswer>(caller, 'merchant.confirm_export', (sql) => sql`merchant.confirm_export(
      p_merchant_id => ${args.merchantId}::uuid
    )`)

export interface DueForDeletionArguments {
  readonly limit: number
}

export type DueForDeletionAnswer = { readonly merchantId: MerchantId }

/** `merchant.due_for_deletion`: The merchants with rows to delete, those that are due for the longest time first, and a twin before its merchant. A merchant that was deleted within the last hour is one of them: a request that was under way may have left an entry in the audit log.  */
export const dueForDeletion = (sql: Queryable, args: DueForDeletionArguments): Promise<readonly DueForDeletionAnswer[]> =>
  rowsOf<DueForDeletionAnswer>(sql`SELECT merchant_id AS "merchantId" FROM merchant.due_for_deletion(
      p_limit => ${args.limit}::integer
    )`)

export interface RemoveSenderArguments {
  readonly merchantId: MerchantId
}

export type RemoveSenderAnswer = void

/** `merchant.remove_sender` */
export const removeSender = (caller: Caller, args: RemoveSenderArguments): Promise<RemoveSenderAnswer> =>
  answerOf<RemoveSenderAnswer>(caller, 'merchant.remove_sender', (sql) => sql`merchant.remove_sender(
      p_merchant_id => ${args.merchantId}::uuid
    )`)

export interface ClaimSenderChecksArguments {
  readonly limit: number
}

export type ClaimSenderChecksAnswer = { readonly merchantId: MerchantId; readonly domain: string; readonly token: string }

/** `merchant.claim_sender_checks`: Takes the senders whose check is due, those that wait for the longest time first. A check that ends without an outcome is repeated after ten minutes.  */
export const claimSenderChecks = (sql: Queryable, args: ClaimSenderChecksArguments): Promise<readonly ClaimSenderChecksAnswer[]> =>
  rowsOf<ClaimSenderChecksAnswer>(sql`SELECT merchant_id AS "merchantId", domain AS "domain", token AS "token" FROM merchant.claim_sender_checks(
      p_limit => ${args.limit}::integer
    )`)

export interface DeleteRowsArguments {
  readonly merchantId: MerchantId
  readonly limit: number
}

export type DeleteRowsAnswer =
  | { readonly outcome: 'more'; readonly rows: number }
  | { readonly outcome: 'deleted' }
  | { readonly outcome: 'not_due' }

/** `merchant.delete_rows`: Deletes rows of a merchant whose deletion is due, about as many as the limit and what belongs to them, from whichever tables of any schema have the column merchant_id. It runs as the owner, who sees every merchant's rows in every schema; of the roles, only the worker's may call it. It is called again and again, in a transaction each, until it answers `deleted`; then the merchant's own row is gone, and operator.deleted_merchant has the rest. An interrupted deletion goes on where it was.  A row that others still refer to, or that goes only together with its record, stays for a later round.  */
export const deleteRows = (caller: Caller, args: DeleteRowsArguments): Promise<DeleteRowsAnswer> =>
  answerOf<DeleteRowsAnswer>(caller, 'merchant.delete_rows', (sql) => sql`merchant.delete_rows(
      p_merchant_id => ${args.merchantId}::uuid,
      p_limit => ${args.limit}::integer
    )`)

export interface OpenMerchantArguments {
  readonly name: string
  readonly email: string
  readonly country: string
  readonly currency: string
  readonly timezone: string | null
  readonly language: string | null
  readonly keys: object
}

export type OpenMerchantAnswer =
  | { readonly outcome: 'opened'; readonly merchantId: MerchantId; readonly ownerId: string }
  | { readonly outcome: 'unknown_language' }

/** `merchant.open_merchant`: Opens an empty shop with its first keys and its owner, who has no password yet.  */
export const openMerchant = (caller: Caller, args: OpenMerchantArguments): Promise<OpenMerchantAnswer> =>
  answerOf<OpenMerchantAnswer>(caller, 'merchant.open_merchant', (sql) => sql`merchant.open_merchant(
      p_name => ${args.name}::text,
      p_email => ${args.email}::text,
      p_country => ${args.country}::text,
      p_currency => ${args.currency}::text,
      p_timezone => ${args.timezone}::text,
      p_language => ${args.language}::text,
      p_keys => ${jsonOf(sql, args.keys)}::jsonb
    )`)

export interface RecordSenderCheckArguments {
  readonly merchantId: MerchantId
  readonly token: string
  readonly records: object
  readonly answered: boolean
  readonly problem: string | null
}

export type RecordSenderCheckAnswer =
  | { readonly outcome: 'confirmed' }
  | { readonly outcome: 'lost'; readonly message: notification.Message; readonly lostAt: string }
  | { readonly outcome: 'pending' }
  | { readonly outcome: 'unknown' }

/** `merchant.record_sender_check`: Records what a check of a sender's domain saw. Nothing happens if the merchant has set another domain meanwhile, whose token is another one. A domain whose DNS doesn't answer stays confirmed for three days.  */
export const recordSenderCheck = (caller: Caller, args: RecordSenderCheckArguments): Promise<RecordSenderCheckAnswer> =>
  answerOf<RecordSenderCheckAnswer>(caller, 'merchant.record_sender_check', (sql) => sql`merchant.record_sender_check(
      p_merchant_id => ${args.merchantId}::uuid,
      p_token => ${args.token}::text,
      p_records => ${jsonOf(sql, args.records)}::jsonb,
      p_answered => ${args.answered}::boolean,
      p_problem => ${args.problem}::text
    )`)

export interface RotateApiKeyArguments {
  readonly merchantId: MerchantId
  readonly own: readonly string[]
  readonly id: string
  readonly prefix: string
  readonly hash: Buffer
  readonly publishableKey: string | null
  readonly overlap: Seconds
}

export type RotateApiKeyAnswer =
  | { readonly outcome: 'rotated'; readonly apiKeyId: string }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'ended' }
  | { readonly outcome: 'beyond_own'; readonly permission: string }

/** `merchant.rotate_api_key` */
export const rotateApiKey = (caller: Caller, args: RotateApiKeyArguments): Promise<RotateApiKeyAnswer> =>
  answerOf<RotateApiKeyAnswer>(caller, 'merchant.rotate_api_key', (sql) => sql`merchant.rotate_api_key(
      p_merchant_id => ${args.merchantId}::uuid,
      p_own => ${listOf(args.own)}::text[],
      p_id => ${args.id}::uuid,
      p_prefix => ${args.prefix}::text,
      p_hash => ${args.hash}::bytea,
      p_publishable_key => ${args.publishableKey}::text,
      p_overlap => make_interval(secs => ${args.overlap})
    )`)

export interface SetSenderArguments {
  readonly merchantId: MerchantId
  readonly address: string
  readonly domain: string
  readonly token: string
  readonly records: object
}

export type SetSenderAnswer = void

/** `merchant.set_sender`: Sets the address that a merchant's mail is to come from, and the DNS records that its domain needs. The domain is confirmed by a check. Another address of a domain that is confirmed needs no new proof.  */
export const setSender = (caller: Caller, args: SetSenderArguments): Promise<SetSenderAnswer> =>
  answerOf<SetSenderAnswer>(caller, 'merchant.set_sender', (sql) => sql`merchant.set_sender(
      p_merchant_id => ${args.merchantId}::uuid,
      p_address => ${args.address}::citext,
      p_domain => ${args.domain}::text,
      p_token => ${args.token}::text,
      p_records => ${jsonOf(sql, args.records)}::jsonb
    )`)
