-- Sums up anew the quarters of an hour that something was changed in. A quarter that isn't over at p_now is left to the
-- reports: the next order changes it again, and each sum would take longer than the one before. Returns how many it
-- summed up.
--
-- answers: integer
CREATE FUNCTION analytics.refresh(p_merchant_id uuid, p_limit integer, p_now timestamptz)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  c_length CONSTANT interval := '15 minutes';
  v_open timestamptz := analytics.bucket_of(p_now);
  v_buckets timestamptz[];
  -- Where each of them ends. Behind row security, an index takes no bound that is computed from another row: the
  -- addition could fail, and the error would tell of rows that the caller doesn't see.
  v_ends timestamptz[];
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('analytics.refresh ' || p_merchant_id, 0)) THEN
    RETURN 0;
  END IF;
  v_buckets := ARRAY(
    SELECT DISTINCT s.bucket
    FROM analytics.stale_bucket s
    WHERE s.merchant_id = p_merchant_id AND s.bucket < v_open
    ORDER BY s.bucket
    LIMIT p_limit
  );
  v_ends := ARRAY(SELECT b + c_length FROM unnest(v_buckets) AS b);
  DELETE FROM analytics.stale_bucket s WHERE s.merchant_id = p_merchant_id AND s.bucket = ANY (v_buckets);
  DELETE FROM analytics.sales_rollup r WHERE r.merchant_id = p_merchant_id AND r.bucket = ANY (v_buckets);
  DELETE FROM analytics.product_rollup r WHERE r.merchant_id = p_merchant_id AND r.bucket = ANY (v_buckets);
  DELETE FROM analytics.stock_rollup r WHERE r.merchant_id = p_merchant_id AND r.bucket = ANY (v_buckets);
  INSERT INTO analytics.sales_rollup
  SELECT
    p_merchant_id,
    b.start,
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
    unnest(v_buckets, v_ends) AS b (start, finish)
    CROSS JOIN LATERAL analytics.sales_facts(p_merchant_id, b.start, b.finish) f
  GROUP BY b.start, f.currency, f.status;
  INSERT INTO analytics.product_rollup
  SELECT
    p_merchant_id,
    b.start,
    f.product_id,
    f.currency,
    sum(f.orders),
    sum(f.units),
    sum(f.gross),
    sum(f.discount),
    sum(f.uncaptured),
    sum(f.tax)
  FROM
    unnest(v_buckets, v_ends) AS b (start, finish)
    CROSS JOIN LATERAL analytics.product_facts(p_merchant_id, b.start, b.finish) f
  GROUP BY b.start, f.product_id, f.currency;
  INSERT INTO analytics.stock_rollup
  SELECT p_merchant_id, b.start, f.product_id, sum(f.received), sum(f.removed), sum(f.moved)
  FROM
    unnest(v_buckets, v_ends) AS b (start, finish)
    CROSS JOIN LATERAL analytics.stock_facts(p_merchant_id, b.start, b.finish) f
  GROUP BY b.start, f.product_id;
  -- One mark is enough for what is left.
  DELETE FROM analytics.stale_bucket s
  WHERE
    s.merchant_id = p_merchant_id
    AND s.bucket >= v_open
    AND EXISTS (
      SELECT
      FROM analytics.stale_bucket o
      WHERE o.merchant_id = s.merchant_id AND o.bucket = s.bucket AND o.id < s.id
    );
  RETURN cardinality(v_buckets);
END;
$$;
