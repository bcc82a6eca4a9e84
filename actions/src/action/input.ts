import { loadContract } from '@commerce-graph/contract'
import { type Fault as InputFault, inputError, invalidCoupon } from '@commerce-graph/contract/input'
import type { UserError } from './answer.ts'

const { bounds } = loadContract()

/** What a merged line, a cart line and a level can hold at most. */
export const maxQuantity = bounds.rangeOf('OrderItemInput.quantity').max
/** Lines of a cart, an order or a reservation. */
export const maxLines = bounds.mostEntriesOf('CreateOrderInput.items')
/** The largest amount of money that JSON clients hold exactly, in minor units. */
export const maxMoney = Number.MAX_SAFE_INTEGER

/** What is wrong with a value; the field's name joins it. */
export type Fault =
  | InputFault
  /** Why a coupon can't be used. */
  | { readonly kind: 'coupon'; readonly message: string }

export const userError = (field: string, fault: Fault): UserError =>
  fault.kind === 'coupon' ? invalidCoupon(field, fault.message) : inputError(field, fault)
