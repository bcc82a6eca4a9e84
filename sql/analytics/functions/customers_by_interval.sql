CREATE FUNCTION analytics.customers_by_interval(
  p_merchant_id uuid,
  p_bounds timestamptz[],
  p_metrics text[],
  p_currency text
)
RETURNS TABLE (number integer, group_key text, metric text, currency text, value numeric)
LANGUAGE sql
STABLE
AS $$
  WITH
    buyer AS (
      SELECT width_bucket(o.paid_at, p_bounds) AS number, o.customer_id
      FROM ordering.order o
      WHERE
        p_metrics && '{CUSTOMERS,NEW_CUSTOMERS,RETURNING_CUSTOMERS}'
        AND o.merchant_id = p_merchant_id
        AND o.paid_at >= p_bounds[1]
        AND o.paid_at < p_bounds[cardinality(p_bounds)]
        AND (p_currency IS NULL OR o.currency = p_currency)
      GROUP BY 1, 2
    ),
    -- The first purchase is no later than any other of its interval, so it makes a buyer of the interval a new one.
    new_buyer AS (
      SELECT width_bucket(f.paid_at, p_bounds) AS number, f.customer_id
      FROM analytics.first_purchase f
      WHERE
        p_metrics && '{NEW_CUSTOMERS,RETURNING_CUSTOMERS}'
        AND f.merchant_id = p_merchant_id
        AND f.paid_at >= p_bounds[1]
        AND f.paid_at < p_bounds[cardinality(p_bounds)]
    ),
    counted AS (
      SELECT
        b.number,
        count(*) AS customers,
        count(n.customer_id) AS new_customers,
        NULL::bigint AS registrations
      FROM
        buyer b
        LEFT JOIN new_buyer n ON n.number = b.number AND n.customer_id = b.customer_id
      GROUP BY 1
      UNION ALL
      SELECT width_bucket(c.created_at, p_bounds), NULL, NULL, count(*)
      FROM crm.customer c
      WHERE
        'REGISTRATIONS' = ANY (p_metrics)
        AND c.merchant_id = p_merchant_id
        AND c.created_at >= p_bounds[1]
        AND c.created_at < p_bounds[cardinality(p_bounds)]
      GROUP BY 1
    )
  SELECT c.number, NULL, m.metric, NULL, m.value
  FROM
    counted c
    CROSS JOIN LATERAL (
      VALUES
        ('CUSTOMERS', c.customers),
        ('NEW_CUSTOMERS', c.new_customers),
        ('RETURNING_CUSTOMERS', c.customers - c.new_customers),
        ('REGISTRATIONS', c.registrations)
    ) AS m (metric, value)
  WHERE m.metric = ANY (p_metrics) AND m.value IS NOT NULL;
$$;
