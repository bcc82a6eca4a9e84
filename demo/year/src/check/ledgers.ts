import type { Sql } from '@commerce-graph/postgres-driver'
import { type Check, byKey, compare } from './compare.ts'
import { segmentDescription } from '../own-shop.ts'

interface Pair {
  readonly key: string
  readonly kept: number | null
  readonly recomputed: number | null
}

const compared = (name: string, rows: readonly Pair[]): Check =>
  compare(
    name,
    byKey(rows.map(({ key, kept }) => ({ key, value: kept }))),
    byKey(rows.map(({ key, recomputed }) => ({ key, value: recomputed }))),
  )

/** Totals, points, promotions, payments and stock, and the same values from their rows. */
export async function ledgerChecks(sql: Sql, merchantId: string): Promise<readonly Check[]> {
  const merchant = sql`merchant_id = ${merchantId}`
  return [
    compared(
      'orders and their lines',
      await sql<Pair[]>`
        SELECT o.order_number AS key, o.total::float AS kept,
          (sum(i.price * i.quantity - i.discount + i.tax) + o.shipping - o.shipping_discount)::float AS recomputed
        FROM ordering.order o JOIN ordering.order_item i ON i.merchant_id = o.merchant_id AND i.order_id = o.id
        WHERE o.${merchant}
        GROUP BY o.merchant_id, o.id`,
    ),
    compared(
      'payments and refunds',
      await sql<Pair[]>`
        SELECT p.id::text AS key, p.refunded_amount::float AS kept, coalesce(sum(r.amount), 0)::float AS recomputed
        FROM payment.payment p
        LEFT JOIN payment.refund r ON r.merchant_id = p.merchant_id AND r.payment_id = p.id AND r.status = 'SUCCEEDED'
        WHERE p.${merchant}
        GROUP BY p.merchant_id, p.id`,
    ),
    compared(
      'points and their ledger',
      await sql<Pair[]>`
        SELECT a.customer_id::text AS key, a.points::float AS kept, coalesce(sum(e.points), 0)::float AS recomputed
        FROM crm.loyalty_account a
        LEFT JOIN crm.loyalty_entry e ON e.merchant_id = a.merchant_id AND e.customer_id = a.customer_id
        WHERE a.${merchant}
        GROUP BY a.merchant_id, a.customer_id`,
    ),
    compared(
      'points earned and payments',
      await sql<Pair[]>`
        SELECT p.id::text AS key, coalesce(sum(e.points), 0)::float AS kept, div(p.amount * g.earn_points, g.earn_amount)::float AS recomputed
        FROM payment.payment p
        JOIN crm.loyalty_program g ON g.merchant_id = p.merchant_id AND g.enabled
        JOIN demo.run d ON d.merchant_id = p.merchant_id AND p.created_at >= d.from_time
        LEFT JOIN crm.loyalty_entry e ON e.merchant_id = p.merchant_id AND e.payment_id = p.id AND e.type = 'EARNED'
        WHERE p.${merchant} AND p.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED')
        GROUP BY p.merchant_id, p.id, g.earn_points, g.earn_amount`,
    ),
    compared(
      'uses of coupons',
      await sql<Pair[]>`
        SELECT p.id::text AS key, p.usage_count::float AS kept, count(o.id)::float AS recomputed
        FROM promotion.promotion p
        LEFT JOIN ordering.order o ON o.merchant_id = p.merchant_id AND o.promotion_id = p.id AND o.status <> 'CANCELLED'
        WHERE p.${merchant}
        GROUP BY p.merchant_id, p.id`,
    ),
    compared(
      'units ever sold',
      await sql<Pair[]>`
        SELECT p.product_id::text AS key, p.total_sold::float AS kept, coalesce(sum(i.quantity), 0)::float AS recomputed
        FROM analytics.product_sales p
        LEFT JOIN (
          ordering.order_item i JOIN ordering.order o ON o.merchant_id = i.merchant_id AND o.id = i.order_id AND o.paid_at IS NOT NULL
        ) ON i.merchant_id = p.merchant_id AND i.product_id = p.product_id
        WHERE p.${merchant}
        GROUP BY p.product_id, p.total_sold`,
    ),
    compared(
      'stock reserved and reservations',
      await sql<Pair[]>`
        SELECT l.stock_item_id || ' ' || l.warehouse_id AS key, l.reserved::float AS kept,
          coalesce(sum(h.quantity) FILTER (WHERE r.id IS NOT NULL), 0)::float AS recomputed
        FROM inventory.stock_level l
        LEFT JOIN inventory.reservation_line h USING (merchant_id, stock_item_id, warehouse_id)
        LEFT JOIN inventory.reservation r
          ON r.merchant_id = h.merchant_id AND r.id = h.reservation_id AND r.status IN ('ACTIVE', 'COMMITTED')
        WHERE l.${merchant}
        GROUP BY l.merchant_id, l.stock_item_id, l.warehouse_id, l.reserved`,
    ),
    compared(
      'stock on the shelves and its ledger',
      await sql<Pair[]>`
        SELECT l.stock_item_id || ' ' || l.warehouse_id AS key, (l.available + l.reserved)::float AS kept,
          coalesce(sum(m.on_hand_delta), 0)::float AS recomputed
        FROM inventory.stock_level l
        LEFT JOIN inventory.stock_movement m USING (merchant_id, stock_item_id, warehouse_id)
        WHERE l.${merchant}
        GROUP BY l.merchant_id, l.stock_item_id, l.warehouse_id`,
    ),
    compared(
      'stock that was sold and orders that were shipped',
      await sql<Pair[]>`
        WITH placed AS (SELECT order_id FROM demo.placed WHERE ${merchant})
        SELECT p.id::text AS key,
          (
            SELECT -sum(m.on_hand_delta) FROM inventory.stock_movement m
            WHERE m.merchant_id = p.merchant_id AND m.product_id = p.id AND m.kind = 'SALE' AND m.reference_id IN (SELECT order_id FROM placed)
          )::float AS kept,
          (
            SELECT sum(i.quantity)
            FROM ordering.order_item i
            JOIN ordering.fulfillment f ON f.merchant_id = i.merchant_id AND f.order_id = i.order_id AND f.shipped_at IS NOT NULL
            WHERE i.merchant_id = p.merchant_id AND i.product_id = p.id AND i.order_id IN (SELECT order_id FROM placed)
          )::float AS recomputed
        FROM catalog.product p
        WHERE p.${merchant}`,
    ),
    compared('segments and their rules', await segments(sql, merchantId)),
  ]
}

