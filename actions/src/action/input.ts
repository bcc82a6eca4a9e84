import { loadContract } from '@commerce-graph/contract'
import { type Fault as InputFault, inputError, invalidCoupon } from '@commerce-graph/contract/input'
import type { UserError } from './answer.ts'

const { bounds } = loadContract()

/** The maximum quantity of an order line, a cart line and a stock level. */
export const maxQuantity = bounds.rangeOf('OrderItemInput.quantity').max
/** Lines of a cart, an order or a reservation. */
export const maxLines = bounds.mostEntriesOf('CreateOrderInput.items')
/** The largest amount of money that JSON clients hold exactly, in minor units. */
export const maxMoney = Number.MAX_SAFE_INTEGER

/** The fault of a value, without its field. */
export type Fault =
  | InputFault
  /** Why a coupon can't be used. */
  | { readonly kind: 'coupon'; readonly message: string }

export const userError = (field: string, fault: Fault): UserError =>
  fault.kind === 'coupon' ? invalidCoupon(field, fault.message) : inputError(field, fault)

/** A value that no rule of its form refuses, but the state of the shop does. */
export const invalidValue = (field: string, message: string): UserError =>
  userError(field, { kind: 'value', message })
