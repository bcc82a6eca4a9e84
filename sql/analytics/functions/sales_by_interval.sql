CREATE FUNCTION analytics.sales_by_interval(
  p_merchant_id uuid,
  p_bounds timestamptz[],
  p_metrics text[],
  p_group_by text,
  p_currency text
)
RETURNS TABLE (number integer, group_key text, metric text, currency text, value numeric)
LANGUAGE sql
STABLE
AS $$
  WITH
    stale AS (
      SELECT s.bucket
      FROM analytics.stale_bucket s
      WHERE s.merchant_id = p_merchant_id AND s.bucket >= p_bounds[1] AND s.bucket < p_bounds[cardinality(p_bounds)]
    ),
    fact AS (
      SELECT
        r.bucket AS at,
        r.currency,
        r.status,
        r.placed,
        r.cancelled,
        r.orders,
        r.units,
        r.gross,
        r.discount,
        r.uncaptured,
        r.shipping,
        r.tax,
        r.total,
        r.refunds,
        r.refunded
      FROM analytics.sales_rollup r
      WHERE
        r.merchant_id = p_merchant_id
        AND r.bucket >= p_bounds[1]
        AND r.bucket < p_bounds[cardinality(p_bounds)]
        AND r.bucket NOT IN (SELECT s.bucket FROM stale s)
      UNION ALL
      SELECT f.*
      FROM
        analytics.stale_spans(p_merchant_id, p_bounds[1], p_bounds[cardinality(p_bounds)]) s,
        analytics.sales_facts(p_merchant_id, s.span_from, s.span_to) f
    ),
    summed AS (
      SELECT
        width_bucket(f.at, p_bounds) AS number,
        CASE p_group_by
          WHEN 'CURRENCY' THEN f.currency
          WHEN 'STATUS' THEN f.status
        END AS group_key,
        f.currency,
        sum(f.placed) AS placed,
        sum(f.cancelled) AS cancelled,
        sum(f.orders) AS orders,
        sum(f.units) AS units,
        sum(f.gross) AS gross,
        sum(f.discount) AS discount,
        sum(f.uncaptured) AS uncaptured,
        sum(f.shipping) AS shipping,
        sum(f.tax) AS tax,
        sum(f.total) AS total,
        sum(f.refunds) AS refunds,
        sum(f.refunded) AS refunded
      FROM fact f
      WHERE p_currency IS NULL OR f.currency = p_currency
      GROUP BY 1, 2, 3
    )
  SELECT s.number, s.group_key, m.metric, m.currency, sum(m.value)
  FROM
    summed s
    CROSS JOIN LATERAL (
      VALUES
        ('ORDERS_PLACED', NULL, s.placed),
        ('ORDERS_CANCELLED', NULL, s.cancelled),
        ('ORDERS', NULL, s.orders),
        ('UNITS', NULL, s.units),
        ('REFUNDS', NULL, s.refunds),
        ('GROSS_SALES', s.currency, s.gross),
        ('DISCOUNTS', s.currency, s.discount),
        ('REVENUE', s.currency, s.gross - s.discount - s.uncaptured),
        ('SHIPPING', s.currency, s.shipping),
        ('TAX', s.currency, s.tax),
        ('TOTAL_SALES', s.currency, s.total),
        -- One row for each currency, so nothing is added to it.
        ('AVERAGE_ORDER_VALUE', s.currency, round(s.total / nullif(s.orders, 0))),
        ('REFUNDED', s.currency, s.refunded)
    ) AS m (metric, currency, value)
  WHERE m.metric = ANY (p_metrics) AND m.value IS NOT NULL
  GROUP BY 1, 2, 3, 4;
$$;
