// Written from sql/ by `npm run generate`. Don't edit.
import type { MerchantId } from '@commerce-graph/contract/ids'
import { jsonOf, type Queryable } from '../../database.ts'
import { answerOf, type Caller, listOf, rowsOf, type Seconds } from '../answer-of.ts'
import type * as notification from './notification.ts'

export type CampaignStatus =
  | 'DRAFT'
  | 'SCHEDULED'
  | 'SENDING'
  | 'PAUSED'
  | 'SENT'
  | 'CANCELLED'

export type DeliveryKind =
  | 'ORDER_CONFIRMATION'
  | 'ORDER_SHIPPED'
  | 'ORDER_REFUNDED'
  | 'ORDER_PAYMENT_REMINDER'
  | 'ORDER_CANCELLED'
  | 'STOCK_ALERT'
  | 'APPOINTMENT_BOOKED'
  | 'APPOINTMENT_MOVED'
  | 'APPOINTMENT_CANCELLED'
  | 'APPOINTMENT_REMINDER'
  | 'STAFF_APPOINTMENT_BOOKED'
  | 'STAFF_APPOINTMENT_MOVED'
  | 'STAFF_APPOINTMENT_CANCELLED'
  | 'LOW_STOCK_ALERT'
  | 'PAYMENT_DISPUTED'
  | 'SENDER_LOST'
  | 'WEBHOOK_DISABLED'
  | 'USER_INVITATION'
  | 'USER_PASSWORD_RESET'
  | 'USER_EMAIL_VERIFICATION'
  | 'CUSTOMER_PASSWORD_RESET'
  | 'CUSTOMER_EMAIL_VERIFICATION'
  | 'CAMPAIGN'

export interface UnsubscribeArguments {
  readonly merchantId: MerchantId
  readonly token: string
}

export type UnsubscribeAnswer = void

/** `email.unsubscribe`: Of all customers with the address that the mail went to, and of the one that it was written for, who may have another one by now.  */
export const unsubscribe = (caller: Caller, args: UnsubscribeArguments): Promise<UnsubscribeAnswer> =>
  answerOf<UnsubscribeAnswer>(caller, 'email.unsubscribe', (sql) => sql`email.unsubscribe(
      p_merchant_id => ${args.merchantId}::uuid,
      p_token => ${args.token}::uuid
    )`)

export interface UnsubscribesFromArguments {
  readonly token: string
}

export type UnsubscribesFromAnswer = { readonly merchantId: MerchantId; readonly name: string }

/** `email.unsubscribes_from`: The shop that the token of a mail is of.  */
export const unsubscribesFrom = (sql: Queryable, args: UnsubscribesFromArguments): Promise<readonly UnsubscribesFromAnswer[]> =>
  rowsOf<UnsubscribesFromAnswer>(sql`SELECT merchant_id AS "merchantId", name AS "name" FROM email.unsubscribes_from(
      p_token => ${args.token}::uuid
    )`)

export interface PurgeRenderedArguments {
  readonly merchantId: MerchantId
  readonly age: Seconds
  readonly limit: number
}

export type PurgeRenderedAnswer = number

/** `email.purge_rendered` */
export const purgeRendered = (caller: Caller, args: PurgeRenderedArguments): Promise<PurgeRenderedAnswer> =>
  answerOf<PurgeRenderedAnswer>(caller, 'email.purge_rendered', (sql) => sql`email.purge_rendered(
      p_merchant_id => ${args.merchantId}::uuid,
      p_age => make_interval(secs => ${args.age}),
      p_limit => ${args.limit}::integer
    )`)

export interface CountRecipientsArguments {
  readonly merchantId: MerchantId
  readonly segmentId: string | null
}

export type CountRecipientsAnswer = number

/** `email.count_recipients`: By address, because each gets a campaign once.  */
export const countRecipients = (caller: Caller, args: CountRecipientsArguments): Promise<CountRecipientsAnswer> =>
  answerOf<CountRecipientsAnswer>(caller, 'email.count_recipients', (sql) => sql`email.count_recipients(
      p_merchant_id => ${args.merchantId}::uuid,
      p_segment_id => ${args.segmentId}::uuid
    )`)

export interface AdvanceCampaignArguments {
  readonly merchantId: MerchantId
  readonly limit: number
  readonly scan: number
}

