import { randomUUID } from 'node:crypto'
import type { Queryable } from '../database.ts'
import { createCustomer, found, type TestMerchant, type TestShop } from './test-shop.ts'

/** An event of a shop's orders, `at` minutes after the history begins. */
export type SalesEvent =
  | {
      readonly kind: 'place'
      readonly at: number
      readonly currency: string
      readonly customer: number
      readonly quantities: readonly number[]
      readonly discount: number
    }
  | { readonly kind: 'pay' | 'cancel'; readonly at: number; readonly order: number }
  | { readonly kind: 'refund'; readonly at: number; readonly order: number; readonly percent: number }
  | { readonly kind: 'move'; readonly at: number; readonly product: number; readonly delta: number }
  | { readonly kind: 'ship' | 'delete'; readonly order: number }
  | { readonly kind: 'hand over'; readonly order: number; readonly customer: number }
  | { readonly kind: 'correct'; readonly order: number; readonly quantity: number }

export interface SalesHistory {
  readonly merchant: TestMerchant
  readonly start: Date
  readonly productIds: readonly string[]
  readonly customerIds: readonly string[]
  readonly orderIds: string[]
}

const products = 3
const customers = 3

export async function beginHistory(shop: TestShop, start: Date): Promise<SalesHistory> {
  const merchant = await shop.createMerchant()
  const productIds: string[] = []
  for (let index = 0; index < products; index += 1) {
    productIds.push((await shop.createProduct(merchant, { price: 700 + index * 333, stock: [10] })).id)
  }
  const customerIds: string[] = []
  for (let index = 0; index < customers; index += 1) {
    customerIds.push(await createCustomer(shop.database, merchant.merchantId))
  }
  return { merchant, start, productIds, customerIds, orderIds: [] }
}

/**
 * Writes an event as rows at any time in the past, which the rules of orders don't allow. An event that does not
 * apply does nothing.
 */
export async function happen(sql: Queryable, history: SalesHistory, event: SalesEvent): Promise<void> {
  const { merchantId } = history.merchant
  if (event.kind === 'place') return place(sql, history, event)
  if (event.kind === 'move') return move(sql, history, event)
  const orderId = history.orderIds[event.order % Math.max(1, history.orderIds.length)]
  if (orderId === undefined) return
  const mine = sql`merchant_id = ${merchantId} AND id = ${orderId}`
  switch (event.kind) {
    case 'pay':
      await sql`UPDATE ordering.order SET status = 'CONFIRMED', paid_at = ${time(history, event.at)} WHERE ${mine} AND status = 'PENDING'`
      return
    case 'ship':
      await sql`UPDATE ordering.order SET status = 'SHIPPED' WHERE ${mine} AND status = 'CONFIRMED'`
      return
    case 'hand over':
      await sql`UPDATE ordering.order SET customer_id = ${found(history.customerIds[event.customer])} WHERE ${mine}`
      return
    case 'delete':
      await sql`
        DELETE FROM ordering.order WHERE ${mine} AND NOT EXISTS (
          SELECT FROM payment.payment p WHERE p.merchant_id = ${merchantId} AND p.order_id = ${orderId}
        )`
      return
    case 'cancel':
      await sql`
        UPDATE ordering.order SET status = 'CANCELLED', cancelled_at = ${time(history, event.at)}
        WHERE ${mine} AND status IN ('PENDING', 'CONFIRMED')`
      return
    case 'refund':
      await sql`
        WITH paid AS (
          INSERT INTO payment.payment (merchant_id, order_id, amount, currency, status, method, processor)
          SELECT merchant_id, id, total, currency, 'REFUNDED', 'CASH', 'manual' FROM ordering.order
          WHERE ${mine} AND paid_at IS NOT NULL
          RETURNING merchant_id, id, amount
        )
        INSERT INTO payment.refund (merchant_id, payment_id, amount, status, succeeded_at)
        SELECT merchant_id, id, greatest(1, amount * ${event.percent} / 100), 'SUCCEEDED', ${time(history, event.at)} FROM paid`
      return
    case 'correct':
      await sql`
        WITH line AS (
          UPDATE ordering.order_item SET quantity = ${event.quantity}, subtotal = price * ${event.quantity}, discount = 0
          WHERE id = (SELECT id FROM ordering.order_item WHERE merchant_id = ${merchantId} AND order_id = ${orderId} ORDER BY position LIMIT 1)
          RETURNING merchant_id, order_id, id, subtotal
        )
        UPDATE ordering.order o
        SET subtotal = s.subtotal, discount = s.discount + o.shipping_discount,
          total = s.subtotal - s.discount - o.shipping_discount + o.tax + o.shipping
        FROM (
          SELECT l.merchant_id, l.order_id, l.subtotal + coalesce(sum(i.subtotal), 0) AS subtotal, coalesce(sum(i.discount), 0) AS discount
          FROM line l
          LEFT JOIN ordering.order_item i ON i.merchant_id = l.merchant_id AND i.order_id = l.order_id AND i.id <> l.id
          GROUP BY l.merchant_id, l.order_id, l.subtotal
        ) s
        WHERE o.merchant_id = s.merchant_id AND o.id = s.order_id`
      return
    default:
      event satisfies never
  }
}

