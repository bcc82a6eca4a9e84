import { expect } from 'vitest'
import type { Database } from '../database.ts'
import type { TestMerchant } from './test-shop.ts'

/**
 * The invariants of a merchant's shop, recalculated from rows. Levels are not negative and equal the sum of the
 * ledger's entries. `reserved` equals the open reservations. Every unit of every order is in one place. Lines add up
 * to subtotal, discount and tax; refunds add up to no more than the captured amount. A promotion's uses equal its
 * orders that are not cancelled. Every balance of points is the sum of its entries.
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
    SELECT o.id, o.status, o.subtotal, o.total, s.sum
    FROM ordering.order o
    CROSS JOIN LATERAL (
      SELECT sum(i.price::numeric * i.quantity) AS sum FROM ordering.order_item i
      WHERE i.merchant_id = o.merchant_id AND i.order_id = o.id
    ) s
    WHERE o.merchant_id = ${merchantId}
      AND (o.subtotal <> s.sum OR o.total <> o.subtotal + o.tax + o.shipping - o.discount)`
  expect(orders).toEqual([])
  await expectUnitsToAddUp(database, merchantId)
  await expectRefundsToAddUp(database, merchantId)

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

/** Every bought unit is in one place: held for the order, sent, or returned; and its counters agree. */
async function expectUnitsToAddUp(database: Database, merchantId: string): Promise<void> {
  const items = await database`
    SELECT o.id, o.status, i.*, held.*, sent.*, back.*
    FROM ordering.order o
    JOIN ordering.order_item i ON i.merchant_id = o.merchant_id AND i.order_id = o.id
    CROSS JOIN LATERAL (
      SELECT
        coalesce(sum(x.quantity) FILTER (WHERE r.status = 'ACTIVE'), 0) AS active,
        coalesce(sum(x.quantity) FILTER (WHERE r.status = 'COMMITTED'), 0) AS committed,
        coalesce(sum(x.quantity) FILTER (WHERE r.status = 'CONSUMED'), 0) AS consumed,
        coalesce(sum(x.quantity), 0) AS ever
      FROM inventory.reservation r
      JOIN inventory.reservation_line x ON x.merchant_id = r.merchant_id AND x.reservation_id = r.id
      JOIN inventory.stock_item k ON k.merchant_id = x.merchant_id AND k.id = x.stock_item_id
      WHERE r.merchant_id = o.merchant_id AND r.order_id = o.id
        AND k.product_id = i.product_id AND k.variant_id IS NOT DISTINCT FROM i.variant_id
    ) held
    CROSS JOIN LATERAL (
      SELECT
        coalesce(sum(l.quantity) FILTER (WHERE s.status <> 'CANCELLED'), 0) AS in_shipments,
        coalesce(sum(l.quantity) FILTER (WHERE s.status IN ('SHIPPED', 'DELIVERED')), 0) AS sent
      FROM ordering.shipment_line l
      JOIN ordering.shipment s ON s.merchant_id = l.merchant_id AND s.id = l.shipment_id
      WHERE l.merchant_id = i.merchant_id AND l.order_item_id = i.id
    ) sent
    CROSS JOIN LATERAL (
      SELECT
        coalesce(sum(l.quantity) FILTER (WHERE r.status NOT IN ('REJECTED', 'CANCELLED')), 0) AS in_returns,
        coalesce(sum(l.quantity) FILTER (WHERE r.status IN ('RECEIVED', 'REFUNDED')), 0) AS back
      FROM ordering.return_line l
      JOIN ordering.order_return r ON r.merchant_id = l.merchant_id AND r.id = l.return_id
      WHERE l.merchant_id = i.merchant_id AND l.order_item_id = i.id
    ) back
    WHERE o.merchant_id = ${merchantId}
      AND (
        held.ever <> i.quantity
        OR held.active <> CASE WHEN o.status = 'PENDING' THEN i.quantity ELSE 0 END
        OR held.committed <> CASE
          WHEN o.status IN ('PENDING', 'CANCELLED') THEN 0 ELSE i.quantity - i.cancelled_quantity - i.fulfilled_quantity
        END
        OR held.consumed < i.fulfilled_quantity
        OR sent.in_shipments <> i.packed_quantity OR sent.sent <> i.fulfilled_quantity
        OR back.in_returns <> i.returning_quantity OR back.back <> i.returned_quantity
      )`
  expect(items).toEqual([])
}

/** Refunds return no more than was captured, for a payment and for a line, and the parts of a refund add up to it. */
async function expectRefundsToAddUp(database: Database, merchantId: string): Promise<void> {
  const payments = await database`
    SELECT p.id, p.status, p.captured_amount, p.refunded_amount, p.refund_requested_amount, r.*
    FROM payment.payment p
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(x.amount), 0) AS requested, coalesce(sum(x.amount) FILTER (WHERE x.status = 'SUCCEEDED'), 0) AS done
      FROM payment.refund x WHERE x.merchant_id = p.merchant_id AND x.payment_id = p.id
    ) r
    WHERE p.merchant_id = ${merchantId}
      AND (
        r.requested <> p.refund_requested_amount OR r.done <> p.refunded_amount OR r.requested > p.captured_amount
        OR (p.captured_amount > 0) <> (p.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED'))
        OR (p.captured_amount > 0 AND p.status <> CASE
          WHEN r.done = 0 THEN 'SUCCEEDED' WHEN r.done < p.captured_amount THEN 'PARTIALLY_REFUNDED' ELSE 'REFUNDED'
        END)
      )`
  expect(payments).toEqual([])
  const refunds = await database`
    SELECT r.id, r.amount, r.shipping_amount, sum(l.amount) AS lines FROM payment.refund r
    JOIN payment.refund_line l ON l.merchant_id = r.merchant_id AND l.refund_id = r.id
    WHERE r.merchant_id = ${merchantId}
    GROUP BY r.merchant_id, r.id
    HAVING r.amount <> r.shipping_amount + sum(l.amount)`
  expect(refunds).toEqual([])
  const lines = await database`
    SELECT i.id, sum(l.quantity) AS quantity, sum(l.amount) AS amount FROM ordering.order_item i
    JOIN payment.refund_line l ON l.merchant_id = i.merchant_id AND l.order_item_id = i.id
    WHERE i.merchant_id = ${merchantId}
    GROUP BY i.merchant_id, i.id
    HAVING sum(l.amount) > i.subtotal - i.discount + i.tax OR sum(l.quantity) > i.refunded_quantity`
  expect(lines).toEqual([])
}

/** Stock that came in, wherever it is now: available, reserved, or sent and not returned. */
export async function stockEverSeen(database: Database, { merchantId }: TestMerchant): Promise<number> {
  const [row] = await database<{ units: number }[]>`
    SELECT (
      (SELECT coalesce(sum(l.available + l.reserved), 0) FROM inventory.stock_level l WHERE l.merchant_id = ${merchantId})
      + (
        SELECT coalesce(sum(x.quantity), 0)
        FROM inventory.reservation r
        JOIN inventory.reservation_line x ON x.merchant_id = r.merchant_id AND x.reservation_id = r.id
        WHERE r.merchant_id = ${merchantId} AND r.status = 'CONSUMED'
      )
      - (SELECT coalesce(sum(l.restocked_quantity), 0) FROM payment.refund_line l WHERE l.merchant_id = ${merchantId})
      - (SELECT coalesce(sum(l.restocked_quantity), 0) FROM ordering.return_line l WHERE l.merchant_id = ${merchantId})
    )::integer AS units`
  return row?.units ?? 0
}
