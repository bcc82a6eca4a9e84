// Written from sql/ by `npm run generate`. Don't edit.
import type { MerchantId } from '@commerce-graph/contract/ids'
import { jsonOf } from '../../database.ts'
import { answerOf, type Caller, listOf } from '../answer-of.ts'

export type PaymentStatus =
  | 'PENDING'
  | 'PROCESSING'
  | 'SUCCEEDED'
  | 'FAILED'
  | 'CANCELLED'
  | 'REFUNDED'
  | 'PARTIALLY_REFUNDED'

export type RefundStatus =
  | 'PENDING'
  | 'SUCCEEDED'
  | 'FAILED'

export interface BeginCaptureArguments {
  readonly merchantId: MerchantId
  readonly paymentId: string
  readonly amount: number | null
  readonly final: boolean
  readonly from: readonly string[]
}

export type BeginCaptureAnswer =
  | { readonly outcome: 'begun'; readonly paymentId: string }
  | { readonly outcome: 'unknown_payment' }
  | { readonly outcome: 'payment_refused'; readonly status: PaymentStatus }
  | { readonly outcome: 'closed' }
  | { readonly outcome: 'more_than_authorized'; readonly amount: number }

/** `payment.begin_capture` */
export const beginCapture = (caller: Caller, args: BeginCaptureArguments): Promise<BeginCaptureAnswer> =>
  answerOf<BeginCaptureAnswer>(caller, 'payment.begin_capture', (sql) => sql`payment.begin_capture(
      p_merchant_id => ${args.merchantId}::uuid,
      p_payment_id => ${args.paymentId}::uuid,
      p_amount => ${args.amount}::bigint,
      p_final => ${args.final}::boolean,
      p_from => ${listOf(args.from)}::text[]
    )`)

export interface SettleCaptureArguments {
  readonly merchantId: MerchantId
  readonly paymentId: string
  readonly captured: number
  readonly capturable: number
  readonly refused: boolean
}

export type SettleCaptureAnswer = void

/** `payment.settle_capture`: What was taken of a payment that some money was taken of before, and what can still be taken. What the processor has taken of a closed payment nevertheless, as it was asked before, goes back.  */
export const settleCapture = (caller: Caller, args: SettleCaptureArguments): Promise<SettleCaptureAnswer> =>
  answerOf<SettleCaptureAnswer>(caller, 'payment.settle_capture', (sql) => sql`payment.settle_capture(
      p_merchant_id => ${args.merchantId}::uuid,
      p_payment_id => ${args.paymentId}::uuid,
      p_captured => ${args.captured}::bigint,
      p_capturable => ${args.capturable}::bigint,
      p_refused => ${args.refused}::boolean
    )`)

export interface BeginRefundArguments {
  readonly merchantId: MerchantId
  readonly paymentId: string
  readonly amount: number | null
  readonly reason: string
  readonly from: readonly string[]
}

export type BeginRefundAnswer =
  | { readonly outcome: 'begun'; readonly refundId: string }
  | { readonly outcome: 'unknown_payment' }
  | { readonly outcome: 'payment_refused'; readonly status: PaymentStatus }
  | { readonly outcome: 'more_than_left'; readonly left: number }

/** `payment.begin_refund` */
export const beginRefund = (caller: Caller, args: BeginRefundArguments): Promise<BeginRefundAnswer> =>
  answerOf<BeginRefundAnswer>(caller, 'payment.begin_refund', (sql) => sql`payment.begin_refund(
      p_merchant_id => ${args.merchantId}::uuid,
      p_payment_id => ${args.paymentId}::uuid,
      p_amount => ${args.amount}::bigint,
      p_reason => ${args.reason}::text,
      p_from => ${listOf(args.from)}::text[]
    )`)

export interface RetryRefundArguments {
  readonly merchantId: MerchantId
  readonly refundId: string
  readonly manually: boolean
}

export type RetryRefundAnswer =
  | { readonly outcome: 'begun'; readonly refundId: string }
  | { readonly outcome: 'unknown_refund' }
  | { readonly outcome: 'refund_refused'; readonly status: RefundStatus }

