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

/** How many units can be refunded: those that were sent and those that aren't packed, without what was refunded before. */
export const refundable = (line: LineUnits): number =>
  line.fulfilledQuantity - (line.refundedQuantity - line.cancelledQuantity) + unpacked(line)

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
    readonly items: readonly { readonly orderItemId: string; readonly quantity: number }[]
  }[]
}

const over = new Set(['REJECTED', 'CANCELLED'])

/** How many sent units of a line can still come back: those that no return is about. */
export function returnable({ returns }: OrderReturns, line: LineUnits): number {
  const asked = returns
    .filter(({ status }) => !over.has(status))
    .flatMap(({ items }) => items)
    .filter(({ orderItemId }) => orderItemId === line.id)
    .reduce((sum, { quantity }) => sum + quantity, 0)
  return Math.max(0, line.fulfilledQuantity - asked)
}
