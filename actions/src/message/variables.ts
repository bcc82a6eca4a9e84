import type { Facts, Occasion, ShopFacts } from './facts.ts'
import { formatDay, formatMoney, formatTime } from './format.ts'

/** What a template can use: texts, and objects and lists of them. Everything is formatted already. */
export interface Variables {
  readonly [name: string]: string | null | Variables | readonly Variables[]
}

/** @param unsubscribeUrl of campaigns only */
export function variablesOf(occasion: Occasion, shop: ShopFacts, unsubscribeUrl: string | null): Variables {
  const common: Variables = {
    shop: { name: shop.name, email: shop.email, website: shop.website },
    ...(occasion.kind === 'LOW_STOCK_ALERT' ? {} : { customer: occasion.facts.customer ?? null }),
  }
  switch (occasion.kind) {
    case 'ORDER_CONFIRMATION':
      return { ...common, ...orderVariables(occasion.facts, shop) }
    case 'ORDER_SHIPPED': {
      const { carrier, trackingNumber, estimatedDeliveryAt } = occasion.facts.shipment
      const estimatedDelivery = estimatedDeliveryAt && formatDay(estimatedDeliveryAt, shop.timeZone)
      return {
        ...common,
        ...orderVariables(occasion.facts, shop),
        shipment: { carrier, trackingNumber, estimatedDelivery },
      }
    }
    case 'ORDER_REFUNDED': {
      const { amount, currency, reason } = occasion.facts.refund
      return {
        ...common,
        ...orderVariables(occasion.facts, shop),
        refund: { amount: formatMoney(amount, currency), reason },
      }
    }
    case 'STOCK_ALERT':
      return { ...common, product: { ...occasion.facts.product } }
    case 'APPOINTMENT_REMINDER': {
      const { id, service, staff, startTime, duration } = occasion.facts.appointment
      const start = formatTime(startTime, shop.timeZone)
      return { ...common, appointment: { id, service, staff, startTime: start, duration: String(duration) } }
    }
    case 'LOW_STOCK_ALERT': {
      const { available, threshold } = occasion.facts.stock
      return {
        ...common,
        product: { ...occasion.facts.product },
        stock: { available: String(available), threshold: String(threshold) },
      }
    }
    case 'CAMPAIGN':
      return { ...common, unsubscribeUrl }
    default:
      return occasion satisfies never
  }
}

function orderVariables(
  { order, items, shippingAddress }: Facts['ORDER_CONFIRMATION'],
  shop: ShopFacts,
): Variables {
  const money = (amount: number) => formatMoney(amount, order.currency)
  return {
    order: {
      id: order.id,
      number: order.number,
      subtotal: money(order.subtotal),
      tax: money(order.tax),
      shipping: money(order.shipping),
      // Null, so that a template's section on it is left out.
      discount: order.discount === 0 ? null : money(order.discount),
      total: money(order.total),
      placedAt: formatTime(order.placedAt, shop.timeZone),
    },
    items: items.map(({ name, sku, quantity, price, subtotal }) => ({
      name,
      sku,
      quantity: String(quantity),
      price: money(price),
      subtotal: money(subtotal),
    })),
    shippingAddress: shippingAddress && { ...shippingAddress },
  }
}
