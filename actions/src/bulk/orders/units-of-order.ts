import { invalidValue, outOfRange, type UserError } from '@commerce-graph/contract/input'
import type { OrderRow } from './money-of-order.ts'

interface LineUnits {
  readonly fulfilled: number
  /** Never sent, because they were refunded before. */
  readonly cancelled: number
  readonly refunded: number
}

/** What left in a shipment, by the lines' indexes. */
export interface SentUnits {
  readonly shippedAt: string
  readonly deliveredAt: string | null
  readonly carrier: string | null
  readonly trackingNumber: string | null
  readonly lines: readonly { readonly index: number; readonly quantity: number }[]
}

export interface OrderUnits {
  readonly lines: readonly LineUnits[]
  readonly shipments: readonly SentUnits[]
}

export type OrderUnitsFound =
  | { readonly kind: 'units'; readonly units: OrderUnits }
  | { readonly kind: 'invalid'; readonly errors: readonly UserError[] }

/** Where the units of an order's lines are: sent, refunded, or neither. */
export function unitsOfOrder(row: OrderRow): OrderUnitsFound {
  const errors: UserError[] = []
  const fulfilled = row.lines.map(() => 0)
  const refunded = row.lines.map(() => 0)
  const take = (taken: number[], line: number, quantity: number, field: string): void => {
    const index = line - 1
    const bought = row.lines[index]?.quantity
    if (bought === undefined) {
      errors.push(invalidValue(`${field}.line`, `The order has ${row.lines.length} lines`))
      return
    }
    const left = bought - (taken[index] ?? 0)
    if (quantity > left) errors.push(outOfRange(`${field}.quantity`, quantity, 1, left))
    else taken[index] = (taken[index] ?? 0) + quantity
  }
  const shipments = sentIn(row).map((shipment, at) => {
    const lines =
      shipment.lines ??
      row.lines
        .map(({ quantity }, index) => ({ line: index + 1, quantity: quantity - (fulfilled[index] ?? 0) }))
        .filter(({ quantity }) => quantity > 0)
    const once = new Set(lines.map(({ line }) => line))
    if (once.size < lines.length) errors.push(invalidValue(`shipments.${at}.lines`, 'A line is listed twice'))
    lines.forEach(({ line, quantity }, position) =>
      take(fulfilled, line, quantity, `shipments.${at}.lines.${position}`),
    )
    return { ...shipment, lines: lines.map(({ line, quantity }) => ({ index: line - 1, quantity })) }
  })
  row.refunds?.forEach((refund, at) => {
    const lines = refund.lines ?? []
    const once = new Set(lines.map(({ line }) => line))
    if (once.size < lines.length) errors.push(invalidValue(`refunds.${at}.lines`, 'A line is listed twice'))
    lines.forEach(({ line, quantity }, position) =>
      take(refunded, line, quantity, `refunds.${at}.lines.${position}`),
    )
  })
  if (errors.length > 0) return { kind: 'invalid', errors }
  const lines = row.lines.map((_, index) => ({
    fulfilled: fulfilled[index] ?? 0,
    refunded: refunded[index] ?? 0,
    cancelled: Math.max(0, (refunded[index] ?? 0) - (fulfilled[index] ?? 0)),
  }))
  return { kind: 'units', units: { lines, shipments } }
}

type ShipmentRow = NonNullable<OrderRow['shipments']>[number]

/** An order that says it was sent, and not when, was sent whole when it was paid. */
function sentIn(row: OrderRow): readonly ShipmentRow[] {
  if (row.shipments !== null && row.shipments.length > 0) return row.shipments
  if (row.status !== 'SHIPPED' && row.status !== 'DELIVERED') return []
  const at = row.paidAt ?? row.placedAt
  return [
    {
      shippedAt: at,
      deliveredAt: row.status === 'DELIVERED' ? at : null,
      carrier: null,
      trackingNumber: null,
      lines: null,
    },
  ]
}
