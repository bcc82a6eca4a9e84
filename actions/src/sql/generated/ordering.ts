// Written from sql/ by `npm run generate`. Don't edit.
import type { MerchantId } from '@commerce-graph/contract/ids'
import { jsonOf, type Queryable } from '../../database.ts'
import { answerOf, type Caller, listOf, rowsOf } from '../answer-of.ts'
import type * as catalog from './catalog.ts'
import type * as promotion from './promotion.ts'
import type * as inventory from './inventory.ts'

export type OrderStatus =
  | 'PENDING'
  | 'CONFIRMED'
  | 'PROCESSING'
  | 'SHIPPED'
  | 'DELIVERED'
  | 'CANCELLED'
  | 'REFUNDED'

export type ShipmentStatus =
  | 'PACKED'
  | 'SHIPPED'
  | 'DELIVERED'
  | 'CANCELLED'

export type OrderReturnStatus =
  | 'REQUESTED'
  | 'APPROVED'
  | 'REJECTED'
  | 'RECEIVED'
  | 'REFUNDED'
  | 'CANCELLED'

export type Refusal =
  | catalog.LineRefusal
  | promotion.CouponRefusal
  | { readonly field: string; readonly reason: 'unknown_customer' | 'customer_blocked' | 'customer_required' | 'not_the_carts_customer' | 'unknown_shipping_method' | 'shipping_method_not_for_country' | 'shipping_method_currency' | 'reservation_not_active' | 'too_many_unpaid_orders' | 'too_many_unpaid_units' | 'unknown_item' | 'no_lines_left' | 'nothing_left' | 'more_than_left' | 'more_than_sent' | 'more_than_returned' | 'nothing_paid' | 'more_than_paid' | 'not_restockable' | 'unknown_warehouse' | 'address_required' | 'other_total' | 'missing'; readonly currency?: string | null; readonly left?: number | null; readonly total?: number | null }

export type Shortage = { readonly stockItemId: string; readonly sku: string; readonly available: number; readonly requested: number; readonly position: number }

export type PlacedAnswer =
  | PlacementAnswerAnswer
  | { readonly outcome: 'unknown_cart' }
  | { readonly outcome: 'expired' }
  | { readonly outcome: 'empty' }

export interface PlacementAnswerArguments {
  readonly orderId: string
  readonly refusals: object
  readonly shortages: object | null
}

export type PlacementAnswerAnswer =
  | { readonly outcome: 'placed'; readonly orderId: string }
  | { readonly outcome: 'invalid'; readonly refusals: readonly Refusal[] }
  | { readonly outcome: 'insufficient'; readonly shortages: readonly Shortage[] }

/** `ordering.placement_answer` */
export const placementAnswer = (caller: Caller, args: PlacementAnswerArguments): Promise<PlacementAnswerAnswer> =>
  answerOf<PlacementAnswerAnswer>(caller, 'ordering.placement_answer', (sql) => sql`ordering.placement_answer(
      p_order_id => ${args.orderId}::uuid,
      p_refusals => ${jsonOf(sql, args.refusals)}::jsonb,
      p_shortages => ${jsonOf(sql, args.shortages)}::jsonb
    )`)

export interface AddNoteArguments {
  readonly merchantId: MerchantId
  readonly orderId: string
  readonly text: string
  readonly staffOnly: boolean
}

export type AddNoteAnswer =
  | { readonly outcome: 'noted'; readonly orderId: string }
  | { readonly outcome: 'unknown_order' }

/** `ordering.add_note` */
export const addNote = (caller: Caller, args: AddNoteArguments): Promise<AddNoteAnswer> =>
  answerOf<AddNoteAnswer>(caller, 'ordering.add_note', (sql) => sql`ordering.add_note(
      p_merchant_id => ${args.merchantId}::uuid,
      p_order_id => ${args.orderId}::uuid,
      p_text => ${args.text}::text,
      p_staff_only => ${args.staffOnly}::boolean
    )`)

export interface DeliverOrderArguments {
  readonly merchantId: MerchantId
  readonly orderId: string
  readonly deliver: object
  readonly moves: object
}

export type DeliverOrderAnswer =
  | { readonly outcome: 'advanced'; readonly orderId: string }
  | { readonly outcome: 'unknown_order' }
  | { readonly outcome: 'order_refused'; readonly status: OrderStatus }

