-- answers: integer
CREATE FUNCTION analytics.refresh(p_merchant_id uuid, p_limit integer)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  c_length CONSTANT interval := '15 minutes';
  v_buckets timestamptz[];
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('analytics.refresh ' || p_merchant_id, 0)) THEN
    RETURN 0;
  END IF;
  v_buckets := ARRAY(
    SELECT DISTINCT s.bucket
    FROM analytics.stale_bucket s
    WHERE s.merchant_id = p_merchant_id
    ORDER BY s.bucket
    LIMIT p_limit
  );
  DELETE FROM analytics.stale_bucket s WHERE s.merchant_id = p_merchant_id AND s.bucket = ANY (v_buckets);
  DELETE FROM analytics.sales_rollup r WHERE r.merchant_id = p_merchant_id AND r.bucket = ANY (v_buckets);
  DELETE FROM analytics.product_rollup r WHERE r.merchant_id = p_merchant_id AND r.bucket = ANY (v_buckets);
  DELETE FROM analytics.stock_rollup r WHERE r.merchant_id = p_merchant_id AND r.bucket = ANY (v_buckets);
  INSERT INTO analytics.sales_rollup
  SELECT
    p_merchant_id,
    b,
    f.currency,
    f.status,
    sum(f.placed),
    sum(f.cancelled),
    sum(f.orders),
    sum(f.units),
    sum(f.gross),
    sum(f.discount),
    sum(f.uncaptured),
    sum(f.shipping),
    sum(f.tax),
    sum(f.total),
    sum(f.refunds),
    sum(f.refunded)
  FROM
    unnest(v_buckets) AS b
    CROSS JOIN LATERAL analytics.sales_facts(p_merchant_id, b, b + c_length) f
  GROUP BY b, f.currency, f.status;
  INSERT INTO analytics.product_rollup
  SELECT
    p_merchant_id,
    b,
    f.product_id,
    f.currency,
    sum(f.orders),
    sum(f.units),
    sum(f.gross),
    sum(f.discount),
    sum(f.uncaptured),
    sum(f.tax)
  FROM
    unnest(v_buckets) AS b
    CROSS JOIN LATERAL analytics.product_facts(p_merchant_id, b, b + c_length) f
  GROUP BY b, f.product_id, f.currency;
  INSERT INTO analytics.stock_rollup
  SELECT p_merchant_id, b, f.product_id, sum(f.received), sum(f.removed), sum(f.moved)
  FROM
    unnest(v_buckets) AS b
    CROSS JOIN LATERAL analytics.stock_facts(p_merchant_id, b, b + c_length) f
  GROUP BY b, f.product_id;
  RETURN cardinality(v_buckets);
END;
$$;