async function move(
  sql: Queryable,
  history: SalesHistory,
  { at, product, delta }: Extract<SalesEvent, { kind: 'move' }>,
): Promise<void> {
  await sql`
    INSERT INTO inventory.stock_movement
      (merchant_id, stock_item_id, warehouse_id, product_id, kind, on_hand_delta, reserved_delta, on_hand, reserved, reason, created_at)
    SELECT l.merchant_id, i.id, l.warehouse_id, i.product_id, 'ADJUSTMENT', ${delta}, 0, 0, 0, 'Counted', ${time(history, at)}
    FROM inventory.stock_level l
    JOIN inventory.stock_item i ON i.merchant_id = l.merchant_id AND i.id = l.stock_item_id
    WHERE l.merchant_id = ${history.merchant.merchantId} AND i.product_id = ${found(history.productIds[product % history.productIds.length])}`
}

const time = ({ start }: SalesHistory, minutes: number) => new Date(start.getTime() + minutes * 60_000)

async function place(
  sql: Queryable,
  history: SalesHistory,
  event: Extract<SalesEvent, { kind: 'place' }>,
): Promise<void> {
  const { merchantId } = history.merchant
  const orderId = randomUUID()
  const lines = event.quantities.map((quantity, index) => {
    const price = 700 + index * 333
    const subtotal = price * quantity
    return { index, quantity, price, subtotal, discount: Math.floor((subtotal * event.discount) / 100) }
  })
  const subtotal = lines.reduce((sum, line) => sum + line.subtotal, 0)
  const discount = lines.reduce((sum, line) => sum + line.discount, 0)
  const tax = lines.length * 7
  const addressId = randomUUID()
  const at = time(history, event.at)
  const customerId = found(history.customerIds[event.customer % history.customerIds.length])
  await sql`
    WITH placed AS (
      INSERT INTO ordering.order
        (merchant_id, id, order_number, customer_id, currency, subtotal, tax, shipping, discount, shipping_discount, total,
         shipping_address_id, created_at)
      VALUES
        (${merchantId}, ${orderId}, ${orderId}, ${customerId}, ${event.currency}, ${subtotal}, ${tax}, 500, ${discount + 100}, 100,
         ${subtotal + tax + 400 - discount}, ${addressId}, ${at})
    ),
    sent_to AS (
      INSERT INTO ordering.order_address (merchant_id, id, order_id, line1, city, state, postal_code, country)
      VALUES (${merchantId}, ${addressId}, ${orderId}, '1', 'A', 'B', 'C', 'US')
    )
    INSERT INTO ordering.order_item
      (merchant_id, order_id, position, product_id, quantity, price, subtotal, discount, tax, sku, product_name)
    SELECT ${merchantId}, ${orderId}, l.index, p.id, l.quantity, l.price, l.subtotal, l.discount, 7, 'SKU', 'Product'
    FROM jsonb_to_recordset(${sql.json(lines)}) AS l (index int, quantity int, price bigint, subtotal bigint, discount bigint)
    JOIN unnest(${history.productIds as string[]}::uuid[]) WITH ORDINALITY AS p (id, position) ON p.position = l.index + 1`
  history.orderIds.push(orderId)
}