/** `ordering.deliver_order` */
export const deliverOrder = (caller: Caller, args: DeliverOrderArguments): Promise<DeliverOrderAnswer> =>
  answerOf<DeliverOrderAnswer>(caller, 'ordering.deliver_order', (sql) => sql`ordering.deliver_order(
      p_merchant_id => ${args.merchantId}::uuid,
      p_order_id => ${args.orderId}::uuid,
      p_deliver => ${jsonOf(sql, args.deliver)}::jsonb,
      p_moves => ${jsonOf(sql, args.moves)}::jsonb
    )`)

export interface ProcessOrderArguments {
  readonly merchantId: MerchantId
  readonly orderId: string
  readonly moves: object
}

export type ProcessOrderAnswer =
  | { readonly outcome: 'advanced'; readonly orderId: string }
  | { readonly outcome: 'unknown_order' }
  | { readonly outcome: 'order_refused'; readonly status: OrderStatus }

/** `ordering.process_order` */
export const processOrder = (caller: Caller, args: ProcessOrderArguments): Promise<ProcessOrderAnswer> =>
  answerOf<ProcessOrderAnswer>(caller, 'ordering.process_order', (sql) => sql`ordering.process_order(
      p_merchant_id => ${args.merchantId}::uuid,
      p_order_id => ${args.orderId}::uuid,
      p_moves => ${jsonOf(sql, args.moves)}::jsonb
    )`)

export interface DecideReturnArguments {
  readonly merchantId: MerchantId
  readonly returnId: string
  readonly customerId: string | null
  readonly move: object
  readonly reason: string | null
}

export type DecideReturnAnswer =
  | { readonly outcome: 'advanced'; readonly returnId: string }
  | { readonly outcome: 'unknown_return' }
  | { readonly outcome: 'return_refused'; readonly status: OrderReturnStatus }

/** `ordering.decide_return` */
export const decideReturn = (caller: Caller, args: DecideReturnArguments): Promise<DecideReturnAnswer> =>
  answerOf<DecideReturnAnswer>(caller, 'ordering.decide_return', (sql) => sql`ordering.decide_return(
      p_merchant_id => ${args.merchantId}::uuid,
      p_return_id => ${args.returnId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_move => ${jsonOf(sql, args.move)}::jsonb,
      p_reason => ${args.reason}::text
    )`)

export interface PurgeExpiredDraftsArguments {
  readonly merchantId: MerchantId
  readonly limit: number
}

export type PurgeExpiredDraftsAnswer = number

/** `ordering.purge_expired_drafts` */
export const purgeExpiredDrafts = (caller: Caller, args: PurgeExpiredDraftsArguments): Promise<PurgeExpiredDraftsAnswer> =>
  answerOf<PurgeExpiredDraftsAnswer>(caller, 'ordering.purge_expired_drafts', (sql) => sql`ordering.purge_expired_drafts(
      p_merchant_id => ${args.merchantId}::uuid,
      p_limit => ${args.limit}::integer
    )`)

export interface AdvanceShipmentArguments {
  readonly merchantId: MerchantId
  readonly shipmentId: string
  readonly event: string
  readonly move: object
  readonly shipment: object
  readonly moves: object
}

export type AdvanceShipmentAnswer =
  | { readonly outcome: 'advanced'; readonly orderId: string; readonly shipmentId: string }
  | { readonly outcome: 'unknown_shipment' }
  | { readonly outcome: 'shipment_refused'; readonly orderId: string; readonly status: ShipmentStatus }

/** `ordering.advance_shipment` */
export const advanceShipment = (caller: Caller, args: AdvanceShipmentArguments): Promise<AdvanceShipmentAnswer> =>
  answerOf<AdvanceShipmentAnswer>(caller, 'ordering.advance_shipment', (sql) => sql`ordering.advance_shipment(
      p_merchant_id => ${args.merchantId}::uuid,
      p_shipment_id => ${args.shipmentId}::uuid,
      p_event => ${args.event}::text,
      p_move => ${jsonOf(sql, args.move)}::jsonb,
      p_shipment => ${jsonOf(sql, args.shipment)}::jsonb,
      p_moves => ${jsonOf(sql, args.moves)}::jsonb
    )`)

