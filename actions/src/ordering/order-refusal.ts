import { couponError, isCouponRefusal } from '../promotion/index.ts'
import { lineError } from '../catalog/index.ts'
import { notFound, type UserError } from '../action/answer.ts'
import { invalidValue, userError } from '../action/input.ts'
import type { Refusal } from '../sql/generated/ordering.ts'

/** Why SQL refused an order or a change of one. */
export type OrderRefusal = Refusal

/** @param prefix where the order's fields stand among the action's arguments: `modifications.` or nothing */
export function orderError(refusal: OrderRefusal, prefix = ''): UserError {
  const field = prefix + refusal.field
  const wrong = (message: string): UserError => invalidValue(field, message)
  if (isCouponRefusal(refusal)) return couponError({ ...refusal, field })
  switch (refusal.reason) {
    case 'unknown_customer':
      return notFound(field, 'Customer')
    case 'customer_blocked':
      return wrong('The customer is blocked')
    case 'other_total':
      return wrong(`The total is ${refusal.total ?? 'another one'} now`)
    case 'customer_required':
    case 'address_required':
    case 'missing':
      return userError(field, { kind: 'required' })
    case 'not_the_carts_customer':
      return wrong('The cart belongs to another customer')
    case 'unknown_shipping_method':
      return notFound(field, 'Shipping method')
    case 'shipping_method_not_for_country':
      return wrong('The shipping method does not ship to this country')
    case 'shipping_method_currency':
      return wrong(`The shipping method is priced in ${refusal.currency ?? 'another currency'}`)
    case 'too_many_unpaid_orders':
      return unpaid(field, refusal.left, 'orders of a customer can wait for their payment at once')
    case 'too_many_unpaid_units':
      return unpaid(field, refusal.left, 'units more can wait for their payment')
    case 'reservation_not_active':
      return wrong('The reservation has expired, is taken, or does not exist')
    case 'unknown_item':
      return notFound(field, 'Order line')
    case 'no_lines_left':
      return wrong('An order keeps at least one line; cancel it instead')
    case 'nothing_left':
      return wrong('Nothing of the order is left to be packed')
    case 'more_than_left':
      return beyond(field, refusal.left, 'units of the line are left')
    case 'more_than_sent':
      return beyond(
        field,
        refusal.left,
        'units of the line were sent and are neither refunded nor in a return',
      )
    case 'more_than_returned':
      return beyond(field, refusal.left, 'units of the line are in the return')
    case 'nothing_paid':
      return wrong('There is nothing left of what was paid for it')
    case 'more_than_paid':
      return beyond(field, refusal.left, 'can be refunded of it')
    case 'not_restockable':
      return wrong('The item is not sold any more, or its stock level can not hold the units')
    case 'unknown_warehouse':
      return notFound(field, 'Warehouse')
    case 'unknown_product':
    case 'product_not_active':
    case 'unknown_variant':
    case 'variant_required':
    case 'currency_mismatch':
    case 'quantity_too_large':
    case 'too_many_lines':
    case 'total_too_large':
      return lineError({ ...refusal, reason: refusal.reason }, field)
    default:
      return refusal satisfies never
  }
}

const beyond = (field: string, left: number | null | undefined, what: string): UserError => ({
  field,
  message: `Value of ${field} is outside acceptable range 1-${left ?? 0}: ${left ?? 0} ${what}`,
  code: 'OUT_OF_RANGE',
})

const unpaid = (field: string, left: number | null | undefined, what: string): UserError => ({
  field,
  message: `Value of ${field} is outside acceptable range 0-${left ?? 0}: ${left ?? 0} ${what}. Pay or cancel one`,
  code: 'OUT_OF_RANGE',
})