/** `payment.retry_refund` */
export const retryRefund = (caller: Caller, args: RetryRefundArguments): Promise<RetryRefundAnswer> =>
  answerOf<RetryRefundAnswer>(caller, 'payment.retry_refund', (sql) => sql`payment.retry_refund(
      p_merchant_id => ${args.merchantId}::uuid,
      p_refund_id => ${args.refundId}::uuid,
      p_manually => ${args.manually}::boolean
    )`)

export interface ConnectAccountArguments {
  readonly merchantId: MerchantId
  readonly id: string
  readonly processor: string
  readonly name: string
  readonly mode: string
  readonly credentials: string
  readonly keyEnding: string
  readonly hasWebhookSecret: boolean
}

export type ConnectAccountAnswer = string

/** `payment.connect_account`: Takes the place of the merchant's active account at the processor, if there is one.  */
export const connectAccount = (caller: Caller, args: ConnectAccountArguments): Promise<ConnectAccountAnswer> =>
  answerOf<ConnectAccountAnswer>(caller, 'payment.connect_account', (sql) => sql`payment.connect_account(
      p_merchant_id => ${args.merchantId}::uuid,
      p_id => ${args.id}::uuid,
      p_processor => ${args.processor}::text,
      p_name => ${args.name}::text,
      p_mode => ${args.mode}::text,
      p_credentials => ${args.credentials}::text,
      p_key_ending => ${args.keyEnding}::text,
      p_has_webhook_secret => ${args.hasWebhookSecret}::boolean
    )`)

export interface BeginEventArguments {
  readonly merchantId: MerchantId
  readonly accountId: string
  readonly eventId: string
  readonly type: string
}

export type BeginEventAnswer = boolean

/** `payment.begin_event`: Records a webhook. False: it was acted on before.  */
export const beginEvent = (caller: Caller, args: BeginEventArguments): Promise<BeginEventAnswer> =>
  answerOf<BeginEventAnswer>(caller, 'payment.begin_event', (sql) => sql`payment.begin_event(
      p_merchant_id => ${args.merchantId}::uuid,
      p_account_id => ${args.accountId}::uuid,
      p_event_id => ${args.eventId}::text,
      p_type => ${args.type}::text
    )`)

export interface PurgeWebhookEventsArguments {
  readonly merchantId: MerchantId
  readonly limit: number
}

export type PurgeWebhookEventsAnswer = number

/** `payment.purge_webhook_events` */
export const purgeWebhookEvents = (caller: Caller, args: PurgeWebhookEventsArguments): Promise<PurgeWebhookEventsAnswer> =>
  answerOf<PurgeWebhookEventsAnswer>(caller, 'payment.purge_webhook_events', (sql) => sql`payment.purge_webhook_events(
      p_merchant_id => ${args.merchantId}::uuid,
      p_limit => ${args.limit}::integer
    )`)

export interface NoteOperatorAccountArguments {
  readonly connected: boolean
}

export type NoteOperatorAccountAnswer = void

/** `payment.note_operator_account` */
export const noteOperatorAccount = (caller: Caller, args: NoteOperatorAccountArguments): Promise<NoteOperatorAccountAnswer> =>
  answerOf<NoteOperatorAccountAnswer>(caller, 'payment.note_operator_account', (sql) => sql`payment.note_operator_account(
      p_connected => ${args.connected}::boolean
    )`)

export interface SplitAwaitedArguments {
  readonly merchantId: MerchantId
  readonly paymentId: string
  readonly amount: number | null
}

export type SplitAwaitedAnswer =
  | { readonly outcome: 'received' }
  | { readonly outcome: 'more_than_awaited'; readonly amount: number }
  | { readonly outcome: 'not_awaited' }

/** `payment.split_awaited`: Money that was waited for is there, or a part of it: then the rest is waited for as before.  */
export const splitAwaited = (caller: Caller, args: SplitAwaitedArguments): Promise<SplitAwaitedAnswer> =>
  answerOf<SplitAwaitedAnswer>(caller, 'payment.split_awaited', (sql) => sql`payment.split_awaited(
      p_merchant_id => ${args.merchantId}::uuid,
      p_payment_id => ${args.paymentId}::uuid,
      p_amount => ${args.amount}::bigint
    )`)

