import type { OrderMoney, OrderRow } from './money-of-order.ts'
import type { OrderPayments } from './payments-of-order.ts'
import type { OrderState } from './status-of-order.ts'
import type { OrderUnits } from './units-of-order.ts'

/** What is known of an order before its rows are written. */
export interface OrderFacts {
  readonly row: OrderRow
  readonly money: OrderMoney
  readonly units: OrderUnits
  readonly paid: OrderPayments
  readonly state: OrderState
}