export interface CancelOrderArguments {
  readonly merchantId: MerchantId
  readonly orderId: string
  readonly customerId: string | null
  readonly reason: string
  readonly from: readonly string[]
  readonly to: string
  readonly paymentFrom: readonly string[]
}

export type CancelOrderAnswer =
  | { readonly outcome: 'cancelled'; readonly orderId: string; readonly refundIds: readonly string[] }
  | { readonly outcome: 'unknown_order' }
  | { readonly outcome: 'order_refused'; readonly status: OrderStatus; readonly reason?: 'partly_shipped' }
  | { readonly outcome: 'payment_open'; readonly paymentId: string; readonly status: 'PENDING' | 'PROCESSING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'REFUNDED' | 'PARTIALLY_REFUNDED' }

/** `ordering.cancel_order` */
export const cancelOrder = (caller: Caller, args: CancelOrderArguments): Promise<CancelOrderAnswer> =>
  answerOf<CancelOrderAnswer>(caller, 'ordering.cancel_order', (sql) => sql`ordering.cancel_order(
      p_merchant_id => ${args.merchantId}::uuid,
      p_order_id => ${args.orderId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_reason => ${args.reason}::text,
      p_from => ${listOf(args.from)}::text[],
      p_to => ${args.to}::text,
      p_payment_from => ${listOf(args.paymentFrom)}::text[]
    )`)

export interface CompleteDraftArguments {
  readonly merchantId: MerchantId
  readonly draftId: string
  readonly pay: object
}

export type CompleteDraftAnswer =
  | PlaceOrderAnswer
  | { readonly outcome: 'unknown_draft' }
  | { readonly outcome: 'draft_refused'; readonly status: 'EXPIRED' }

/** `ordering.complete_draft` */
export const completeDraft = (caller: Caller, args: CompleteDraftArguments): Promise<CompleteDraftAnswer> =>
  answerOf<CompleteDraftAnswer>(caller, 'ordering.complete_draft', (sql) => sql`ordering.complete_draft(
      p_merchant_id => ${args.merchantId}::uuid,
      p_draft_id => ${args.draftId}::uuid,
      p_pay => ${jsonOf(sql, args.pay)}::jsonb
    )`)

export interface FulfillOrderArguments {
  readonly merchantId: MerchantId
  readonly orderId: string
  readonly lines: object | null
  readonly shipment: object
  readonly ship: object | null
  readonly moves: object
}

export type FulfillOrderAnswer =
  | { readonly outcome: 'advanced'; readonly orderId: string; readonly shipmentId: string }
  | { readonly outcome: 'unknown_order' }
  | { readonly outcome: 'order_refused'; readonly status: OrderStatus }
  | { readonly outcome: 'invalid'; readonly refusals: readonly Refusal[] }

/** `ordering.fulfill_order` */
export const fulfillOrder = (caller: Caller, args: FulfillOrderArguments): Promise<FulfillOrderAnswer> =>
  answerOf<FulfillOrderAnswer>(caller, 'ordering.fulfill_order', (sql) => sql`ordering.fulfill_order(
      p_merchant_id => ${args.merchantId}::uuid,
      p_order_id => ${args.orderId}::uuid,
      p_lines => ${jsonOf(sql, args.lines)}::jsonb,
      p_shipment => ${jsonOf(sql, args.shipment)}::jsonb,
      p_ship => ${jsonOf(sql, args.ship)}::jsonb,
      p_moves => ${jsonOf(sql, args.moves)}::jsonb
    )`)

export interface ImportOrdersArguments {
  readonly merchantId: MerchantId
  readonly batch: object
  readonly checkOnly: boolean
}

export type ImportOrdersAnswer = { readonly id: string; readonly outcome: 'imported' | 'unchanged' | 'refused'; readonly field: string | null; readonly reason: string | null }

/** `ordering.import_orders`: Writes orders of another system with everything that has happened to them. p_batch has a list for each table, whose rows have the ids that they get, and the order's as `order_id`; and the lists `customers` and `products`, to whose numbers orders and lines refer (crm.customers_of_history, catalog.products_of_history). Within a batch, no number and no external id comes twice. Nothing is reserved, sent or earned. p_check_only: the caller rolls all of it back. The search, which can refuse no order, then doesn't learn of the products.  */
export const importOrders = (sql: Queryable, args: ImportOrdersArguments): Promise<readonly ImportOrdersAnswer[]> =>
  rowsOf<ImportOrdersAnswer>(sql`SELECT id AS "id", outcome AS "outcome", field AS "field", reason AS "reason" FROM ordering.import_orders(
      p_merchant_id => ${args.merchantId}::uuid,
      p_batch => ${jsonOf(sql, args.batch)}::jsonb,
      p_check_only => ${args.checkOnly}::boolean
    )`)

export interface LapseUnpaidOrdersArguments {
  readonly merchantId: MerchantId
  readonly limit: number
  readonly from: readonly string[]
  readonly to: string
}

export type LapseUnpaidOrdersAnswer = number

/** `ordering.lapse_unpaid_orders` */
export const lapseUnpaidOrders = (caller: Caller, args: LapseUnpaidOrdersArguments): Promise<LapseUnpaidOrdersAnswer> =>
  answerOf<LapseUnpaidOrdersAnswer>(caller, 'ordering.lapse_unpaid_orders', (sql) => sql`ordering.lapse_unpaid_orders(
      p_merchant_id => ${args.merchantId}::uuid,
      p_limit => ${args.limit}::integer,
      p_from => ${listOf(args.from)}::text[],
      p_to => ${args.to}::text
    )`)

export interface ModifyOrderArguments {
  readonly merchantId: MerchantId
  readonly orderId: string
  readonly add: object
  readonly update: object
  readonly remove: readonly string[]
  readonly shippingAddress: object | null
  readonly billingAddress: object | null
  readonly notes: string | null
  readonly from: readonly string[]
  readonly pay: object
}

export type ModifyOrderAnswer =
  | { readonly outcome: 'modified'; readonly orderId: string }
  | { readonly outcome: 'unknown_order' }
  | { readonly outcome: 'order_refused'; readonly status: OrderStatus; readonly reason?: 'partly_shipped' }
  | { readonly outcome: 'payment_open'; readonly paymentId: string; readonly status: 'PENDING' | 'PROCESSING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'REFUNDED' | 'PARTIALLY_REFUNDED' }
  | { readonly outcome: 'invalid'; readonly refusals: readonly Refusal[] }
  | { readonly outcome: 'insufficient'; readonly shortages: readonly inventory.Shortage[] }

/** `ordering.modify_order` */
export const modifyOrder = (caller: Caller, args: ModifyOrderArguments): Promise<ModifyOrderAnswer> =>
  answerOf<ModifyOrderAnswer>(caller, 'ordering.modify_order', (sql) => sql`ordering.modify_order(
      p_merchant_id => ${args.merchantId}::uuid,
      p_order_id => ${args.orderId}::uuid,
      p_add => ${jsonOf(sql, args.add)}::jsonb,
      p_update => ${jsonOf(sql, args.update)}::jsonb,
      p_remove => ${listOf(args.remove)}::uuid[],
      p_shipping_address => ${jsonOf(sql, args.shippingAddress)}::jsonb,
      p_billing_address => ${jsonOf(sql, args.billingAddress)}::jsonb,
      p_notes => ${args.notes}::text,
      p_from => ${listOf(args.from)}::text[],
      p_pay => ${jsonOf(sql, args.pay)}::jsonb
    )`)

export interface PlaceOrderArguments {
  readonly merchantId: MerchantId
  readonly customerId: string
  readonly lines: object
  readonly currency: string | null
  readonly shippingAddress: object | null
  readonly billingAddress: object | null
  readonly shippingMethodId: string | null
  readonly reservationId: string | null
  readonly couponCode: string | null
  readonly notes: string | null
  readonly cartId: string | null
  readonly kept: object | null
  readonly byShopper: boolean
  readonly pay: object
}

export type PlaceOrderAnswer = PlacementAnswerAnswer

/** `ordering.place_order` */
export const placeOrder = (caller: Caller, args: PlaceOrderArguments): Promise<PlaceOrderAnswer> =>
  answerOf<PlaceOrderAnswer>(caller, 'ordering.place_order', (sql) => sql`ordering.place_order(
      p_merchant_id => ${args.merchantId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_lines => ${jsonOf(sql, args.lines)}::jsonb,
      p_currency => ${args.currency}::text,
      p_shipping_address => ${jsonOf(sql, args.shippingAddress)}::jsonb,
      p_billing_address => ${jsonOf(sql, args.billingAddress)}::jsonb,
      p_shipping_method_id => ${args.shippingMethodId}::uuid,
      p_reservation_id => ${args.reservationId}::uuid,
      p_coupon_code => ${args.couponCode}::text,
      p_notes => ${args.notes}::text,
      p_cart_id => ${args.cartId}::uuid,
      p_kept => ${jsonOf(sql, args.kept)}::jsonb,
      p_by_shopper => ${args.byShopper}::boolean,
      p_pay => ${jsonOf(sql, args.pay)}::jsonb
    )`)

export interface PlaceOrdersArguments {
  readonly merchantId: MerchantId
  readonly requests: object
  readonly pay: object
}

export type PlaceOrdersAnswer = readonly ({ readonly outcome: 'new'; readonly response: PlacedAnswer }
  | { readonly outcome: 'repeated'; readonly response: PlacedAnswer }
  | { readonly outcome: 'conflict'; readonly forgotten: boolean }
  | { readonly outcome: 'later' })[]

/** `ordering.place_orders`: Places orders that were asked for at the same time, in one transaction, and answers for each in turn.  p_requests: a list of objects, each with `order` as ordering.prepare takes it, or with `checkout` as ordering.order_of_cart does; all of one kind. Each has `recordIds`, the records that it names, and its `entry` of the audit log (audit.append_done). One with an Idempotency-Key also has `key`, as platform.keyed_request. Such a request is answered at most once: what it was answered before is `repeated`.  An order that another one of the list could change the answer of is left for a later list: of the same customer (or guest's address), cart, reservation or Idempotency-Key. One that costs nothing is placed by itself. Of those that are new, one at least is never left.  */
export const placeOrders = (caller: Caller, args: PlaceOrdersArguments): Promise<PlaceOrdersAnswer> =>
  answerOf<PlaceOrdersAnswer>(caller, 'ordering.place_orders', (sql) => sql`ordering.place_orders(
      p_merchant_id => ${args.merchantId}::uuid,
      p_requests => ${jsonOf(sql, args.requests)}::jsonb,
      p_pay => ${jsonOf(sql, args.pay)}::jsonb
    )`)

export interface ReceiveReturnArguments {
  readonly merchantId: MerchantId
  readonly returnId: string
  readonly restock: object
  readonly warehouseId: string | null
  readonly move: object
  readonly moves: object
}

export type ReceiveReturnAnswer =
  | { readonly outcome: 'advanced'; readonly returnId: string }
  | { readonly outcome: 'unknown_return' }
  | { readonly outcome: 'return_refused'; readonly status: OrderReturnStatus }
  | { readonly outcome: 'invalid'; readonly refusals: readonly Refusal[] }

/** `ordering.receive_return` */
export const receiveReturn = (caller: Caller, args: ReceiveReturnArguments): Promise<ReceiveReturnAnswer> =>
  answerOf<ReceiveReturnAnswer>(caller, 'ordering.receive_return', (sql) => sql`ordering.receive_return(
      p_merchant_id => ${args.merchantId}::uuid,
      p_return_id => ${args.returnId}::uuid,
      p_restock => ${jsonOf(sql, args.restock)}::jsonb,
      p_warehouse_id => ${args.warehouseId}::uuid,
      p_move => ${jsonOf(sql, args.move)}::jsonb,
      p_moves => ${jsonOf(sql, args.moves)}::jsonb
    )`)

export interface RefundOrderArguments {
  readonly merchantId: MerchantId
  readonly orderId: string
  readonly lines: object
  readonly shipping: boolean
  readonly amount: number | null
  readonly reason: string
  readonly sentOnly: boolean
  readonly paymentFrom: readonly string[]
  readonly moves: object
}

export type RefundOrderAnswer =
  | { readonly outcome: 'begun'; readonly orderId: string; readonly refundId: string; readonly refundIds: readonly string[] }
  | { readonly outcome: 'unknown_order' }
  | { readonly outcome: 'order_refused'; readonly status: OrderStatus; readonly reason?: 'nothing_paid' }
  | { readonly outcome: 'invalid'; readonly refusals: readonly Refusal[] }

/** `ordering.refund_order` */
export const refundOrder = (caller: Caller, args: RefundOrderArguments): Promise<RefundOrderAnswer> =>
  answerOf<RefundOrderAnswer>(caller, 'ordering.refund_order', (sql) => sql`ordering.refund_order(
      p_merchant_id => ${args.merchantId}::uuid,
      p_order_id => ${args.orderId}::uuid,
      p_lines => ${jsonOf(sql, args.lines)}::jsonb,
      p_shipping => ${args.shipping}::boolean,
      p_amount => ${args.amount}::bigint,
      p_reason => ${args.reason}::text,
      p_sent_only => ${args.sentOnly}::boolean,
      p_payment_from => ${listOf(args.paymentFrom)}::text[],
      p_moves => ${jsonOf(sql, args.moves)}::jsonb
    )`)

export interface RefundReturnArguments {
  readonly merchantId: MerchantId
  readonly returnId: string
  readonly shipping: boolean
  readonly amount: number | null
  readonly move: object
  readonly paymentFrom: readonly string[]
  readonly moves: object
}

export type RefundReturnAnswer =
  | { readonly outcome: 'begun'; readonly orderId: string; readonly refundId: string; readonly refundIds: readonly string[]; readonly returnId: string }
  | { readonly outcome: 'unknown_return' }
  | { readonly outcome: 'return_refused'; readonly status: OrderReturnStatus }
  | { readonly outcome: 'unknown_order' }
  | { readonly outcome: 'order_refused'; readonly status: OrderStatus; readonly reason?: 'nothing_paid' }
  | { readonly outcome: 'invalid'; readonly refusals: readonly Refusal[] }

/** `ordering.refund_return` */
export const refundReturn = (caller: Caller, args: RefundReturnArguments): Promise<RefundReturnAnswer> =>
  answerOf<RefundReturnAnswer>(caller, 'ordering.refund_return', (sql) => sql`ordering.refund_return(
      p_merchant_id => ${args.merchantId}::uuid,
      p_return_id => ${args.returnId}::uuid,
      p_shipping => ${args.shipping}::boolean,
      p_amount => ${args.amount}::bigint,
      p_move => ${jsonOf(sql, args.move)}::jsonb,
      p_payment_from => ${listOf(args.paymentFrom)}::text[],
      p_moves => ${jsonOf(sql, args.moves)}::jsonb
    )`)

export interface RequestReturnArguments {
  readonly merchantId: MerchantId
  readonly orderId: string
  readonly customerId: string | null
  readonly lines: object
  readonly note: string | null
}

export type RequestReturnAnswer =
  | { readonly outcome: 'requested'; readonly returnId: string }
  | { readonly outcome: 'unknown_order' }
  | { readonly outcome: 'invalid'; readonly refusals: readonly Refusal[] }

/** `ordering.request_return` */
export const requestReturn = (caller: Caller, args: RequestReturnArguments): Promise<RequestReturnAnswer> =>
  answerOf<RequestReturnAnswer>(caller, 'ordering.request_return', (sql) => sql`ordering.request_return(
      p_merchant_id => ${args.merchantId}::uuid,
      p_order_id => ${args.orderId}::uuid,
      p_customer_id => ${args.customerId}::uuid,
      p_lines => ${jsonOf(sql, args.lines)}::jsonb,
      p_note => ${args.note}::text
    )`)

export interface SaveDraftArguments {
  readonly merchantId: MerchantId
  readonly draftId: string | null
  readonly input: object
}

export type SaveDraftAnswer =
  | { readonly outcome: 'saved'; readonly draftOrderId: string }
  | { readonly outcome: 'unknown_draft' }
  | { readonly outcome: 'draft_refused'; readonly status: 'COMPLETED' }
  | { readonly outcome: 'invalid'; readonly refusals: readonly Refusal[] }

/** `ordering.save_draft` */
export const saveDraft = (caller: Caller, args: SaveDraftArguments): Promise<SaveDraftAnswer> =>
  answerOf<SaveDraftAnswer>(caller, 'ordering.save_draft', (sql) => sql`ordering.save_draft(
      p_merchant_id => ${args.merchantId}::uuid,
      p_draft_id => ${args.draftId}::uuid,
      p_input => ${jsonOf(sql, args.input)}::jsonb
    )`)
