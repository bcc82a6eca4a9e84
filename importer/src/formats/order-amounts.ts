import type { Row } from './shop-table.ts'

/** A line of an order whose amounts are known as a whole: minor units without tax, before and after its discounts. */
export interface WholeLine {
  /** Its other fields. */
  readonly fields: Row
  readonly quantity: number
  readonly before: number
  readonly after: number
}

/** A line's price of a unit and its discount. A price that isn't whole is rounded up, and the discount has the rest. */
export function lineOf({ fields, quantity, before, after }: WholeLine): Row {
  const price = Math.ceil(Math.max(before, after, 0) / Math.max(1, quantity))
  const discount = price * quantity - after
  return { ...fields, quantity, price, ...(discount > 0 && { discount }) }
}

/**
 * The tax of an order: what its total has besides its other parts. Other systems round each part for itself, so it may differ from
 * the tax that they state by a unit for each. If it differs by more, the stated one stays, and the platform refuses the row.
 */
export function taxOfOrder(total: number, stated: number, parts: readonly number[]): number {
  const rest = total - parts.reduce((sum, part) => sum + part, 0)
  return rest >= 0 && Math.abs(rest - stated) <= parts.length ? rest : stated
}
