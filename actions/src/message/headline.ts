import type { HappeningOccasion, ShopFacts } from './facts.ts'
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
    case 'STOCK_ALERT': {
      const { product } = occasion.facts
      return {
        title: `${product.name} is back in stock`,
        body: `You asked ${shop.name} to tell you.`,
        data: { productId: product.id, sku: product.sku },
      }
    }
    case 'APPOINTMENT_REMINDER': {
      const { appointment } = occasion.facts
      return {
        title: `Your appointment: ${appointment.service}`,
        body: `${formatTime(appointment.startTime, shop.timeZone)}, with ${appointment.staff}.`,
        data: { appointmentId: appointment.id },
      }
    }
    case 'LOW_STOCK_ALERT': {
      const { product, stock } = occasion.facts
      return {
        title: `Running low: ${product.name}`,
        body: `${stock.available} of ${product.sku} left; you want to know at ${stock.threshold}.`,
        data: { productId: product.id, sku: product.sku },
      }
    }
    default:
      return occasion satisfies never
  }
}
