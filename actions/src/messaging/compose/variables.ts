import type { Facts, Occasion, ShopFacts } from './facts.ts'
import { formatDay, formatMoney, formatTime } from './format.ts'

/** The variables of a template: texts, and objects and lists of texts. All are formatted already. */
export interface Variables {
  readonly [name: string]: string | null | Variables | readonly Variables[]
}

/**
 * The values that are put into a message when it is sent, and aren't stored with its facts. Null: the message has
 * none.
 */
export interface Enclosed {
  /** Of campaigns. */
  readonly unsubscribeUrl: string | null
  /** Of mails with a token. */
  readonly token: string | null
  /** Where the merchant's own page takes the token; null where the merchant has named none. */
  readonly link: string | null
}

export function variablesOf(occasion: Occasion, shop: ShopFacts, enclosed: Enclosed): Variables {
  const { unsubscribeUrl, token, link } = enclosed
  const common: Variables = {
    shop: { name: shop.name, email: shop.email, website: shop.website },
    ...('customer' in occasion.facts && { customer: occasion.facts.customer }),
    ...('user' in occasion.facts && { user: occasion.facts.user }),
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
    case 'ORDER_PAYMENT_REMINDER': {
      const { dueAt, method } = occasion.facts.payment
      return {
        ...common,
        ...orderVariables(occasion.facts, shop),
        payment: {
          dueAt: formatTime(dueAt, shop.timeZone),
          method: method && { BANK_TRANSFER: 'bank transfer', CASH: 'cash' }[method],
        },
      }
    }
    case 'ORDER_CANCELLED': {
      const { reason, unpaid } = occasion.facts.cancellation
      return {
        ...common,
        ...orderVariables(occasion.facts, shop),
        // Null, so that a template's section on it is left out.
        cancellation: { reason, unpaid: unpaid ? 'true' : null },
      }
    }
    case 'STOCK_ALERT':
      return { ...common, product: { ...occasion.facts.product } }
    case 'APPOINTMENT_BOOKED':
    case 'APPOINTMENT_MOVED':
    case 'APPOINTMENT_CANCELLED':
    case 'APPOINTMENT_REMINDER':
    case 'STAFF_APPOINTMENT_BOOKED':
    case 'STAFF_APPOINTMENT_MOVED':
    case 'STAFF_APPOINTMENT_CANCELLED': {
      const { id, service, staff, startTime, timeZone, duration, resources, ...money } =
        occasion.facts.appointment
      // Null, so that a template's section on it is left out.
      const amount = (value: number) => (value === 0 ? null : formatMoney(value, money.currency))
      return {
        ...common,
        appointment: {
          id,
          service,
          staff,
          startTime: formatTime(startTime, timeZone),
          duration: String(duration),
          resources: resources.length === 0 ? null : resources.join(', '),
          paid: amount(money.paid),
          due: amount(money.due),
          fee: amount(money.fee),
          unpaid: money.unpaid ? 'true' : null,
        },
      }
    }
    case 'LOW_STOCK_ALERT': {
      const { available, threshold } = occasion.facts.stock
      return {
        ...common,
        product: { ...occasion.facts.product },
        stock: { available: String(available), threshold: String(threshold) },
      }
    }
    case 'PAYMENT_DISPUTED': {
      const { amount, currency, evidenceDueAt, orderNumber, reason } = occasion.facts.dispute
      return {
        ...common,
        dispute: {
          amount: formatMoney(amount, currency),
          orderNumber,
          reason,
          evidenceDueAt: evidenceDueAt && formatTime(evidenceDueAt, shop.timeZone),
        },
      }
    }
    case 'SENDER_LOST':
      return { ...common, sender: { ...occasion.facts.sender } }
    case 'WEBHOOK_DISABLED': {
      const { endpoint } = occasion.facts
      return {
        ...common,
        endpoint: { ...endpoint, failingSince: formatTime(endpoint.failingSince, shop.timeZone) },
      }
    }
    case 'USER_INVITATION':
    case 'USER_PASSWORD_RESET':
    case 'USER_EMAIL_VERIFICATION':
    case 'CUSTOMER_PASSWORD_RESET':
    case 'CUSTOMER_EMAIL_VERIFICATION':
      return { ...common, token, link, expiresAt: formatTime(occasion.facts.expiresAt, shop.timeZone) }
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
      // Null where the order costs nothing.
      paid: order.paid === 0 ? null : money(order.paid),
      placedAt: formatTime(order.placedAt, shop.timeZone),
    },
    items: items.map(({ name, sku, quantity, price, subtotal, properties = [] }) => ({
      name,
      sku,
      quantity: String(quantity),
      price: money(price),
      subtotal: money(subtotal),
      properties: properties.map((property) => ({ ...property })),
    })),
    shippingAddress: shippingAddress && { ...shippingAddress },
  }
}
