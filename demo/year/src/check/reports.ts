import type { Sql } from '@commerce-graph/postgres-driver'
import { type Check, byKey, compare } from './compare.ts'

interface Row {
  readonly key: string
  readonly value: number | null
}

/** Reports by day, month and product over all of a shop's time, and the same values from its rows. */
export async function reportChecks(sql: Sql, merchantId: string): Promise<readonly Check[]> {
  const [span] = await sql<{ zone: string; first: string; last: string }[]>`
    SELECT s.timezone AS zone,
      (min(o.created_at) AT TIME ZONE s.timezone)::date::text AS first, (now() AT TIME ZONE s.timezone)::date::text AS last
    FROM merchant.settings s JOIN ordering.order o USING (merchant_id)
    WHERE merchant_id = ${merchantId} GROUP BY s.timezone`
  if (span === undefined) return []
  const { zone } = span
  const checks: Check[] = []
  for (const interval of ['day', 'month'] as const) {
    // The maximum number of days in a report by day.
    const first = sql`greatest(${span.first}::date, ${span.last}::date - 799)`
    const reported = await sql<Row[]>`
      SELECT concat_ws(' ', (r.start_time AT TIME ZONE ${zone})::date, r.metric, r.currency) AS key, r.value::float AS value
      FROM (VALUES
        ('{ORDERS_PLACED,ORDERS_CANCELLED,ORDERS,UNITS,GROSS_SALES,DISCOUNTS,REVENUE,SHIPPING,TAX,TOTAL_SALES}'::text[]),
        ('{REFUNDS,REFUNDED,CUSTOMERS,NEW_CUSTOMERS,STOCK_RECEIVED,STOCK_REMOVED}')
      ) AS q (metrics),
      analytics.report_of(
        ${merchantId}, q.metrics, ${first}, ${span.last}, ${interval.toUpperCase()}, NULL, NULL, 10, NULL, false
      ) r`
    const recomputed = await sql<Row[]>`
      WITH bound AS (SELECT ${first} AS first),
      item AS (
        SELECT i.order_id, sum(i.quantity) AS units, sum(i.price * i.quantity) AS gross, sum(i.discount) AS discount, sum(i.tax) AS tax
        FROM ordering.order_item i WHERE i.merchant_id = ${merchantId} GROUP BY 1
      ),
      customer_order AS (
        SELECT o.*, min(o.paid_at) OVER (PARTITION BY o.customer_id) AS first_paid_at
        FROM ordering.order o WHERE o.merchant_id = ${merchantId}
      ),
      event AS (
        SELECT o.created_at AS at, 'ORDERS_PLACED' AS metric, NULL AS currency, 1::numeric AS value FROM customer_order o
        UNION ALL SELECT o.cancelled_at, 'ORDERS_CANCELLED', NULL, 1 FROM customer_order o WHERE o.cancelled_at IS NOT NULL
        UNION ALL
        SELECT o.paid_at, m.metric, m.currency, m.value
        FROM customer_order o JOIN item i ON i.order_id = o.id
        CROSS JOIN LATERAL (VALUES
          ('ORDERS', NULL, 1::numeric), ('UNITS', NULL, i.units), ('GROSS_SALES', o.currency, i.gross), ('DISCOUNTS', o.currency, i.discount),
          ('REVENUE', o.currency, i.gross - i.discount), ('SHIPPING', o.currency, o.shipping - o.shipping_discount),
          ('TAX', o.currency, i.tax), ('TOTAL_SALES', o.currency, o.total)
        ) AS m (metric, currency, value)
        WHERE o.paid_at IS NOT NULL
        UNION ALL
        SELECT r.succeeded_at, m.metric, m.currency, m.value
        FROM payment.refund r JOIN payment.payment p ON p.merchant_id = r.merchant_id AND p.id = r.payment_id
        CROSS JOIN LATERAL (VALUES ('REFUNDS', NULL, 1::numeric), ('REFUNDED', p.currency, r.amount)) AS m (metric, currency, value)
        WHERE r.merchant_id = ${merchantId} AND r.status = 'SUCCEEDED'
        UNION ALL
        SELECT m.created_at, CASE WHEN m.on_hand_delta > 0 THEN 'STOCK_RECEIVED' ELSE 'STOCK_REMOVED' END, NULL, abs(m.on_hand_delta)
        FROM inventory.stock_movement m
        WHERE m.merchant_id = ${merchantId} AND m.on_hand_delta <> 0 AND m.kind NOT IN ('TRANSFER_IN', 'TRANSFER_OUT')
        UNION ALL
        SELECT min(o.paid_at), m.metric, NULL, 1
        FROM customer_order o, unnest('{CUSTOMERS,NEW_CUSTOMERS}'::text[]) AS m (metric)
        WHERE o.paid_at IS NOT NULL
        GROUP BY date_trunc(${interval}, o.paid_at AT TIME ZONE ${zone}), o.customer_id, o.first_paid_at, m.metric
        HAVING m.metric = 'CUSTOMERS'
          OR date_trunc(${interval}, o.first_paid_at AT TIME ZONE ${zone}) = date_trunc(${interval}, min(o.paid_at) AT TIME ZONE ${zone})
      )
      SELECT
        concat_ws(' ', greatest(date_trunc(${interval}, e.at AT TIME ZONE ${zone})::date, b.first), e.metric, e.currency) AS key,
        sum(e.value)::float AS value
      FROM event e, bound b
      WHERE (e.at AT TIME ZONE ${zone})::date >= b.first
      GROUP BY 1`
    checks.push(compare(`reports by ${interval}`, byKey(reported), byKey(recomputed)))
  }
  return [...checks, await productCheck(sql, merchantId), await levelCheck(sql, merchantId)]
}

