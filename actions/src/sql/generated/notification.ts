// Written from sql/ by `npm run generate`. Don't edit.
import type { MerchantId } from '@commerce-graph/contract/ids'
import { jsonOf, type Queryable } from '../../database.ts'
import { answerOf, type Caller, listOf, rowsOf, type Seconds } from '../answer-of.ts'

export type DevicePlatform =
  | 'IOS'
  | 'ANDROID'
  | 'WEB'

export type Message = { readonly customerId: string | null; readonly recipient: string; readonly recipientName: string | null; readonly facts: object }

export interface SetPreferenceArguments {
  readonly merchantId: MerchantId
  readonly customerId: string | null
  readonly kind: string
  readonly channel: string
  readonly enabled: boolean
}

export type SetPreferenceAnswer =
  | { readonly outcome: 'changed'; readonly required: boolean }
  | { readonly outcome: 'invalid'; readonly field: 'customerId' | 'kind' | 'enabled'; readonly reason: 'unknown_customer' | 'not_of_audience' | 'required' }

/** `notification.set_preference` */
export const setPreference = (caller: Caller, args: SetPreferenceArguments): Promise<SetPreferenceAnswer> =>
  answerOf<SetPreferenceAnswer>(caller, 'notification.set_preference', (sql) => sql`notification.set_preference(
      p_merchant_id => ${args.merchantId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_kind => ${args.kind}::text,
      p_channel => ${args.channel}::text,
      p_enabled => ${args.enabled}::boolean
    )`)

export interface ShopFactsArguments {
  readonly merchantId: MerchantId
}

export type ShopFactsAnswer = { readonly name: string; readonly email: string; readonly website: string | null; readonly timeZone: string; readonly emailIsVerified: boolean; readonly sender: string | null }

/** `notification.shop_facts` */
export const shopFacts = (caller: Caller, args: ShopFactsArguments): Promise<ShopFactsAnswer> =>
  answerOf<ShopFactsAnswer>(caller, 'notification.shop_facts', (sql) => sql`notification.shop_facts(
      p_merchant_id => ${args.merchantId}::uuid
    )`)

export interface ConfirmationMessageArguments {
  readonly merchantId: MerchantId
  readonly orderId: string
}

export type ConfirmationMessageAnswer =
  | Message
  | null

/** `notification.confirmation_message`: Nothing thanks for an order that is over: the event may have come late. */
export const confirmationMessage = (caller: Caller, args: ConfirmationMessageArguments): Promise<ConfirmationMessageAnswer> =>
  answerOf<ConfirmationMessageAnswer>(caller, 'notification.confirmation_message', (sql) => sql`notification.confirmation_message(
      p_merchant_id => ${args.merchantId}::uuid,
      p_order_id => ${args.orderId}::uuid
    )`)

export interface ShippingMessageArguments {
  readonly merchantId: MerchantId
  readonly shipmentId: string
}

export type ShippingMessageAnswer =
  | Message
  | null

/** `notification.shipping_message` */
export const shippingMessage = (caller: Caller, args: ShippingMessageArguments): Promise<ShippingMessageAnswer> =>
  answerOf<ShippingMessageAnswer>(caller, 'notification.shipping_message', (sql) => sql`notification.shipping_message(
      p_merchant_id => ${args.merchantId}::uuid,
      p_shipment_id => ${args.shipmentId}::uuid
    )`)

export interface RefundMessageArguments {
  readonly merchantId: MerchantId
  readonly refundId: string
}

export type RefundMessageAnswer =
  | Message
  | null

/** `notification.refund_message` */
export const refundMessage = (caller: Caller, args: RefundMessageArguments): Promise<RefundMessageAnswer> =>
  answerOf<RefundMessageAnswer>(caller, 'notification.refund_message', (sql) => sql`notification.refund_message(
      p_merchant_id => ${args.merchantId}::uuid,
      p_refund_id => ${args.refundId}::uuid
    )`)

