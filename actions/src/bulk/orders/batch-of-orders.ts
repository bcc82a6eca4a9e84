import type { PreparedOrder } from './prepare-order.ts'

/** The lists of `ordering.import_orders` for some orders, with every customer and product once. */
export function batchOfOrders(orders: readonly PreparedOrder[]): Readonly<Record<string, readonly object[]>> {
  const customers = new Numbered<PreparedOrder['customer']>(({ external_id, email }) =>
    JSON.stringify([external_id, email]),
  )
  const products = new Numbered<PreparedOrder['lines'][number]['product']>(({ sku, external_id }) =>
    JSON.stringify([sku, external_id]),
  )
  return {
    orders: orders.map(({ order, customer }) => ({ ...order, customer: customers.numberOf(customer) })),
    addresses: orders.flatMap(({ addresses }) => addresses),
    lines: orders.flatMap(({ lines }) =>
      lines.map(({ row, product }) => ({ ...row, product: products.numberOf(product) })),
    ),
    fulfillments: orders.map(({ fulfillment }) => fulfillment),
    shipments: orders.flatMap(({ shipments }) => shipments),
    shipment_lines: orders.flatMap(({ shipmentLines }) => shipmentLines),
    payments: orders.flatMap(({ payments }) => payments),
    refunds: orders.flatMap(({ refunds }) => refunds),
    refund_lines: orders.flatMap(({ refundLines }) => refundLines),
    history: orders.flatMap(({ history }) => history),
    customers: customers.entries(),
    products: products.entries(),
  }
}

/** Different values in their order, each with its number. */
class Numbered<Value extends object> {
  readonly #keyOf: (value: Value) => string
  readonly #numbers = new Map<string, number>()
  readonly #entries: (Value & { readonly number: number })[] = []

  constructor(keyOf: (value: Value) => string) {
    this.#keyOf = keyOf
  }

  numberOf(value: Value): number {
    const key = this.#keyOf(value)
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.#entries.length + 1
    this.#numbers.set(key, number)
    this.#entries.push({ ...value, number })
    return number
  }

  entries(): readonly object[] {
    return this.#entries
  }
}