async function productCheck(sql: Sql, merchantId: string): Promise<Check> {
  const kept = await sql<Row[]>`
    SELECT concat_ws(' ', r.product_id, r.metric, r.currency) AS key, sum(r.value)::float AS value
    FROM generate_series(0, 1) AS part,
      analytics.report_of(
        ${merchantId}, '{UNITS,REVENUE}', current_date - 3600 + part * 1830, current_date - 1771 + part * 1830, NULL, 'UTC', 'PRODUCT', 100,
        NULL, false
      ) r
    GROUP BY 1`
  const recomputed = await sql<Row[]>`
    SELECT concat_ws(' ', i.product_id, m.metric, m.currency) AS key, sum(m.value)::float AS value
    FROM ordering.order_item i
    JOIN ordering.order o ON o.merchant_id = i.merchant_id AND o.id = i.order_id AND o.paid_at IS NOT NULL
    CROSS JOIN LATERAL (VALUES ('UNITS', NULL, i.quantity::numeric), ('REVENUE', o.currency, i.price * i.quantity - i.discount))
      AS m (metric, currency, value)
    WHERE i.merchant_id = ${merchantId}
    GROUP BY 1`
  return compare('reports by product', byKey(kept), byKey(recomputed))
}

/** The last value of today's report, and the current stock. */
async function levelCheck(sql: Sql, merchantId: string): Promise<Check> {
  const kept = await sql<Row[]>`
    SELECT 'on the shelves' AS key, r.value::float AS value
    FROM analytics.report_of(
      ${merchantId}, '{STOCK_LEVEL}', current_date - 30, current_date + 1, NULL, 'UTC', NULL, 10, NULL, false
    ) r`
  const recomputed = await sql<Row[]>`
    SELECT 'on the shelves' AS key, sum(l.available + l.reserved)::float AS value
    FROM inventory.stock_level l WHERE l.merchant_id = ${merchantId}`
  return compare('stock levels in reports', byKey(kept), byKey(recomputed))
}