export interface CancellationMessageArguments {
  readonly merchantId: MerchantId
  readonly orderId: string
}

export type CancellationMessageAnswer =
  | Message
  | null

/** `notification.cancellation_message` */
export const cancellationMessage = (caller: Caller, args: CancellationMessageArguments): Promise<CancellationMessageAnswer> =>
  answerOf<CancellationMessageAnswer>(caller, 'notification.cancellation_message', (sql) => sql`notification.cancellation_message(
      p_merchant_id => ${args.merchantId}::uuid,
      p_order_id => ${args.orderId}::uuid
    )`)

export interface AppointmentMessageArguments {
  readonly merchantId: MerchantId
  readonly appointmentId: string
  readonly startTime: string
  readonly statuses: readonly string[]
}

export type AppointmentMessageAnswer =
  | Message
  | null

/** `notification.appointment_message` */
export const appointmentMessage = (caller: Caller, args: AppointmentMessageArguments): Promise<AppointmentMessageAnswer> =>
  answerOf<AppointmentMessageAnswer>(caller, 'notification.appointment_message', (sql) => sql`notification.appointment_message(
      p_merchant_id => ${args.merchantId}::uuid,
      p_appointment_id => ${args.appointmentId}::uuid,
      p_start_time => ${args.startTime}::text::timestamptz,
      p_statuses => ${listOf(args.statuses)}::text[]
    )`)

export interface StaffAppointmentMessageArguments {
  readonly merchantId: MerchantId
  readonly appointmentId: string
  readonly staffId: string
  readonly startTime: string
  readonly inCalendar: boolean
}

export type StaffAppointmentMessageAnswer =
  | Message
  | null

/** `notification.staff_appointment_message` */
export const staffAppointmentMessage = (caller: Caller, args: StaffAppointmentMessageArguments): Promise<StaffAppointmentMessageAnswer> =>
  answerOf<StaffAppointmentMessageAnswer>(caller, 'notification.staff_appointment_message', (sql) => sql`notification.staff_appointment_message(
      p_merchant_id => ${args.merchantId}::uuid,
      p_appointment_id => ${args.appointmentId}::uuid,
      p_staff_id => ${args.staffId}::uuid,
      p_start_time => ${args.startTime}::text::timestamptz,
      p_in_calendar => ${args.inCalendar}::boolean
    )`)

export interface LowStockMessageArguments {
  readonly merchantId: MerchantId
  readonly crossingId: string
}

export type LowStockMessageAnswer =
  | Message
  | null

/** `notification.low_stock_message` */
export const lowStockMessage = (caller: Caller, args: LowStockMessageArguments): Promise<LowStockMessageAnswer> =>
  answerOf<LowStockMessageAnswer>(caller, 'notification.low_stock_message', (sql) => sql`notification.low_stock_message(
      p_merchant_id => ${args.merchantId}::uuid,
      p_crossing_id => ${args.crossingId}::uuid
    )`)

export interface DisputeMessageArguments {
  readonly merchantId: MerchantId
  readonly disputeId: string
}

export type DisputeMessageAnswer =
  | Message
  | null

/** `notification.dispute_message` */
export const disputeMessage = (caller: Caller, args: DisputeMessageArguments): Promise<DisputeMessageAnswer> =>
  answerOf<DisputeMessageAnswer>(caller, 'notification.dispute_message', (sql) => sql`notification.dispute_message(
      p_merchant_id => ${args.merchantId}::uuid,
      p_dispute_id => ${args.disputeId}::uuid
    )`)

export interface ClaimBackInStockArguments {
  readonly merchantId: MerchantId
  readonly stockItemId: string
  readonly limit: number
}

export type ClaimBackInStockAnswer = { readonly alertId: string; readonly message: Message }

