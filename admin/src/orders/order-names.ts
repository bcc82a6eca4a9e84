import type {
  FulfillmentStatus,
  OrderHistoryType,
  OrderReturnStatus,
  OrderStatus,
  PaymentMethod,
  PaymentStatus,
  RefundStatus,
  ReturnReason,
  ShipmentStatus,
} from '../generated/operations.ts'
import type { MessageName } from '../language/catalogue.ts'
import type { Tone } from '../ui/states.tsx'

export interface StatusName {
  readonly tone: Tone
  readonly name: MessageName
}

export const orderStatuses = {
  PENDING: { tone: 'wait', name: 'orderPending' },
  CONFIRMED: { tone: 'info', name: 'orderConfirmed' },
  PROCESSING: { tone: 'info', name: 'orderProcessing' },
  SHIPPED: { tone: 'good', name: 'orderShipped' },
  DELIVERED: { tone: 'good', name: 'orderDelivered' },
  CANCELLED: { tone: 'calm', name: 'orderCancelled' },
  REFUNDED: { tone: 'calm', name: 'orderRefunded' },
} as const satisfies Record<OrderStatus, StatusName>

export const fulfillmentStatuses = {
  UNFULFILLED: { tone: 'wait', name: 'notSent' },
  PARTIAL: { tone: 'wait', name: 'partlyPacked' },
  FULFILLED: { tone: 'info', name: 'packed' },
  SHIPPED: { tone: 'good', name: 'onItsWay' },
  DELIVERED: { tone: 'good', name: 'arrived' },
  RETURNED: { tone: 'calm', name: 'cameBack' },
} as const satisfies Record<FulfillmentStatus, StatusName>

export const paymentStatuses = {
  PENDING: { tone: 'wait', name: 'paymentPending' },
  PROCESSING: { tone: 'wait', name: 'paymentProcessing' },
  SUCCEEDED: { tone: 'good', name: 'paid' },
  FAILED: { tone: 'bad', name: 'paymentFailed' },
  CANCELLED: { tone: 'calm', name: 'paymentCancelled' },
  PARTIALLY_REFUNDED: { tone: 'calm', name: 'partlyRefunded' },
  REFUNDED: { tone: 'calm', name: 'refunded' },
} as const satisfies Record<PaymentStatus, StatusName>

export const shipmentStatuses = {
  PACKED: { tone: 'info', name: 'packed' },
  SHIPPED: { tone: 'good', name: 'onItsWay' },
  DELIVERED: { tone: 'good', name: 'arrived' },
  CANCELLED: { tone: 'calm', name: 'orderCancelled' },
} as const satisfies Record<ShipmentStatus, StatusName>

export const refundStatuses = {
  PENDING: { tone: 'wait', name: 'refundPending' },
  SUCCEEDED: { tone: 'good', name: 'refunded' },
  FAILED: { tone: 'bad', name: 'refundFailed' },
} as const satisfies Record<RefundStatus, StatusName>

export const returnStatuses = {
  REQUESTED: { tone: 'wait', name: 'returnRequested' },
  APPROVED: { tone: 'info', name: 'returnApproved' },
  RECEIVED: { tone: 'good', name: 'returnReceived' },
  REFUNDED: { tone: 'good', name: 'refunded' },
  REJECTED: { tone: 'bad', name: 'returnRejected' },
  CANCELLED: { tone: 'calm', name: 'orderCancelled' },
} as const satisfies Record<OrderReturnStatus, StatusName>

export const returnReasons = {
  DAMAGED: 'reasonDamaged',
  WRONG_ITEM: 'reasonWrongItem',
  NOT_AS_DESCRIBED: 'reasonNotAsDescribed',
  DOES_NOT_FIT: 'reasonDoesNotFit',
  CHANGED_MIND: 'reasonChangedMind',
  OTHER: 'reasonOther',
} as const satisfies Record<ReturnReason, MessageName>

export const paymentMethods = {
  CARD: 'methodCard',
  APPLE_PAY: 'methodApplePay',
  GOOGLE_PAY: 'methodGooglePay',
  PAYPAL: 'methodPayPal',
  SEPA_DEBIT: 'methodSepa',
  BANK_TRANSFER: 'methodTransfer',
  CASH: 'methodCash',
  CASH_ON_DELIVERY: 'methodCashOnDelivery',
  INVOICE: 'methodInvoice',
  LOYALTY_POINTS: 'methodPoints',
  EXTERNAL: 'methodExternal',
} as const satisfies Record<PaymentMethod, MessageName>

export const historyTypes = {
  PLACED: 'historyPlaced',
  STATUS_CHANGED: 'historyStatus',
  MODIFIED: 'historyModified',
  NOTES_CHANGED: 'historyNotes',
  NOTE_ADDED: 'historyNote',
  TAGS_CHANGED: 'historyTags',
  PAYMENT_STARTED: 'historyPaymentStarted',
  PAYMENT_AUTHORIZED: 'historyPaymentAuthorized',
  PAYMENT_SUCCEEDED: 'historyPaymentSucceeded',
  PAYMENT_FAILED: 'historyPaymentFailed',
  PAYMENT_CANCELLED: 'historyPaymentCancelled',
  REFUND_STARTED: 'historyRefundStarted',
  REFUND_SUCCEEDED: 'historyRefundSucceeded',
  REFUND_FAILED: 'historyRefundFailed',
  SHIPMENT_PACKED: 'historyPacked',
  SHIPMENT_SHIPPED: 'historyShipped',
  SHIPMENT_DELIVERED: 'historyDelivered',
  SHIPMENT_CHANGED: 'historyShipmentChanged',
  SHIPMENT_CANCELLED: 'historyShipmentCancelled',
  RETURN_REQUESTED: 'historyReturnRequested',
  RETURN_APPROVED: 'historyReturnApproved',
  RETURN_REJECTED: 'historyReturnRejected',
  RETURN_RECEIVED: 'historyReturnReceived',
  RETURN_REFUNDED: 'historyReturnRefunded',
  RETURN_CANCELLED: 'historyReturnCancelled',
} as const satisfies Record<OrderHistoryType, MessageName>
