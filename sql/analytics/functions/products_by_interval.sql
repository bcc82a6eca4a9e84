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
      FROM analytics.products_sold(p_merchant_id, p_bounds[1], p_bounds[cardinality(p_bounds)], p_product_ids) f
      WHERE p_group_by IN ('PRODUCT', 'CATEGORY') AND (p_currency IS NULL OR f.currency = p_currency)
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
  SELECT
    s.number,
    k.group_key,
    m.metric,
    CASE
      WHEN analytics.is_money(m.metric) THEN s.currency
    END,
    sum(v.amount)
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
    CROSS JOIN unnest(p_metrics) AS m (metric)
    CROSS JOIN LATERAL (
      SELECT
        CASE m.metric
          WHEN 'VIEWS' THEN s.views
          ELSE analytics.amount_of(
            m.metric,
            ROW(s.orders, s.units, s.gross, s.discount, s.uncaptured, s.tax)::analytics.sold_amounts
          )
        END AS amount
    ) v
  WHERE v.amount IS NOT NULL
  GROUP BY 1, 2, 3, 4;
$$;
