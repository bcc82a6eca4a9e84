import type { OrderFacts } from './order-facts.ts'
import { latest } from './status-of-order.ts'

interface Subjects {
  readonly shipmentIds: readonly string[]
  readonly paymentIds: readonly string[]
  readonly refundIds: readonly string[]
}

type Entry = Readonly<Record<string, unknown>> & { readonly created_at: string }

/** What has happened to an order, each at its own time. */
export function historyOfOrder(
  orderId: string,
  { row, money, units, paid, state }: OrderFacts,
  { shipmentIds, paymentIds, refundIds }: Subjects,
): readonly Entry[] {
  const events: readonly Entry[] = [
    { type: 'PLACED', to_status: 'PENDING', amount: money.total, created_at: row.placedAt },
    ...paid.payments.map(({ amount, at }, index) => ({
      type: 'PAYMENT_SUCCEEDED',
      amount,
      note: 'EXTERNAL',
      subject_id: paymentIds[index],
      created_at: at,
    })),
    ...units.shipments.flatMap(({ carrier, trackingNumber, shippedAt, deliveredAt }, index) => {
      const tracking = [carrier, trackingNumber].filter((part) => part !== null).join(' ')
      const entry = { note: tracking === '' ? null : tracking, subject_id: shipmentIds[index] }
      return [
        { ...entry, type: 'SHIPMENT_SHIPPED', created_at: shippedAt },
        ...(deliveredAt === null ? [] : [{ ...entry, type: 'SHIPMENT_DELIVERED', created_at: deliveredAt }]),
      ]
    }),
    ...paid.refunds.map(({ amount, at, reason }, index) => ({
      type: 'REFUND_SUCCEEDED',
      amount,
      note: reason,
      subject_id: refundIds[index],
      created_at: at,
    })),
  ]
  const moved =
    state.status === 'PENDING'
      ? []
      : [
          {
            type: 'STATUS_CHANGED',
            from_status: 'PENDING',
            to_status: state.status,
            note: state.status === 'CANCELLED' ? row.cancelReason : null,
            created_at: state.cancelledAt ?? latest(events.map((event) => event.created_at)),
          },
        ]
  return [...events, ...moved].map((event) => ({ ...event, order_id: orderId }))
}