export interface UpdateAccountArguments {
  readonly merchantId: MerchantId
  readonly id: string
  readonly name: string | null
  readonly credentials: string
  readonly keyEnding: string
  readonly hasWebhookSecret: boolean
  readonly readCredentials: string
  readonly isUnused: boolean
}

export type UpdateAccountAnswer =
  | { readonly outcome: 'updated' }
  | { readonly outcome: 'changed' }

/** `payment.update_account`: Replaces the credentials of an account, unless they are other ones by now than the caller has read, or payments were made with them that the caller knows nothing of: those would not be found with the key of another account.  */
export const updateAccount = (caller: Caller, args: UpdateAccountArguments): Promise<UpdateAccountAnswer> =>
  answerOf<UpdateAccountAnswer>(caller, 'payment.update_account', (sql) => sql`payment.update_account(
      p_merchant_id => ${args.merchantId}::uuid,
      p_id => ${args.id}::uuid,
      p_name => ${args.name}::text,
      p_credentials => ${args.credentials}::text,
      p_key_ending => ${args.keyEnding}::text,
      p_has_webhook_secret => ${args.hasWebhookSecret}::boolean,
      p_read_credentials => ${args.readCredentials}::text,
      p_is_unused => ${args.isUnused}::boolean
    )`)

export interface BeginAppointmentPaymentArguments {
  readonly merchantId: MerchantId
  readonly appointmentId: string
  readonly customerId: string | null
  readonly method: string
  readonly amount: number | null
  readonly processor: string
  readonly accountId: string | null
  readonly paymentMethodId: string | null
  readonly returnUrl: string | null
  readonly awaited: boolean
}

export type BeginAppointmentPaymentAnswer =
  | { readonly outcome: 'begun'; readonly paymentId: string }
  | { readonly outcome: 'unknown_appointment' }
  | { readonly outcome: 'nothing_to_pay'; readonly status: 'SCHEDULED' | 'CONFIRMED' | 'IN_PROGRESS' | 'COMPLETED' | 'CANCELLED' | 'NO_SHOW' }
  | { readonly outcome: 'too_late' }
  | { readonly outcome: 'amount_mismatch'; readonly total: number }
  | { readonly outcome: 'method_not_accepted' }
  | { readonly outcome: 'return_url_missing' }
  | { readonly outcome: 'payment_open'; readonly paymentId: string }

/** `payment.begin_appointment_payment`: p_amount NULL: what is due now, which is the rest of the prepayment while the appointment's time is kept for it, and all that is left to pay otherwise.  */
export const beginAppointmentPayment = (caller: Caller, args: BeginAppointmentPaymentArguments): Promise<BeginAppointmentPaymentAnswer> =>
  answerOf<BeginAppointmentPaymentAnswer>(caller, 'payment.begin_appointment_payment', (sql) => sql`payment.begin_appointment_payment(
      p_merchant_id => ${args.merchantId}::uuid,
      p_appointment_id => ${args.appointmentId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_method => ${args.method}::text,
      p_amount => ${args.amount}::bigint,
      p_processor => ${args.processor}::text,
      p_account_id => ${args.accountId}::uuid,
      p_payment_method_id => ${args.paymentMethodId}::text,
      p_return_url => ${args.returnUrl}::text,
      p_awaited => ${args.awaited}::boolean
    )`)

export interface BeginPaymentArguments {
  readonly merchantId: MerchantId
  readonly orderId: string
  readonly customerId: string | null
  readonly method: string
  readonly amount: number | null
  readonly processor: string
  readonly accountId: string | null
  readonly paymentMethodId: string | null
  readonly returnUrl: string | null
  readonly captureMethod: string
  readonly awaited: boolean
  readonly partial: boolean
  readonly orderFrom: readonly string[]
}

export type BeginPaymentAnswer =
  | { readonly outcome: 'begun'; readonly paymentId: string }
  | { readonly outcome: 'unknown_order' }
  | { readonly outcome: 'order_refused'; readonly status: 'PENDING' | 'CONFIRMED' | 'PROCESSING' | 'SHIPPED' | 'DELIVERED' | 'CANCELLED' | 'REFUNDED' }
  | { readonly outcome: 'nothing_to_pay'; readonly status: 'PENDING' | 'CONFIRMED' | 'PROCESSING' | 'SHIPPED' | 'DELIVERED' | 'CANCELLED' | 'REFUNDED' }
  | { readonly outcome: 'amount_mismatch'; readonly total: number }
  | { readonly outcome: 'balance_too_low'; readonly covers: number }
  | { readonly outcome: 'method_not_accepted' }
  | { readonly outcome: 'return_url_missing' }
  | { readonly outcome: 'payment_open'; readonly paymentId: string; readonly status: PaymentStatus; readonly authorized: boolean }

