import { invalidValue, outOfRange, type UserError } from '@commerce-graph/contract/input'
import type { OrderMoney, OrderRow } from './money-of-order.ts'

export interface PaidAmount {
  readonly amount: number
  readonly at: string
  readonly reference: string | null
  readonly refunded: number
}

/** What was given back of one payment. */
export interface RefundedAmount {
  /** The index of the payment. */
  readonly payment: number
  readonly amount: number
  readonly shippingAmount: number
  readonly at: string
  readonly reason: string | null
  readonly lines: readonly { readonly index: number; readonly quantity: number; readonly amount: number }[]
}

export interface OrderPayments {
  readonly payments: readonly PaidAmount[]
  readonly refunds: readonly RefundedAmount[]
}

export type OrderPaymentsFound =
  | { readonly kind: 'payments'; readonly payments: OrderPayments }
  | { readonly kind: 'invalid'; readonly errors: readonly UserError[] }

type RefundRow = NonNullable<OrderRow['refunds']>[number]

/** The payments of an order's row, and its refunds, each as parts of one payment. */
export function paymentsOfOrder(row: OrderRow, { total, lines }: OrderMoney): OrderPaymentsFound {
  const paid = (
    row.payments ??
    (row.paidAt !== null && total > 0 ? [{ amount: total, paidAt: row.paidAt, reference: null }] : [])
  ).map(({ amount, paidAt, reference }) => ({
    amount,
    at: paidAt ?? row.paidAt ?? row.placedAt,
    reference,
    refunded: 0,
  }))
  const errors: UserError[] = []
  let unpaid = total
  paid.forEach(({ amount }, index) => {
    if (amount > unpaid) errors.push(outOfRange(`payments.${index}.amount`, amount, 1, unpaid))
    unpaid -= amount
  })
  const left = lines.map(({ subtotal, discount, tax }) => subtotal - discount + tax)
  const refunds: RefundedAmount[] = []
  row.refunds?.forEach((refund, index) => {
    const fault = refundFault(refund, index, left)
    if (fault !== null) {
      errors.push(fault)
      return
    }
    const room = paid.reduce((all, { amount, refunded }) => all + amount - refunded, 0)
    if (refund.amount > room) errors.push(outOfRange(`refunds.${index}.amount`, refund.amount, 1, room))
    else refunds.push(...partsOf(refund, paid))
  })
  return errors.length > 0
    ? { kind: 'invalid', errors }
    : { kind: 'payments', payments: { payments: paid, refunds } }
}

/** What is wrong with a refund's parts. Takes what they return off the lines. */
function refundFault(refund: RefundRow, index: number, left: number[]): UserError | null {
  const shipping = refund.shippingAmount ?? 0
  if (shipping > refund.amount)
    return outOfRange(`refunds.${index}.shippingAmount`, shipping, 0, refund.amount)
  if (refund.lines === null || refund.lines.length === 0) return null
  const parts = refund.lines.reduce((all, { amount }) => all + amount, shipping)
  if (parts !== refund.amount)
    return invalidValue(`refunds.${index}.amount`, `The parts of the refund come to ${parts}`)
  for (const [position, { line, amount }] of refund.lines.entries()) {
    const most = left[line - 1] ?? 0
    if (amount > most) return outOfRange(`refunds.${index}.lines.${position}.amount`, amount, 0, most)
    left[line - 1] = most - amount
  }
  return null
}

/** A refund that one payment covers keeps its lines; one of several payments is of the order as a whole. */
function partsOf(
  refund: RefundRow,
  paid: readonly { readonly amount: number; refunded: number }[],
): readonly RefundedAmount[] {
  const base = { at: refund.refundedAt, reason: refund.reason }
  const whole = paid.findIndex(({ amount, refunded }) => amount - refunded >= refund.amount)
  const covering = paid[whole]
  if (covering !== undefined) {
    covering.refunded += refund.amount
    const lines = (refund.lines ?? []).map(({ line, quantity, amount }) => ({
      index: line - 1,
      quantity,
      amount,
    }))
    return [
      { ...base, payment: whole, amount: refund.amount, shippingAmount: refund.shippingAmount ?? 0, lines },
    ]
  }
  let due = refund.amount
  let shipping = refund.shippingAmount ?? 0
  return paid.flatMap((payment, index) => {
    const amount = Math.min(due, payment.amount - payment.refunded)
    if (amount === 0) return []
    const shippingAmount = Math.min(shipping, amount)
    payment.refunded += amount
    due -= amount
    shipping -= shippingAmount
    return [{ ...base, payment: index, amount, shippingAmount, lines: [] }]
  })
}
