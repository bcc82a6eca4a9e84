import type { Filled, ImportOrderRow } from '@commerce-graph/contract'
import { invalidValue, outOfRange, type UserError } from '@commerce-graph/contract/input'
import { maxMoney } from '../../action/input.ts'
import { allocate } from './allocate.ts'

export type OrderRow = Filled<ImportOrderRow>

/** The amounts of a line, in minor units. */
export interface LineMoney {
  readonly subtotal: number
  readonly discount: number
  readonly tax: number
}

/** The amounts of an order, as the database keeps them: its lines add up to subtotal, tax and discount. */
export interface OrderMoney {
  readonly lines: readonly LineMoney[]
  readonly subtotal: number
  readonly tax: number
  readonly shipping: number
  readonly discount: number
  readonly shippingDiscount: number
  readonly total: number
}

export type OrderMoneyFound =
  | { readonly kind: 'money'; readonly money: OrderMoney }
  | { readonly kind: 'invalid'; readonly errors: readonly UserError[] }

const sum = (amounts: readonly number[]): number => amounts.reduce((all, amount) => all + amount, 0)

/** The amounts of an order's row, with what is the whole order's divided among its lines. */
export function moneyOfOrder(row: OrderRow): OrderMoneyFound {
  const errors: UserError[] = []
  const given = row.lines.map((line, index) => {
    const subtotal = line.price * line.quantity
    const discount = line.discount ?? 0
    if (subtotal > maxMoney) errors.push(outOfRange(`lines.${index}.price`, line.price, 0, maxMoney))
    else if (discount > subtotal) errors.push(outOfRange(`lines.${index}.discount`, discount, 0, subtotal))
    return { subtotal, discount, tax: line.tax ?? 0 }
  })
  if (errors.length > 0) return { kind: 'invalid', errors }
  const left = given.map(({ subtotal, discount }) => subtotal - discount)
  const shared = row.discount ?? 0
  if (shared > sum(left)) errors.push(outOfRange('discount', shared, 0, sum(left)))
  const shipping = row.shipping ?? 0
  const shippingDiscount = row.shippingDiscount ?? 0
  if (shippingDiscount > shipping) errors.push(outOfRange('shippingDiscount', shippingDiscount, 0, shipping))
  if (errors.length > 0) return { kind: 'invalid', errors }
  const discounts = allocate(shared, left)
  const taxes = allocate(
    row.tax ?? 0,
    left.map((amount, index) => amount - (discounts[index] ?? 0)),
  )
  const lines = given.map((line, index) => ({
    subtotal: line.subtotal,
    discount: line.discount + (discounts[index] ?? 0),
    tax: line.tax + (taxes[index] ?? 0),
  }))
  const subtotal = sum(lines.map((line) => line.subtotal))
  const tax = sum(lines.map((line) => line.tax))
  const discount = sum(lines.map((line) => line.discount)) + shippingDiscount
  const total = subtotal + tax + shipping - discount
  if (!Number.isSafeInteger(subtotal) || !Number.isSafeInteger(total + discount))
    return { kind: 'invalid', errors: [outOfRange('total', row.total, 0, maxMoney)] }
  if (total !== row.total)
    return { kind: 'invalid', errors: [invalidValue('total', `The parts of the order come to ${total}`)] }
  return { kind: 'money', money: { lines, subtotal, tax, shipping, discount, shippingDiscount, total } }
}
