import { expect } from 'vitest'
import type { Database } from '../database.ts'
import type { TestMerchant } from './test-shop.ts'

/**
 * What must never be false of a merchant's shop, recomputed from raw rows: levels are not negative and what the ledger's
 * entries add up to, `reserved` is what open reservations hold, orders hold what their lines say, lines add up to
 * subtotal, discount and tax, a promotion was used as often as orders with it weren't cancelled, and every balance of points is
 * the sum of its entries.
 */
export async function expectShopToAddUp(database: Database, { merchantId }: TestMerchant): Promise<void> {
  const levels = await database`
    SELECT l.stock_item_id, l.available, l.reserved, coalesce(h.quantity, 0) AS held
    FROM inventory.stock_level l
    LEFT JOIN LATERAL (
      SELECT sum(x.quantity)::integer AS quantity
      FROM inventory.reservation_line x
      JOIN inventory.reservation r ON r.merchant_id = x.merchant_id AND r.id = x.reservation_id
      WHERE x.merchant_id = l.merchant_id AND x.stock_item_id = l.stock_item_id AND x.warehouse_id = l.warehouse_id
        AND r.status IN ('ACTIVE', 'COMMITTED')
    ) h ON true
    WHERE l.merchant_id = ${merchantId} AND (l.available < 0 OR l.reserved <> coalesce(h.quantity, 0))`
  expect(levels).toEqual([])

  const ledger = await database`SELECT * FROM inventory.ledger_disagreement WHERE merchant_id = ${merchantId}`
  expect(ledger).toEqual([])

  const orders = await database`
    SELECT o.id, o.status, o.subtotal, o.total, s.sum, ordered.lines, held.lines AS held
    FROM ordering.order o
    CROSS JOIN LATERAL (
      SELECT sum(i.price::numeric * i.quantity) AS sum FROM ordering.order_item i
      WHERE i.merchant_id = o.merchant_id AND i.order_id = o.id
    ) s
    CROSS JOIN LATERAL (
      SELECT jsonb_object_agg(i.sku, i.quantity) AS lines FROM ordering.order_item i
      WHERE i.merchant_id = o.merchant_id AND i.order_id = o.id
    ) ordered
    CROSS JOIN LATERAL (
      SELECT jsonb_object_agg(t.sku, t.quantity) AS lines FROM (
        SELECT k.sku, sum(x.quantity) AS quantity
        FROM inventory.reservation r
        JOIN inventory.reservation_line x ON x.merchant_id = r.merchant_id AND x.reservation_id = r.id
        JOIN inventory.stock_item k ON k.merchant_id = x.merchant_id AND k.id = x.stock_item_id
        WHERE r.merchant_id = o.merchant_id AND r.order_id = o.id
          AND r.status = CASE
            WHEN o.status = 'PENDING' THEN 'ACTIVE'
            WHEN o.status IN ('CONFIRMED', 'PROCESSING') THEN 'COMMITTED'
            WHEN o.status IN ('SHIPPED', 'DELIVERED') THEN 'CONSUMED'
          END
        GROUP BY k.sku
      ) t
    ) held
    WHERE o.merchant_id = ${merchantId}
      AND (
        o.subtotal <> s.sum
        OR o.total <> o.subtotal + o.tax + o.shipping - o.discount
        OR (o.status <> 'CANCELLED' AND held.lines IS DISTINCT FROM ordered.lines)
        OR (o.status = 'CANCELLED' AND held.lines IS NOT NULL)
      )`
  expect(orders).toEqual([])

  const shares = await database`
    SELECT o.id FROM ordering.order o
    JOIN ordering.order_item i ON i.merchant_id = o.merchant_id AND i.order_id = o.id
    WHERE o.merchant_id = ${merchantId}
    GROUP BY o.merchant_id, o.id
    HAVING sum(i.tax) <> o.tax OR sum(i.discount) <> o.discount - o.shipping_discount OR bool_or(i.discount > i.subtotal)`
  expect(shares).toEqual([])

  const promotions = await database`
    SELECT p.code, p.usage_count, u.orders FROM promotion.promotion p
    CROSS JOIN LATERAL (
      SELECT count(*)::integer AS orders FROM ordering.order o
      WHERE o.merchant_id = p.merchant_id AND o.promotion_id = p.id AND o.status <> 'CANCELLED'
    ) u
    WHERE p.merchant_id = ${merchantId} AND p.usage_count <> u.orders`
  expect(promotions).toEqual([])

  const accounts = await database`
    SELECT a.customer_id, a.points, a.points_earned, e.points, e.earned, e.balances FROM crm.loyalty_account a
    CROSS JOIN LATERAL (
      SELECT
        coalesce(sum(x.points), 0) AS points,
        coalesce(sum(x.points) FILTER (WHERE x.type IN ('EARNED', 'TAKEN_BACK')), 0) AS earned,
        coalesce(bool_and(x.balance = x.sum), true) AS balances
      FROM (
        SELECT y.*, sum(y.points) OVER (ORDER BY y.created_at, y.id) FROM crm.loyalty_entry y
        WHERE y.merchant_id = a.merchant_id AND y.customer_id = a.customer_id
      ) x
    ) e
    WHERE a.merchant_id = ${merchantId} AND (a.points <> e.points OR a.points_earned <> e.earned OR NOT e.balances)`
  expect(accounts).toEqual([])
}

/** Stock that came in, wherever it is now: available, reserved or gone out with an order. */
export async function stockEverSeen(database: Database, { merchantId }: TestMerchant): Promise<number> {
  const [row] = await database<{ units: number }[]>`
    SELECT (
      (SELECT coalesce(sum(l.available + l.reserved), 0) FROM inventory.stock_level l WHERE l.merchant_id = ${merchantId})
      + (
        SELECT coalesce(sum(i.quantity), 0)
        FROM ordering.order_item i JOIN ordering.order o ON o.merchant_id = i.merchant_id AND o.id = i.order_id
        WHERE o.merchant_id = ${merchantId} AND o.status IN ('SHIPPED', 'DELIVERED')
      )
    )::integer AS units`
  return row?.units ?? 0
}