/** `notification.claim_back_in_stock` */
export const claimBackInStock = (sql: Queryable, args: ClaimBackInStockArguments): Promise<readonly ClaimBackInStockAnswer[]> =>
  rowsOf<ClaimBackInStockAnswer>(sql`SELECT alert_id AS "alertId", message AS "message" FROM notification.claim_back_in_stock(
      p_merchant_id => ${args.merchantId}::uuid,
      p_stock_item_id => ${args.stockItemId}::uuid,
      p_limit => ${args.limit}::integer
    )`)

export interface AnnounceArguments {
  readonly merchantId: MerchantId
  readonly kind: string
  readonly subjectKey: string
  readonly customerId: string | null
  readonly recipient: string
  readonly recipientName: string | null
  readonly title: string
  readonly body: string
  readonly data: object
  readonly facts: object
}

export type AnnounceAnswer = void

/** `notification.announce` */
export const announce = (caller: Caller, args: AnnounceArguments): Promise<AnnounceAnswer> =>
  answerOf<AnnounceAnswer>(caller, 'notification.announce', (sql) => sql`notification.announce(
      p_merchant_id => ${args.merchantId}::uuid,
      p_kind => ${args.kind}::text,
      p_subject_key => ${args.subjectKey}::text,
      p_customer_id => ${args.customerId}::uuid,
      p_recipient => ${args.recipient}::citext,
      p_recipient_name => ${args.recipientName}::text,
      p_title => ${args.title}::text,
      p_body => ${args.body}::text,
      p_data => ${jsonOf(sql, args.data)}::jsonb,
      p_facts => ${jsonOf(sql, args.facts)}::jsonb
    )`)

export interface MerchantsWithPaymentRemindersArguments {
  readonly limit: number
}

export type MerchantsWithPaymentRemindersAnswer = { readonly merchantId: MerchantId }

/** `notification.merchants_with_payment_reminders` */
export const merchantsWithPaymentReminders = (sql: Queryable, args: MerchantsWithPaymentRemindersArguments): Promise<readonly MerchantsWithPaymentRemindersAnswer[]> =>
  rowsOf<MerchantsWithPaymentRemindersAnswer>(sql`SELECT merchant_id AS "merchantId" FROM notification.merchants_with_payment_reminders(
      p_limit => ${args.limit}::integer
    )`)

export interface ClaimPaymentRemindersArguments {
  readonly merchantId: MerchantId
  readonly limit: number
}

export type ClaimPaymentRemindersAnswer = { readonly subjectKey: string; readonly message: Message }

/** `notification.claim_payment_reminders` */
export const claimPaymentReminders = (sql: Queryable, args: ClaimPaymentRemindersArguments): Promise<readonly ClaimPaymentRemindersAnswer[]> =>
  rowsOf<ClaimPaymentRemindersAnswer>(sql`SELECT subject_key AS "subjectKey", message AS "message" FROM notification.claim_payment_reminders(
      p_merchant_id => ${args.merchantId}::uuid,
      p_limit => ${args.limit}::integer
    )`)

export interface ClaimPushesArguments {
  readonly limit: number
  readonly lease: Seconds
  readonly maxAttempts: number
}

export type ClaimPushesAnswer = { readonly merchantId: MerchantId; readonly id: string; readonly attempt: number; readonly platform: DevicePlatform; readonly token: string; readonly kind: string; readonly title: string; readonly body: string; readonly data: Readonly<Record<string, string>>; readonly traceContext: string | null }

/** `notification.claim_pushes` */
export const claimPushes = (sql: Queryable, args: ClaimPushesArguments): Promise<readonly ClaimPushesAnswer[]> =>
  rowsOf<ClaimPushesAnswer>(sql`SELECT merchant_id AS "merchantId", id AS "id", attempt AS "attempt", platform AS "platform", token AS "token", kind AS "kind", title AS "title", body AS "body", data AS "data", trace_context AS "traceContext" FROM notification.claim_pushes(
      p_limit => ${args.limit}::integer,
      p_lease => make_interval(secs => ${args.lease}),
      p_max_attempts => ${args.maxAttempts}::integer
    )`)