/** `payment.begin_payment` */
export const beginPayment = (caller: Caller, args: BeginPaymentArguments): Promise<BeginPaymentAnswer> =>
  answerOf<BeginPaymentAnswer>(caller, 'payment.begin_payment', (sql) => sql`payment.begin_payment(
      p_merchant_id => ${args.merchantId}::uuid,
      p_order_id => ${args.orderId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_method => ${args.method}::text,
      p_amount => ${args.amount}::bigint,
      p_processor => ${args.processor}::text,
      p_account_id => ${args.accountId}::uuid,
      p_payment_method_id => ${args.paymentMethodId}::text,
      p_return_url => ${args.returnUrl}::text,
      p_capture_method => ${args.captureMethod}::text,
      p_awaited => ${args.awaited}::boolean,
      p_partial => ${args.partial}::boolean,
      p_order_from => ${listOf(args.orderFrom)}::text[]
    )`)

export interface BeginSavedMethodArguments {
  readonly merchantId: MerchantId
  readonly customerId: string
  readonly processor: string
  readonly accountId: string | null
  readonly methodId: string
  readonly returnUrl: string | null
  readonly paymentId: string | null
}

export type BeginSavedMethodAnswer =
  | { readonly outcome: 'begun'; readonly savedMethodId: string }
  | { readonly outcome: 'unknown_customer' }
  | { readonly outcome: 'no_account' }
  | { readonly outcome: 'too_many'; readonly most: number }
  | { readonly outcome: 'method_not_accepted' }

/** `payment.begin_saved_method`: Puts on record that a method is about to be saved, within the bound of methods that a customer has. Failed attempts of the last day count too, so that stolen cards can't be tried out.  */
export const beginSavedMethod = (caller: Caller, args: BeginSavedMethodArguments): Promise<BeginSavedMethodAnswer> =>
  answerOf<BeginSavedMethodAnswer>(caller, 'payment.begin_saved_method', (sql) => sql`payment.begin_saved_method(
      p_merchant_id => ${args.merchantId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_processor => ${args.processor}::text,
      p_account_id => ${args.accountId}::uuid,
      p_method_id => ${args.methodId}::text,
      p_return_url => ${args.returnUrl}::text,
      p_payment_id => ${args.paymentId}::uuid
    )`)

export interface BeginMethodRemovalArguments {
  readonly merchantId: MerchantId
  readonly id: string
  readonly customerId: string | null
}

export type BeginMethodRemovalAnswer =
  | { readonly outcome: 'begun'; readonly savedMethodId: string }
  | { readonly outcome: 'unknown_method' }

/** `payment.begin_method_removal`: From now on the method is not offered; its row stays until the processor has answered that it is gone there.  */
export const beginMethodRemoval = (caller: Caller, args: BeginMethodRemovalArguments): Promise<BeginMethodRemovalAnswer> =>
  answerOf<BeginMethodRemovalAnswer>(caller, 'payment.begin_method_removal', (sql) => sql`payment.begin_method_removal(
      p_merchant_id => ${args.merchantId}::uuid,
      p_id => ${args.id}::uuid,
      p_customer_id => ${args.customerId}::uuid
    )`)

export interface SetDefaultMethodArguments {
  readonly merchantId: MerchantId
  readonly id: string
  readonly customerId: string | null
}

export type SetDefaultMethodAnswer =
  | { readonly outcome: 'changed'; readonly savedMethodId: string }
  | { readonly outcome: 'unknown_method' }

/** `payment.set_default_method` */
export const setDefaultMethod = (caller: Caller, args: SetDefaultMethodArguments): Promise<SetDefaultMethodAnswer> =>
  answerOf<SetDefaultMethodAnswer>(caller, 'payment.set_default_method', (sql) => sql`payment.set_default_method(
      p_merchant_id => ${args.merchantId}::uuid,
      p_id => ${args.id}::uuid,
      p_customer_id => ${args.customerId}::uuid
    )`)

