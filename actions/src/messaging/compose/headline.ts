import type { Facts, HappeningOccasion, ShopFacts } from './facts.ts'
import { formatMoney, formatTime } from './format.ts'

/** A message as a list and a lock screen show it, with the ids that it is about. */
export interface Headline {
  readonly title: string
  readonly body: string
  readonly data: Readonly<Record<string, string>>
}

export function headlineOf(occasion: HappeningOccasion, shop: ShopFacts): Headline {
  switch (occasion.kind) {
    case 'ORDER_CONFIRMATION': {
      const { order } = occasion.facts
      return {
        title: `Order ${order.number} is confirmed`,
        body:
          order.paid === 0
            ? `${shop.name} has received it. There is nothing to pay.`
            : `${shop.name} has received your payment of ${formatMoney(order.paid, order.currency)}.`,
        data: { orderId: order.id },
      }
    }
    case 'ORDER_SHIPPED': {
      const { order, shipment } = occasion.facts
      const by = shipment.carrier === null ? '' : ` with ${shipment.carrier}`
      return {
        title: `Order ${order.number} is on its way`,
        body: `It has left ${shop.name}${by}.`,
        data: { orderId: order.id },
      }
    }
    case 'ORDER_REFUNDED': {
      const { order, refund } = occasion.facts
      return {
        title: `Refund for order ${order.number}`,
        body: `${shop.name} has given back ${formatMoney(refund.amount, refund.currency)}.`,
        data: { orderId: order.id },
      }
    }
    case 'ORDER_PAYMENT_REMINDER': {
      const { order, payment } = occasion.facts
      return {
        title: `Order ${order.number} is still to be paid`,
        body: `${shop.name} holds it for you until ${formatTime(payment.dueAt, shop.timeZone)}.`,
        data: { orderId: order.id },
      }
    }
    case 'ORDER_CANCELLED': {
      const { order, cancellation } = occasion.facts
      return {
        title: `Order ${order.number} is cancelled`,
        body: cancellation.unpaid
          ? `Your payment has not reached ${shop.name} in time.`
          : `It is cancelled at ${shop.name}.`,
        data: { orderId: order.id },
      }
    }
    case 'STOCK_ALERT': {
      const { product } = occasion.facts
      return {
        title: `${product.name} is back in stock`,
        body: `You asked ${shop.name} to tell you.`,
        data: { productId: product.id, sku: product.sku },
      }
    }
    case 'APPOINTMENT_BOOKED':
      return appointmentHeadline('Your appointment is booked', occasion.facts)
    case 'APPOINTMENT_MOVED':
      return appointmentHeadline('Your appointment has changed', occasion.facts)
    case 'APPOINTMENT_CANCELLED':
      return appointmentHeadline('Your appointment is cancelled', occasion.facts)
    case 'APPOINTMENT_REMINDER':
      return appointmentHeadline('Your appointment', occasion.facts)
    case 'STAFF_APPOINTMENT_BOOKED':
      return appointmentHeadline('New in the calendar', occasion.facts)
    case 'STAFF_APPOINTMENT_MOVED':
      return appointmentHeadline('Moved in the calendar', occasion.facts)
    case 'STAFF_APPOINTMENT_CANCELLED':
      return appointmentHeadline('No longer in the calendar', occasion.facts)
    case 'LOW_STOCK_ALERT': {
      const { product, stock } = occasion.facts
      return {
        title: `Running low: ${product.name}`,
        body: `${stock.available} of ${product.sku} left; you want to know at ${stock.threshold}.`,
        data: { productId: product.id, sku: product.sku },
      }
    }
    case 'PAYMENT_DISPUTED': {
      const { dispute } = occasion.facts
      const amount = formatMoney(dispute.amount, dispute.currency)
      const due = dispute.evidenceDueAt
      return {
        title: `A payment of ${amount} is disputed`,
        body:
          due === null
            ? `The reason: ${dispute.reason}.`
            : `The reason: ${dispute.reason}. Evidence is due by ${formatTime(due, shop.timeZone)}.`,
        data: { paymentId: dispute.paymentId },
      }
    }
    case 'SENDER_LOST': {
      const { sender } = occasion.facts
      return {
        title: `Mails no longer come from ${sender.address}`,
        body: `${sender.problem}.`,
        data: { domain: sender.domain },
      }
    }
    case 'WEBHOOK_DISABLED': {
      const { endpoint } = occasion.facts
      return {
        title: `Webhooks to ${endpoint.url} are switched off`,
        body: `${endpoint.error}.`,
        data: { webhookEndpointId: endpoint.id },
      }
    }
    default:
      return occasion satisfies never
  }
}

const appointmentHeadline = (what: string, { appointment }: Facts['APPOINTMENT_REMINDER']): Headline => ({
  title: `${what}: ${appointment.service}`,
  body: `${formatTime(appointment.startTime, appointment.timeZone)}, with ${appointment.staff}.`,
  data: { appointmentId: appointment.id },
})
