// Written from sql/ by `npm run generate`. Don't edit.
import type { MerchantId } from '@commerce-graph/contract/ids'
import { jsonOf } from '../../database.ts'
import { answerOf, type Caller, listOf, type Seconds } from '../answer-of.ts'

export type MerchantStatus =
  | 'ACTIVE'
  | 'SUSPENDED'

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

export interface RequestPlanArguments {
  readonly merchantId: MerchantId
  readonly plan: string
  readonly from: readonly string[]
}

export type RequestPlanAnswer =
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'not_allowed'; readonly status: SubscriptionStatus }

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

export interface RotateApiKeyArguments {
  readonly merchantId: MerchantId
  readonly own: readonly string[]
  readonly id: string
  readonly prefix: string
  readonly hash: Buffer
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
      p_overlap => make_interval(secs => ${args.overlap})
    )`)
