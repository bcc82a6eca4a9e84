import type { OrderStatus } from '../../sql/generated/ordering.ts'
import type { OrderMoney, OrderRow } from './money-of-order.ts'
import type { OrderPayments } from './payments-of-order.ts'
import type { OrderUnits } from './units-of-order.ts'

export interface OrderState {
  readonly status: OrderStatus
  /** ISO 8601; null: not paid in full. */
  readonly paidAt: string | null
  readonly cancelledAt: string | null
  readonly fulfillment: 'UNFULFILLED' | 'PARTIAL' | 'SHIPPED' | 'DELIVERED'
}

const sum = (amounts: readonly number[]): number => amounts.reduce((all, amount) => all + amount, 0)

/** The latest of several times, at least one. */
export const latest = (times: readonly string[]): string =>
  times.reduce((late, time) => (Date.parse(time) > Date.parse(late) ? time : late))

/** Where an order stands: as its row says, or as it follows from what has happened. */
export function stateOfOrder(
  row: OrderRow,
  { total }: OrderMoney,
  { payments, refunds }: OrderPayments,
  units: OrderUnits,
): OrderState {
  const fulfillment = fulfillmentOf(row, units)
  const refunded = sum(refunds.map(({ amount }) => amount))
  const paid = payments.length > 0 && sum(payments.map(({ amount }) => amount)) >= total
  const free = total === 0 && row.cancelledAt === null && row.status !== 'PENDING'
  const moneyCame = row.paidAt ?? (paid ? latest(payments.map(({ at }) => at)) : free ? row.placedAt : null)
  const status =
    row.status ??
    statusOf(row, { fulfillment, isPaid: moneyCame !== null, isRefunded: total > 0 && refunded >= total })
  const everPaid = status !== 'PENDING' && status !== 'CANCELLED'
  const ended = latest([row.placedAt, ...payments.map(({ at }) => at), ...refunds.map(({ at }) => at)])
  return {
    status,
    paidAt: moneyCame ?? (everPaid ? row.placedAt : null),
    cancelledAt: status === 'CANCELLED' ? (row.cancelledAt ?? ended) : null,
    fulfillment,
  }
}

function statusOf(
  row: OrderRow,
  facts: {
    readonly fulfillment: OrderState['fulfillment']
    readonly isPaid: boolean
    readonly isRefunded: boolean
  },
): OrderStatus {
  if (row.cancelledAt !== null) return 'CANCELLED'
  if (facts.isRefunded) return 'REFUNDED'
  switch (facts.fulfillment) {
    case 'DELIVERED':
    case 'SHIPPED':
      return facts.fulfillment
    case 'PARTIAL':
      return 'PROCESSING'
    case 'UNFULFILLED':
      return facts.isPaid ? 'CONFIRMED' : 'PENDING'
    default:
      return facts.fulfillment satisfies never
  }
}

function fulfillmentOf(row: OrderRow, { lines, shipments }: OrderUnits): OrderState['fulfillment'] {
  const sent = sum(lines.map(({ fulfilled }) => fulfilled))
  const due = sum(row.lines.map(({ quantity }, index) => quantity - (lines[index]?.cancelled ?? 0)))
  if (sent === 0) return 'UNFULFILLED'
  if (sent < due) return 'PARTIAL'
  return shipments.every(({ deliveredAt }) => deliveredAt !== null) ? 'DELIVERED' : 'SHIPPED'
}
