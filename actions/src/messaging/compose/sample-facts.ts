import type { Occasion, ShopFacts } from './facts.ts'
import type { EmailKind } from './message-kind.ts'

const customer = { name: 'Ada Lovelace', email: 'ada@example.com' }

const order = {
  customer,
  order: {
    id: '01a1f000-0000-7000-8000-000000000000',
    number: 'ORD-00001001',
    currency: 'USD',
    subtotal: 25_800,
    tax: 1_935,
    shipping: 900,
    discount: 2_580,
    total: 26_055,
    paid: 26_055,
    placedAt: '2026-03-14T15:09:26Z',
  },
  items: [
    {
      name: 'Larch 45 Pack',
      sku: 'LARCH-45',
      quantity: 1,
      price: 18_900,
      subtotal: 18_900,
      properties: [{ name: 'Engraving', value: 'For Grace' }],
    },
    { name: 'Trail Sock', sku: 'SOCK-M', quantity: 3, price: 2_300, subtotal: 6_900 },
  ],
  shippingAddress: {
    recipientName: 'Grace Hopper',
    company: 'Compilers Ltd.',
    line1: '12 St James Square',
    line2: 'Flat 3',
    city: 'Portland',
    state: 'Oregon',
    postalCode: '97205',
    country: 'US',
  },
}
const appointment = {
  customer,
  appointment: {
    id: '01a1f000-0000-7000-8000-000000000002',
    service: 'Boot fitting',
    staff: 'Ruth Calder',
    startTime: '2026-03-15T17:00:00Z',
    timeZone: 'America/Los_Angeles',
    duration: 45,
    resources: ['Front fitting room'],
    currency: 'USD',
    paid: 1_500,
    due: 3_000,
    fee: 1_500,
    unpaid: true,
  },
}
const expiresAt = '2026-03-15T15:09:26Z'
const product = { id: '01a1f000-0000-7000-8000-000000000001', name: 'Larch 45 Pack', sku: 'LARCH-45' }

/** An occasion with everything that there can be, for previews. What stands in none of its variables is no variable. */
export function sampleOccasion(kind: EmailKind): Occasion {
  switch (kind) {
    case 'ORDER_CONFIRMATION':
      return { kind, facts: order }
    case 'ORDER_SHIPPED':
      return {
        kind,
        facts: {
          ...order,
          shipment: {
            carrier: 'UPS',
            trackingNumber: '1Z999AA10123456784',
            estimatedDeliveryAt: '2026-03-18T17:00:00Z',
          },
        },
      }
    case 'ORDER_REFUNDED':
      return { kind, facts: { ...order, refund: { amount: 6_900, currency: 'USD', reason: 'Too small' } } }
    case 'ORDER_PAYMENT_REMINDER':
      return {
        kind,
        facts: { ...order, payment: { dueAt: '2026-03-21T15:09:26Z', method: 'BANK_TRANSFER' } },
      }
    case 'ORDER_CANCELLED':
      return {
        kind,
        facts: { ...order, cancellation: { reason: 'The payment window has ended', unpaid: true } },
      }
    case 'STOCK_ALERT':
      return { kind, facts: { customer, product } }
    case 'APPOINTMENT_BOOKED':
    case 'APPOINTMENT_MOVED':
    case 'APPOINTMENT_CANCELLED':
    case 'APPOINTMENT_REMINDER':
    case 'STAFF_APPOINTMENT_BOOKED':
    case 'STAFF_APPOINTMENT_MOVED':
    case 'STAFF_APPOINTMENT_CANCELLED':
      return { kind, facts: appointment }
    case 'LOW_STOCK_ALERT':
      return { kind, facts: { product, stock: { available: 4, threshold: 5 } } }
    case 'PAYMENT_DISPUTED':
      return {
        kind,
        facts: {
          dispute: {
            paymentId: '01a1f000-0012-7000-8000-000000000001',
            orderNumber: 'ORD-00000042',
            amount: 12_900,
            currency: 'USD',
            reason: 'fraudulent',
            evidenceDueAt: '2026-03-28T15:09:26Z',
          },
        },
      }
    case 'SENDER_LOST':
      return {
        kind,
        facts: {
          sender: {
            address: 'hello@shop.example.com',
            domain: 'shop.example.com',
            problem: 'DNS does not have the record TXT _commerce-graph.shop.example.com',
          },
        },
      }
    case 'WEBHOOK_DISABLED':
      return {
        kind,
        facts: {
          endpoint: {
            id: '01a1f000-0000-7000-8000-000000000001',
            url: 'https://erp.example.com/webhooks',
            reason: 'FAILING',
            failingSince: expiresAt,
            error: 'The endpoint answered 500',
          },
        },
      }
    case 'USER_INVITATION':
    case 'USER_PASSWORD_RESET':
    case 'USER_EMAIL_VERIFICATION':
      return { kind, facts: { user: customer, expiresAt } }
    case 'CUSTOMER_PASSWORD_RESET':
    case 'CUSTOMER_EMAIL_VERIFICATION':
      return { kind, facts: { customer, expiresAt } }
    case 'CAMPAIGN':
      return { kind, facts: { customer } }
    default:
      return kind satisfies never
  }
}

/** Stands in for a shop where only the names of variables matter. */
export const sampleShop: ShopFacts = {
  name: 'Alder & Pine',
  email: 'hello@example.com',
  website: 'https://shop.example.com',
  emailIsVerified: true,
  timeZone: 'America/Los_Angeles',
  sender: null,
}
