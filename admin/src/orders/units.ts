/** What a line of an order says about its units. */
export interface LineUnits {
  readonly id: string
  readonly quantity: number
  readonly packedQuantity: number
  readonly fulfilledQuantity: number
  readonly cancelledQuantity: number
  readonly refundedQuantity: number
}

/** How many units can be packed. */
export const unpacked = ({ quantity, packedQuantity, cancelledQuantity }: LineUnits): number =>
  quantity - packedQuantity - cancelledQuantity

export interface PaidLine extends LineUnits {
  readonly subtotal: number
  readonly discount: number
  readonly tax: number
}

/**
 * What units of a line come to, in the currency's smallest unit, by the rule of the API: shares of what was paid for the line, which
 * add up to it however many refunds there are (docs/commerce.md#refunds).
 */
export function refundOfUnits(line: PaidLine, units: number): number {
  const paid = line.subtotal - line.discount + line.tax
  const upTo = (count: number) => Math.round((paid * count) / line.quantity)
  return upTo(line.refundedQuantity + units) - upTo(line.refundedQuantity)
}

export interface PaidOrder {
  readonly shipping: number
  readonly discount: number
  readonly items: readonly PaidLine[]
  readonly payments: readonly { readonly refunds: readonly { readonly shippingAmount: number }[] }[]
}

/** What is left of the shipping: what is taken off the order and not off a line is taken off it. */
export function refundableShipping({ shipping, discount, items, payments }: PaidOrder): number {
  const takenOff = discount - items.reduce((sum, line) => sum + line.discount, 0)
  const refunded = payments
    .flatMap(({ refunds }) => refunds)
    .reduce((sum, { shippingAmount }) => sum + shippingAmount, 0)
  return Math.max(0, shipping - takenOff - refunded)
}

interface OrderReturns {
  readonly returns: readonly {
    readonly status: string
    /** Of its units; absent for a user who may not see payments. */
    readonly refund?: object | null
    readonly items: readonly { readonly orderItemId: string; readonly quantity: number }[]
  }[]
}

/** States of returns whose units are either refunded, or not to be. */
const over = new Set(['REJECTED', 'CANCELLED', 'REFUNDED'])

/** How many sent units of a line can still come back: those that are neither refunded nor in a return. */
export function returnable({ returns }: OrderReturns, line: LineUnits): number {
  const asked = returns
    .filter(({ status, refund = null }) => !over.has(status) && refund === null)
    .flatMap(({ items }) => items)
    .filter(({ orderItemId }) => orderItemId === line.id)
    .reduce((sum, { quantity }) => sum + quantity, 0)
  return Math.max(0, line.fulfilledQuantity - (line.refundedQuantity - line.cancelledQuantity) - asked)
}

/** How many units can be refunded without a return: those that could still come back, and those that aren't packed. */
export const refundable = (order: OrderReturns, line: LineUnits): number =>
  returnable(order, line) + unpacked(line)
