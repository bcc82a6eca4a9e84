CREATE FUNCTION analytics.stock_by_interval(
  p_merchant_id uuid,
  p_bounds timestamptz[],
  p_metrics text[],
  p_group_by text,
  p_product_ids uuid[]
)
RETURNS TABLE (number integer, group_key text, metric text, currency text, value numeric)
LANGUAGE sql
STABLE
AS $$
  WITH
    range AS (
      SELECT
        CASE
          WHEN 'STOCK_LEVEL' = ANY (p_metrics) THEN '-infinity'
          ELSE p_bounds[1]
        END AS first,
        p_bounds[cardinality(p_bounds)] AS last
    ),
    stale AS (
      SELECT s.bucket
      FROM
        range,
        analytics.stale_bucket s
      WHERE s.merchant_id = p_merchant_id AND s.bucket >= range.first AND s.bucket < range.last
    ),
    fact AS (
      SELECT r.bucket AS at, r.product_id, r.received, r.removed, r.moved
      FROM
        range,
        analytics.stock_rollup r
      WHERE
        r.merchant_id = p_merchant_id
        AND r.bucket >= range.first
        AND r.bucket < range.last
        AND r.bucket NOT IN (SELECT s.bucket FROM stale s)
      UNION ALL
      SELECT f.*
      FROM
        range,
        analytics.stale_spans(p_merchant_id, range.first, range.last) s,
        analytics.stock_facts(p_merchant_id, s.span_from, s.span_to) f
    ),
    summed AS (
      SELECT
        width_bucket(f.at, p_bounds) AS number,
        CASE p_group_by
          WHEN 'PRODUCT' THEN f.product_id::text
        END AS group_key,
        sum(f.received) AS received,
        sum(f.removed) AS removed,
        sum(f.received - f.removed + f.moved) AS delta
      FROM fact f
      WHERE p_product_ids IS NULL OR f.product_id = ANY (p_product_ids)
      GROUP BY 1, 2
    )
  SELECT s.number, s.group_key, m.metric, NULL, m.value
  FROM
    summed s
    CROSS JOIN LATERAL (
      VALUES
        ('STOCK_RECEIVED', s.received),
        ('STOCK_REMOVED', s.removed)
    ) AS m (metric, value)
  WHERE s.number > 0 AND m.metric = ANY (p_metrics)
  UNION ALL
  SELECT
    n,
    NULL,
    'STOCK_LEVEL',
    NULL,
    sum(
      coalesce(s.delta, 0) + CASE
        WHEN n = 1 THEN coalesce(b.delta, 0)
        ELSE 0
      END
    ) OVER (ORDER BY n)
  FROM
    generate_series(1, cardinality(p_bounds) - 1) AS n
    LEFT JOIN summed s ON s.number = n
    LEFT JOIN summed b ON b.number = 0
  WHERE 'STOCK_LEVEL' = ANY (p_metrics);
$$;