const segments = (sql: Sql, merchantId: string) => sql<Pair[]>`
  SELECT s.name AS key,
    (SELECT count(*) FROM crm.segment_member m WHERE m.merchant_id = s.merchant_id AND m.segment_id = s.id)::float AS kept,
    (
      SELECT count(*) FROM crm.customer c
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(x.kept) FILTER (WHERE o.currency = m.currency), 0) AS spent,
          count(*) FILTER (WHERE o.status <> 'CANCELLED') AS orders
        FROM ordering.order o
        JOIN merchant.settings m ON m.merchant_id = o.merchant_id
        LEFT JOIN LATERAL (
          SELECT sum(p.captured_amount - p.refunded_amount) AS kept FROM payment.payment p
          WHERE p.merchant_id = o.merchant_id AND p.order_id = o.id
        ) x ON true
        WHERE o.merchant_id = c.merchant_id AND o.customer_id = c.id AND o.status <> 'PENDING'
      ) t
      WHERE c.merchant_id = s.merchant_id AND t.orders >= coalesce(s.order_count_min, 0) AND t.spent >= coalesce(s.total_spent_min, 0)
    )::float AS recomputed
  FROM crm.segment s
  WHERE s.merchant_id = ${merchantId} AND s.description = ${segmentDescription}`