export interface FollowProcessorArguments {
  readonly merchantId: MerchantId
  readonly paymentId: string
  readonly refunds: object
  readonly disputes: object
  readonly part: object
  readonly full: object
  readonly moves: object
}

export type FollowProcessorAnswer = void

/** `payment.follow_processor`: Changes a payment's refunds and disputes to the state that the processor reports. That includes refunds that were made at the processor, and those that failed later.  */
export const followProcessor = (caller: Caller, args: FollowProcessorArguments): Promise<FollowProcessorAnswer> =>
  answerOf<FollowProcessorAnswer>(caller, 'payment.follow_processor', (sql) => sql`payment.follow_processor(
      p_merchant_id => ${args.merchantId}::uuid,
      p_payment_id => ${args.paymentId}::uuid,
      p_refunds => ${jsonOf(sql, args.refunds)}::jsonb,
      p_disputes => ${jsonOf(sql, args.disputes)}::jsonb,
      p_part => ${jsonOf(sql, args.part)}::jsonb,
      p_full => ${jsonOf(sql, args.full)}::jsonb,
      p_moves => ${jsonOf(sql, args.moves)}::jsonb
    )`)

export interface SettlePaymentArguments {
  readonly merchantId: MerchantId
  readonly paymentId: string
  readonly from: readonly string[]
  readonly to: string
  readonly answer: object
  readonly moves: object
}

export type SettlePaymentAnswer =
  | string | null

/** `payment.settle_payment` */
export const settlePayment = (caller: Caller, args: SettlePaymentArguments): Promise<SettlePaymentAnswer> =>
  answerOf<SettlePaymentAnswer>(caller, 'payment.settle_payment', (sql) => sql`payment.settle_payment(
      p_merchant_id => ${args.merchantId}::uuid,
      p_payment_id => ${args.paymentId}::uuid,
      p_from => ${listOf(args.from)}::text[],
      p_to => ${args.to}::text,
      p_answer => ${jsonOf(sql, args.answer)}::jsonb,
      p_moves => ${jsonOf(sql, args.moves)}::jsonb
    )`)

export interface SettleRefundArguments {
  readonly merchantId: MerchantId
  readonly refundId: string
  readonly to: string
  readonly processorRefundId: string | null
  readonly failureReason: string | null
  readonly part: object
  readonly full: object
  readonly moves: object
}

export type SettleRefundAnswer = 'PENDING' | 'SUCCEEDED' | 'FAILED'

/** `payment.settle_refund` */
export const settleRefund = (caller: Caller, args: SettleRefundArguments): Promise<SettleRefundAnswer> =>
  answerOf<SettleRefundAnswer>(caller, 'payment.settle_refund', (sql) => sql`payment.settle_refund(
      p_merchant_id => ${args.merchantId}::uuid,
      p_refund_id => ${args.refundId}::uuid,
      p_to => ${args.to}::text,
      p_processor_refund_id => ${args.processorRefundId}::text,
      p_failure_reason => ${args.failureReason}::text,
      p_part => ${jsonOf(sql, args.part)}::jsonb,
      p_full => ${jsonOf(sql, args.full)}::jsonb,
      p_moves => ${jsonOf(sql, args.moves)}::jsonb
    )`)

export interface SettleSavedMethodArguments {
  readonly merchantId: MerchantId
  readonly id: string
  readonly status: string
  readonly answer: object
}

export type SettleSavedMethodAnswer = void

/** `payment.settle_saved_method`: Puts the processor's answer on record. What was settled before stays as it is.  */
export const settleSavedMethod = (caller: Caller, args: SettleSavedMethodArguments): Promise<SettleSavedMethodAnswer> =>
  answerOf<SettleSavedMethodAnswer>(caller, 'payment.settle_saved_method', (sql) => sql`payment.settle_saved_method(
      p_merchant_id => ${args.merchantId}::uuid,
      p_id => ${args.id}::uuid,
      p_status => ${args.status}::text,
      p_answer => ${jsonOf(sql, args.answer)}::jsonb
    )`)
