CREATE FUNCTION analytics.products_by_interval(
  p_merchant_id uuid,
  p_bounds timestamptz[],
  p_metrics text[],
  p_group_by text,
  p_currency text,
  p_product_ids uuid[]
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
      SELECT r.bucket AS at, r.product_id, r.currency, r.orders, r.units, r.gross, r.discount, r.uncaptured, r.tax
      FROM analytics.product_rollup r
      WHERE
        p_group_by IN ('PRODUCT', 'CATEGORY')
        AND r.merchant_id = p_merchant_id
        AND r.bucket >= p_bounds[1]
        AND r.bucket < p_bounds[cardinality(p_bounds)]
        AND r.bucket NOT IN (SELECT s.bucket FROM stale s)
      UNION ALL
      SELECT f.*
      FROM
        analytics.stale_spans(p_merchant_id, p_bounds[1], p_bounds[cardinality(p_bounds)]) s,
        analytics.product_facts(p_merchant_id, s.span_from, s.span_to) f
      WHERE p_group_by IN ('PRODUCT', 'CATEGORY')
    ),
    by_product AS (
      SELECT
        width_bucket(f.at, p_bounds) AS number,
        f.product_id,
        f.currency,
        sum(f.orders) AS orders,
        sum(f.units) AS units,
        sum(f.gross) AS gross,
        sum(f.discount) AS discount,
        sum(f.uncaptured) AS uncaptured,
        sum(f.tax) AS tax,
        NULL::numeric AS views
      FROM fact f
      WHERE
        (p_currency IS NULL OR f.currency = p_currency)
        AND (p_product_ids IS NULL OR f.product_id = ANY (p_product_ids))
      GROUP BY 1, 2, 3
      UNION ALL
      SELECT width_bucket(v.bucket, p_bounds), v.product_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, sum(v.views)
      FROM analytics.product_view v
      WHERE
        'VIEWS' = ANY (p_metrics)
        AND v.merchant_id = p_merchant_id
        AND v.bucket >= p_bounds[1]
        AND v.bucket < p_bounds[cardinality(p_bounds)]
        AND (p_product_ids IS NULL OR v.product_id = ANY (p_product_ids))
      GROUP BY 1, 2
    )
  SELECT s.number, k.group_key, m.metric, m.currency, sum(m.value)
  FROM
    by_product s
    LEFT JOIN catalog.product_category c
      ON p_group_by = 'CATEGORY' AND c.merchant_id = p_merchant_id AND c.product_id = s.product_id
    CROSS JOIN LATERAL (
      SELECT
        CASE p_group_by
          WHEN 'PRODUCT' THEN s.product_id::text
          WHEN 'CATEGORY' THEN c.category_id::text
        END AS group_key
    ) k
    CROSS JOIN LATERAL (
      VALUES
        ('ORDERS', NULL, s.orders),
        ('UNITS', NULL, s.units),
        ('VIEWS', NULL, s.views),
        ('GROSS_SALES', s.currency, s.gross),
        ('DISCOUNTS', s.currency, s.discount),
        ('REVENUE', s.currency, s.gross - s.discount - s.uncaptured),
        ('TAX', s.currency, s.tax)
    ) AS m (metric, currency, value)
  WHERE m.metric = ANY (p_metrics) AND m.value IS NOT NULL
  GROUP BY 1, 2, 3, 4;
$$;