export type AdvanceCampaignAnswer = boolean

/** `email.advance_campaign`: Takes the next step of the merchant's campaign whose turn it is. FALSE: none has one to take. A step looks at p_scan customers and writes to p_limit of them, so that its time has a bound when a segment has few of very many.  */
export const advanceCampaign = (caller: Caller, args: AdvanceCampaignArguments): Promise<AdvanceCampaignAnswer> =>
  answerOf<AdvanceCampaignAnswer>(caller, 'email.advance_campaign', (sql) => sql`email.advance_campaign(
      p_merchant_id => ${args.merchantId}::uuid,
      p_limit => ${args.limit}::integer,
      p_scan => ${args.scan}::integer
    )`)

export interface ChangeCampaignArguments {
  readonly merchantId: MerchantId
  readonly campaignId: string
  readonly from: readonly string[]
  readonly to: string
  readonly scheduledAt?: string | undefined
}

export type ChangeCampaignAnswer =
  | { readonly outcome: 'changed'; readonly campaignId: string }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'not_allowed'; readonly status: CampaignStatus }

/** `email.change_campaign` */
export const changeCampaign = (caller: Caller, args: ChangeCampaignArguments): Promise<ChangeCampaignAnswer> =>
  answerOf<ChangeCampaignAnswer>(caller, 'email.change_campaign', (sql) => sql`email.change_campaign(
      p_merchant_id => ${args.merchantId}::uuid,
      p_campaign_id => ${args.campaignId}::uuid,
      p_from => ${listOf(args.from)}::text[],
      p_to => ${args.to}::text${args.scheduledAt === undefined ? sql`` : sql`,
      p_scheduled_at => ${args.scheduledAt}::text::timestamptz`}
    )`)

export interface ClaimArguments {
  readonly limit: number
  readonly lease: Seconds
  readonly maxAttempts: number
}

export type ClaimAnswer = { readonly merchantId: MerchantId; readonly id: string; readonly kind: DeliveryKind; readonly subjectKey: string; readonly recipient: string; readonly recipientName: string | null; readonly attempt: number; readonly facts: object; readonly unsubscribeToken: string | null; readonly shop: notification.ShopFactsAnswer; readonly template: { readonly subject: string; readonly html: string; readonly text: string } | null; readonly test: { readonly subject: string; readonly html: string; readonly text: string } | null; readonly token: { readonly hash: string; readonly sealed: string; readonly url: string | null } | null; readonly orderLink: string | null; readonly place: string; readonly traceContext: string | null }

/** `email.claim` */
export const claim = (sql: Queryable, args: ClaimArguments): Promise<readonly ClaimAnswer[]> =>
  rowsOf<ClaimAnswer>(sql`SELECT merchant_id AS "merchantId", id AS "id", kind AS "kind", subject_key AS "subjectKey", recipient AS "recipient", recipient_name AS "recipientName", attempt AS "attempt", facts AS "facts", unsubscribe_token AS "unsubscribeToken", shop AS "shop", template AS "template", test AS "test", token AS "token", order_link AS "orderLink", place AS "place", trace_context AS "traceContext" FROM email.claim(
      p_limit => ${args.limit}::integer,
      p_lease => make_interval(secs => ${args.lease}),
      p_max_attempts => ${args.maxAttempts}::integer
    )`)

export interface QueueTestArguments {
  readonly merchantId: MerchantId
  readonly userId: string
  readonly kind: string
  readonly message: object
}

export type QueueTestAnswer =
  | { readonly outcome: 'queued'; readonly deliveryId: string }
  | { readonly outcome: 'unconfirmed' }
  | { readonly outcome: 'too_many'; readonly retryAfter: number }

/** `email.queue_test`: Queues a test of a message for a user. It goes to the user's own confirmed address, which gets 20 within an hour.  @param p_message the test as it is sent: its subject, HTML and text  */
export const queueTest = (caller: Caller, args: QueueTestArguments): Promise<QueueTestAnswer> =>
  answerOf<QueueTestAnswer>(caller, 'email.queue_test', (sql) => sql`email.queue_test(
      p_merchant_id => ${args.merchantId}::uuid,
      p_user_id => ${args.userId}::uuid,
      p_kind => ${args.kind}::text,
      p_message => ${jsonOf(sql, args.message)}::jsonb
    )`)
