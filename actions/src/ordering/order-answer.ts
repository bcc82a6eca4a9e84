import {
  type Answer,
  done,
  idempotencyKeyReused,
  insufficientInventory,
  invalid,
  notFound,
  orderNotModifiable,
} from '../action/answer.ts'
import type { Once } from '../action/idempotency-keys.ts'
import { invalidValue } from '../action/input.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type * as ordering from '../sql/generated/ordering.ts'
import { orderError } from './order-refusal.ts'
import type { OrderStays } from './orders.ts'
import type { ReturnStays } from './returns.ts'

export function placedAnswer(merchantId: MerchantId, outcome: Once<ordering.PlacedAnswer>): Answer {
  switch (outcome.outcome) {
    case 'key_reused':
      return idempotencyKeyReused(outcome.key)
    case 'placed':
      return done({ merchantId, orderId: outcome.orderId })
    case 'invalid':
      return invalid(...outcome.refusals.map((refusal) => orderError(refusal)))
    case 'insufficient':
      return insufficientInventory(outcome.shortages, ({ position = 0 }) => `items.${position}.quantity`)
    case 'unknown_cart':
      return invalid(notFound('id', 'Cart'))
    case 'expired':
      return invalid(invalidValue('id', 'The cart has expired'))
    case 'empty':
      return invalid(invalidValue('id', 'The cart is empty'))
    default:
      return outcome satisfies never
  }
}

export function modifiedAnswer(
  merchantId: MerchantId,
  orderId: string,
  outcome: ordering.ModifyOrderAnswer,
): Answer {
  switch (outcome.outcome) {
    case 'modified':
      return done({ merchantId, orderId: outcome.orderId })
    case 'invalid':
      return invalid(...outcome.refusals.map((refusal) => orderError(refusal, 'modifications.')))
    case 'insufficient':
      return insufficientInventory(outcome.shortages, () => 'modifications')
    case 'unknown_order':
    case 'order_refused':
    case 'payment_open':
      return staysAnswer(orderId, outcome)
    default:
      return outcome satisfies never
  }
}

export function advancedAnswer(
  merchantId: MerchantId,
  orderId: string,
  outcome: ordering.FulfillOrderAnswer | ordering.DeliverOrderAnswer | ordering.AddNoteAnswer,
): Answer {
  switch (outcome.outcome) {
    case 'advanced':
    case 'noted':
      return done({ merchantId, orderId: outcome.orderId })
    case 'invalid':
      return invalid(...outcome.refusals.map((refusal) => orderError(refusal)))
    case 'unknown_order':
    case 'order_refused':
      return staysAnswer(orderId, outcome)
    default:
      return outcome satisfies never
  }
}

export function shipmentAnswer(merchantId: MerchantId, outcome: ordering.AdvanceShipmentAnswer): Answer {
  switch (outcome.outcome) {
    case 'advanced':
      return done({ merchantId, shipmentId: outcome.shipmentId })
    case 'unknown_shipment':
      return invalid(notFound('id', 'Shipment'))
    case 'shipment_refused':
      return invalid(invalidValue('id', `The shipment is ${outcome.status}`))
    default:
      return outcome satisfies never
  }
}

export function returnAnswer(
  merchantId: MerchantId,
  outcome: ordering.RequestReturnAnswer | ordering.DecideReturnAnswer | ordering.ReceiveReturnAnswer,
): Answer {
  switch (outcome.outcome) {
    case 'requested':
    case 'advanced':
      return done({ merchantId, returnId: outcome.returnId })
    case 'invalid':
      return invalid(...outcome.refusals.map((refusal) => orderError(refusal)))
    case 'unknown_order':
      return invalid(notFound('orderId', 'Order'))
    case 'unknown_return':
    case 'return_refused':
      return returnStaysAnswer(outcome)
    default:
      return outcome satisfies never
  }
}

export function returnStaysAnswer(outcome: ReturnStays): Answer {
  switch (outcome.outcome) {
    case 'unknown_return':
      return invalid(notFound('id', 'Return'))
    case 'return_refused':
      return invalid(invalidValue('id', `The return is ${outcome.status}`))
    default:
      return outcome satisfies never
  }
}

const refusedBecause = {
  partly_shipped: 'A part of it has been shipped; the rest can be refunded',
  nothing_paid: 'It costs nothing, so there is nothing to refund',
} as const

export function staysAnswer(orderId: string, outcome: OrderStays): Answer {
  switch (outcome.outcome) {
    case 'unknown_order':
      return invalid(notFound('id', 'Order'))
    case 'order_refused':
      return orderNotModifiable(
        'id',
        orderId,
        outcome.status,
        outcome.reason && refusedBecause[outcome.reason],
      )
    case 'payment_open':
      return orderNotModifiable('id', orderId, 'PENDING', `Payment ${outcome.paymentId} is under way`)
    default:
      return outcome satisfies never
  }
}
