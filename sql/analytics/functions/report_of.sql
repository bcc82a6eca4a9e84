CREATE FUNCTION analytics.report_of(
  p_merchant_id uuid,
  p_metrics text[],
  p_first date,
  p_last date,
  p_interval text,
  p_time_zone text,
  p_group_by text,
  p_group_limit integer,
  p_currency text,
  p_compare boolean
)
RETURNS SETOF analytics.report_row
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  c_max_rows CONSTANT integer := 20000;
  v_refusal text := analytics.question_refusal(
    p_metrics,
    p_last - p_first + 1,
    p_interval,
    p_time_zone,
    p_group_by,
    p_group_limit
  );
  v_settings merchant.settings;
  v_bounds timestamptz[];
  v_before timestamptz[];
  v_currency text;
  v_product_ids uuid[];
BEGIN
  IF v_refusal IS NULL AND (p_first < DATE '1970-01-01' OR p_last > DATE '2199-12-31') THEN
    v_refusal := 'startDate';
  END IF;
  IF v_refusal IS NOT NULL THEN
    RAISE EXCEPTION
      USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('%s of the report is out of bounds', v_refusal);
  END IF;
  SELECT * INTO v_settings FROM merchant.settings s WHERE s.merchant_id = p_merchant_id;
  v_currency := coalesce(p_currency, v_settings.currency);
  SELECT array_agg(b.at ORDER BY b.at), array_agg(b.before_at ORDER BY b.at)
  INTO v_bounds, v_before
  FROM analytics.bounds(p_first, p_last, p_interval, coalesce(p_time_zone, v_settings.timezone, 'UTC')) b;
  IF
    (cardinality(v_bounds) - 1) * cardinality(p_metrics) * (
      CASE
        WHEN p_group_by IS NULL THEN 1
        ELSE p_group_limit
      END
    ) > c_max_rows
  THEN
    RAISE EXCEPTION
      USING
        ERRCODE = 'invalid_parameter_value',
        MESSAGE = 'interval of the report is out of bounds',
        DETAIL = format('A report has at most %s rows.', c_max_rows);
  END IF;

  -- Of the many products that were sold, only those are measured by interval and metric that the report has.
  IF p_group_by = 'PRODUCT' THEN
    v_product_ids := analytics.top_products(
      p_merchant_id,
      tstzrange(v_bounds[1], v_bounds[cardinality(v_bounds)]),
      p_metrics[1],
      CASE
        WHEN analytics.is_money(p_metrics[1]) THEN v_currency
        ELSE p_currency
      END,
      p_group_limit
    );
  END IF;

  RETURN QUERY WITH
      measured AS MATERIALIZED (
        SELECT *
        FROM analytics.metrics_by_interval(p_merchant_id, v_bounds, p_metrics, p_group_by, p_currency, v_product_ids)
      ),
      measured_before AS MATERIALIZED (
        SELECT m.*
        FROM analytics.metrics_by_interval(p_merchant_id, v_before, p_metrics, p_group_by, p_currency, v_product_ids) m
        WHERE p_compare
      ),
      top_group AS (
        SELECT
          g.group_key,
          row_number() OVER (
            ORDER BY
              max(g.value) FILTER (WHERE g.currency IS NULL OR g.currency = v_currency) DESC NULLS LAST,
              max(g.value) DESC NULLS LAST,
              g.group_key NULLS LAST
          )::integer AS rank
        FROM
          (
            SELECT m.group_key, m.currency, sum(m.value) FILTER (WHERE m.metric = p_metrics[1]) AS value
            FROM measured m
            GROUP BY 1, 2
          ) g
        GROUP BY g.group_key
        ORDER BY rank
        LIMIT p_group_limit
      ),
      series AS (
        SELECT m.group_key, m.metric, m.currency, coalesce(g.rank, 1) AS rank
        FROM
          (
            SELECT * FROM measured
            UNION ALL
            SELECT * FROM measured_before
          ) m
          LEFT JOIN top_group g ON p_group_by IS NOT NULL AND g.group_key IS NOT DISTINCT FROM m.group_key
        WHERE p_group_by IS NULL OR g.rank IS NOT NULL
        GROUP BY 1, 2, 3, 4
        UNION
        SELECT
          NULL,
          m,
          CASE
            WHEN analytics.is_money(m) THEN v_currency
          END,
          1
        FROM unnest(p_metrics) AS m
        WHERE p_group_by IS NULL
      )
    SELECT
      p_merchant_id,
      n,
      v_bounds[n],
      v_bounds[n + 1],
      s.metric,
      s.currency,
      CASE
        WHEN p_group_by = 'STATUS' THEN s.group_key
      END,
      CASE
        WHEN p_group_by = 'PRODUCT' THEN s.group_key::uuid
      END,
      CASE
        WHEN p_group_by = 'CATEGORY' THEN s.group_key::uuid
      END,
      coalesce(m.value, e.nothing)::bigint,
      CASE
        WHEN p_compare THEN coalesce(b.value, e.nothing)::bigint
      END,
      s.rank
    FROM
      series s
      CROSS JOIN generate_series(1, cardinality(v_bounds) - 1) AS n
      CROSS JOIN LATERAL (
        SELECT
          CASE
            WHEN s.metric <> 'AVERAGE_ORDER_VALUE' THEN 0
          END AS nothing
      ) e
      LEFT JOIN measured m
        ON m.number = n
        AND m.metric = s.metric
        AND coalesce(m.group_key, '') = coalesce(s.group_key, '')
        AND coalesce(m.currency, '') = coalesce(s.currency, '')
      LEFT JOIN measured_before b
        ON b.number = n
        AND b.metric = s.metric
        AND coalesce(b.group_key, '') = coalesce(s.group_key, '')
        AND coalesce(b.currency, '') = coalesce(s.currency, '');
END;
$$;
